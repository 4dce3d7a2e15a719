"""Everything that takes a public range, found by its parameters, and how to make and use it with
hostile ends.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

import shoal
from shoal.functions import (
    Distribution,
    InverseSensitivity,
    KernelDensity,
    KernelRegression,
    LossSurface,
    NarrowingMean,
    PriestleyChao,
    ProposeTestRelease,
    QuantileClippedMean,
    RocCurve,
    TrimmedMean,
)
from shoal.local.protocols.numeric import Coordinates, Hybrid, NoisyNumber, OneBit, Piecewise
from shoal.local.protocols.uniform_theta import estimate_uniform
from shoal.measures import Pure

SOURCE = Path(__file__).parent.parent.parent / "src" / "shoal"
Ends = tuple[Any, Any]

ROWS = np.array([-1.7e308, -1.0, 0.0, 5e-324, 0.2, 1.0, 1e17, 1e17 + 16, 1.7e308])
"""Values at and beyond every end."""
PLACES = np.linspace(0, 1, len(ROWS))
PEOPLE = len(ROWS)

HOSTILE: list[Ends] = [
    ("-1e308", "1e308"),
    ("-1e200", "1e200"),
    ("-1e100", "1e100"),
    ("1e308", "1.5e308"),
    ("-1e4000", "1e4000"),
    (0, "1e400"),
    (0, "5e-324"),
    (0, "1e-110"),
    (0, "1e-99"),
    (10**17, 10**17 + 8),
    (10**17 + 8, 10**17 + 24),
    (10**17 + 1, 10**17 + 33),
    (1, Fraction(2**60 + 1, 2**60)),
    (0.1, 0.3),
    ("1/3", "2/3"),
    (1, 1),
    (2, 1),
    ("nan", 1),
    (0, "inf"),
]


def _reported(kind: Any) -> Callable[[Any, Any], Any]:
    def use(low: Any, high: Any) -> Any:
        made = kind(low, high)
        return made.estimate(made.report(ROWS)).interval()

    return use


def _sums_within(made: Any, *data: Any) -> Any:
    """The integers before their noise move by no more than is claimed when any one row becomes
    another.
    """
    claimed = made._moved_up(shoal.Norm.L1)
    whole = made.sums(*data).astype(object)
    for at in range(PEOPLE):
        for other in range(PEOPLE):
            moved = [
                np.concatenate([each[:at], each[other : other + 1], each[at + 1 :]])
                for each in data
            ]
            assert abs(made.sums(*moved).astype(object) - whole).sum() <= claimed
    return made.release(*data)


def _curve(kind: Any) -> Callable[[Any, Any], Any]:
    def use(low: Any, high: Any) -> Any:
        made = kind.for_epsilon(1, relation="change", low=low, high=high, degree=3)
        return _sums_within(made, PLACES, ROWS)([0.1, 0.9])

    return use


def _coordinates(low: Any, high: Any) -> Any:
    made = Coordinates.for_epsilon(1, dimensions=2, low=low, high=high)
    return made.estimate(made.report(np.stack([ROWS, ROWS], axis=1)))


def _box(low: Any, high: Any) -> Any:
    return _sums_within(
        KernelDensity.for_epsilon(1, relation="change", degree=3, domain=[(low, high)]), ROWS
    ).coefficients


def _distribution(low: Any, high: Any) -> Any:
    made = Distribution.for_epsilon(1, relation="change", cells=4, low=low, high=high)
    found = _sums_within(made, ROWS)
    return found.quantile("1/2"), found.density(found.low)


def _roc(low: Any, high: Any) -> Any:
    made = RocCurve.for_epsilon(1, relation="change", cells=4, low=low, high=high)
    return _sums_within(made, ROWS, ROWS > 0).area


def _loss(low: Any, high: Any) -> Any:
    options: Any = {"relation": "change", "loss": "squared", "degree": 3}
    surface = LossSurface.for_epsilon(1, domain=[(low, high)], **options)
    surface.release(ROWS, ROWS)
    return LossSurface.for_epsilon(1, domain=[(-1, 1)], radius=high, **options).release(ROWS, ROWS)


def _sql(low: Any, high: Any) -> Any:
    opened = shoal.private(
        pa.table({"x": ROWS}),
        protects=shoal.Row(),
        columns={"x": shoal.Range(low, high)},
        budget=Pure(1),
    )
    question = "SELECT SUM(x) AS s, AVG(x) AS a, VARIANCE(x) AS v, MEDIAN(x) AS m FROM data"
    try:
        return opened.sql(question).release(epsilon=1).rows
    finally:
        assert str(opened.budget.spent) in {"epsilon 0", "epsilon 1"}


USES: dict[str, Callable[[Any, Any], Any]] = {
    "NumericReport": _reported(lambda low, high: OneBit.for_epsilon(1, low=low, high=high)),
    "OneBit": _reported(lambda low, high: OneBit(_exact(low), _exact(high), Fraction(3))),
    "Piecewise": _reported(lambda low, high: Piecewise.for_epsilon(1, low=low, high=high)),
    "Hybrid": _reported(lambda low, high: Hybrid.for_epsilon(1, low=low, high=high)),
    "NoisyNumber": _reported(lambda low, high: NoisyNumber.laplace(1, low=low, high=high)),
    "Coordinates": _coordinates,
    "estimate_uniform": lambda _, high: [
        way.estimate for way in estimate_uniform(np.abs(ROWS).repeat(200), largest=high, epsilon=8)
    ],
    "_Curve": _curve(KernelRegression),
    "PriestleyChao": _curve(PriestleyChao),
    "KernelDensity": _box,
    "Distribution": _distribution,
    "RocCurve": _roc,
    "LossSurface": _loss,
    "InverseSensitivity": lambda low, high: [
        made(epsilon=1, size=PEOPLE, low=low, high=high).release(ROWS)
        for made in (InverseSensitivity.median, InverseSensitivity.mean)
    ],
    "QuantileClippedMean": lambda low, high: (
        QuantileClippedMean(rho=1, size=PEOPLE, low=low, high=high).release(ROWS).value
    ),
    "NarrowingMean": lambda low, high: (
        NarrowingMean(rho=1, size=PEOPLE, low=low, high=high, spread=1).release(ROWS).value
    ),
    "TrimmedMean": lambda low, high: ProposeTestRelease(epsilon=1, delta="1e-6", bound=1).release(
        TrimmedMean.median(size=PEOPLE, low=low, high=high), ROWS
    ),
    "TruncatedGeometric": lambda low, high: shoal.TruncatedGeometric.for_epsilon(
        1, sensitivity=1, low=low, high=high
    ).release(np.array([1, 2, 3])),
    "Range": _sql,
}
"""What takes a public range, by the name of its class or function, used on rows at and beyond the
ends.
"""

ELSEWHERE = {
    "BoundedRows": "of InverseSensitivity, TrimmedMean and the means",
    "Bernstein": "the box says where its public lattice lies; no row is read with it",
    "KernelTable": "the largest weight of a row, which is no end of a range",
    "bit_worths": "exact, on the scale of a poll",
    "odds_down": "the largest odds, which are no end of a range",
    "into_cube": "of functions that are released already",
    "privatize": "hands the box to Bernstein",
    "read_domain": "reads every box",
    "read_points": "of everything with a box",
}
"""What takes a range and is reached through one above, or reads no rows."""


def _exact(end: Any) -> Fraction:
    return shoal.exact.rational(end, "end")


def takers(folders: tuple[str, ...] = ("local", "functions", "mechanisms")) -> set[str]:
    """Classes and functions of the package with a parameter for the ends of a range."""
    return {
        name
        for folder in folders
        for path in (SOURCE / folder).rglob("*.py")
        for name in _takers(ast.parse(path.read_text()))
    }


def _takers(tree: ast.Module) -> Iterator[str]:
    for node in tree.body:
        inner = node.body if isinstance(node, ast.ClassDef) else [node]
        for each in inner:
            if not isinstance(each, ast.FunctionDef) or (
                each.name.startswith("_") and each.name != "__init__"
            ):
                continue
            named = {arg.arg for arg in (*each.args.args, *each.args.kwonlyargs)}
            if {"low", "high"} <= named or named & {"domain", "largest"}:
                assert isinstance(node, ast.ClassDef | ast.FunctionDef)
                yield node.name
