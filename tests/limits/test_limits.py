"""The pieces of the limits, each by a second road."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
import pytest
from scipy import optimize, stats

from shoal import Approx, GaussianDP, Pure, Renyi, ZeroConcentrated, limits
from shoal.errors import ConversionError, RangeError
from shoal.exact import at_precision
from shoal.limits import Local, ShuffledPromise
from shoal.limits.promises import group_overlap
from shoal.limits.two_points import local_divergence


def total_variation(p: Any, q: Any) -> float:
    return float(np.abs(np.asarray(p) - np.asarray(q)).sum() / 2)


@pytest.mark.parametrize("epsilon", ["0.3", "1", "2"])
def test_randomized_response_shows_that_the_overlap_of_two_datasets_is_the_largest_there_is(
    epsilon: str,
) -> None:
    e = math.exp(float(epsilon))
    law = np.array([e, 1]) / (1 + e)
    found = at_precision(128, lambda: float(group_overlap(Pure(epsilon), 1)))
    assert found == pytest.approx(1 - total_variation(law, law[::-1]), rel=1e-12)


@pytest.mark.parametrize("delta", ["0.01", "0.2"])
def test_the_overlap_under_delta_is_that_of_the_worst_mechanism(delta: str) -> None:
    """With probability delta the row itself is told, otherwise randomized response."""
    e, d = math.e, float(delta)
    shared = np.array([e, 1]) / (1 + e) * (1 - d)
    found = at_precision(128, lambda: float(group_overlap(Approx(1, delta), 1)))
    assert found == pytest.approx(
        1 - total_variation([*shared, d, 0], [*shared[::-1], 0, d]), rel=1e-12
    )


@pytest.mark.parametrize("mu", ["0.5", "2"])
def test_the_overlap_of_a_gaussian_promise_is_that_of_two_normal_laws(mu: str) -> None:
    found = at_precision(128, lambda: float(group_overlap(GaussianDP(mu), 3)))
    assert found == pytest.approx(2 * stats.norm.cdf(-3 * float(mu) / 2), rel=1e-12)
    weaker = at_precision(
        128, lambda: float(group_overlap(ZeroConcentrated(Fraction(mu) ** 2 / 2), 3))
    )
    assert 0 <= weaker <= found


@pytest.mark.parametrize("people", [3, 10])
@pytest.mark.parametrize("epsilon", ["0.5", "2"])
def test_no_private_counter_overlaps_less_than_the_limit(people: int, epsilon: str) -> None:
    """The exact TV of a noisy count on two binomial populations."""
    t = 0.3
    ratio = math.exp(-float(epsilon))
    places = np.arange(-80, 80 + people)

    def law(share: float) -> Any:
        noise = np.array(
            [ratio ** abs(places - c) * (1 - ratio) / (1 + ratio) for c in range(people + 1)]
        )
        return stats.binom.pmf(np.arange(people + 1), people, share) @ noise

    truth = 1 - total_variation(law(0.5 - t / 2), law(0.5 + t / 2))
    assert float(limits.overlap_down(Pure(epsilon), people=people, distance=str(t))) <= truth


def test_the_overlap_of_many_people_is_the_mean_over_the_rows_that_differ() -> None:
    people, t, epsilon = 400, Fraction(1, 100), 0.7
    rows = np.arange(people + 1)
    mean = float(stats.binom.pmf(rows, people, float(t)) @ (2 / (1 + np.exp(epsilon * rows))))
    assert float(limits.overlap_down(Pure("0.7"), people=people, distance=t)) == pytest.approx(
        mean, rel=1e-9
    )
    assert float(limits.overlap_down(Pure("0.001"), people=10**6, distance=t)) < mean


@pytest.mark.parametrize("epsilon", [0.5, 1.0, 3.0])
def test_no_local_channel_tells_more_than_its_bound(epsilon: float) -> None:
    """Extremal channels on three values: every column is 1 or e^epsilon times its least."""
    e = math.exp(epsilon)
    patterns = np.array([p for p in itertools.product((1.0, e), repeat=3) if len(set(p)) > 1]).T
    rng = np.random.default_rng(8)
    worst = 0.0
    for _ in range(60):
        p, q = rng.dirichlet(np.ones(3), size=2)
        t = total_variation(p, q)
        gains = (p @ patterns) * np.log((p @ patterns) / (q @ patterns))
        best = optimize.linprog(-gains, A_eq=patterns, b_eq=np.ones(3), bounds=(0, None))
        bound = float(
            at_precision(128, partial(local_divergence, Fraction(epsilon), 1, Fraction(t)))
        )
        assert -best.fun <= bound * (1 + 1e-9)
        worst = max(worst, -best.fun / bound)
    assert worst > 0.3


@pytest.mark.parametrize("sets", [2, 50])
@pytest.mark.parametrize("rows", [1, 4])
def test_the_packing_risk_is_that_of_the_best_choice(sets: int, rows: int) -> None:
    """K-ary randomized response at h epsilon is optimal for K answers that are all so far apart."""
    e = math.exp(0.5 * rows)
    found = float(limits.packing_risk_down(Pure("0.5"), sets=sets, rows=rows))
    assert found == pytest.approx(1 - e / (e + sets - 1), rel=1e-9)


def test_a_delta_lowers_the_packing_risk_and_never_below_nothing() -> None:
    pure = limits.packing_risk_down(Pure(1), sets=10**6, rows=5)
    assert 0 < limits.packing_risk_down(Approx(1, "1e-4"), sets=10**6, rows=5) < pure
    assert limits.packing_risk_down(Approx(1, "0.9"), sets=10**6, rows=5) == 0


def test_more_people_and_a_weaker_promise_never_raise_a_limit() -> None:
    for promise in (Pure("0.1"), Approx("0.1", "1e-6"), ZeroConcentrated("0.005"), Local(1)):
        found = [float(limits.mean(promise, people=n)) for n in (10, 100, 1000)]
        assert found == sorted(found, reverse=True)
    strong, weak = (float(limits.mean(Pure(e), people=100)) for e in ("0.01", "0.1"))
    assert strong > weak


def test_a_limit_for_a_wide_range_is_that_of_the_unit_times_its_square() -> None:
    unit, wide = (
        limits.mean(Pure(1), people=100),
        limits.mean(Pure(1), people=100, low=-50, high=150),
    )
    assert float(wide) == pytest.approx(40_000 * float(unit), rel=1e-6)


def test_privacy_has_a_price_where_it_is_strict_and_none_where_it_is_free() -> None:
    strict = limits.mean(Pure("0.01"), people=100).price
    assert strict is not None
    assert strict > 50
    assert limits.mean(Pure(5), people=10_000).price == 1
    assert limits.quantile(Pure(1), people=100, density=1).price is None


@pytest.mark.slow
def test_the_search_of_a_million_people_ends() -> None:
    assert 0 < float(limits.mean(Pure("0.001"), people=10**6)) < 1e-5


def test_an_error_below_the_limit_is_refused() -> None:
    with pytest.raises(RangeError, match="not about the same thing"):
        limits.beside("0.1", limits.count(Pure(1)))


@pytest.mark.parametrize(
    "asked",
    [
        lambda: limits.count(Local(1)),
        lambda: limits.count(Renyi([(2, 1)])),
        lambda: limits.mean(Local(1), people=9, target="sample"),
        lambda: limits.rank(ZeroConcentrated(1), points=9, people=9),
    ],
)
def test_a_limit_that_no_theorem_here_gives_is_refused(asked: Any) -> None:
    with pytest.raises(ConversionError):
        asked()


def test_what_describes_no_question_is_refused() -> None:
    for asked in (
        ShuffledPromise,
        lambda: limits.mean(Pure(1), people=9, low=1, high=0),
        lambda: limits.mean(Pure(1), people=9, target="people"),
    ):
        with pytest.raises(RangeError):
            asked()


def test_a_limit_says_of_what_and_by_which_theorem() -> None:
    assert str(limits.table(Pure(1), cells=10)).startswith(
        "at least 2.384, sum of the mean squared errors"
    )
