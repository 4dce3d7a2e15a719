from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.errors import RangeError
from shoal.exact import LARGEST_END, float_ends, read_ends, read_float_ends

EXPONENTS = st.integers(-400, 400)
ENDS = st.builds(
    lambda digits, exponent: Fraction(digits) * Fraction(10) ** exponent,
    st.integers(-(10**20), 10**20),
    EXPONENTS,
)


@given(ENDS, ENDS)
def test_ends_that_are_read_have_a_width_whose_square_is_a_float_above_zero(
    low: Fraction, high: Fraction
) -> None:
    try:
        bottom, top = map(float, read_float_ends(low, high))
    except RangeError:
        return
    for width in (top - bottom, float(high - low)):
        assert 0 < width * width < math.inf


@given(ENDS, ENDS)
def test_the_doubles_of_a_range_lie_in_it(low: Fraction, high: Fraction) -> None:
    try:
        read_float_ends(low, high)
    except RangeError:
        return
    bottom, top = float_ends(low, high)
    assert low <= Fraction(bottom) < Fraction(top) <= high


@pytest.mark.parametrize(
    ("low", "high"),
    [
        (1, 1),
        (2, 1),
        ("-1e308", "1e308"),
        (0, "1e400"),
        (0, "5e-324"),
        (0, LARGEST_END + 1),
        (-LARGEST_END - 1, 0),
        (0, Fraction(1, 2 * LARGEST_END)),
    ],
)
def test_a_range_that_is_empty_or_of_a_size_nobody_means_is_refused(
    low: object, high: object
) -> None:
    with pytest.raises(RangeError) as refused:
        read_ends(low, high)  # type: ignore[arg-type]
    assert "range" in refused.value.remedy


def test_a_range_without_two_doubles_is_refused_where_values_are_doubles() -> None:
    assert read_ends(10**17, 10**17 + 8)
    with pytest.raises(RangeError, match="two floating-point numbers"):
        read_float_ends(10**17, 10**17 + 8)
