"""The certified minimiser: beside one of many digits, at every edge, and where quick ways fail."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from tests.learning.many_digits import (
    coefficients,
    is_no_longer,
    true_gradient,
    true_minimiser,
)

from shoal.learning import tilted_loss
from shoal.learning.feature_columns import STEPS
from shoal.learning.logistic_shares import quick_shares
from shoal.learning.tilted_loss import Point, TiltedLoss, is_within

TARGET = Fraction(1, 1 << 30)


def loss_of(
    rows: Any, second: Any, *, ridge: Any = Fraction(5, 2), tilt: Any = None, columns: int = 3
) -> TiltedLoss:
    """Rows of two numbers, in units, and the intercept."""
    steps = np.rint(np.asarray(rows, float).reshape(-1, 2) * STEPS)
    matrix = np.column_stack([steps, np.full(len(steps), STEPS)])
    tilt = tilt or (300, -4100, 1234)
    return TiltedLoss(matrix, np.array(second, dtype=np.int64), columns, ridge, tilt, Fraction(1, 1 << 10))  # fmt: skip


rng = np.random.default_rng(4)
ROWS = rng.uniform(-1, 1, (60, 2))
CASES: dict[str, TiltedLoss] = {
    "no row": loss_of(np.zeros((0, 2)), []),
    "one row": loss_of([[0.5, -1.0]], [1]),
    "one class": loss_of(ROWS, np.ones(60)),
    "equal rows": loss_of(np.tile([[0.25, 1.0]], (80, 1)), np.arange(80) % 2),
    "a constant column": loss_of(np.column_stack([ROWS[:, 0], np.ones(60)]), ROWS[:, 0] > 0.3),
    "separable": loss_of(ROWS, ROWS[:, 0] > 0, ridge=Fraction(1, 1000), tilt=(1, 2, 3)),
    "a tilt without end": loss_of(ROWS, ROWS[:, 1] > 0, tilt=(1 << 40, -(1 << 41), 5)),
    "mixed": loss_of(ROWS, rng.random(60) < 0.4),
}


@pytest.mark.parametrize("case", CASES)
def test_the_minimiser_is_as_near_as_its_certificate_says(case: str) -> None:
    loss = CASES[case]
    found = coefficients(loss.minimiser(TARGET))
    assert is_no_longer(true_gradient(loss, found), TARGET)
    away = [a - b for a, b in zip(found, true_minimiser(loss), strict=True)]
    assert is_no_longer(away, TARGET / loss.ridge)


@pytest.mark.parametrize("bits", [0, 90])
@pytest.mark.parametrize("case", CASES)
def test_a_gradient_is_no_further_off_than_it_says(case: str, bits: int) -> None:
    loss, random = CASES[case], np.random.default_rng(1)
    for size in (0.1, 3.0, 30.0):
        point = Point((0, 0, 0)).moved(random.normal(0, size, 3))
        assert point is not None
        found, error = loss.gradient(point, bits)
        true = true_gradient(loss, coefficients(point))
        assert is_no_longer([a - b for a, b in zip(true, found, strict=True)], error)
        assert bool(error) == bool(len(loss.matrix))


def test_a_gradient_that_may_be_off_is_not_taken_for_short() -> None:
    """Shares as wrong as they may be: a bound that leaves their error out would be passed."""
    loss, target = CASES["one class"], Fraction(1, 1 << 47)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tilted_loss, "quick_shares", lambda scores: quick_shares(scores) + 2)
        found = coefficients(loss.minimiser(target))
    assert is_no_longer(true_gradient(loss, found), target)
    assert not is_within([Fraction(3), Fraction(4)], Fraction(1, 10**9), Fraction(5))
    assert is_within([Fraction(3), Fraction(4)], Fraction(0), Fraction(5))
    assert not is_within([Fraction(0)], Fraction(2), Fraction(1))


@pytest.mark.parametrize("fault", ["no steps", "no number", "no solution", "far away"])
def test_where_the_search_fails_short_steps_find_the_minimum(
    fault: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    loss = CASES["mixed"]
    wrong = {
        "no steps": lambda _: (np.zeros(3), np.eye(3) * 1e9),
        "no number": lambda _: (np.full(3, np.nan), np.eye(3)),
        "no solution": lambda _: (np.zeros(3), np.zeros((3, 3))),
        "far away": lambda _: (np.full(3, 1e200), np.eye(3)),
    }
    monkeypatch.setattr(TiltedLoss, "_searched", wrong[fault])
    assert is_no_longer(true_gradient(loss, coefficients(loss.minimiser(TARGET))), TARGET)


def test_coefficients_too_large_for_doubles_are_computed_with_more_digits() -> None:
    loss = CASES["mixed"]
    large = Point((1 << 69, -(1 << 68), 5))
    assert not loss._is_small(large)
    found, error = loss.gradient(large)
    assert error < Fraction(1, 1 << 90)
    true = true_gradient(loss, coefficients(large))
    assert is_no_longer([a - b for a, b in zip(true, found, strict=True)], error)
