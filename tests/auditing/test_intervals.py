"""The error of the first kind, by adding up the chance of every outcome of two small binomials."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from shoal.auditing.claimed_curves import ApproxClaim, GaussianClaim, PromiseCurve, RenyiClaim
from shoal.auditing.intervals import (
    COARSE,
    FINE,
    Counts,
    SearchGrid,
    chance_down,
    p_value_up,
    strength_down,
    tail_up,
)
from shoal.errors import RangeError

RENYI = RenyiClaim((2.0,))
RHO = RenyiClaim((1.0, 1.5, 4.0), zero_concentrated=True)
CASES: list[tuple[PromiseCurve, float, int, int]] = [
    (ApproxClaim(0.0), 0.0, 14, 14),
    (ApproxClaim(0.0), 1.0, 14, 10),
    (ApproxClaim(0.1), 0.5, 12, 12),
    (GaussianClaim(), 0.7, 12, 12),
    (RENYI, 0.4, 10, 10),
    (RHO, 0.3, 10, 10),
]


def tails(
    curve: PromiseCurve, parameter: float, n: int, m: int, grid: SearchGrid = COARSE
) -> NDArray[np.float64]:
    """The p-value of every outcome."""
    return np.array(
        [
            [
                tail_up(Counts(k, n, j, m), curve, parameter, aside=1e-4, grid=grid)
                for j in range(m + 1)
            ]
            for k in range(n + 1)
        ]
    )


@pytest.mark.slow
@pytest.mark.parametrize("grid", [COARSE, FINE], ids=["coarse", "fine"])
@pytest.mark.parametrize(("curve", "parameter", "n", "m"), CASES)
def test_a_p_value_is_small_no_more_often_than_it_says_at_any_chance_the_promise_allows(
    curve: PromiseCurve, parameter: float, n: int, m: int, grid: SearchGrid
) -> None:
    found = tails(curve, parameter, n, m, grid)
    for q in np.concatenate([np.linspace(0.001, 0.1, 12), np.linspace(0.12, 0.99, 25)]):
        p = float(curve.reach(q, parameter))
        chances = np.outer(stats.binom.pmf(range(n + 1), n, p), stats.binom.pmf(range(m + 1), m, q))
        for level in (0.01, 0.05, 0.2):
            assert chances[found <= level].sum() <= level


@pytest.mark.slow
@pytest.mark.parametrize("curve", [ApproxClaim(0.0), GaussianClaim()], ids=lambda each: each.name)
def test_a_fine_grid_proves_a_little_more_of_large_counts(curve: PromiseCurve) -> None:
    counts = Counts(60_000, 120_000, 55_000, 120_000)
    assert counts.grid is FINE
    coarse, fine = (tail_up(counts, curve, 0.07, aside=1e-4, grid=each) for each in (COARSE, FINE))
    assert 0.5 * coarse < fine < coarse
    assert p_value_up(counts, curve, 0.07) <= fine
    assert (
        tail_up(counts, curve, strength_down(counts, curve, risk=0.01), aside=1e-4, grid=COARSE)
        > 0.01
    )


@pytest.mark.slow
@pytest.mark.parametrize("hits", [60_590, 60_596, 60_600])
def test_a_small_p_value_and_a_bound_above_the_claim_go_together_at_claims_of_zero(
    hits: int,
) -> None:
    counts, curve = Counts(hits, 120_000, 60_000, 120_000), ApproxClaim(0.0)
    assert p_value_up(counts, curve, 0.0) < 0.01
    assert strength_down(counts, curve, risk=0.01) > 0


def test_the_exact_test_has_nearly_the_level_it_is_given() -> None:
    """Not only valid: at its worst the level is used up, but for the steps of small counts."""
    found = tails(ApproxClaim(0.0), 0.5, 30, 30)
    worst = 0.0
    for q in np.linspace(0.05, 0.6, 12):
        p = float(ApproxClaim(0.0).reach(q, 0.5))
        chances = np.outer(stats.binom.pmf(range(31), 30, p), stats.binom.pmf(range(31), 30, q))
        worst = max(worst, float(chances[found <= 0.05].sum()))
    assert 0.02 < worst <= 0.05


@pytest.mark.parametrize(
    "curve",
    [ApproxClaim(0.0), ApproxClaim(1e-3), GaussianClaim(), RENYI, RHO],
    ids=lambda each: each.name,
)
def test_reach_and_strength_undo_each_other_and_the_curve_is_its_own_mirror(
    curve: PromiseCurve,
) -> None:
    q = np.linspace(0.01, 0.9, 30)
    p = curve.reach(q, 0.3)
    assert (p >= q).all()
    assert (np.diff(p) >= 0).all()
    assert (curve.reach(q, 0.4) >= p).all()
    assert np.allclose(curve.strength(p, q), 0.3, atol=1e-6)
    assert np.allclose(curve.reach(1 - p, 0.3), 1 - q, atol=1e-6)


def test_the_divergence_of_two_coins_is_what_the_formula_says() -> None:
    p, q, order = 0.6, 0.3, 2.0
    direct = math.log(p**2 / q + (1 - p) ** 2 / (1 - q))
    turned = math.log(q**2 / p + (1 - q) ** 2 / (1 - p))
    assert math.isclose(float(RENYI.strength(p, q)), max(direct, turned), rel_tol=1e-12)
    kl = p * math.log(p / q) + (1 - p) * math.log((1 - p) / (1 - q))
    assert float(RenyiClaim((1.0,), zero_concentrated=True).strength(p, q)) >= kl
    assert order == RENYI.orders[0]


def test_the_chance_that_clopper_and_pearson_give_is_below_the_exact_one_and_close_to_it() -> None:
    for count, trials, risk in (
        (5, 50, 0.01),
        (1, 10**6, 1e-4),
        (500_000, 10**6, 0.005),
        (10, 10, 0.05),
    ):
        found = chance_down(count, trials, risk)
        exact = stats.beta.ppf(risk, count, trials - count + 1)
        assert exact * (1 - 1e-6) < found <= exact
    assert chance_down(0, 10, 0.05) == 0


@pytest.mark.parametrize("method", ["joint", "clopper-pearson"])
def test_a_proven_parameter_is_the_one_at_which_the_p_value_is_the_risk(method: str) -> None:
    counts = Counts(5_000, 10_000, 1_900, 10_000)
    curve = ApproxClaim(0.0)
    proven = strength_down(counts, curve, risk=0.01, method=method)
    assert p_value_up(counts, curve, proven * 0.999, method=method) <= 0.01
    assert p_value_up(counts, curve, proven * 1.01, method=method) > 0.01


@pytest.mark.slow
def test_the_joint_interval_proves_more_than_two_separate_ones() -> None:
    for counts in (
        Counts(500, 1000, 400, 1000),
        Counts(20, 1000, 0, 1000),
        Counts(50_000, 10**5, 45_000, 10**5),
    ):
        joint, apart = (
            strength_down(counts, ApproxClaim(0.0), risk=0.01, method=each)
            for each in ("joint", "clopper-pearson")
        )
        assert joint > apart


def test_nothing_is_proven_by_an_event_that_is_no_likelier() -> None:
    for counts in (Counts(0, 100, 0, 100), Counts(50, 100, 50, 100), Counts(10, 100, 90, 100)):
        assert strength_down(counts, ApproxClaim(0.0), risk=0.01) == 0


def test_a_delta_counts_against_what_is_proven() -> None:
    counts = Counts(50, 10_000, 0, 10_000)
    assert strength_down(counts, ApproxClaim(0.0), risk=0.01) > 1
    assert strength_down(counts, ApproxClaim(0.01), risk=0.01) == 0


def test_impossible_counts_are_refused() -> None:
    with pytest.raises(RangeError):
        Counts(3, 2, 0, 2)
    with pytest.raises(RangeError):
        Counts(0, 0, 0, 2)
