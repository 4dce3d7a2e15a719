"""The float bounds under every race are bounds, for gaps and rates of any size."""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
import pytest
from flint import arb
from hypothesis import example, given
from hypothesis import strategies as st

from shoal.exact import at_precision, ball
from shoal.noise.candidate_race import CLEARLY_ACCEPTED, Scores, _Lottery, gaps_below
from shoal.noise.exp_enclosures import LAST, SLACK, upper_weights

PRECISION = 256
rates = st.one_of(
    st.fractions(Fraction(1, 1000), 1000, max_denominator=10**9),
    st.builds(
        lambda digits, power: digits * Fraction(10) ** power,
        st.integers(1, 999),
        st.integers(-290, 287),
    ),
)
whole_scores = st.integers(-(2**63), 2**63 - 1)
near_scores = st.integers(-100, 100)
float_scores = st.floats(allow_nan=False, allow_infinity=False)
pairs = st.one_of(
    st.lists(whole_scores, min_size=2, max_size=2).map(lambda pair: np.array(pair, dtype=np.int64)),
    st.lists(near_scores, min_size=2, max_size=2).map(lambda pair: np.array(pair, dtype=np.int64)),
    st.lists(float_scores, min_size=2, max_size=2).map(np.array),
    st.lists(st.fractions(), min_size=2, max_size=2).map(lambda pair: np.array(pair, dtype=object)),
)


def exponents_of(scores: Scores, rate: Fraction) -> list[Fraction]:
    exact = [Fraction(score) for score in scores.tolist()]
    return [(max(exact) - score) * rate for score in exact]


def weight(exponent: Fraction) -> arb:
    return ball(-exponent).exp()


def bounds_hold(upper: float, exponent: Fraction) -> bool:
    """exp(-x) <= upper <= exp(-x) (1 + SLACK), and the same at LAST for all x beyond it."""
    cut = weight(min(exponent, Fraction(LAST)))
    return bool(weight(exponent) <= arb(upper) and arb(upper) <= cut * (1 + ball(Fraction(SLACK))))


@pytest.mark.slow
@given(pairs, rates)
@example(np.array([2**63 - 1, -(2**63)]), Fraction(1, 2**60))
@example(np.array([1e308, -1e308]), Fraction(10**200))
@example(np.array([5e-324, 0.0]), Fraction(1, 10**290))
@example(np.array([5e-324, 0.0]), Fraction(10**290))
@example(np.array([0, LAST]), Fraction(1))
def test_an_upper_weight_is_above_the_weight_and_close_to_it(
    scores: Scores, rate: Fraction
) -> None:
    uppers = upper_weights(gaps_below(scores.max(), scores), rate.numerator / rate.denominator)
    for upper, exponent in zip(uppers.tolist(), exponents_of(scores, rate), strict=True):
        assert at_precision(PRECISION, partial(bounds_hold, upper, exponent))


@given(st.floats(0, LAST + 1))
def test_upper_weights_hold_between_and_on_the_points_of_the_table(gap: float) -> None:
    for near in (gap, round(gap * 1024) / 1024, np.nextafter(round(gap * 1024) / 1024, -np.inf)):
        place = max(0.0, float(near))
        (upper,) = upper_weights(np.array([place]), 1.0).tolist()
        assert at_precision(PRECISION, partial(bounds_hold, upper, Fraction(place)))


@given(pairs, rates)
def test_a_candidate_has_at_least_its_weight_in_tickets_and_hardly_more(
    scores: Scores, rate: Fraction
) -> None:
    lottery = _Lottery(scores, np.arange(len(scores)), rate)
    for tickets, exponent in zip(
        lottery._tickets(0).tolist(), exponents_of(scores, rate), strict=True
    ):

        def holds(tickets: int = tickets, exponent: Fraction = exponent) -> bool:
            least = weight(exponent) * 2**40
            most = weight(min(exponent, Fraction(LAST))) * 2**40 * (1 + ball(Fraction(SLACK)))
            return bool(arb(tickets) >= least and arb(tickets) <= most + 1)

        assert at_precision(PRECISION, holds)
        assert tickets >= 1


@given(st.fractions(0, 20, max_denominator=10**6))
@example(Fraction(13))
@example(Fraction(132, 10))
def test_what_is_accepted_at_a_glance_would_be_accepted_by_the_chance(exponent: Fraction) -> None:
    scores = np.array([Fraction(0), -exponent], dtype=object)
    tickets = int(_Lottery(scores, np.arange(2), Fraction(1))._tickets(0)[1])
    if tickets >> 21:
        assert at_precision(
            PRECISION,
            lambda: bool(weight(exponent) * 2**104 / tickets >= arb(CLEARLY_ACCEPTED)),
        )


@given(pairs)
def test_gaps_are_close_and_never_nan(scores: Scores) -> None:
    gaps = gaps_below(scores.max(), scores)
    for gap, exact in zip(gaps.tolist(), exponents_of(scores, Fraction(1)), strict=True):
        if np.isinf(gap):
            assert exact > Fraction(2) ** 1023
        else:
            assert abs(Fraction(gap) - exact) <= exact / 2**52 + Fraction(2) ** -1074


@pytest.mark.parametrize("kind", [np.int64, np.int32, np.uint8])
def test_objects_that_hold_numpy_integers_do_not_overflow(kind: Any) -> None:
    ends = np.iinfo(kind)
    scores = np.empty(2, dtype=object)
    scores[0], scores[1] = kind(ends.max), kind(ends.min)
    assert gaps_below(scores.max(), scores)[1] == float(int(ends.max) - int(ends.min))
