"""Exercise 7.36: theta of a uniform law, learned in four ways, and in the two ways that the chapter
prints.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from shoal.local.protocols.uniform_theta import draw_uniform, estimate_uniform
from shoal.mechanisms import Laplace
from shoal.page import PageTable, Part, Words
from shoal.plots.lines import lines
from shoal.reproduce.experiment import Effort, Experiment
from shoal.reproduce.number_format import figure

_THETA = 0.5
_WAYS = ("PAC", "DP", "LDP", "SQ")


def _run(effort: Effort) -> Sequence[Part]:
    rows, printed = [], []
    series: dict[str, list[tuple[float, float]]] = {way: [] for way in _WAYS}
    for people in (100, 1000, 10_000, 100_000):
        repeats = max(5, effort.times(100) // (1 + people // 10_000))
        errors: dict[str, list[float]] = {way: [] for way in _WAYS}
        for _ in range(repeats):
            numbers = draw_uniform(str(_THETA), people=people)
            for found in estimate_uniform(numbers, largest=1, epsilon=1):
                errors[found.name].append(abs(found.estimate - _THETA))
        for way in _WAYS:
            series[way].append((people, float(np.median(errors[way]))))
        rows.append([f"{people:,}", *(figure(float(np.median(errors[way]))) for way in _WAYS)])
        printed.append([f"{people:,}", *map(figure, _as_printed(people, repeats))])
    return [
        Words(
            "theta = 1/2 is the end of a uniform law on [0, theta], theta at most 1; epsilon 1. The median of |estimate - theta|:"
        ),
        PageTable(
            [
                "people",
                "PAC: the maximum",
                "DP: a quantile",
                "LDP: twice the mean of one-bit reports",
                "SQ: one query r(x) = x",
            ],
            rows,
            frozenset(range(5)),
        ),
        lines(
            dict(series),
            x="people",
            y="median error",
            caption="A curator loses little; without one the error falls as 1 / sqrt(n).",
            scales=("log", "log"),
        ),
        Words(
            "As printed, a maximum with Laplace noise on it, centrally or for every person, does not work: the mean of the estimates of theta = 0.5 is"
        ),
        PageTable(
            [
                "people",
                "maximum + noise: mean",
                "its standard deviation",
                "maximum of noisy numbers: mean",
            ],
            printed,
            frozenset(range(4)),
        ),
    ]


def _as_printed(people: int, repeats: int) -> tuple[float, float, float]:
    noise = Laplace.for_epsilon(1, sensitivity=1)
    central = [
        float(noise.release(float(draw_uniform(str(_THETA), people=people).max())))
        for _ in range(2 * repeats)
    ]
    local = [
        float(_one_by_one(noise, draw_uniform(str(_THETA), people=people)).max())
        for _ in range(min(repeats, 20))
    ]
    return float(np.mean(central)), float(np.std(central)), float(np.mean(local))


def _one_by_one(noise: Laplace, numbers: np.ndarray) -> np.ndarray:
    """Every person adds noise of scale 1: one release of a vector costs each of them that."""
    return np.asarray(noise.release(numbers))


UNIFORM = Experiment(
    "uniform",
    "The end of a uniform law: PAC, DP, LDP and SQ",
    "Chapter 7, Exercise 7.36 and Proposition 7.35",
    _run,
    (16, 17),
)
