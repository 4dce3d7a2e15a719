"""The curve of a promise about Rényi divergences, against coins that keep it."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import optimize

from shoal.interpret import Pair, profile, renyi_divergence_up, trade_off
from shoal.interpret.advantage import moment_advantage_up
from shoal.interpret.moments import MomentCurve
from shoal.interpret.trade_off_curves import ProfileCurve
from shoal.measures import GaussianDP, Pure, Renyi, ZeroConcentrated

CURVE = Renyi({2: 1, 4: 2, 8: 4})


def coins_divergence(x: float, y: float, order: float) -> float:
    terms = [order * math.log(a) + (1 - order) * math.log(b) for a, b in ((x, y), (1 - x, 1 - y))]
    return float(np.logaddexp(terms[0], terms[1])) / (order - 1)


@pytest.mark.parametrize("alpha", [1e-6, 0.01, 0.05, 0.3, 0.5, 0.9])
def test_coins_a_little_closer_keep_the_promise(alpha: float) -> None:
    for one in (CURVE, ZeroConcentrated(0.5)):
        power = float(trade_off(one).power_up(alpha))
        x = alpha + (power - alpha) * (1 - 1e-6)
        orders = [2, 4, 8] if one is CURVE else list(1 + np.geomspace(1e-3, 1e3, 3000))
        for order in orders:
            bound = order / 2
            assert coins_divergence(x, alpha, order) <= bound
            assert coins_divergence(alpha, x, order) <= bound


@pytest.mark.parametrize("alpha", [1e-6, 0.01, 0.05, 0.3, 0.5, 0.9])
def test_coins_of_the_power_returned_break_the_promise(alpha: float) -> None:
    power = trade_off(CURVE).power_up(alpha)
    level = Fraction(str(alpha))
    pair = Pair([power, 1 - power], [level, 1 - level])
    assert any(
        renyi_divergence_up(one, order=order) > bound
        for one in (pair, pair.swapped())
        for order, bound in CURVE.curve
    )


@pytest.mark.slow
@given(st.floats(0.001, 3), st.floats(1e-6, 0.999))
@settings(max_examples=25)
def test_the_curve_lies_between_that_of_the_profile_and_that_of_gaussian_noise(
    mu: float, alpha: float
) -> None:
    rho = GaussianDP(mu).to_zero_concentrated()
    power = trade_off(rho).power_up(alpha)
    assert trade_off(GaussianDP(mu)).power_up(alpha) <= power
    assert power <= ProfileCurve(profile(rho)).power_up(alpha) * (1 + Fraction(1, 10**5))


@pytest.mark.parametrize("rho", [1e-9, 1e-4, 0.01, 0.5, 3, 20])
def test_the_advantage_is_that_of_the_largest_randomized_response(rho: float) -> None:
    epsilon = optimize.brentq(lambda e: e * math.tanh(e / 2) - rho, 1e-12, rho + 10, xtol=1e-15)
    found = moment_advantage_up(ZeroConcentrated(rho))
    assert float(found) == pytest.approx(math.tanh(epsilon / 2), rel=1e-6)
    response = Pure(Fraction(epsilon) * Fraction(999, 1000))
    assert response.to_zero_concentrated() <= ZeroConcentrated(rho)
    assert profile(response).delta_up(0) <= found


@pytest.mark.slow
def test_the_advantage_is_the_widest_gap_of_the_curve() -> None:
    for one in (CURVE, ZeroConcentrated(0.5)):
        widest = float(moment_advantage_up(one))
        corner = (1 - widest) / 2
        places = [corner, *np.linspace(0.01, 0.99, 99)]
        gaps = [float(trade_off(one).power_up(float(place))) - place for place in places]
        assert gaps[0] == pytest.approx(widest, abs=1e-6)
        assert max(gaps) <= widest + 1e-6


def test_nothing_is_lost_at_the_ends() -> None:
    assert trade_off(CURVE).type_two_down(0) == 1
    assert trade_off(CURVE).type_two_down(1) == 0
    out_of_reach = trade_off(CURVE).power_up("1e-400")
    assert float(out_of_reach) == pytest.approx(float(moment_advantage_up(CURVE)))
    for nothing in (Renyi({1.5: 0}), ZeroConcentrated(0), Renyi({2: 0, 4: 1})):
        assert trade_off(nothing).type_two_down(0.3) == Fraction(7, 10)
        assert profile(nothing).delta_up(0) == 0


def test_a_proof_that_cannot_be_given_leaves_the_total_variation(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("shoal.interpret.moments._breaks", lambda *_: False)
    left = MomentCurve(CURVE).type_two_down(0.05)
    assert left == 1 - Fraction(1, 20) - moment_advantage_up(CURVE)


def test_a_wrong_guess_in_floats_costs_tightness_only(monkeypatch: pytest.MonkeyPatch) -> None:
    # Planted: a search that always answers with too small a power.
    monkeypatch.setattr("shoal.interpret.moments._widest", lambda *_: (-2.5, Fraction(2), True))
    assert MomentCurve(CURVE).power_up(0.05) >= trade_off(GaussianDP(1)).power_up(0.05)
