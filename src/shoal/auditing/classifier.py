"""A small scorer that learns from examples which of two datasets an output came from, in the manner of DP-Sniper.

Outputs become features: numbers (clipped, and which eighth of all they fall in), frequent values, categories, lengths, missing parts, and
differences and products of a few numbers.  A logistic regression with a ridge is fitted by Newton's method; it starts at zero and draws nothing.
What the scorer says is only a proposal: the event that is made of it is tested on samples it never saw (Bichsel, Steffen, Bogunovic and Vechev 2021).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.auditing.events import key_of
from shoal.auditing.outputs import Array, Outputs

_FREQUENT = 8
"""So many values of each part, if they are frequent, have a feature of their own."""
_MOST_PARTS = 64
_PAIRED = 6
_EIGHTHS = 8
_RIDGE = 1.0
_STEPS = 12
_MOST_FEATURES = 160


def flatten(output: Any, at: str = "") -> dict[str, Any]:
    """The parts of an output by where they are: numbers, texts, and lengths of what has any.

    >>> flatten({"n": 3, "top": ["a", None]})
    {'.n': 3, '.top#': 2, '.top[0]': 'a', '.top[1]': None}
    """
    if isinstance(output, dict):
        return {name: part for key, each in output.items() for name, part in flatten(each, f"{at}.{key}").items()}  # fmt: skip
    if isinstance(output, set | frozenset):
        return {f"{at}#": len(output), **{f"{at} has {key_of(each)}": 1 for each in output}}
    if isinstance(output, list | tuple | np.ndarray):
        found: dict[str, Any] = {f"{at}#": len(output)}
        for place, each in enumerate(output):
            found.update(flatten(each, f"{at}[{place}]"))
        return found
    return {at: output}


@dataclass(frozen=True)
class Column:
    """One part of every output: its number where it is one (NaN otherwise), and its key where some part is a text."""

    name: str
    numbers: Array
    keys: NDArray[np.object_] | None

    def is_(self, key: str | float) -> Array:
        """Where the part is just that: a key, a number, or NaN for none."""
        if isinstance(key, str):
            found = (
                np.zeros(len(self.numbers), dtype=np.bool_)
                if self.keys is None
                else self.keys == key
            )
        else:
            found = np.isnan(self.numbers) if np.isnan(key) else self.numbers == key
        return np.asarray(found, dtype=np.float64)

    def frequent(self) -> list[tuple[str | float, int]]:
        """Keys, or numbers, with how often they come; the most frequent first."""
        if self.keys is not None:
            return list(Counter(self.keys.tolist()).most_common(_FREQUENT))
        values, counts = np.unique(self.numbers, return_counts=True)
        order = np.argsort(-counts, kind="stable")[:_FREQUENT]
        return list(zip(values[order].tolist(), counts[order].tolist(), strict=True))


def columns_of(outputs: Outputs, names: Sequence[str] | None = None) -> list[Column]:
    """The parts of the outputs as columns, the most frequent first; ``names`` fixes which."""
    if outputs.table is not None:
        return _table_columns(*outputs.table, names)
    if outputs.numbers is not None:
        flat = [{"": each} for each in outputs.listed]
    else:
        flat = [flatten(each) for each in outputs.listed]
    if names is None:
        seen = Counter(name for each in flat for name in each)
        names = [name for name, _ in seen.most_common(_MOST_PARTS)]
    return [_column(name, [each.get(name) for each in flat]) for name in names]


def _table_columns(numbers: Array, lengths: Array, names: Sequence[str] | None) -> list[Column]:
    """The columns of rows of numbers, by the names that `flatten` gives them."""
    known = {"#": lengths, **{f"[{place}]": column for place, column in enumerate(numbers)}}
    wanted = list(known)[:_MOST_PARTS] if names is None else names
    none = np.full(len(lengths), np.nan)
    return [Column(name, known.get(name, none), None) for name in wanted]


def _column(name: str, values: list[Any]) -> Column:
    numbers = np.fromiter((_number(each) for each in values), np.float64, len(values))
    if {type(each) for each in values} <= {bool, int, float, type(None)}:
        return Column(name, numbers, None)
    return Column(name, numbers, np.array([key_of(each) for each in values], dtype=object))


def _number(value: Any) -> float:
    if type(value) in (bool, int, float) or isinstance(value, np.number):
        return float(max(-1e300, min(1e300, value)))
    return np.nan


@dataclass(frozen=True)
class Features:
    """How outputs become rows of numbers, learnt from examples."""

    names: tuple[str, ...]
    makers: tuple[Callable[[dict[str, Column]], Array], ...]

    @classmethod
    def learn(cls, outputs: Outputs) -> Features:
        """From outputs of both datasets together."""
        columns = columns_of(outputs)
        by_column = [_makers(column) for column in columns]
        makers = [each[at] for at in range(max(map(len, by_column))) for each in by_column if at < len(each)]  # fmt: skip
        numeric = [each for each in columns if np.unique(each.numbers[~np.isnan(each.numbers)]).size > 2]  # fmt: skip
        for one, other in combinations(numeric[:_PAIRED], 2):
            makers += _pair_makers(one, other)
        return cls(tuple(column.name for column in columns), tuple(makers[:_MOST_FEATURES]))

    def rows(self, outputs: Outputs) -> Array:
        """One row per output; the first number of each is 1."""
        columns = {column.name: column for column in columns_of(outputs, self.names)}
        made = [np.ones(len(outputs)), *(maker(columns) for maker in self.makers)]
        return np.stack(made, axis=1)


Maker = Callable[[dict[str, Column]], Array]


def _makers(column: Column) -> list[Maker]:
    """The features of one part."""
    name, known = column.name, column.numbers[~np.isnan(column.numbers)]
    makers: list[Maker] = []
    if np.unique(known).size > 2:
        centre, spread = _scale(known)
        makers.append(lambda seen: np.nan_to_num(np.clip((seen[name].numbers - centre) / spread, -4, 4)))  # fmt: skip
        makers += [_above(name, edge) for edge in np.unique(np.quantile(known, np.arange(1, _EIGHTHS) / _EIGHTHS))]  # fmt: skip
    least, most = max(5, len(column.numbers) // 500), len(column.numbers)
    makers += [_equals(name, key) for key, count in column.frequent() if least <= count < most]
    return makers


def _pair_makers(one: Column, other: Column) -> list[Maker]:
    a, b = one.name, other.name
    (centre_a, spread_a), (centre_b, spread_b) = _scale(one.numbers), _scale(other.numbers)

    def product(seen: dict[str, Column]) -> Array:
        first = np.clip((seen[a].numbers - centre_a) / spread_a, -4, 4)
        return np.nan_to_num(first * np.clip((seen[b].numbers - centre_b) / spread_b, -4, 4))

    def larger(seen: dict[str, Column]) -> Array:
        return np.asarray(seen[a].numbers > seen[b].numbers, dtype=np.float64)

    return [product, larger]


def _scale(numbers: Array) -> tuple[float, float]:
    known = numbers[~np.isnan(numbers)]
    low, middle, high = np.quantile(known, [0.1, 0.5, 0.9])
    return float(middle), float(high - low) / 2 or float(np.ptp(known)) or 1.0


def _above(name: str, edge: float) -> Maker:
    return lambda seen: np.asarray(seen[name].numbers > edge, dtype=np.float64)


def _equals(name: str, key: str | float) -> Maker:
    return lambda seen: seen[name].is_(key)


@dataclass(frozen=True)
class Scorer:
    """How strongly an output speaks for the first dataset."""

    features: Features
    weights: Array

    @classmethod
    def fit(cls, first: Outputs, second: Outputs) -> Scorer:
        """From examples of both."""
        together = Outputs(items=[*first.listed, *second.listed])
        features = Features.learn(together)
        labels = np.concatenate([np.ones(len(first)), np.zeros(len(second))])
        return cls(features, logistic(features.rows(together), labels))

    def scores(self, outputs: Outputs) -> Array:
        """The logarithms of the odds, as the scorer has them."""
        return np.asarray(self.features.rows(outputs) @ self.weights)


def logistic(rows: Array, labels: NDArray[np.float64]) -> Array:
    """The weights of a logistic regression with a ridge, by Newton's method."""
    weights = np.zeros(rows.shape[1])
    ridge = np.full(rows.shape[1], _RIDGE)
    ridge[0] = 1e-6
    for _ in range(_STEPS):
        chances = 1 / (1 + np.exp(-np.clip(rows @ weights, -30, 30)))
        slope = rows.T @ (labels - chances) - ridge * weights
        bend = (rows * (chances * (1 - chances))[:, None]).T @ rows + np.diag(ridge)
        step = np.linalg.solve(bend, slope)
        weights = weights + step
        if np.abs(step).max() < 1e-3:
            break
    return weights
