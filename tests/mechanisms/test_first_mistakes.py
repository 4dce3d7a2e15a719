"""What people try first, and the words they get."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest

import shoal
from shoal.errors import CalibrationError, CandidatesError, RangeError, ShapeError


@pytest.mark.parametrize("rows", [None, 5, "aab", {"a": 3}, Counter("aab"), np.zeros((2, 2))])
def test_a_histogram_refuses_rows_that_could_be_read_in_two_ways(rows: Any) -> None:
    with pytest.raises(ShapeError, match="rows"):
        shoal.Histogram.for_epsilon(1).release(rows, categories=["a", "b"])


@pytest.mark.parametrize("budget", [1, None, "1"])
def test_a_number_given_as_a_budget_is_answered_with_the_measure_to_write(budget: Any) -> None:
    with pytest.raises(ShapeError, match="Pure"):
        shoal.Laplace.for_budget(budget, sensitivity=1)


@pytest.mark.parametrize("answers", [range(2), memoryview(bytes([0, 1])), {0, 1}, None])
def test_answers_of_an_unknown_kind_are_refused_by_kind(answers: Any) -> None:
    with pytest.raises(ShapeError, match="answers"):
        shoal.RandomizedResponse.coins().release(answers)


@pytest.mark.parametrize("exponent", ["x", None, 0.5, 10**9, True])
def test_a_grid_needs_a_whole_exponent_within_reach(exponent: Any) -> None:
    with pytest.raises(RangeError, match="exponent"):
        shoal.Grid(exponent)


def test_candidates_that_are_not_themselves_are_refused() -> None:
    with pytest.raises(CandidatesError):
        shoal.Exponential(epsilon=1, sensitivity=1).release(
            [1, 2], candidates=[float("nan"), float("nan")]
        )


def test_the_law_of_a_choice_takes_linear_time() -> None:
    law = shoal.Exponential(epsilon=1, sensitivity=1).probabilities(np.zeros(20_000, dtype=int))
    assert law[0] == pytest.approx(1 / 20_000)


def test_an_error_that_the_range_keeps_anyway_is_not_calibrated_to() -> None:
    with pytest.raises(CalibrationError, match="every epsilon"):
        shoal.TruncatedGeometric.for_error(10, confidence="0.95", sensitivity=1, low=0, high=10)


def test_an_error_that_needs_noise_beyond_reach_is_refused_at_once() -> None:
    with pytest.raises(RangeError, match="noise"):
        shoal.Laplace.for_error("1e300", confidence="0.95", sensitivity=1)


def test_the_version_is_that_of_the_package() -> None:
    assert shoal.__version__.count(".") == 2
