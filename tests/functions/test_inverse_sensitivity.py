"""Inverse sensitivity: lengths against all datasets, the law, and what it is good for."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from tests.functions.smooth.enumerated import changed, rows
from tests.mechanisms.statistics_of import ACCEPT, REJECT, p_value_of_choices

from shoal import Grid, ZeroConcentrated, account
from shoal.errors import RangeError
from shoal.functions import InverseSensitivity
from shoal.noise import seam

VALUES = 4
MADE = {"low": 0, "high": VALUES - 1, "points": VALUES, "grid": Grid(0)}
Data = tuple[int, ...]


def made(kind: str, size: int, radius: int, epsilon: str = "1") -> InverseSensitivity:
    given: dict[str, Any] = {**MADE, "size": size, "radius": radius, "epsilon": epsilon}
    if kind == "mean":
        return InverseSensitivity.mean(**given)
    return InverseSensitivity.quantile(kind, **given)


def shortest(mechanism: InverseSensitivity, size: int) -> dict[Data, list[int]]:
    """For every dataset and point, the fewest changes by definition: nearest dataset with such an
    answer.
    """
    every = rows(size, VALUES)
    near = changed(VALUES)
    found: dict[Data, list[int]] = {data: [] for data in every}
    for point in range(VALUES):
        goal = {
            data
            for data in every
            if abs(mechanism.target.exactly(np.array(data)) - point) <= mechanism.radius
        }
        distance, front = dict.fromkeys(goal, 0), set(goal)
        while front:
            front = {y for x in front for y in near(x)} - distance.keys()
            distance.update(dict.fromkeys(front, 1 + max(distance.values())))
        for data in every:
            found[data].append(distance[data])
    return found


@pytest.mark.parametrize("radius", [0, 1])
@pytest.mark.parametrize("kind", ["0.5", "0", "0.9", "mean"])
def test_scores_count_the_fewest_changes(kind: str, radius: int) -> None:
    mechanism = made(kind, 4, radius)
    for data, lengths in shortest(mechanism, 4).items():
        assert (-mechanism.scores(data)).tolist() == lengths


@pytest.mark.parametrize("kind", ["0.5", "mean"])
def test_the_law_is_private_for_all_neighbours(kind: str) -> None:
    mechanism = made(kind, 4, 0)
    laws = {data: list(mechanism.probabilities(data).values()) for data in rows(4, VALUES)}
    losses = [
        math.log(p / q)
        for data, law in laws.items()
        for other in changed(VALUES)(data)
        for p, q in zip(law, laws[other], strict=True)
    ]
    assert 0.5 < max(losses) <= 1 + 1e-12


@pytest.mark.slow
def test_answers_have_this_law_and_no_other() -> None:
    data = (0, 1, 1, 2, 2, 3, 3)
    mechanism = made("0.5", 7, 0, epsilon="2")
    with seam.seeded("inverse"):
        drawn = [mechanism.release(data) for _ in range(20_000)]
    assert p_value_of_choices(drawn, mechanism.probabilities(data)) > ACCEPT
    for epsilon in ("2.6", "1.4"):
        assert p_value_of_choices(drawn, made("0.5", 7, 0, epsilon).probabilities(data)) < REJECT


def test_an_answer_is_right_for_a_dataset_so_few_changes_away() -> None:
    rng = np.random.default_rng(5)
    values = rng.normal(50, 10, size=501)
    for mechanism in (
        InverseSensitivity.median(epsilon=1, size=501, low=0, high=100),
        InverseSensitivity.mean(epsilon=1, size=501, low=0, high=100),
    ):
        reach = mechanism.error("0.95")
        scores = dict(
            zip(mechanism.places.tolist(), mechanism.scores(values).tolist(), strict=True)
        )
        spacing, low = mechanism.target.rows.grid.spacing, mechanism.target.rows.low
        with seam.seeded("inverse error"):
            lengths = [
                -scores[int(Fraction(mechanism.release(values)) / spacing - low)]
                for _ in range(400)
            ]
        assert sum(length <= reach for length in lengths) >= 0.95 * 400
        assert max(mechanism.scores(values)) == 0


def test_it_costs_what_a_choice_of_bounded_range_costs() -> None:
    mechanism = InverseSensitivity.median(epsilon=1, size=11, low=0, high=1)
    assert account([mechanism.event]).epsilon(delta=0).epsilon == 1
    assert account([mechanism.event]).cost(ZeroConcentrated) <= ZeroConcentrated("1/8")
    assert mechanism.event.relation == "change"
    assert mechanism.for_budget(ZeroConcentrated("0.02")).radius == mechanism.radius


def test_too_many_points_for_the_grid_are_refused() -> None:
    with pytest.raises(RangeError):
        InverseSensitivity.median(epsilon=1, size=3, low=0, high=3, points=9, grid=Grid(0))
