"""A small scorer that learns from examples which of two datasets an output came from, in the manner
of DP-Sniper.

Outputs become features: numbers (clipped, and which eighth of all they fall in), frequent values,
categories, lengths, missing parts, and differences and products of a few numbers.  A logistic
regression with a ridge is fitted by Newton's method; it starts at zero and draws nothing.  What the
scorer says is only a proposal: the event that is made of it is tested on samples it never saw
(Bichsel, Steffen, Bogunovic and Vechev 2021).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from shoal.auditing.output_columns import OutputColumn, columns_of
from shoal.auditing.outputs import Array, Outputs

_PAIRED = 6
_EIGHTHS = 8
_RIDGE = 1.0
_STEPS = 12
_MOST_FEATURES = 160


@dataclass(frozen=True)
class Features:
    """How outputs become rows of numbers, learnt from examples."""

    names: tuple[str, ...]
    makers: tuple[Callable[[dict[str, OutputColumn]], Array], ...]

    @classmethod
    def learn(cls, outputs: Outputs) -> Features:
        """From outputs of both datasets together."""
        columns = columns_of(outputs)
        by_column = [_makers(column) for column in columns]
        makers = [
            each[at]
            for at in range(max(map(len, by_column)))
            for each in by_column
            if at < len(each)
        ]
        numeric = [
            each for each in columns if np.unique(each.numbers[~np.isnan(each.numbers)]).size > 2
        ]
        for one, other in combinations(numeric[:_PAIRED], 2):
            makers += _pair_makers(one, other)
        return cls(tuple(column.name for column in columns), tuple(makers[:_MOST_FEATURES]))

    def each(self, outputs: Outputs) -> Iterator[Array]:
        """One feature of all outputs after another; the first is 1."""
        columns = {column.name: column for column in columns_of(outputs, self.names)}
        yield np.ones(len(outputs))
        for maker in self.makers:
            yield maker(columns)

    def rows(self, outputs: Outputs) -> Array:
        """One row per output."""
        return np.stack(list(self.each(outputs)), axis=1)


Maker = Callable[[dict[str, OutputColumn]], Array]


def _makers(column: OutputColumn) -> list[Maker]:
    """The features of one part."""
    name, known = column.name, column.numbers[~np.isnan(column.numbers)]
    makers: list[Maker] = []
    if np.unique(known).size > 2:
        centre, spread = _scale(known)
        makers.append(
            lambda seen: np.nan_to_num(np.clip((seen[name].numbers - centre) / spread, -4, 4))
        )
        makers += [
            _above(name, edge)
            for edge in np.unique(np.quantile(known, np.arange(1, _EIGHTHS) / _EIGHTHS))
        ]
    least, most = max(5, len(column.numbers) // 500), len(column.numbers)
    makers += [_equals(name, key) for key, count in column.frequent() if least <= count < most]
    return makers


def _pair_makers(one: OutputColumn, other: OutputColumn) -> list[Maker]:
    a, b = one.name, other.name
    (centre_a, spread_a), (centre_b, spread_b) = _scale(one.numbers), _scale(other.numbers)

    def product(seen: dict[str, OutputColumn]) -> Array:
        first = np.clip((seen[a].numbers - centre_a) / spread_a, -4, 4)
        return np.nan_to_num(first * np.clip((seen[b].numbers - centre_b) / spread_b, -4, 4))

    def larger(seen: dict[str, OutputColumn]) -> Array:
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
        """The logarithms of the odds, as the scorer has them.

        They are added feature by feature: a product of matrices rounds a row in a way that depends
        on how many there are.
        """
        total = np.zeros(len(outputs))
        for weight, feature in zip(self.weights.tolist(), self.features.each(outputs), strict=True):
            total += weight * feature
        return total


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
