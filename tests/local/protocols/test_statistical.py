from __future__ import annotations

import math
from functools import partial

import numpy as np
import pytest
from numpy.typing import NDArray

from shoal.errors import CalibrationError, ExhaustedError, RangeError
from shoal.local.protocols.statistical import StatisticalQueries, people_needed
from shoal.local.protocols.uniform_theta import draw_uniform, estimate_uniform, supported_tolerance
from shoal.noise.seam import seeded


def to_the(power: int, numbers: NDArray[np.float64]) -> NDArray[np.float64]:
    raised: NDArray[np.float64] = numbers**power
    return raised


def test_people_grow_with_the_logarithm_of_queries_over_failure_for_each_query() -> None:
    def each(queries: int, failure: str) -> float:
        return people_needed(tolerance="0.1", queries=queries, failure=failure, epsilon=1) / queries

    ratio = math.log(2 * 100 / 0.01) / math.log(2 * 10 / 0.1)
    assert each(100, "0.01") / each(10, "0.1") == pytest.approx(ratio, rel=1e-3)


def test_all_answers_are_within_the_tolerance_nearly_always() -> None:
    """Twenty oracles of five queries each; with failure 1/20 for each, six failures would be
    strange.
    """
    needed = people_needed(tolerance="0.15", queries=5, failure="0.05", epsilon=2)
    failures = 0
    with seeded("queries"):
        for _ in range(20):
            numbers = draw_uniform(1, people=needed)
            oracle = StatisticalQueries(
                numbers, tolerance="0.15", queries=5, failure="0.05", epsilon=2
            )
            errors = [abs(oracle.ask(partial(to_the, p)) - 1 / (p + 1)) for p in range(1, 6)]
            failures += max(errors) > 0.15
            assert max(errors) > 0.001
    assert failures < 6


def test_nobody_answers_twice_and_a_query_too_many_is_refused() -> None:
    seen: list[int] = []

    def query(batch: np.ndarray) -> np.ndarray:
        seen.extend(batch.tolist())
        return np.zeros(len(batch))

    needed = people_needed(tolerance="0.5", queries=3, failure="0.1", epsilon=1)
    oracle = StatisticalQueries(
        np.arange(needed + 2), tolerance="0.5", queries=3, failure="0.1", epsilon=1
    )
    for _ in range(3):
        oracle.ask(query)
    assert len(seen) == len(set(seen)) >= needed
    with pytest.raises(ExhaustedError):
        oracle.ask(query)
    assert oracle.cost.epsilon <= 1


def test_too_few_people_are_refused_with_the_number_needed() -> None:
    with pytest.raises(CalibrationError, match="there are 10"):
        StatisticalQueries(np.zeros(10), tolerance="0.1", queries=1, failure="0.1", epsilon=1)


def test_queries_that_give_no_numbers_are_answered_as_if_everyone_had_0_and_count() -> None:
    """A refusal would be free, and would tell whether anyone's value is not a number."""
    needed = people_needed(tolerance="0.5", queries=2, failure="0.1", epsilon=1)
    oracle = StatisticalQueries(
        np.ones(needed), tolerance="0.5", queries=2, failure="0.1", epsilon=1
    )
    with seeded("no numbers"):
        assert abs(oracle.ask(lambda x: x * np.nan)) < 0.5
        assert abs(oracle.ask(lambda x: [1.0, 1.0])) < 0.5
    assert oracle.asked == 2


@pytest.mark.slow
def test_four_ways_to_learn_the_end_of_a_uniform_law_have_the_errors_they_promise() -> None:
    people, theta = 50_000, 0.6
    errors: dict[str, list[float]] = {}
    with seeded("uniform"):
        for _ in range(12):
            numbers = draw_uniform("0.6", people=people)
            for way in estimate_uniform(numbers, largest=1, epsilon=1):
                errors.setdefault(way.name, []).append(abs(way.estimate - theta))
                assert way.seen_by in str(way)
    mean = {name: float(np.mean(found)) for name, found in errors.items()}
    assert mean["PAC"] < 5 * theta / people
    assert mean["PAC"] < mean["DP"] < theta / 256 + 0.001
    local = 2 * 0.5 * (math.e + 1) / (math.e - 1) / math.sqrt(people)
    assert local / 3 < mean["LDP"] < 2 * local
    assert local / 3 < mean["SQ"] < 2 * local


def test_the_supported_tolerance_is_supported_and_hardly_less_would_be() -> None:
    found = supported_tolerance(10_000, epsilon=1, failure="0.05")
    assert people_needed(tolerance=found, queries=1, failure="0.05", epsilon=1) <= 10_000
    assert people_needed(tolerance=found * 99 / 100, queries=1, failure="0.05", epsilon=1) > 10_000
    with pytest.raises(RangeError):
        estimate_uniform([1.0], largest=1, epsilon=1)
