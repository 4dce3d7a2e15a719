"""Numbers and intervals as text: what is shown, read back, holds what was found."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.exact import Shows, is_unclear, rounded, shown, shown_down, shown_up

HOSTILE = (0.0, 1e-300, 5e-324, 1e-13, 0.1, 12_345_567.0, 1e15, 2.0**63, 1e21, 1.7e308)
NUMBERS = (
    st.floats(allow_nan=False, allow_infinity=False)
    | st.sampled_from([sign * each for each in HOSTILE for sign in (1, -1)])
    | st.integers(-(2**70), 2**70)
    | st.decimals(-(10**12), 10**12, places=2)
)


def read(text: str) -> Fraction:
    """The number that a reader sees."""
    return Fraction(text.replace(",", ""))


@given(
    ends=st.tuples(NUMBERS, NUMBERS), at=st.fractions(0, 1), places=st.none() | st.integers(0, 4)
)
def test_shown_ends_hold_the_ends_exactly_and_the_value_between_them(
    ends: tuple[Shows, Shows], at: Fraction, places: int | None
) -> None:
    low, high = sorted(Fraction(end) for end in ends)
    value = low + at * (high - low)
    text = shown(value, low, high, places=places)
    assert text.low is not None
    assert text.high is not None
    assert read(text.low) <= low
    assert read(text.high) >= high
    assert read(text.low) <= read(text.value) <= read(text.high)


@given(low=NUMBERS, high=NUMBERS)
def test_shown_ends_are_less_than_a_hundredth_of_the_width_away(low: Shows, high: Shows) -> None:
    ends = sorted(Fraction(end) for end in (low, high))
    text = shown(None, *ends)
    assert text.low is not None
    assert text.high is not None
    width, size = ends[1] - ends[0], max(map(abs, ends))
    slack = max(
        width / 100,
        size / 10**15,
        Fraction(0) if size > 10**18 else Fraction(1, 10**5) * (not width),
    )
    whole = Fraction(2) if width >= 200 and size < 10**18 else Fraction(0)
    assert ends[0] - read(text.low) <= slack + whole
    assert read(text.high) - ends[1] <= slack + whole


@pytest.mark.parametrize(
    ("value", "low", "high", "places", "texts"),
    [
        (12_345_567, 12_345_560.3, 12_345_573.9, 0, ("12,345,567", "12,345,560", "12,345,574")),
        (2**63, 2.0**63 - 2048, 2.0**63, 0, ("9,223,372,036,854,775,808", "9,223,372,036,854,773,760", "9,223,372,036,854,775,808")),
        (1.5e-300, 1.3e-300, 1.7e-300, None, ("1.500e-300", "1.299e-300", "1.701e-300")),
        (0.0, 0.0, 0.0, None, ("0.000000", "0.000000", "0.000000")),
        (-0.0004, -0.5, 0.5, None, ("0.000", "-0.500", "0.500")),
        (Decimal("12.34"), Decimal("12.30"), Decimal("12.38"), 2, ("12.34", "12.30", "12.38")),
        (5.0, -math.inf, math.inf, None, ("5.000", None, None)),
    ],
)  # fmt: skip
def test_numbers_have_the_digits_that_mean_something(
    value: Shows, low: Shows, high: Shows, places: int | None, texts: tuple[str | None, ...]
) -> None:
    text = shown(value, low, high, places=places)
    if (
        texts[0] == "1.500e-300"
    ):  # ends of such floats are no round decimals: the digits may be one outward
        assert text.low in ("1.299e-300", "1.300e-300")
        assert text.high in ("1.700e-300", "1.701e-300")
    else:
        assert (text.value, text.low, text.high) == texts


@given(number=NUMBERS, digits=st.integers(1, 8))
def test_a_bound_is_rounded_to_its_own_side(number: Shows, digits: int) -> None:
    exact = Fraction(repr(number)) if isinstance(number, float) else Fraction(number)
    assert read(shown_up(number, digits=digits)) >= exact >= read(shown_down(number, digits=digits))
    slack = abs(exact) * Fraction(10) ** (1 - digits)
    assert read(shown_up(number, digits=digits)) - exact <= slack
    assert exact - read(shown_down(number, digits=digits)) <= slack


@given(
    ends=st.tuples(NUMBERS, NUMBERS), at=st.fractions(0, 1), places=st.none() | st.integers(0, 4)
)
def test_rounded_ends_hold_the_ends_and_widen_them_by_less_than_a_fifth_of_half_the_width(
    ends: tuple[Shows, Shows], at: Fraction, places: int | None
) -> None:
    low, high = sorted(Fraction(end) for end in ends)
    value = low + at * (high - low)
    text = rounded(value, low, high, places=places)
    assert text.low is not None
    assert text.high is not None
    assert read(text.low) <= low
    assert read(text.high) >= high
    assert read(text.low) <= read(text.value) <= read(text.high)
    finest = Fraction(10) ** -(places or 0) if places is not None else Fraction(0)
    slack = max((high - low) / 10, max(abs(low), abs(high)) / 10**15, finest)
    if high > low:
        assert low - read(text.low) <= slack
        assert read(text.high) - high <= slack


@pytest.mark.parametrize(
    ("value", "low", "high", "places", "said"),
    [
        (3412, 3317.5, 3506.5, 0, ("3,410", "3,310", "3,510")),
        (3412, 3402, 3422, 0, ("3,412", "3,402", "3,422")),
        (1_234_567, 1_184_567, 1_284_567, 0, ("1,230,000", "1,180,000", "1,290,000")),
        (0.4821, 0.4101, 0.5541, None, ("0.48", "0.41", "0.56")),
        (80.7166, 79.5859, 81.8395, None, ("80.7", "79.5", "81.9")),
        (Decimal("12.30"), Decimal("12.29"), Decimal("12.31"), 2, ("12.30", "12.29", "12.31")),
        (3, -40, 46, 0, ("3", "-40", "46")),
        (7, 7, 7, 0, ("7", "7", "7")),
        (7, -math.inf, 9.5, 0, ("7", None, "10")),
        (None, 2, 4.5, None, ("NULL", "2.0", "4.5")),
    ],
)
def test_figures_are_rounded_by_the_width_of_their_interval(
    value: Shows | None, low: Shows, high: Shows, places: int | None, said: tuple[str, ...]
) -> None:
    found = rounded(value, low, high, places=places)
    assert (found.value, found.low, found.high) == said


@pytest.mark.parametrize(
    ("value", "ends", "unclear"),
    [
        (583, (514, 653), False),
        (41, (0, 111), True),
        (-43, (0, 26), True),
        (500, (0, 500), True),
        (-46, (0, 0), True),
        (0, (0, 0), False),
        (-300, (-320, -280), False),
        (None, (0, 1), False),
    ],
)
def test_a_figure_is_unclear_if_its_interval_is_as_wide_as_what_it_can_be(
    value: object, ends: tuple[int, int], unclear: bool
) -> None:
    """Reports and pictures set such numbers apart."""
    assert is_unclear(value, ends) == unclear
