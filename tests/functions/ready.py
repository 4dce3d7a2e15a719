"""The ready functions, small, and single rows that reach all of their domains: what the tests are
run over.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from shoal.functions import (
    Distribution,
    KernelDensity,
    KernelRegression,
    LossSurface,
    PriestleyChao,
    RocCurve,
)


@dataclass(frozen=True)
class Case:
    """A function: its class, its options, and every kind of row it can meet."""

    kind: type[Any]
    options: dict[str, Any]
    rows: list[tuple[Any, ...]]
    relations: tuple[str, ...] = ("add_remove", "change")

    def make(self, budget: Any, relation: str) -> Any:
        return self.kind(budget=budget, relation=relation, **self.options)


PLACES = [*np.linspace(0, 1, 33).tolist(), -5.0, 7.0]
VALUES = [-1.0, -0.999, -0.3, 0.0, 0.71, 1.0, 9.0]
PAIRS = list(product(np.linspace(0, 1, 9).tolist(), repeat=2))
ENDS = {"low": -1, "high": 1, "degree": 4}

CASES: dict[str, Case] = {
    "regression": Case(KernelRegression, ENDS, list(product(PLACES, VALUES))),
    "regression, gaussian kernel": Case(
        KernelRegression,
        {**ENDS, "kernel": "gaussian", "bandwidth": "0.1"},
        list(product(PLACES, VALUES)),
    ),
    "regression, two dimensions": Case(
        KernelRegression,
        {**ENDS, "degree": 2, "dims": 2},
        list(product(PAIRS, (-1.0, 0.2, 1.0))),
    ),
    "priestley-chao": Case(
        PriestleyChao,
        {**ENDS, "kernel": "epanechnikov", "bandwidth": "0.3"},
        list(product(PLACES, VALUES)),
        ("change",),
    ),
    "density": Case(KernelDensity, {"degree": 4}, [(place,) for place in PLACES]),
    "distribution": Case(
        Distribution, {"cells": 5, "low": 0, "high": 1}, [(place,) for place in PLACES]
    ),
    "roc": Case(RocCurve, {"cells": 4}, list(product(PLACES, (True, False)))),
    "logistic surface": Case(
        LossSurface,
        {"loss": "logistic", "domain": [(-2, 2)], "degree": 4},
        list(product([[place] for place in np.linspace(-1, 1, 17)], (-1.0, 1.0))),
        ("change",),
    ),
    "squared surface": Case(
        LossSurface,
        {"loss": "squared", "domain": [(-1, 2), (0, 1)], "degree": 2, "label": 3},
        [([a, b], y) for a in (-1, 0.5, 1) for b in (-1, 0, 1) for y in (-3.0, 0.0, 1.7, 3.0)],
        ("change",),
    ),
}


def columns(rows: list[tuple[Any, ...]]) -> tuple[Any, ...]:
    return tuple(np.array(column) for column in zip(*rows, strict=True))


def sums(mechanism: Any, rows: list[tuple[Any, ...]]) -> Any:
    """The integers of a dataset."""
    return mechanism.sums(*columns(rows))


def every_row(mechanism: Any, case: Case) -> Any:
    """What each single row adds, a line each."""
    return np.array([sums(mechanism, [row]).astype(float) for row in case.rows])
