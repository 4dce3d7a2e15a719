"""Logistic and multinomial regression of the hidden answer on what is known of the people."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.errors import CalibrationError, DataError, ShapeError
from shoal.exact import Number, open_unit
from shoal.local.design import Design
from shoal.local.indices import read_indices
from shoal.local.intervals import normal_chance, normal_point
from shoal.local.likelihood import HiddenAnswers
from shoal.local.transition import TransitionMatrix
from shoal.mechanisms.values import real_array

Floats = NDArray[np.float64]

_MOST_STEPS = 200
_CLOSE = 1e-16
"""Half of what a step of Newton's would still gain, for each person: below it, the top is reached
to the last digits.
"""
_FAR = 100.0
"""A standard error of this many logits says that a coefficient runs away; nothing is known of it.
"""


@dataclass(frozen=True)
class Regression:
    """How the odds of each answer against the first one depend on covariates.

    The answer x has the chance e^(b_x z) / sum of e^(b_j z), with b = 0 for the first answer; its
    reply follows the design.  The coefficients are the most likely ones, and `covariance` is the
    inverse of the observed information.
    """

    answers: tuple[str, ...]
    names: tuple[str, ...]
    coefficients: Floats
    covariance: Floats
    log_likelihood: float
    people: int
    steps: int

    @property
    def errors(self) -> Floats:
        """The standard error of each coefficient."""
        found: Floats = np.sqrt(np.diag(self.covariance)).reshape(self.coefficients.shape)
        return found

    def interval(self, confidence: Number = "0.95") -> Floats:
        """Normal intervals of the coefficients, lower and upper ends last."""
        reach = normal_point(1 - open_unit(confidence, "confidence")) * self.errors
        return np.stack([self.coefficients - reach, self.coefficients + reach], axis=-1)

    def predict(self, covariates: Any) -> Floats:
        """The chance of every answer, for each row of covariates."""
        rows, _ = _read_covariates(covariates, self.names, intercept="intercept" in self.names[:1])
        logits = np.concatenate([np.zeros((len(rows), 1)), rows @ self.coefficients.T], axis=1)
        logits -= logits.max(axis=1, keepdims=True)
        chances: Floats = np.exp(logits)
        chances /= chances.sum(axis=1, keepdims=True)
        return chances

    def __str__(self) -> str:
        lines = [f"{'':24}{'coefficient':>12}{'error':>10}{'z':>8}{'p':>8}"]
        for answer, row, errors in zip(
            self.answers[1:], self.coefficients, self.errors, strict=True
        ):
            for name, value, error in zip(self.names, row, errors, strict=True):
                label = name if len(self.answers) == 2 else f"{answer}: {name}"
                z = value / error
                chance = 2 * normal_chance(-abs(float(z)))
                lines.append(f"{label[:23]:24}{value:12.4f}{error:10.4f}{z:8.2f}{chance:8.3f}")
        return "\n".join(lines)


def regress(
    design: Design | TransitionMatrix,
    replies: Any,
    covariates: Any,
    *,
    names: Sequence[str] | None = None,
    weights: Any = None,
    intercept: bool = True,
) -> Regression:
    """The most likely dependence of the hidden answer on covariates, from replies alone.

    ``covariates`` is a table by name, or rows of numbers with ``names``.  Fisher's scoring, damped
    where a step would not help, then Newton's steps with the observed information.

    >>> from shoal.local import TransitionMatrix
    >>> told = [0] * 30 + [1] * 10 + [0] * 20 + [1] * 20
    >>> found = regress(TransitionMatrix([[1, 0], [0, 1]]), told, {"man": [0] * 40 + [1] * 40})
    >>> [round(float(each), 4) for each in found.coefficients[0]]       # -ln 3, and ln 3
    [-1.0986, 1.0986]
    """
    matrix = design.matrix if isinstance(design, Design) else design
    rows, named = _read_covariates(covariates, names, intercept=intercept)
    told = read_indices(replies, matrix.odds.reports, what="replies").reshape(-1)
    if len(told) != len(rows):
        raise ShapeError(
            f"{len(told)} replies and {len(rows)} rows of covariates do not fit.",
            remedy="Give one row of covariates for each reply.",
        )
    hidden = HiddenAnswers(matrix, told, rows, _read_mass(weights, len(told)))
    found, steps = _climb(hidden, np.zeros(hidden.size))
    top = hidden.at(found)
    covariance = _inverse(top.observed())
    errors = np.sqrt(np.diag(covariance)).reshape(-1, hidden.wide)
    if (errors * hidden.spread > _FAR).any():
        raise _not_fixed()
    return Regression(
        matrix.answers,
        named,
        found.reshape(-1, hidden.wide),
        covariance,
        top.value,
        len(told),
        steps,
    )


def _climb(hidden: HiddenAnswers, place: Floats) -> tuple[Floats, int]:
    """To the top of the likelihood: scoring far from it, Newton close to it, damped whenever a step
    does not climb.
    """
    here, damping, close = hidden.at(place), 0.0, False
    for step in range(_MOST_STEPS):
        slope = here.slope()
        information = here.observed() if close else here.expected()
        if close and not _is_positive(information):
            information = here.expected()
        scale = np.diag(np.diag(information))
        move = _solve(information + damping * scale, slope)
        gain = float(slope @ move) / 2
        if gain <= _CLOSE * hidden.people and damping == 0:
            if close:
                return place, step
            close = True
            continue
        there = hidden.at(place + move)
        if there.value >= here.value - 1e-12 * abs(here.value):
            place, here, damping = place + move, there, damping / 10 if damping > 1e-3 else 0.0
            close = gain < 1
        else:
            damping = max(1e-3, 10 * damping)
            close = False
    raise _not_fixed()


def _not_fixed() -> CalibrationError:
    return CalibrationError(
        "the replies do not fix the coefficients: covariates follow from one another, or a coefficient grows without end.",
        remedy="Leave out a covariate that follows from the others, never varies or tells the replies apart; or ask more people.",
    )


def _is_positive(matrix: Floats) -> bool:
    try:
        np.linalg.cholesky(matrix)
    except np.linalg.LinAlgError:
        return False
    return True


def _solve(matrix: Floats, right: Floats) -> Floats:
    try:
        found = np.asarray(np.linalg.solve(matrix, right), dtype=np.float64)
    except np.linalg.LinAlgError:
        raise _not_fixed() from None
    if not np.isfinite(found).all() or np.linalg.cond(_scaled(matrix)) > 1e13:
        raise _not_fixed()
    return found


def _scaled(matrix: Floats) -> Floats:
    size = np.sqrt(np.maximum(np.diag(matrix), 1e-300))
    scaled: Floats = matrix / np.outer(size, size)
    return scaled


def _inverse(matrix: Floats) -> Floats:
    if not _is_positive(matrix):
        raise _not_fixed()
    return np.asarray(np.linalg.inv(matrix), dtype=np.float64)


def _read_covariates(
    covariates: Any, names: Sequence[str] | None, *, intercept: bool
) -> tuple[Floats, tuple[str, ...]]:
    """Rows of numbers with their names, an intercept first if wanted."""
    given = [name for name in names or () if not (intercept and name == "intercept")]
    if isinstance(covariates, Mapping):
        wanted = given or list(covariates)
        if set(wanted) - set(covariates):
            raise ShapeError(
                f"the covariates lack {min(set(wanted) - set(covariates))!r}.",
                remedy="Give a column for each name.",
            )
        columns = [real_array(covariates[name], what="covariates", truths=True) for name in wanted]
        rows = np.stack(columns, axis=1) if _one_length(columns) else np.empty((0,))
    else:
        rows = real_array(covariates, what="covariates", truths=True)
        wanted = given or [
            f"x{place + 1}" for place in range(rows.shape[1] if rows.ndim == 2 else 0)
        ]
    if rows.ndim != 2 or rows.shape[1] != len(wanted) or not len(rows):
        raise ShapeError(
            "covariates must be columns of one length by name, or rows of numbers with as many names.",
            remedy="Give a mapping of names to columns, or a table with two dimensions.",
        )
    if not np.isfinite(rows).all():
        raise DataError(
            "a covariate is not a finite number.",
            remedy="Leave out people whose covariates are missing, or fill them in by a stated rule.",
        )
    if intercept:
        return np.column_stack([np.ones(len(rows)), rows]), ("intercept", *wanted)
    return rows, tuple(wanted)


def _one_length(columns: Sequence[Floats]) -> bool:
    return bool(columns) and all(c.ndim == 1 and len(c) == len(columns[0]) for c in columns)


def _read_mass(weights: Any, people: int) -> Floats | None:
    if weights is None:
        return None
    mass = real_array(weights, what="weights")
    if mass.shape != (people,) or not np.isfinite(mass).all() or (mass <= 0).any():
        raise ShapeError(
            f"{people} finite weights above 0 are needed, one for each reply.",
            remedy="Give one weight for each reply; leave out people who stand for nobody.",
        )
    return mass * (people / math.fsum(mass))
