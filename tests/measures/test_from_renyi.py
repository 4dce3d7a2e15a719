"""Rényi curves: convexity, the best order, and two laws on three outcomes as the judge."""

from __future__ import annotations

import math
from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from tests.measures.samples import (
    DIGITS,
    decimal,
    deltas,
    epsilons,
    is_just_above,
    law,
    orders,
    points,
    weights,
)

from shoal.errors import ConversionError
from shoal.exact.real import SMALLEST
from shoal.measures import (
    GaussianDP,
    Renyi,
    ZeroConcentrated,
    mironov_epsilon_up,
    renyi_delta_up,
    renyi_epsilon_up,
)

Law = NDArray[np.float64]
GRID = [1.2, 1.5, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64]


def divergence(p: Law, q: Law, order: float) -> float:
    """The larger of both directions, for two laws without zeros."""
    both = [np.sum(a**order * b ** (1 - order)) for a, b in ((p, q), (q, p))]
    return max(0.0, float(np.log(max(both))) / (order - 1))


def delta_of(p: Law, q: Law, epsilon: float) -> float:
    both = [np.sum(np.maximum(0, a - math.exp(epsilon) * b)) for a, b in ((p, q), (q, p))]
    return float(max(both))


# one order


@given(epsilons, orders, deltas)
def test_the_epsilon_of_one_order_lies_just_above_its_formula(
    bound: float, order: float, delta: float
) -> None:
    with localcontext(prec=DIGITS):
        a, d = decimal(order), decimal(delta)
        formula = decimal(bound) + ((a - 1) / a).ln() - (d.ln() + a.ln()) / (a - 1)
    found = renyi_epsilon_up(bound, order=order, delta=delta)
    assert is_just_above(found, max(Decimal(0), formula))


@given(epsilons, orders, epsilons)
def test_the_delta_of_one_order_lies_just_above_its_formula(
    bound: float, order: float, epsilon: float
) -> None:
    with localcontext(prec=DIGITS):
        a = decimal(order)
        moment = ((a - 1) * (decimal(bound) - decimal(epsilon))).exp()
        formula = moment / (a - 1) * (1 - 1 / a) ** a
    truth = max(decimal(SMALLEST), min(Decimal(1), formula))
    assert is_just_above(renyi_delta_up(bound, order=order, epsilon=epsilon), truth)


@given(weights, weights, st.floats(1.01, 40), st.floats(0, 4))
def test_no_pair_of_laws_has_a_larger_delta_than_its_divergence_allows(
    some: list[float], others: list[float], order: float, epsilon: float
) -> None:
    p, q = law(some), law(others)
    allowed = renyi_delta_up(divergence(p, q, order), order=order, epsilon=epsilon)
    assert delta_of(p, q, epsilon) <= float(allowed) * (1 + 1e-9) + 1e-12


def test_the_factor_of_one_order_cannot_be_improved() -> None:
    # All loss on one rare outcome, where the inequality behind the bound is an equality:
    # what is left of the gap is the moment of the other outcome, one part in fifty.
    order, epsilon, rare = 3.0, 5.0, 1e-3
    loss = epsilon - math.log(1 - 1 / order)
    p = np.array([rare, 1 - rare])
    q = np.array([rare * math.exp(-loss), 1 - rare * math.exp(-loss)])
    bound = float(np.log(np.sum(p**order * q ** (1 - order)))) / (order - 1)
    allowed = float(renyi_delta_up(bound, order=order, epsilon=epsilon))
    true = float(np.sum(np.maximum(0, p - math.exp(epsilon) * q)))
    assert true <= allowed <= 1.03 * true


@given(epsilons, orders, deltas)
def test_the_textbook_epsilon_is_never_smaller(bound: float, order: float, delta: float) -> None:
    with localcontext(prec=DIGITS):
        formula = decimal(bound) - decimal(delta).ln() / (decimal(order) - 1)
    loose = mironov_epsilon_up(bound, order=order, delta=delta)
    assert is_just_above(loose, formula)
    assert renyi_epsilon_up(bound, order=order, delta=delta) <= loose


def test_the_textbook_epsilon_needs_a_delta() -> None:
    assert mironov_epsilon_up(2, order=3, delta=1) == 2
    with pytest.raises(ConversionError, match="delta 0"):
        mironov_epsilon_up(2, order=3, delta=0)


def test_a_tie_between_laws_without_loss_is_not_searched_for_ever() -> None:
    # At divergence 0, order 2 and delta 1/4 the formula is exactly 0.
    assert renyi_epsilon_up(0, order=2, delta="1/4") == 0
    assert Renyi({2: 0}).to_approx(delta="1/4").epsilon == 0


# the curve


@given(weights, weights, st.lists(st.sampled_from(GRID), min_size=2, max_size=5, unique=True))
def test_a_curve_bounds_the_divergences_between_its_orders(
    some: list[float], others: list[float], known: list[float]
) -> None:
    p, q = law(some), law(others)
    assume(divergence(p, q, 2) > 1e-6)
    # One direction at a time, because each of the two curves is convex.
    exact = {a: float(np.log(np.sum(p**a * q ** (1 - a)))) / (a - 1) for a in GRID}
    curve = Renyi({a: exact[a] * (1 + 1e-12) for a in known})
    for order in GRID:
        if order <= max(known):
            assert exact[order] <= float(curve.epsilon_at(order)) * (1 + 1e-9)


def test_a_point_implied_by_the_others_is_dropped_and_the_rest_are_kept_as_given() -> None:
    assert Renyi({2: 1, 3: 9, 4: 3}) == Renyi({2: 1, 4: 3})
    assert Renyi({2: 1, 3: 2.5, 4: 3}) == Renyi({2: 1, 4: 3})
    kept = Renyi({2: 1, 3: 2.49, 4: 3}).curve
    assert kept == tuple(
        (Fraction(a), Fraction(e)) for a, e in [("2", "1"), ("3", "2.49"), ("4", "3")]
    )
    assert Renyi({2: 5, 3: 1}) == Renyi({3: 1})
    assert Renyi({2: 1, 5: 1, 9: 1}) == Renyi({9: 1})
    assert len(ZeroConcentrated(0.1).to_renyi(range(2, 200)).curve) == 198


def test_below_the_first_order_a_curve_is_flat() -> None:
    assert Renyi({4: 3, 8: 7}).epsilon_at(1.001) == 3


def test_above_the_last_order_a_curve_says_nothing() -> None:
    with pytest.raises(ConversionError, match=r"ends at order 8 and says nothing at order 8\.001"):
        Renyi({4: 3, 8: 7}).epsilon_at(8.001)


@given(points, st.floats(1.01, 8))
def test_dropping_points_changes_no_bound(curve: dict[float, int], order: float) -> None:
    assume(order <= max(curve))
    whole = Renyi(curve)
    assert whole.to_renyi({a for a, _ in whole.curve} | {Fraction(str(order))}) == whole
    assert all(whole.epsilon_at(a) <= epsilon for a, epsilon in curve.items())


# the best order


def best_by_force(rho: float, last: float, delta: float) -> float:
    alphas = 1 + np.geomspace(1e-6, last - 1, 400_001)
    t = alphas - 1
    every = rho * alphas + np.log(t / alphas) - (math.log(delta) + np.log(alphas)) / t
    return max(0.0, float(every.min()))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("mu", "loose", "improved", "exact"),
    [(1, 5.30, 4.73, 4.38), ("1/2", 2.52, 2.17, 1.99), ("0.632455532033676", 3.23, 2.81, 2.59)],
)
def test_known_epsilons_of_gaussian_noise_at_delta_a_hundred_thousandth(
    mu: str, loose: float, improved: float, exact: float
) -> None:
    # One release at sigma 1; 100 at sigma 20; 1000 at sigma 50.
    one = GaussianDP(mu)
    orders_tried = [1 + k / 50 for k in range(1, 2500)]
    textbook = min(
        mironov_epsilon_up(one.to_zero_concentrated().rho * Fraction(str(a)), order=a, delta=1e-5)
        for a in orders_tried
    )
    assert round(float(textbook), 2) == loose
    curve = one.to_renyi(orders_tried[::5])
    assert float(curve.to_approx(delta=1e-5).epsilon) == pytest.approx(improved, abs=0.006)
    assert round(float(one.to_zero_concentrated().to_approx(delta=1e-5).epsilon), 2) == improved
    assert round(float(one.to_approx(delta=1e-5).epsilon), 2) == exact


def test_a_curve_that_ends_too_early_is_loose_and_safe() -> None:
    # Gaussian noise of sigma 30 at delta 1e-6, where the best order is far above 64.
    one = GaussianDP("1/30")
    early = one.to_renyi(range(2, 65)).to_approx(delta=1e-6).epsilon
    late = one.to_renyi([2, 64, 128, 256, 320, 384, 512]).to_approx(delta=1e-6).epsilon
    best = one.to_zero_concentrated().to_approx(delta=1e-6).epsilon
    exact = one.to_approx(delta=1e-6).epsilon
    assert float(mironov_epsilon_up("64/1800", order=64, delta=1e-6)) == pytest.approx(
        0.25485, abs=1e-5
    )
    assert float(early) == pytest.approx(0.173087, abs=5e-6)
    assert float(best) == pytest.approx(0.133847, abs=1e-6)
    assert float(exact) == pytest.approx(0.122651, abs=1e-6)
    assert exact < best <= late < early


@pytest.mark.slow
@given(st.floats(1e-4, 5), st.floats(1e-12, 0.4))
@settings(max_examples=40)
def test_a_dense_curve_gives_the_epsilon_of_the_best_order_found_by_force(
    rho: float, delta: float
) -> None:
    dense = [1 + 1.15**k / 50 for k in range(90)]
    found = float(ZeroConcentrated(rho).to_renyi(dense).to_approx(delta=delta).epsilon)
    forced = best_by_force(rho, dense[-1], delta)
    assert found >= forced * (1 - 1e-12)
    assert found <= forced + 0.01 * (forced + rho)


def by_force(curve: dict[float, int]) -> tuple[Law, Law]:
    """Many orders minus 1, and the least chord over each: t and K(t)."""
    known = [(0.0, 0.0), *sorted((a - 1, (a - 1) * e) for a, e in curve.items())]
    t = np.union1d(np.geomspace(1e-9, known[-1][0], 4000), [x for x, _ in known[1:]])
    chords = [
        np.where((x <= t) & (t <= v), y + (t - x) * (w - y) / (v - x), np.inf)
        for x, y in known
        for v, w in known
        if x < v
    ]
    return t, np.min(chords, axis=0)


@given(points, deltas)
def test_the_best_epsilon_of_a_curve_is_that_of_the_best_order_found_by_force(
    curve: dict[float, int], delta: float
) -> None:
    assume(min(curve.values()) > 0)
    t, k = by_force(curve)
    every = k / t - np.log1p(1 / t) - (math.log(delta) + np.log1p(t)) / t
    found = float(Renyi(curve).to_approx(delta=delta).epsilon)
    assert found == pytest.approx(max(0.0, float(every.min())), rel=1e-4, abs=1e-4)
    assert found <= max(0.0, float(every.min())) * (1 + 1e-9) + 1e-12


@given(points, st.floats(0, 14))
def test_the_best_delta_of_a_curve_is_that_of_the_best_order_found_by_force(
    curve: dict[float, int], epsilon: float
) -> None:
    assume(min(curve.values()) > 0)
    t, k = by_force(curve)
    every = np.exp(k - t * epsilon - t * np.log1p(1 / t) - np.log1p(t))
    found = float(Renyi(curve).to_delta(epsilon=epsilon).delta)
    assert found == pytest.approx(min(1.0, float(every.min())), rel=1e-4)
    assert found <= min(1.0, float(every.min())) * (1 + 1e-9)


def test_a_divergence_of_zero_at_one_order_settles_every_order() -> None:
    assert Renyi({1.5: 0, 2: 1}).to_approx(delta=0).epsilon == 0
    assert Renyi({1.5: 0, 2: 1}).to_delta(epsilon=0).delta == 0


def test_the_best_order_may_lie_between_the_points() -> None:
    # One straight piece from order 2 to 50: the bound turns at e^intercept / delta, about 22.
    one = Renyi({2: "0.01", 50: "1.5"})
    at_points = [
        renyi_epsilon_up(epsilon, order=order, delta="0.01") for order, epsilon in one.curve
    ]
    assert one.to_approx(delta="0.01").epsilon < min(at_points) - Fraction(1, 200)


@pytest.mark.parametrize("delta", [0.5, 0.1, "1/3"])
def test_a_delta_that_is_one_over_an_order_of_the_curve_is_no_trouble(delta: str) -> None:
    curve = Renyi({2: 1, 3: 2, 10: 10})
    assert curve.to_approx(delta=delta).epsilon >= 0


def test_a_delta_too_small_to_hold_is_rounded_up_and_never_to_zero() -> None:
    assert Renyi({100: 1}).to_delta(epsilon=10**6).delta == SMALLEST
    assert Renyi({2: 10**6}).to_delta(epsilon=1).delta == 1
