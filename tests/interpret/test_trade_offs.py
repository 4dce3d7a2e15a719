"""Trade-off curves, against scipy, linear programs and the duality with profiles."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from flint import arb, ctx, fmpq
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import optimize, stats
from tests.interpret.laws import ALMOST_TOLD, RESPONSE, events, full_pairs, pairs
from tests.measures.samples import EACH

from shoal.errors import RangeError, ShapeError
from shoal.interpret import Pair, Polygon, Promise, hockey_stick_up, profile, trade_off
from shoal.interpret.trade_off_curves import ProfileCurve, gaussian_sum_up
from shoal.measures import Approx, GaussianDP, Measure, Pure, ZeroConcentrated

ALPHAS = [Fraction(k, 20) for k in range(21)]
levels = st.fractions(0, 1, max_denominator=1000)
SLACK = Fraction(1, 2**60)


# closed forms


@given(st.floats(0, 8), st.floats(0, 0.9), levels)
def test_the_curve_of_an_approximate_promise_is_two_lines(
    epsilon: float, delta: float, alpha: Fraction
) -> None:
    a = float(alpha)
    lines = [0, 1 - delta - math.exp(epsilon) * a, math.exp(-epsilon) * (1 - delta - a)]
    curve = trade_off(Approx(epsilon, delta))
    assert float(curve.type_two_down(alpha)) == pytest.approx(max(lines), abs=1e-13)
    assert float(curve.power_up(alpha)) == pytest.approx(1 - max(lines), abs=1e-13)


@given(st.floats(1e-6, 8), levels)
def test_the_curve_of_a_gaussian_promise_lies_just_below_the_truth(
    mu: float, alpha: Fraction
) -> None:
    curve = trade_off(GaussianDP(mu))
    if alpha in (0, 1):
        assert curve.type_two_down(alpha) == 1 - alpha
        return
    with ctx.workprec(400):
        exact, a = (arb(fmpq(x.numerator, x.denominator)) for x in (GaussianDP(mu).mu, alpha))
        z = arb(2).sqrt() * (1 - 2 * a).erfinv()
        truth, power = ((1 + (x / arb(2).sqrt()).erf()) / 2 for x in (z - exact, exact - z))
        low, high = (
            arb(fmpq(x.numerator, x.denominator))
            for x in (curve.type_two_down(alpha), curve.power_up(alpha))
        )
        assert 0 <= truth - low <= truth * arb(2) ** -62 + arb(2) ** -300
        assert 0 <= high - power <= power * arb(2) ** -62 + arb(2) ** -300


def test_the_gaussian_curve_agrees_with_scipy() -> None:
    for mu in (0.1, 1.0, 3.0):
        for alpha in (1e-12, 0.05, 0.5, 0.99):
            truth = stats.norm.cdf(stats.norm.isf(alpha) - mu)
            assert float(trade_off(GaussianDP(mu)).type_two_down(alpha)) == pytest.approx(
                truth, rel=1e-10
            )


def test_the_power_keeps_its_digits_where_it_is_small() -> None:
    truth = stats.norm.sf(stats.norm.isf(1e-250) - 1)
    assert float(trade_off(GaussianDP(1)).power_up("1e-250")) == pytest.approx(truth, rel=1e-8)
    assert float(trade_off(Pure(1)).power_up("1e-250")) == pytest.approx(math.e * 1e-250, rel=1e-12)


# laws of every curve


@pytest.mark.parametrize("one", [*EACH, Pair([0.5, 0.5], [0.25, 0.75])], ids=repr)
def test_a_curve_falls_from_at_most_one_to_zero_and_lies_below_blind_guessing(one: Any) -> None:
    curve = trade_off(one)
    values = [curve.type_two_down(alpha) for alpha in ALPHAS]
    assert values[-1] == 0
    assert all(value <= 1 - alpha for value, alpha in zip(values, ALPHAS, strict=True))
    assert all(left >= right for left, right in pairwise(values))


@pytest.mark.parametrize("one", EACH, ids=repr)
def test_a_curve_is_convex_up_to_the_last_digits(one: Measure) -> None:
    values = [float(trade_off(one).type_two_down(alpha)) for alpha in ALPHAS]
    assert np.all(np.diff(values, 2) >= -1e-7)


@pytest.mark.parametrize("one", EACH, ids=repr)
def test_the_curve_of_a_promise_is_its_own_inverse(one: Measure) -> None:
    curve = trade_off(one)
    assert curve.inverse() is curve
    for alpha in ALPHAS[1:-1]:
        beta = curve.type_two_down(alpha)
        if beta > 0:
            assert float(curve.type_two_down(beta)) == pytest.approx(float(alpha), abs=1e-5)


@pytest.mark.parametrize("one", EACH, ids=repr)
def test_power_and_type_two_error_meet(one: Measure) -> None:
    for alpha in ALPHAS:
        total = trade_off(one).power_up(alpha) + trade_off(one).type_two_down(alpha)
        assert abs(total - 1) <= SLACK


def test_a_stronger_promise_has_a_higher_curve() -> None:
    for alpha in ALPHAS:
        weak, strong = trade_off(ZeroConcentrated(1)), trade_off(ZeroConcentrated(0.5))
        assert weak.type_two_down(alpha) <= strong.type_two_down(alpha)
        both = trade_off(Pure(1), GaussianDP(1))
        parts = [trade_off(one).type_two_down(alpha) for one in (Pure(1), GaussianDP(1))]
        assert both.type_two_down(alpha) == max(parts)


def test_each_promise_never_overstates_what_it_implies() -> None:
    # Gaussian noise is mu²/2-zCDP, so the curve from rho must lie below the Gaussian one.
    for alpha in ALPHAS:
        exact = trade_off(GaussianDP(1)).type_two_down(alpha)
        assert trade_off(ZeroConcentrated(0.5)).type_two_down(alpha) <= exact
        assert trade_off(GaussianDP(1).to_renyi([2, 4, 8])).type_two_down(alpha) <= exact


# Wasserman and Zhou: the profile and the curve say the same


@pytest.mark.parametrize(
    "alpha", [Fraction(1, 1000), Fraction(1, 20), Fraction(1, 3), Fraction(4, 5)]
)
@pytest.mark.parametrize("one", [Pure(1), Approx(1, 0.01), GaussianDP(1)], ids=repr)
def test_the_curve_from_the_profile_is_the_curve_in_closed_form(
    one: Measure, alpha: Fraction
) -> None:
    searched = ProfileCurve(profile(one)).type_two_down(alpha)
    closed = trade_off(one).type_two_down(alpha)
    assert searched <= closed + SLACK
    assert float(searched) == pytest.approx(float(closed), rel=1e-7)


@pytest.mark.parametrize("epsilon", [0.0, 0.5, 1.0, 2.5])
@pytest.mark.parametrize("one", EACH, ids=repr)
def test_the_delta_by_duality_from_the_curve_is_that_of_the_profile(
    one: Measure, epsilon: float
) -> None:
    curve, grid = trade_off(one), np.linspace(0, 1, 60)
    dual = max(1 - float(curve.type_two_down(a)) - math.exp(epsilon) * a for a in grid)
    bound = float(profile(one).delta_up(epsilon))
    assert dual <= bound * (1 + 1e-9) + 1e-15
    if isinstance(one, Pure | Approx | GaussianDP):
        assert dual == pytest.approx(bound, abs=1e-2)


@given(pairs, st.floats(0, 4))
def test_every_event_of_two_laws_obeys_the_bounds_of_wasserman_and_zhou(
    pair: Pair, epsilon: float
) -> None:
    delta = float(profile(pair).delta_up(epsilon))
    for x, y in events(pair):
        false_alarm, miss = float(x), 1 - float(y)
        assert false_alarm + math.exp(epsilon) * miss >= 1 - delta - 1e-12
        assert miss + math.exp(epsilon) * false_alarm >= 1 - delta - 1e-12


@given(full_pairs)
def test_a_delta_smaller_than_the_profile_breaks_the_bounds_at_some_event(pair: Pair) -> None:
    delta = float(profile(pair).delta_up(0.1)) - 1e-9
    tests = [(float(x), 1 - float(y)) for x, y in events(pair)]
    e = math.exp(0.1)
    broken = any(a + e * b < 1 - delta or b + e * a < 1 - delta for a, b in tests)
    assert broken or delta < 0


# two laws


@given(pairs, levels)
@settings(max_examples=60)
def test_the_curve_of_two_laws_is_that_of_the_best_randomised_test(
    pair: Pair, alpha: Fraction
) -> None:
    found = optimize.linprog(
        [-float(y) for y in pair.q],
        A_ub=[[float(x) for x in pair.p]],
        b_ub=[float(alpha)],
        bounds=[(0, 1)] * len(pair.p),
    )
    assert float(pair.trade_off().type_two_down(alpha)) == pytest.approx(1 + found.fun, abs=1e-7)


@given(pairs)
def test_swapping_the_laws_inverts_the_curve(pair: Pair) -> None:
    assert pair.trade_off().inverse() == pair.swapped().trade_off()
    assert pair.trade_off().inverse().inverse() == pair.trade_off()


@given(pairs, st.floats(0, 4))
def test_the_delta_of_a_curve_is_the_hockey_stick_of_its_laws(pair: Pair, epsilon: float) -> None:
    assert pair.trade_off().delta_up(epsilon) == hockey_stick_up(pair.swapped(), epsilon)
    up, down = pair.trade_off().delta_up(epsilon), pair.trade_off().delta_down(epsilon)
    assert 0 <= up - down <= SLACK


def test_the_curve_of_randomized_response_is_exact() -> None:
    assert RESPONSE.trade_off() == Polygon([(0, 1), ("1/4", "1/4"), (1, 0)])
    assert ALMOST_TOLD.trade_off().type_two_down(0) == Fraction(4, 5)


def test_composing_gaussian_promises_adds_squares() -> None:
    assert gaussian_sum_up(3, 4, 12) == 13
    assert gaussian_sum_up() == 0
    assert gaussian_sum_up(*[1] * 7) ** 2 >= 7
    # A product of two normals is a normal: check with the density of the sum of both losses.
    together = trade_off(GaussianDP(gaussian_sum_up(0.6, 0.8)))
    assert together.type_two_down(0.1) == trade_off(GaussianDP(1)).type_two_down(0.1)


@pytest.mark.parametrize(
    "corners",
    [
        [(0, 1)],
        [(0, 1), (1, 0.5)],
        [(0.1, 0.9), (1, 0)],
        [(0, 0.5), ("1/2", "1/2"), (1, 0)],
        [(0, 1), (0, 0.5), (1, 0)],
        [(0, 0.5), (0.5, 0.6), (1, 0)],
    ],
)
def test_corners_that_are_no_trade_off_are_refused(corners: Any) -> None:
    with pytest.raises(RangeError):
        Polygon(corners)


def test_corners_that_are_no_pairs_are_refused() -> None:
    with pytest.raises(ShapeError):
        Polygon([1, 2])  # type: ignore[list-item]


def test_an_error_rate_outside_zero_to_one_is_refused() -> None:
    promises: list[Promise] = [*EACH, RESPONSE]
    for one in promises:
        with pytest.raises(RangeError, match="type_one"):
            trade_off(one).type_two_down(1.1)
