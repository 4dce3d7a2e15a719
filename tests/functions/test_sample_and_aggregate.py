"""Sample and aggregate."""

from __future__ import annotations

import itertools
import math
from typing import Any

import pytest
from tests.functions.smooth.enumerated import changed, rows
from tests.mechanisms.statistics_of import ACCEPT, REJECT, p_value_of_choices

from shoal import Grid, account
from shoal.errors import ShapeError
from shoal.functions import (
    InverseSensitivity,
    SampleAndAggregate,
    SmoothCauchy,
    Smoothed,
    TrimmedMean,
)
from shoal.noise import seam

VALUES, BLOCKS = 3, 2
Data = tuple[int, ...]


def middle(epsilon: str = "1") -> InverseSensitivity:
    return InverseSensitivity.median(
        epsilon=epsilon, size=BLOCKS, low=0, high=VALUES - 1, points=VALUES, radius=0, grid=Grid(0)
    )


def total(block: list[int]) -> int:
    """A function that fails without rows and leaves its range with many."""
    return sum(block) * max(block)


def law(data: Data, epsilon: str = "1") -> dict[float, float]:
    """All dealings of the rows into blocks, each as likely, and the law of the middle given
    each.
    """
    found: dict[float, float] = {}
    dealings = list(itertools.product(range(BLOCKS), repeat=len(data)))
    for dealing in dealings:
        blocks = [
            [r for r, b in zip(data, dealing, strict=True) if b == place] for place in range(BLOCKS)
        ]
        values = [total(block) if block else 1 for block in blocks]
        for point, chance in middle(epsilon).probabilities(values).items():
            found[point] = found.get(point, 0.0) + chance / len(dealings)
    return found


def worst(pairs: Any) -> float:
    return max(math.log(law(x)[point] / law(y)[point]) for x, y in pairs for point in law(x))


@pytest.mark.slow
def test_the_answer_is_private_for_rows_that_change_and_rows_that_come_or_go() -> None:
    changes = [(x, y) for x in rows(3, VALUES) for y in changed(VALUES)(x)]
    comings = [(x, tuple(sorted((*x, new)))) for x in rows(2, VALUES) for new in range(VALUES)]
    assert 0.1 < worst(changes) <= 1
    assert 0.1 < max(worst(comings), worst([(y, x) for x, y in comings])) <= 1


@pytest.mark.slow
def test_answers_have_this_law_and_no_other() -> None:
    data = (0, 0, 1, 2)
    mechanism = SampleAndAggregate(aggregator=middle("4"), otherwise=1)
    with seam.seeded("aggregate"):
        drawn = [mechanism.release(total, data) for _ in range(15_000)]
    assert p_value_of_choices(drawn, law(data, "4")) > ACCEPT
    assert p_value_of_choices(drawn, law(data, "2.8")) < REJECT


@pytest.mark.parametrize("bad", [float("nan"), float("inf"), None, "seven", True, 1j])
def test_what_is_no_finite_number_counts_as_otherwise(bad: object) -> None:
    mechanism = SampleAndAggregate(aggregator=middle("60"), otherwise=2)
    with seam.seeded("otherwise"):
        assert {mechanism.release(lambda _: bad, [1] * 9) for _ in range(20)} == {2.0}


def test_any_function_is_released_near_its_value_on_steady_data() -> None:
    steady = [i % 10 for i in range(5000)]
    for aggregator in (
        InverseSensitivity.median(epsilon=1, size=100, low=0, high=100, points=1001),
        Smoothed(SmoothCauchy(epsilon=1), TrimmedMean.median(size=100, low=0, high=100)),
    ):
        mechanism = SampleAndAggregate(aggregator=aggregator, otherwise=0)
        with seam.seeded("steady"):
            answers = [
                mechanism.release(lambda rows: sum(rows) / len(rows), steady) for _ in range(9)
            ]
        assert sorted(answers)[4] == pytest.approx(4.5, abs=1)


def test_it_costs_what_the_aggregator_costs_for_its_own_neighbours() -> None:
    for aggregator in (
        middle(),
        Smoothed(SmoothCauchy(epsilon=1), TrimmedMean.median(size=9, low=0, high=1)),
    ):
        mechanism = SampleAndAggregate(aggregator=aggregator, otherwise=0)
        assert mechanism.event.relation == "add_remove"
        assert account([mechanism.event]).epsilon(delta=0).epsilon == 1


def test_rows_that_are_no_list_are_refused() -> None:
    with pytest.raises(ShapeError):
        SampleAndAggregate(aggregator=middle(), otherwise=0).release(total, "abc")
