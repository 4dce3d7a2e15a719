"""No number fails open: every parameter of every constructor and method refuses what it cannot
mean, by name.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from decimal import Decimal
from typing import Any

import numpy as np
import pytest

from shoal import (
    AboveThreshold,
    DiscreteGaussian,
    Exponential,
    Gaussian,
    Geometric,
    Grid,
    Histogram,
    Laplace,
    NoisyMax,
    Norm,
    PermuteAndFlip,
    RandomizedResponse,
    Sensitivity,
    SparseVector,
    Staircase,
    TopK,
    TruncatedGeometric,
    counting,
)
from shoal.errors import CandidatesError, DataError, ExhaustedError, InputError, ShapeError
from shoal.noise import seam

NOT_NUMBERS = [math.nan, math.inf, -math.inf, True, False, None, "", "many", "1/0", "nan", [], 1j, b"1", np.bool_(True), Decimal("nan"), object()]  # fmt: skip
NOT_POSITIVE = [*NOT_NUMBERS, 0, -1, "-0.5", -0.0]
NEGATIVE = [*NOT_NUMBERS, -1, "-0.5"]
NOT_IN_UNIT = [*NOT_POSITIVE, 1, 2, "1.5"]
NOT_COUNTS = [*NOT_POSITIVE, 1.5, "1/2"]
NOT_FLAGS = [0, 1, "yes", np.bool_(True), 0.5]
NOT_GRIDS = [0.5, "fine", 0, True]

by_scale: dict[str, Any] = {"scale": 1, "sensitivity": 1}
by_sigma: dict[str, Any] = {"sigma": 1, "sensitivity": 1}
by_epsilon: dict[str, Any] = {"epsilon": 1, "sensitivity": 1}
clamped: dict[str, Any] = {**by_scale, "low": 0, "high": 9}

CONSTRUCTORS: list[tuple[Any, dict[str, Any], dict[str, list[Any]]]] = [
    (Laplace, by_scale, {"scale": NOT_POSITIVE, "sensitivity": NEGATIVE, "grid": NOT_GRIDS}),
    (Geometric, by_scale, {"scale": NOT_POSITIVE, "sensitivity": [*NEGATIVE, "1/2"]}),
    (Gaussian, by_sigma, {"sigma": NOT_POSITIVE, "sensitivity": NEGATIVE, "grid": NOT_GRIDS}),
    (DiscreteGaussian, by_sigma, {"sigma": NOT_POSITIVE, "sensitivity": NEGATIVE, "grid": NOT_GRIDS}),
    (TruncatedGeometric, clamped, {"scale": NOT_POSITIVE, "sensitivity": [*NEGATIVE, "1/2"], "low": [*NOT_NUMBERS, "1/2", 10], "high": [*NOT_NUMBERS, "1/2"]}),
    (Staircase, {**by_epsilon, "gamma": "1/2"}, {"epsilon": NOT_POSITIVE, "sensitivity": NOT_POSITIVE, "gamma": [*(bad for bad in NOT_POSITIVE if bad is not None), 2, "1.01"], "grid": NOT_GRIDS}),
    (Histogram, {"scale": 1}, {"scale": NOT_POSITIVE, "relation": ["both", 1, None]}),
    *(
        (kind, by_epsilon, {"epsilon": NOT_POSITIVE, "sensitivity": NOT_POSITIVE, "monotone": NOT_FLAGS})
        for kind in (Exponential, PermuteAndFlip, NoisyMax, AboveThreshold)
    ),
    (NoisyMax, by_epsilon, {"noise": ["normal", 1, None, "", []]}),
    (TopK, {**by_epsilon, "k": 2}, {"k": NOT_COUNTS, "epsilon": NOT_POSITIVE, "sensitivity": NOT_POSITIVE}),
    (SparseVector, by_epsilon, {"epsilon": NOT_POSITIVE, "sensitivity": NOT_POSITIVE, "positives": NOT_COUNTS, "numeric": NOT_FLAGS, "monotone": NOT_FLAGS}),
    (RandomizedResponse, {"truth": "0.6"}, {"truth": [bad for bad in NOT_IN_UNIT if bad is not None], "categories": [*NOT_COUNTS, 1, 2**70]}),
    (RandomizedResponse, {"epsilon": 1}, {"epsilon": [bad for bad in NOT_POSITIVE if bad is not None]}),
    (RandomizedResponse.for_phi, {"phi": "0.6"}, {"phi": NOT_IN_UNIT}),
    (RandomizedResponse.for_gamma, {"gamma": "0.1"}, {"gamma": [*NOT_NUMBERS, "0.5", "-0.5", 1]}),
    (Gaussian.classic, {"epsilon": 1, "delta": "1e-6", "sensitivity": 1}, {"epsilon": [*NOT_POSITIVE, "1.001"], "delta": NOT_IN_UNIT, "sensitivity": NOT_POSITIVE}),
    (counting, {"epsilon": 1}, {"epsilon": NOT_POSITIVE, "queries": NOT_COUNTS, "relation": ["both", None]}),
    (Histogram.for_epsilon, {"epsilon": 1}, {"epsilon": NOT_POSITIVE, "relation": ["both"]}),
    *(
        (kind.for_epsilon, by_epsilon, {"epsilon": NOT_POSITIVE, "sensitivity": NOT_POSITIVE})
        for kind in (Laplace, Geometric, Staircase, Exponential, PermuteAndFlip, NoisyMax, SparseVector, AboveThreshold)
    ),
    (RandomizedResponse.for_epsilon, {"epsilon": 1}, {"epsilon": NOT_POSITIVE, "categories": NOT_COUNTS}),
    (Laplace.for_error, {"error": 5, "confidence": "0.9", "sensitivity": 1}, {"error": NOT_POSITIVE, "confidence": NOT_IN_UNIT, "sensitivity": NEGATIVE, "size": NOT_COUNTS, "integers": NOT_FLAGS, "grid": NOT_GRIDS}),
    (Exponential.for_error, {"error": 5, "confidence": "0.9", "sensitivity": 1, "candidates": 9}, {"error": NOT_POSITIVE, "confidence": NOT_IN_UNIT, "sensitivity": NOT_POSITIVE, "candidates": NOT_COUNTS}),
    (SparseVector.for_error, {"error": 5, "confidence": "0.9", "sensitivity": 1, "questions": 9}, {"error": NOT_POSITIVE, "confidence": NOT_IN_UNIT, "sensitivity": NOT_POSITIVE, "questions": NOT_COUNTS}),
    (RandomizedResponse.for_error, {"error": "0.1", "confidence": "0.9", "answers": 999}, {"error": NOT_POSITIVE, "confidence": NOT_IN_UNIT, "answers": NOT_COUNTS, "categories": NOT_COUNTS}),
    (Laplace(**by_scale).error, {"confidence": "0.9"}, {"confidence": NOT_IN_UNIT, "size": NOT_COUNTS, "integers": NOT_FLAGS}),
    (Laplace(**by_scale).textbook_error, {"confidence": "0.9"}, {"confidence": NOT_IN_UNIT, "size": NOT_COUNTS}),
    (Gaussian(**by_sigma).textbook_error, {"confidence": "0.9"}, {"confidence": NOT_IN_UNIT, "size": NOT_COUNTS}),
    (Laplace(**by_scale).event_for, {"size": 1}, {"size": NOT_COUNTS}),
    (DiscreteGaussian(**by_sigma).event_for, {"size": 1}, {"size": NOT_COUNTS, "integers": NOT_FLAGS}),
    (Exponential(**by_epsilon).error, {"confidence": "0.9", "candidates": 4}, {"confidence": NOT_IN_UNIT, "candidates": NOT_COUNTS}),
    (Exponential(**by_epsilon).textbook_error, {"confidence": "0.9", "candidates": 4}, {"confidence": NOT_IN_UNIT, "candidates": NOT_COUNTS}),
    (Exponential(**by_epsilon).event_for, {"candidates": 4}, {"candidates": NOT_COUNTS}),
    (SparseVector(**by_epsilon).error, {"confidence": "0.9", "questions": 4}, {"confidence": NOT_IN_UNIT, "questions": NOT_COUNTS}),
    (SparseVector(**by_epsilon).start, {"threshold": 4}, {"threshold": NOT_NUMBERS}),
    (RandomizedResponse.coins().error, {"confidence": "0.9", "answers": 9}, {"confidence": NOT_IN_UNIT, "answers": NOT_COUNTS}),
    (RandomizedResponse.coins().estimate_from_counts([3, 4]).interval, {"confidence": "0.9"}, {"confidence": NOT_IN_UNIT}),
]  # fmt: skip

TABLE = [
    pytest.param(call, good, name, values, id=f"{getattr(call, '__qualname__', call)} {name}")
    for call, good, parameters in CONSTRUCTORS
    for name, values in parameters.items()
]
OPTIONAL = {"size", "grid", "integers"}


@pytest.mark.parametrize(("call", "good", "name", "values"), TABLE)
def test_a_bad_parameter_is_refused_by_its_name(
    call: Any, good: dict[str, Any], name: str, values: list[Any]
) -> None:
    call(**good)
    for bad in values:
        if bad is None and name in OPTIONAL:
            continue
        with pytest.raises(InputError) as refused:
            pytest.fail(f"{bad!r} was accepted: {call(**{**good, name: bad})!r}")
        assert re.search(rf"\b{name}\b", refused.value.problem), (bad, refused.value.problem)
        assert refused.value.remedy


@pytest.mark.parametrize("sensitivity", [Sensitivity(1, Norm.L2), Sensitivity(1, Norm.LINF)])  # type: ignore[arg-type]
def test_a_sensitivity_in_too_weak_a_norm_is_refused(sensitivity: Sensitivity) -> None:
    with pytest.raises(ShapeError, match="norm"):
        Laplace(scale=1, sensitivity=sensitivity)
    if sensitivity.norm is Norm.LINF:
        with pytest.raises(ShapeError, match="norm"):
            Gaussian(sigma=1, sensitivity=sensitivity)


def test_truth_and_epsilon_exclude_each_other() -> None:
    for given in ({}, {"truth": "0.6", "epsilon": 1}):
        with pytest.raises(InputError, match="exactly one"):
            RandomizedResponse(**given)  # type: ignore[arg-type]


def test_a_grid_is_refused_where_only_integers_are_released() -> None:
    with pytest.raises(InputError, match="grid"):
        Geometric(scale=1, sensitivity=1, grid=Grid(0))


# values


ADDITIVE = [
    Laplace(**by_scale),
    Geometric(**by_scale),
    Gaussian(**by_sigma),
    DiscreteGaussian(**by_sigma),
    Staircase(**by_epsilon),
    TruncatedGeometric(**clamped),
]
NOT_FINITE = [math.nan, math.inf, -math.inf, np.float64("nan"), np.float32("inf"), np.longdouble("nan"), Decimal("nan"), Decimal("inf"), Decimal("1e99999")]  # fmt: skip
NOT_VALUES = [None, "5", True, np.bool_(False), 1j, [1, 2], (1,), {}, b"5", object(), np.timedelta64(5, "D"), np.datetime64("2020-01-01"), np.str_("5")]  # fmt: skip
NOT_ARRAYS = [
    np.array([True]),
    np.array(["5"]),
    np.array([1j]),
    np.array([1, None], dtype=object),
    np.array([1, 2.5], dtype=object),
    np.array([1], dtype="m8[s]"),
    np.array(["2020"], dtype="M8[Y]"),
    np.ma.array([1, 2], mask=[False, True]),
    np.ma.array([1.0, 2.0], mask=[False, True]),
    np.zeros(1, dtype=[("a", int)]),
]


class Untouched:
    """A source that must not be asked."""

    private = False

    def __init__(self) -> None:
        self.pools: dict[object, list[int]] = {}

    def words(self, kind: Any, count: int) -> Any:
        raise AssertionError((kind, count))


@pytest.mark.parametrize("mechanism", ADDITIVE, ids=repr)
def test_a_value_that_is_no_number_is_refused_before_anything_is_drawn(mechanism: Any) -> None:
    with seam.use(Untouched()):
        for bad in (*NOT_VALUES, *NOT_ARRAYS):
            with pytest.raises(ShapeError):
                mechanism.release(bad)


@pytest.mark.parametrize("mechanism", [m for m in ADDITIVE if getattr(m, "reals", False)], ids=repr)
def test_a_value_that_is_not_finite_is_refused_before_anything_is_drawn(mechanism: Any) -> None:
    with seam.use(Untouched()):
        for bad in NOT_FINITE:
            with pytest.raises(DataError):
                mechanism.release(bad)
            if not isinstance(bad, Decimal) and not isinstance(mechanism, Staircase):
                with pytest.raises(DataError):
                    mechanism.release(np.array([1.0, bad]))


def test_geometric_noise_refuses_reals_rather_than_rounding_them() -> None:
    for mechanism in (Geometric(**by_scale), TruncatedGeometric(**clamped)):
        for real in (3.0, np.float64(3), np.array([3.0])):
            with pytest.raises(ShapeError, match="integers"):
                mechanism.release(real)


def test_stairs_refuse_several_numbers_and_integers_of_a_broken_sensitivity() -> None:
    with pytest.raises(ShapeError, match="one number"):
        Staircase(**by_epsilon).release(np.zeros(2))
    with pytest.raises(ShapeError, match="one number"):
        Staircase(**by_epsilon).release(np.zeros(2, dtype=int))
    with pytest.raises(InputError, match="whole number"):
        Staircase(epsilon=1, sensitivity="1/2").release(3)
    assert isinstance(Staircase(epsilon=1, sensitivity="1/2").release(3.0), float)


SELECTIONS = [
    Exponential(**by_epsilon),
    PermuteAndFlip(**by_epsilon),
    NoisyMax(**by_epsilon),
    TopK(**by_epsilon, k=1),
]


@pytest.mark.parametrize("mechanism", SELECTIONS, ids=repr)
def test_scores_that_cannot_be_chosen_by_are_refused_before_anything_is_drawn(
    mechanism: Any,
) -> None:
    with seam.use(Untouched()):
        bad: Any
        for bad in ([1, math.nan], [1.0, math.inf], np.array([math.nan]), [Decimal("nan"), 1], [Decimal("1e99999")]):  # fmt: skip
            with pytest.raises(DataError):
                mechanism.release(bad)
        for bad in (None, 5, "ab", {1, 2}, np.array(5), np.zeros((2, 2)), [[1], [2]], [1, None], ["a"], [True, False], np.array([True]), np.array(["a"]), [1j], np.ma.array([1, 2], mask=[False, True])):  # fmt: skip
            with pytest.raises(ShapeError):
                mechanism.release(bad)
        for bad in ([], {}, np.array([]), Counter("aab")):
            with pytest.raises(CandidatesError):
                mechanism.release(bad)
        names: Any
        for names in (["a", "a"], [["a"], ["b"]], {"a", "b"}, 5):
            with pytest.raises(CandidatesError):
                mechanism.release([1, 2], candidates=names)
        for names in (["a"], "abc", []):
            with pytest.raises(ShapeError):
                mechanism.release([1, 2], candidates=names)
        with pytest.raises(CandidatesError, match="twice"):
            mechanism.release({"a": 1}, candidates=["a"])


def test_more_winners_than_candidates_are_refused() -> None:
    with pytest.raises(CandidatesError):
        TopK(k=3, epsilon=1, sensitivity=1).release([1, 2])


def test_answers_that_are_no_categories_are_refused_before_anything_is_drawn() -> None:
    mechanism = RandomizedResponse.for_epsilon(1, categories=3)
    with seam.use(Untouched()):
        bad: Any
        for bad in (3, -1, [0, 3], np.array([-1]), np.array([2**64 - 1], dtype=np.uint64)):
            with pytest.raises(DataError):
                mechanism.release(bad)
        for bad in (0.0, "a", None, [0.5], True, np.array([True]), [[0], [0, 1]], 2**70, np.ma.array([0, 1], mask=[False, True])):  # fmt: skip
            with pytest.raises(ShapeError):
                mechanism.release(bad)


def test_categories_of_a_histogram_are_names_given_once() -> None:
    for bad in ([], ["a", "a"], [["a"]], 5):
        with pytest.raises(CandidatesError):
            Histogram.for_epsilon(1).release(["a"], categories=bad)  # type: ignore[arg-type]


# runs


def test_a_run_refuses_what_is_no_number_and_it_costs_nothing() -> None:
    run = SparseVector(epsilon=1, sensitivity=1, positives=1).start(threshold=0)
    bad: Any
    for bad in (math.nan, math.inf, np.float32("nan"), Decimal("nan")):
        with pytest.raises(DataError):
            run.ask(bad)
    for bad in (None, "5", True, 1j, np.array([1.0]), np.bool_(True), np.timedelta64(5, "D")):
        with pytest.raises(ShapeError):
            run.ask(bad)
    assert run.left == 1
    assert not run.spent


def test_a_spent_run_answers_nothing_more() -> None:
    run = SparseVector(epsilon=1, sensitivity=1, positives=2).start(threshold=0)
    assert [run.ask(value) for value in (10**9, -(10**9), 10**9)] == [True, False, True]
    assert run.spent
    for value in (10**9, -(10**9)):
        with pytest.raises(ExhaustedError):
            run.ask(value)


def test_numbers_are_told_only_where_budget_was_set_aside() -> None:
    run = SparseVector(epsilon=1, sensitivity=1).start(threshold=0)
    with pytest.raises(InputError, match="budget for numbers"):
        run.answer(10**9)
    assert run.left == 1
