"""What a mechanism says when it refuses a value never tells the value, its place or its
neighbours.
"""

from __future__ import annotations

import math
import traceback
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import numpy as np
import pytest

from shoal import (
    DiscreteGaussian,
    Exponential,
    Gaussian,
    Geometric,
    Histogram,
    Laplace,
    NoisyMax,
    PermuteAndFlip,
    RandomizedResponse,
    ShoalError,
    SparseVector,
    Staircase,
    TopK,
    TruncatedGeometric,
)

SECRET = 8675309
WORD = "swordfish"
REALS = [
    Laplace(scale=1, sensitivity=1),
    Gaussian(sigma=1, sensitivity=1),
    DiscreteGaussian(sigma=1, sensitivity=1),
    Staircase(epsilon=1, sensitivity=1),
]
WHOLE = [
    *REALS,
    Geometric(scale=1, sensitivity=1),
    TruncatedGeometric(scale=1, sensitivity=1, low=0, high=9),
]
SELECTIONS = [
    Exponential(epsilon=1, sensitivity=1),
    PermuteAndFlip(epsilon=1, sensitivity=1),
    NoisyMax(epsilon=1, sensitivity=1),
    TopK(k=1, epsilon=1, sensitivity=1),
]


def everything_said(act: Callable[[], Any]) -> str:
    """The message, its parts, and all that an uncaught error would print but the lines of
    source.
    """
    with pytest.raises(ShoalError) as refused:
        act()
    error: BaseException | None = refused.value
    said = [str(refused.value), repr(refused.value), str(refused.value.to_dict())]
    while error is not None:
        said += traceback.format_exception_only(error)
        error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    return "\n".join(said)


def assert_silent(act: Callable[[], Any]) -> None:
    said = everything_said(act)
    for told in (str(SECRET), f"{SECRET:.1f}", WORD, "41", hex(SECRET)):
        assert told not in said, said


@pytest.mark.parametrize("mechanism", REALS, ids=repr)
def test_a_value_that_is_not_finite_is_not_quoted(mechanism: Any) -> None:
    assert_silent(lambda: mechanism.release(np.array([math.nan])))
    assert_silent(lambda: mechanism.release(Decimal(f"{SECRET}e99999")))
    if not isinstance(mechanism, Staircase):
        row = np.full(100, float(SECRET))
        row[41] = math.inf
        assert_silent(lambda: mechanism.release(row))
        assert_silent(lambda: mechanism.release(row.reshape(10, 10)))


@pytest.mark.parametrize("mechanism", WHOLE, ids=repr)
def test_a_value_of_a_wrong_kind_is_not_quoted(mechanism: Any) -> None:
    assert_silent(lambda: mechanism.release(str(SECRET)))
    assert_silent(lambda: mechanism.release([SECRET]))
    assert_silent(lambda: mechanism.release(complex(SECRET)))
    assert_silent(lambda: mechanism.release({WORD: SECRET}))
    assert_silent(lambda: mechanism.release(np.array([WORD], dtype=object)))
    assert_silent(lambda: mechanism.release(np.array([SECRET, None], dtype=object)))
    assert_silent(lambda: mechanism.release(np.ma.array([SECRET], mask=[True])))
    assert_silent(lambda: mechanism.release(np.timedelta64(SECRET, "D")))


@pytest.mark.parametrize("mechanism", SELECTIONS, ids=repr)
def test_scores_are_not_quoted(mechanism: Any) -> None:
    assert_silent(lambda: mechanism.release([SECRET, math.nan]))
    assert_silent(lambda: mechanism.release([float(SECRET)] * 41 + [math.inf]))
    assert_silent(lambda: mechanism.release([SECRET, WORD]))
    assert_silent(lambda: mechanism.release({"a": SECRET, "b": None}))
    assert_silent(lambda: mechanism.release([SECRET, [SECRET]]))
    assert_silent(lambda: mechanism.release(np.array([[SECRET]])))
    assert_silent(lambda: mechanism.release([SECRET], candidates=["a", "b"]))
    assert_silent(lambda: mechanism.release([SECRET], candidates=[[WORD]]))
    assert_silent(lambda: mechanism.release([SECRET, 1], candidates=[WORD, WORD]))


def test_answers_are_not_quoted() -> None:
    mechanism = RandomizedResponse.for_epsilon(1, categories=3)
    assert_silent(lambda: mechanism.release(SECRET))
    assert_silent(lambda: mechanism.release(np.array([0] * 41 + [SECRET])))
    assert_silent(lambda: mechanism.release([0, [SECRET]]))
    assert_silent(lambda: mechanism.release(WORD))
    assert_silent(lambda: mechanism.release(float(SECRET)))


def test_questions_of_a_run_are_not_quoted() -> None:
    run = SparseVector(epsilon=1, sensitivity=1, numeric=True).start(threshold=0)
    assert_silent(lambda: run.ask(str(SECRET)))  # type: ignore[arg-type]
    assert_silent(lambda: run.answer(np.array([SECRET])))  # type: ignore[arg-type]
    assert_silent(lambda: run.ask(Decimal(f"{SECRET}e99999")))  # type: ignore[arg-type]
    while not run.spent:
        run.ask(10.0 * SECRET)
    assert_silent(lambda: run.ask(SECRET))


def test_a_row_that_cannot_be_counted_is_no_error_at_all() -> None:
    rows: list[Any] = [[WORD], {SECRET: 1}, "a"]
    table = Histogram.for_epsilon(1).release(rows, categories=["a"])
    assert list(table) == ["a"]


def test_neither_a_mechanism_nor_a_run_shows_what_it_was_given() -> None:
    mechanism = Laplace(scale=1, sensitivity=1)
    mechanism.release(SECRET)
    run = SparseVector(epsilon=1, sensitivity=1).start(threshold=5)
    run.ask(-SECRET)
    assert str(SECRET) not in repr(mechanism)
    assert str(SECRET) not in repr(run)
    assert str(SECRET) not in str(vars(run).keys())
