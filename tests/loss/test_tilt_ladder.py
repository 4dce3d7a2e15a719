"""The search for the best tilt asks few of them and finds the same as looking at all."""

from __future__ import annotations

import math

import pytest

from shoal.loss import LaplaceLoss, NormalLoss
from shoal.loss.loss_sources import AtomicLoss
from shoal.loss.saddle_point import Copies, LossSum
from shoal.loss.sampled_normal import SampledNormalLoss
from shoal.loss.tilt_ladder import HIGHEST, LOWEST, least_on_ladder, shortest_arc, tilt_of

RESPONSE = AtomicLoss(((1.0, 1 / (1 + math.exp(-1))), (-1.0, 1 / (1 + math.e))))
SUMS: dict[str, Copies] = {
    "normal": [(NormalLoss(0.3), 5)],
    "small noise": [(NormalLoss(9.0), 1)],
    "hardly anything": [(NormalLoss(1e-4), 2)],
    "sampled": [(SampledNormalLoss(0.01, 1.2, removed=True), 1000)],
    "added": [(SampledNormalLoss(0.2, 0.7, removed=False), 30)],
    "mixed": [
        (NormalLoss(0.1), 1),
        (LaplaceLoss(0.2), 7),
        (RESPONSE, 3),
        (SampledNormalLoss(1e-3, 0.9, removed=True), 40),
    ],
}
LADDER = range(LOWEST, HIGHEST + 1)


@pytest.mark.parametrize("name", SUMS)
@pytest.mark.parametrize("delta", [1e-2, 1e-6, 1e-40])
def test_the_tilt_for_a_delta_is_the_best_of_the_ladder(name: str, delta: float) -> None:
    losses = LossSum(SUMS[name])
    found = losses.best_for_delta(math.log(delta))
    best = min(losses.renyi(index, math.log(delta)) for index in LADDER)
    assert losses.renyi(found, math.log(delta)) == pytest.approx(best, rel=1e-12)


@pytest.mark.parametrize("name", SUMS)
@pytest.mark.parametrize("epsilon", [1e-3, 1.0, 60.0])
def test_the_tilt_for_an_epsilon_is_the_best_of_the_ladder(name: str, epsilon: float) -> None:
    losses = LossSum(SUMS[name])
    found = losses.best_for_epsilon(epsilon)
    best = min(losses.chernoff(index, epsilon) for index in LADDER)
    assert losses.chernoff(found, epsilon) == pytest.approx(best, rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("start", [LOWEST, -3, 14, HIGHEST])
@pytest.mark.parametrize("bottom", [LOWEST - 9, LOWEST, -7, 13, HIGHEST, HIGHEST + 5])
def test_from_anywhere_the_lowest_place_is_found_within_few_tilts(start: int, bottom: int) -> None:
    asked = set()

    def rises(index: int) -> tuple[float, float]:
        asked.add(index)
        return tilt_of(index) - tilt_of(bottom), 1.0

    found = least_on_ladder(start, lambda index: (tilt_of(index) - tilt_of(bottom)) ** 2, rises)
    assert found == min(HIGHEST, max(LOWEST, bottom))
    assert len(asked) <= 24


@pytest.mark.parametrize("best", [0.0625, 0.5, 1.0, 2.0, 4.0, 16.0])
def test_the_shortest_arc_is_found_further_away_or_nearer(best: float) -> None:
    def arc(step: float) -> float:
        return 1 + abs(math.log2(step / best))

    assert shortest_arc(arc, 2.0**-4, 16.0, enough=0.0) == 1.0
    assert shortest_arc(arc, 2.0**-4, 16.0, enough=3.0) >= 3.0
