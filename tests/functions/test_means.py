"""Means whose bounds are found privately."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from scipy import stats
from tests.functions.smooth.enumerated import changed, rows
from tests.mechanisms.statistics_of import ACCEPT, REJECT, p_value_of_choices

from shoal import Grid, ZeroConcentrated, account
from shoal.errors import RangeError
from shoal.functions import ClippedMean, NarrowingMean, QuantileClippedMean
from shoal.noise import seam

VALUES, SIZE = 4, 3
Data = tuple[int, ...]
Law = dict[Any, float]
CLIPPED = QuantileClippedMean(
    rho="0.5", size=SIZE, low=0, high=VALUES - 1, rank=1, points=VALUES, grid=Grid(0)
)
NARROWING = NarrowingMean(
    rho="0.5", size=SIZE, low=0, high=VALUES - 1, spread="0.2", rounds=2, risk="0.9", grid=Grid(0)
)


def rounded_normal(total: int, sigma: float, reach: int) -> dict[int, float]:
    places = np.arange(total - reach, total + reach + 1)
    ends = stats.norm.cdf(np.stack([places - 0.5, places + 0.5]), loc=total, scale=sigma)
    both = np.where(
        places > total,
        stats.norm.sf(places - 0.5, total, sigma) - stats.norm.sf(places + 0.5, total, sigma),
        ends[1] - ends[0],
    )
    return dict(zip(places.tolist(), both.tolist(), strict=True))


def clipped_law(data: Data, mechanism: QuantileClippedMean = CLIPPED) -> Law:
    """The law of both ends and of the noisy sum, all told, which hides less than the answer."""
    choices = [choice.probabilities(data) for choice in mechanism._choices]
    found: Law = {}
    for (a, p), (b, q) in itertools.product(*(choice.items() for choice in choices)):
        low, high = sorted((int(a), int(b)))
        low = min(low, VALUES - 2)
        high = max(high, low + 1)
        total = int(np.clip(data, low, high).sum())
        for noisy, chance in rounded_normal(total, (high - low) / float(mechanism._mu), 60).items():
            found[a, b, noisy] = found.get((a, b, noisy), 0.0) + p * q * chance
    return found


def narrowing_law(data: Data, mechanism: NarrowingMean = NARROWING) -> Law:
    """The law of both noisy sums."""
    first, last = (float(mu) for mu in mechanism._mus)
    low, high = mechanism._clip(0.0, float(VALUES - 1))
    found: Law = {}
    for noisy, chance in rounded_normal(
        int(np.clip(data, low, high).sum()), (high - low) / first, 60
    ).items():
        guess = _found(mechanism, noisy, low, high)
        a, b = mechanism._clip(*mechanism._narrowed(guess, 0.0, float(VALUES - 1)))
        total = int(np.clip(data, a, b).sum())
        for answer, then in rounded_normal(total, (b - a) / last, 60).items():
            found[noisy, answer] = chance * then
    return found


def _found(mechanism: NarrowingMean, noisy: int, low: int, high: int) -> ClippedMean:
    sigma = float(Fraction(high - low) / mechanism._mus[0] / SIZE)
    return ClippedMean(
        value=noisy / SIZE, low=low, high=high, sigma=math.nextafter(sigma, math.inf)
    )


def divergence(here: Law, there: Law, order: float) -> float:
    terms = [
        order * math.log(p) + (1 - order) * math.log(there[k])
        for k, p in here.items()
        if p > 1e-250 and there.get(k, 0) > 1e-250
    ]
    return float(np.logaddexp.reduce(terms)) / (order - 1)


@pytest.mark.slow
@pytest.mark.parametrize("law", [clipped_law, narrowing_law])
def test_everything_told_on_the_way_is_concentrated_for_all_neighbours(law: Any) -> None:
    laws = {data: law(data) for data in rows(SIZE, VALUES)}
    worst = max(
        divergence(laws[x], laws[y], order) / order
        for x in laws
        for y in changed(VALUES)(x)
        if x != y
        for order in (1.5, 4.0)
    )
    assert 0.2 < worst <= 0.5 * (1 + 1e-9)


@pytest.mark.slow
def test_a_clipped_mean_has_this_law_and_no_other() -> None:
    data = (0, 2, 3)
    with seam.seeded("clipped mean"):
        drawn = [CLIPPED.release(data) for _ in range(4000)]
    sample = [max(-20, min(20, round(each.value * SIZE))) for each in drawn]

    def totals(mechanism: QuantileClippedMean) -> Law:
        found: Law = {}
        for (_, _, noisy), chance in clipped_law(data, mechanism).items():
            place = max(-20, min(20, noisy))
            found[place] = found.get(place, 0.0) + chance
        return found

    assert p_value_of_choices(sample, totals(CLIPPED)) > ACCEPT
    for rho in ("0.845", "0.245"):
        wrong = QuantileClippedMean(
            rho=rho, size=SIZE, low=0, high=VALUES - 1, rank=1, points=VALUES, grid=Grid(0)
        )
        assert p_value_of_choices(sample, totals(wrong)) < REJECT


@pytest.mark.slow
def test_a_narrowed_mean_has_this_law_and_no_other() -> None:
    data = (0, 2, 3)
    with seam.seeded("narrowing mean"):
        drawn = [NARROWING.release(data) for _ in range(4000)]
    sample = [max(-20, min(20, round(each.value * SIZE))) for each in drawn]

    def totals(mechanism: NarrowingMean) -> Law:
        found: Law = {}
        for (_, noisy), chance in narrowing_law(data, mechanism).items():
            place = max(-20, min(20, noisy))
            found[place] = found.get(place, 0.0) + chance
        return found

    assert p_value_of_choices(sample, totals(NARROWING)) > ACCEPT
    for rho in ("0.845", "0.245"):
        wrong = NarrowingMean(
            rho=rho,
            size=SIZE,
            low=0,
            high=VALUES - 1,
            spread="0.2",
            rounds=2,
            risk="0.9",
            grid=Grid(0),
        )
        assert p_value_of_choices(sample, totals(wrong)) < REJECT


@pytest.mark.parametrize("mechanism", [CLIPPED, NARROWING], ids=lambda m: type(m).__name__)
def test_the_parts_are_charged_no_more_than_rho_and_nearly_all_of_it(mechanism: Any) -> None:
    cost = account([mechanism.event]).cost(ZeroConcentrated)
    assert ZeroConcentrated("0.4999") <= cost <= mechanism.cost == ZeroConcentrated("0.5")


def test_generous_bounds_cost_little() -> None:
    """A thousand normal rows in a range of two millions: plain noise would have a standard
    deviation of 1000 / mu.
    """
    data = np.random.default_rng(3).normal(170, 8, size=1000)
    truth = float(data.mean())
    clipped = QuantileClippedMean(rho="0.5", size=1000, low=-1000, high=1000)
    narrowing = NarrowingMean(rho="0.5", size=1000, low=-(10**6), high=10**6, spread=10, rounds=4)
    with seam.seeded("generous"):
        errors = [abs(clipped.release(data).value - truth) for _ in range(40)]
        others = [abs(narrowing.release(data).value - truth) for _ in range(40)]
    assert sorted(errors)[20] < 1
    assert sorted(others)[36] < 0.5


def test_a_release_says_what_is_public_about_it() -> None:
    with seam.seeded("public"):
        found = NARROWING.release((1, 1, 2))
    assert 0 <= found.low < found.high <= VALUES - 1
    assert found.sigma == pytest.approx((found.high - found.low) / float(NARROWING._mus[-1]) / SIZE)


def test_clipping_more_than_half_is_refused() -> None:
    with pytest.raises(RangeError):
        QuantileClippedMean(rho=1, size=4, low=0, high=1, rank=3)
