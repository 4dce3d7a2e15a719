"""The mean of a d-dimensional table: Laplace against Gaussian noise."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from shoal.exact import root_up
from shoal.measures import Approx
from shoal.mechanisms import Gaussian, Laplace
from shoal.page import PageTable, Part, Words
from shoal.plots.lines import lines
from shoal.reproduce.experiment import Effort, Experiment
from shoal.reproduce.number_format import figure
from shoal.sensitivity import Norm, Sensitivity

_PEOPLE = 1000
_EPSILON, _DELTA = 1, "1e-6"


def _run(effort: Effort) -> Sequence[Part]:
    rows = []
    series: dict[str, list[tuple[float, float]]] = {
        "Laplace": [],
        "Gaussian": [],
        "Gaussian, classic formula": [],
    }
    for size in (1, 2, 4, 8, 16, 32, 64, 128, 256):
        repeats = effort.times(1000)
        laplace = Laplace.for_epsilon(_EPSILON, sensitivity=_moves(Fraction(size), Norm.L1))
        apart = _moves(root_up(Fraction(size)), Norm.L2)
        exact = Gaussian.for_budget(Approx(_EPSILON, _DELTA), sensitivity=apart)
        classic = Gaussian.classic(epsilon=_EPSILON, delta=_DELTA, sensitivity=apart)
        found = [_error(each, size, repeats) for each in (laplace, exact, classic)]
        for name, value in zip(series, found, strict=True):
            series[name].append((size, value))
        rows.append([str(size), *map(figure, found), figure(found[0] / found[1])])
    head = ["d", "Laplace", "Gaussian", "Gaussian, classic", "Laplace / Gaussian"]
    return [
        Words(
            f"{_PEOPLE} rows of d bits; the mean moves by d / n in L1 and by sqrt(d) / n in L2 when a row is replaced. The root of the mean squared length of the noise, at epsilon {_EPSILON}, and delta {_DELTA} for Gaussian noise:"
        ),
        PageTable(head, rows, frozenset(range(5))),
        lines(
            dict(series),
            x="d",
            y="length of the error",
            caption="Laplace noise grows as d^(3/2), Gaussian noise as d: from some columns on it is better, and it has a delta.",
            scales=("log", "log"),
        ),
    ]


def _moves(length: Fraction, norm: Norm) -> Sensitivity:
    return Sensitivity.read(length / _PEOPLE, norm=norm)


def _error(mechanism: Laplace | Gaussian, size: int, repeats: int) -> float:
    truth = np.full(size, 0.5)
    drawn = np.array([mechanism.release(truth) for _ in range(max(20, repeats // size))])
    return float(np.sqrt(((drawn - truth) ** 2).sum(axis=1).mean()))


MEANS = Experiment(
    "means",
    "The mean of many columns, by Laplace and by Gaussian noise",
    "Kamath's lecture 5",
    _run,
    (5, 10, 11, 18, 23),
)
