"""Divergences of finite laws: against numpy, and by their laws."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.interpret.laws import (
    ALMOST_TOLD,
    channels_of,
    events,
    full_pairs,
    hockey_stick,
    law_of,
    pairs,
    pairs_of,
)

from shoal.errors import ConversionError, InternalError, RangeError
from shoal.interpret import (
    CHI_SQUARED,
    KULLBACK_LEIBLER,
    SQUARED_HELLINGER,
    TOTAL_VARIATION,
    Convex,
    Pair,
    approximate_max_divergence_up,
    chi_squared,
    f_divergence_down,
    f_divergence_up,
    group_curve,
    hockey_stick_down,
    hockey_stick_up,
    kullback_leibler_down,
    kullback_leibler_up,
    max_divergence_up,
    probability_down,
    probability_up,
    renyi_divergence_down,
    renyi_divergence_up,
    squared_hellinger_down,
    squared_hellinger_up,
    textbook_group_curve,
    total_variation,
    weak_triangle,
    weak_triangle_orders,
)
from shoal.measures import GaussianDP, Renyi

TINY = Fraction(1, 2**55)
ORDERS = [0, 0.5, 0.99, 1, 1.01, 2, 3, 10, math.inf]
NAMED = {
    "kullback_leibler": KULLBACK_LEIBLER,
    "total_variation": TOTAL_VARIATION,
    "chi_squared": CHI_SQUARED,
    "squared_hellinger": SQUARED_HELLINGER,
}


def renyi(pair: Pair, order: float) -> float:
    p, q = (np.array([float(x) for x in law]) for law in (pair.p, pair.q))
    if order == math.inf:
        return float(np.log(np.max(p / q)))
    if order == 1:
        return float(np.sum(p * np.log(p / q)))
    return float(np.log(np.sum(p**order * q ** (1 - order))) / (order - 1))


# numbers


@given(full_pairs, st.sampled_from(ORDERS))
def test_a_divergence_agrees_with_its_formula_from_both_sides(pair: Pair, order: float) -> None:
    up, down = renyi_divergence_up(pair, order=order), renyi_divergence_down(pair, order=order)
    assert float(up) == pytest.approx(renyi(pair, order), rel=1e-9, abs=1e-12)
    assert 0 <= down <= up <= down * (1 + TINY)


@pytest.mark.slow
@given(pairs, st.floats(0, 3))
def test_the_hockey_stick_agrees_with_every_event_from_both_sides(
    pair: Pair, epsilon: float
) -> None:
    up, down = hockey_stick_up(pair, epsilon), hockey_stick_down(pair, epsilon)
    assert float(up) == pytest.approx(hockey_stick(pair, epsilon), abs=1e-12)
    assert down <= up <= down + TINY
    assert hockey_stick_up(pair, 0) == total_variation(pair)


@pytest.mark.slow
@given(pairs, st.fractions(0, 1, max_denominator=30))
def test_the_approximate_max_divergence_is_the_largest_over_events(
    pair: Pair, delta: Fraction
) -> None:
    ratios = [(x - delta) / y for x, y in events(pair) if x > delta and y]
    infinite = any(x > delta and y == 0 for x, y in events(pair))
    truth = math.inf if infinite else math.log(max([Fraction(1), *ratios]))
    assert float(approximate_max_divergence_up(pair, delta=delta)) == pytest.approx(
        truth, abs=1e-14
    )


@given(full_pairs)
def test_the_named_divergences_are_their_sums(pair: Pair) -> None:
    p, q = (np.array([float(x) for x in law]) for law in (pair.p, pair.q))
    assert float(kullback_leibler_up(pair)) == pytest.approx(np.sum(p * np.log(p / q)), abs=1e-12)
    assert float(chi_squared(pair)) == pytest.approx(np.sum((p - q) ** 2 / q), rel=1e-10)
    assert float(squared_hellinger_up(pair)) == pytest.approx(1 - np.sum(np.sqrt(p * q)), abs=1e-12)
    assert kullback_leibler_down(pair) <= kullback_leibler_up(pair)
    assert squared_hellinger_down(pair) <= squared_hellinger_up(pair)


@pytest.mark.slow
@given(full_pairs, st.sampled_from(sorted(NAMED)))
def test_the_general_sum_agrees_with_the_named_ones(pair: Pair, name: str) -> None:
    truth = {
        "kullback_leibler": kullback_leibler_up,
        "total_variation": total_variation,
        "chi_squared": chi_squared,
        "squared_hellinger": squared_hellinger_up,
    }[name](pair)
    up, down = f_divergence_up(pair, NAMED[name]), f_divergence_down(pair, NAMED[name])
    assert down <= truth * (1 + TINY)
    assert truth <= up * (1 + TINY) + TINY
    assert up - down <= TINY * (1 + truth)


def test_the_second_order_is_the_logarithm_of_one_plus_chi_squared() -> None:
    # D_f = exp((a - 1) D_a) - 1 for f(t) = t^a - 1; the minus 1 is not optional.
    pair = Pair([0.5, 0.5], [0.25, 0.75])
    assert float(renyi_divergence_up(pair, order=2)) == pytest.approx(math.log(4 / 3))
    power = Convex(lambda t: t * t - 1, Fraction(-1), math.inf)
    assert float(f_divergence_up(pair, power)) == pytest.approx(1 / 3)
    assert f_divergence_up(Pair([0.5, 0.5], [0.5, 0.5]), power) == 0


# infinite mass


def test_an_outcome_possible_under_one_law_only_carries_infinite_loss() -> None:
    pair = ALMOST_TOLD.swapped()
    for order in (1, 2, math.inf):
        assert renyi_divergence_up(pair, order=order) == math.inf
        assert renyi_divergence_down(pair, order=order) == math.inf
    assert max_divergence_up(pair) == chi_squared(pair) == kullback_leibler_up(pair) == math.inf
    assert f_divergence_up(pair, CHI_SQUARED) == math.inf
    assert renyi_divergence_up(pair, order=0.5) < math.inf
    assert hockey_stick_up(pair, 100) == Fraction(1, 5)
    assert approximate_max_divergence_up(pair, delta=0.2) < math.inf


def test_laws_without_a_common_outcome_are_infinitely_far_apart() -> None:
    pair = Pair([1, 0], [0, 1])
    assert all(renyi_divergence_up(pair, order=order) == math.inf for order in ORDERS)
    assert total_variation(pair) == squared_hellinger_up(pair) == 1


def test_an_f_that_cannot_be_enclosed_is_an_error() -> None:
    with pytest.raises(InternalError):
        f_divergence_up(Pair([0.5, 0.5], [0.25, 0.75]), Convex(lambda t: t / 0, 0.0, 0.0))


def test_a_sum_that_is_zero_for_different_laws_is_found() -> None:
    late = Convex(lambda t: (t - 100).max(t * 0), Fraction(0), Fraction(1))
    assert f_divergence_up(Pair([0.5, 0.5], [0.25, 0.75]), late) <= TINY


# laws


@pytest.mark.slow
@given(pairs)
def test_a_divergence_is_never_negative_and_zero_for_equal_laws(pair: Pair) -> None:
    same = Pair(pair.p, pair.p)
    for order in ORDERS:
        assert renyi_divergence_down(pair, order=order) >= 0
        assert renyi_divergence_up(same, order=order) == 0
    for f in NAMED.values():
        assert f_divergence_down(pair, f) >= 0
        assert f_divergence_up(same, f) == 0


@pytest.mark.slow
@given(pairs)
def test_a_divergence_never_falls_with_its_order(pair: Pair) -> None:
    found = [renyi_divergence_down(pair, order=order) for order in ORDERS]
    above = [renyi_divergence_up(pair, order=order) for order in ORDERS]
    assert all(found[i] <= above[i + 1] for i in range(len(ORDERS) - 1))


@pytest.mark.slow
@given(st.integers(2, 4).flatmap(lambda n: st.tuples(pairs_of(n), channels_of(n))), st.floats(0, 2))
@settings(max_examples=60)
def test_no_post_processing_raises_any_divergence(
    case: tuple[Pair, list[list[Fraction]]], epsilon: float
) -> None:
    pair, channel = case
    after = pair.through(channel)
    for order in ORDERS:
        assert renyi_divergence_down(after, order=order) <= renyi_divergence_up(pair, order=order)
    for f in NAMED.values():
        assert f_divergence_down(after, f) <= f_divergence_up(pair, f)
    assert hockey_stick_down(after, epsilon) <= hockey_stick_up(pair, epsilon)
    assert total_variation(after) <= total_variation(pair)
    for x, _ in events(pair):
        assert after.trade_off().type_two_down(x) >= pair.trade_off().type_two_down(x)


@given(pairs_of(2, 1), pairs_of(3, 1), st.sampled_from(ORDERS))
def test_independent_releases_add_their_divergences(one: Pair, other: Pair, order: float) -> None:
    parts = [Fraction(renyi_divergence_up(pair, order=order)) for pair in (one, other)]
    both = renyi_divergence_up(one.times(other), order=order)
    assert float(both) == pytest.approx(float(sum(parts)), rel=1e-12)


# what a bound on a divergence says


@given(full_pairs, st.sampled_from([1.5, 2, 4, 20]))
def test_an_event_is_no_likelier_than_probability_preservation_allows(
    pair: Pair, order: float
) -> None:
    divergence = Fraction(renyi_divergence_up(pair, order=order))
    for x, y in events(pair):
        assert x <= probability_up(y, divergence=divergence, order=order)
        assert y >= probability_down(x, divergence=divergence, order=order)


def test_the_exponent_is_order_minus_one_over_order() -> None:
    # With the exponent alpha - 1/alpha, two almost equal laws would refute the bound.
    assert probability_up(0.5, divergence="1e-9", order=2) >= Fraction(1, 2)
    assert 0.5 ** (2 - 1 / 2) < 0.5


def test_probability_preservation_keeps_the_ends() -> None:
    assert probability_up(0, divergence=3, order=2) == 0
    assert probability_up(0.5, divergence=3, order=2) == 1
    assert probability_up(0.25, divergence=0, order=2) == Fraction(1, 4)
    assert probability_down(1, divergence=1, order=2) <= Fraction(math.exp(-1)) + TINY


@given(
    st.integers(2, 4).flatmap(lambda n: st.tuples(law_of(n, 1), law_of(n, 1), law_of(n, 1))),
    st.sampled_from([1.25, 2, 5]),
    st.sampled_from(["4/3", 2, 3]),
)
def test_the_weak_triangle_inequality_holds(
    laws: tuple[list[Fraction], ...], order: float, exponent: str
) -> None:
    p, r, q = laws
    first, second = weak_triangle_orders(order, exponent=exponent)
    bound = weak_triangle(
        Fraction(renyi_divergence_up(Pair(p, r), order=first)),
        Fraction(renyi_divergence_up(Pair(r, q), order=second)),
        order=order,
        exponent=exponent,
    )
    assert renyi_divergence_down(Pair(p, q), order=order) <= bound


def test_the_plain_triangle_inequality_fails() -> None:
    p, r, q = [0.9, 0.1], [0.5, 0.5], [0.1, 0.9]
    whole = renyi_divergence_down(Pair(p, q), order=2)
    parts = [renyi_divergence_up(Pair(*laws), order=2) for laws in ((p, r), (r, q))]
    assert whole > sum(parts)


@pytest.mark.parametrize("doublings", [0, 1, 2, 3])
def test_a_group_pays_no_less_than_gaussian_noise_needs(doublings: int) -> None:
    # Gaussian noise pays the square of the group; with alpha/2 for alpha/2^c it would not fit.
    curve = GaussianDP(1).to_renyi([2**k for k in range(1, 12)])
    truth = GaussianDP(2**doublings)
    for group in (group_curve, textbook_group_curve):
        for order, bound in group(curve, doublings=doublings).curve:
            assert truth.to_renyi([order]).curve[0][1] <= bound


def test_the_group_bound_is_never_above_the_textbook_one() -> None:
    curve = Renyi({8: 1, 32: 2})
    for doublings in (1, 2):
        ours, theirs = (g(curve, doublings=doublings) for g in (group_curve, textbook_group_curve))
        assert ours <= theirs
        assert ours != theirs


def test_the_printed_order_of_the_group_bound_is_refuted() -> None:
    # (alpha/2, 3^c eps) for a group of 8: Gaussian noise needs 32 eps at that order, not 27.
    alpha, doublings = 16, 3
    epsilon = GaussianDP(1).to_renyi([alpha]).curve[0][1]
    needed = GaussianDP(2**doublings).to_renyi([Fraction(alpha, 2)]).curve[0][1]
    assert needed == 32 * epsilon > 3**doublings * epsilon


def test_a_curve_without_large_orders_has_no_group_bound() -> None:
    with pytest.raises(ConversionError, match="order of at least 4"):
        group_curve(Renyi({3: 1}), doublings=1)
    with pytest.raises(ConversionError, match="order of at least 16"):
        textbook_group_curve(Renyi({8: 1}), doublings=3)


@pytest.mark.parametrize("exponent", [1, 0.5])
def test_an_exponent_without_a_partner_is_refused(exponent: float) -> None:
    with pytest.raises(RangeError, match="exponent"):
        weak_triangle(1, 1, order=2, exponent=exponent)
