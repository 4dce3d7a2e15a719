"""How good a model would be, tried on made-up rows: nothing is spent, and no private row is read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from sklearn.base import clone
from sklearn.metrics import r2_score, roc_auc_score

from shoal.errors import FactsError
from shoal.exact import Number
from shoal.learning.exact_sums import Floats
from shoal.learning.feature_columns import FeatureColumn
from shoal.noise import current
from shoal.plan import Choices, Range

_TEST = 4000
_NUMBERS = ("AdditiveRegression", "HuberRegression", "Lasso", "LinearRegression", "Ridge")
"""The models of a number that a curve can be drawn for."""

_SPREAD = 1.5
"""The standard deviation of the made-up log-odds, or signal, beside noise of 1."""


class CurvePoint(NamedTuple):
    """A score at one epsilon; ``best`` is that of whoever knows how the rows were made.

    Of classifiers it is the AUC, of regressions the share of variance explained.
    """

    epsilon: float
    score: float
    best: float


def learning_curve(
    model: Any,
    columns: Sequence[FeatureColumn],
    *,
    rows: int,
    epsilons: Sequence[Number],
    delta: Number,
) -> list[CurvePoint]:
    """Train on rows drawn evenly from the declared facts, with a target that depends a little on
    every column; the noise is that of a real training.
    """
    made, signal = _made_up(columns, rows + _TEST)
    classes = hasattr(model, "classes")
    settings: dict[str, Any] = {"columns": {each.name: _fact(each) for each in columns}}
    if classes:
        target: Any = (_uniforms(len(signal)) < 1 / (1 + np.exp(-signal))).astype(int)
        settings["classes"] = [0, 1]
    elif type(model).__name__ in _NUMBERS:
        target = signal + _normals(len(signal))
        settings["target_range"] = (-4 * _SPREAD, 4 * _SPREAD)
    else:
        raise FactsError(
            f"{type(model).__name__} has no learning curve.",
            remedy="Plan a classifier, a LinearRegression or an AdditiveRegression.",
        )
    train = {name: values[:rows] for name, values in made.items()}
    test = {name: values[rows:] for name, values in made.items()}
    found = []
    for epsilon in epsilons:
        price = {"rho": None, "epsilon": epsilon, "delta": delta}
        known = {name: value for name, value in price.items() if name in model.get_params()}
        copy = clone(model).set_params(**known, **settings)
        copy.fit(_MadeUpRows(train), target[:rows])
        act = copy.decision_function if classes else copy.predict
        score = roc_auc_score if classes else r2_score
        told = [
            float(score(target[rows:], each)) for each in (act(_MadeUpRows(test)), signal[rows:])
        ]
        found.append(CurvePoint(float(epsilon), *told))
    return found


class _MadeUpRows(dict[str, Any]):
    """Columns by name, as models read them."""

    @property
    def columns(self) -> list[str]:
        return list(self)


def _made_up(columns: Sequence[FeatureColumn], count: int) -> tuple[dict[str, Any], Floats]:
    made: dict[str, Any] = {}
    signal = np.zeros(count)
    for each in columns:
        if each.ordered:
            place = 2 * _uniforms(count) - 1
            made[each.name] = float(each.middle) + float(each.half) * place
            signal += 1.7 * float(_normals(1)[0]) * place
        else:
            codes = (_uniforms(count) * len(each.levels)).astype(np.int64)
            made[each.name] = np.array(each.levels, dtype=object)[codes]
            signal += _normals(len(each.levels))[codes]
    away = signal - signal.mean()
    return made, np.asarray(away * (_SPREAD / max(float(away.std()), 1e-9)))


def _uniforms(count: int) -> Floats:
    """Numbers from 0 to below 1, for rows that are about nobody."""
    return np.asarray((current().words(np.uint64, count) >> np.uint64(11)) * 2.0**-53)


def _normals(count: int) -> Floats:
    """About normal numbers, by Box and Muller."""
    length = np.sqrt(-2 * np.log(1 - _uniforms(count)))
    return np.asarray(length * np.cos(2 * np.pi * _uniforms(count)))


def _fact(column: FeatureColumn) -> Any:
    if column.ordered:
        return Range(column.low or 0, column.high or 0)
    return Choices(list(column.levels))
