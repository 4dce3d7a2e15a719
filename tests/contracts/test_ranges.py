"""Public ends are refused, or values between them are told apart in the arithmetic that uses them,
within the claim.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.contracts.ranges import ELSEWHERE, HOSTILE, ROWS, USES, Ends, takers

from shoal.errors import ShoalError
from shoal.local.protocols.numeric import NoisyNumber, OneBit, UnitVector
from shoal.mechanisms import Laplace

OFTEN = settings(max_examples=20, deadline=None)
ENDS = st.builds(
    lambda digits, exponent: f"{digits}e{exponent}",
    st.integers(-(10**6), 10**6),
    st.sampled_from([-400, -330, -300, -200, -105, -99, -50, -7, 0, 3, 20, 90, 99, 200, 303, 400]),
)


def numbers_in(found: Any) -> Iterator[float]:
    if isinstance(found, np.ndarray | list | tuple):
        for each in found:
            yield from numbers_in(each)
    elif is_dataclass(found):
        for field in fields(found):
            yield from numbers_in(getattr(found, field.name))
    elif isinstance(found, float):  # whole numbers and rationals are finite
        yield found


def check(name: str, ends: Ends) -> None:
    try:
        found = USES[name](*ends)
    except ShoalError:
        return
    assert all(math.isfinite(number) for number in numbers_in(found))


@pytest.mark.parametrize("ends", HOSTILE, ids=str)
@pytest.mark.parametrize("name", USES)
def test_hostile_ends_are_refused_or_keep_the_claim(name: str, ends: Ends) -> None:
    check(name, ends)


@pytest.mark.slow
@pytest.mark.parametrize("name", USES)
def test_any_ends_are_refused_or_keep_the_claim(name: str) -> None:
    @OFTEN
    @given(ENDS, ENDS)
    def held(low: str, high: str) -> None:
        check(name, (low, high))

    held()


def test_every_class_with_a_public_range_is_tried() -> None:
    assert takers() - set(USES) - set(ELSEWHERE) == set()
    assert set(ELSEWHERE) <= takers()


@pytest.mark.parametrize(("low", "high"), [("-1e308", "1e308"), (10**17, 10**17 + 8)])
def test_a_bit_is_never_made_of_a_width_that_is_zero_or_infinite(low: Any, high: Any) -> None:
    with pytest.raises(ShoalError):
        OneBit.for_epsilon(1, low=low, high=high)
    with pytest.raises(ShoalError):
        OneBit(Fraction(low), Fraction(high), Fraction(3))


@given(st.integers(0, 2**54), st.integers(1, 200))
def test_numbers_that_get_noise_are_no_further_apart_than_the_range(start: int, width: int) -> None:
    """With the nearest doubles of the ends they would be: 16 apart in a range of 10."""
    low, high = Fraction(10**17 + start), Fraction(10**17 + start + width)
    try:
        made = NoisyNumber.laplace(1, low=low, high=high)
    except ShoalError:
        return
    cut = made.cut(ROWS)
    assert Fraction(float(cut.max())) - Fraction(float(cut.min())) <= high - low
    assert made.mechanism.sensitivity.value == high - low


def test_noise_for_a_narrower_range_is_refused() -> None:
    narrow = Laplace.for_epsilon(1, sensitivity=1)
    with pytest.raises(ShoalError, match="2 wide"):
        NoisyNumber(Fraction(0), Fraction(2), narrow)


@given(
    st.lists(st.integers(-(2**20), 2**20), min_size=3, max_size=3).filter(any),
    st.integers(-1070, 1000),
)
def test_the_length_of_a_vector_changes_nothing_of_its_direction(
    entries: list[int], exponent: int
) -> None:
    """Squares of small entries are 0 and those of large ones infinite; the vector on the grid has
    length 1 all the same.
    """
    made = UnitVector.for_epsilon(4, dimensions=3)
    plain = np.array([entries], dtype=np.float64)
    scaled = np.ldexp(plain, exponent)
    if not np.isfinite(scaled).all() or (np.ldexp(scaled, -exponent) != plain).any():
        return
    known = made._on_grid(scaled)
    assert (known == made._on_grid(plain)).all()
    length = math.sqrt(int((known.astype(object) ** 2).sum())) / 2**24
    assert abs(length - 1) <= float(made._slack)


def test_vectors_of_tiny_numbers_get_no_longer_than_others() -> None:
    made = UnitVector.for_epsilon(4, dimensions=2)
    for row in ([5e-324, 5e-324], [1e-170, 3e-170], [1e-200, 1e-161], [1.7e308, 1.7e308]):
        known = made._on_grid(np.array([row])).astype(object)
        assert abs(math.sqrt((known**2).sum()) / 2**24 - 1) <= float(made._slack)
