"""A histogram by local and by central privacy, and counting queries beside a histogram."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from shoal.local import kary
from shoal.mechanisms import Histogram, Laplace
from shoal.page import PageTable, Part, Words
from shoal.plots.lines import lines
from shoal.reproduce.experiment import Effort, Experiment
from shoal.reproduce.made_up import Numbers
from shoal.reproduce.number_format import figure
from shoal.sensitivity import Norm, Sensitivity

_CELLS = 10
_EPSILON = 1


def _local_or_central(effort: Effort) -> Sequence[Part]:
    series: dict[str, list[tuple[float, float]]] = {"local": [], "central": []}
    expected: dict[str, list[tuple[float, float]]] = {"local": [], "central": []}
    rows = []
    for people in (100, 1000, 10_000, 100_000, 1_000_000):
        found = dict(zip(series, _measured(people, effort.times(400)), strict=True))
        theory = {"local": _local_error(people), "central": 8 / (people * _EPSILON) ** 2}
        for name, measured in found.items():
            series[name].append((people, measured))
            expected[name].append((people, theory[name]))
        pairs = [figure(each[name]) for name in series for each in (found, theory)]
        rows.append([f"{people:,}", *pairs, figure(found["local"] / found["central"])])
    head = ["n", "local: measured", "expected", "central: measured", "expected", "local / central"]
    return [
        Words(
            f"The mean squared error of one cell of a normalised histogram of {_CELLS} cells at epsilon {_EPSILON}, one person replaced: the sensitivity is 2 / n, so the noise has scale 2 / (n epsilon)."
        ),
        PageTable(head, rows, frozenset(range(6))),
        lines(
            dict(expected),
            marks=dict(series),
            x="people",
            y="mean squared error",
            caption="Lines: by the formulas. Points: measured. A factor of n is lost without a curator.",
            scales=("log", "log"),
        ),
    ]


def _shares() -> Numbers:
    weights = np.arange(_CELLS, 0, -1, dtype=np.float64)
    shares: Numbers = weights / weights.sum()
    return shares


def _measured(people: int, repeats: int) -> tuple[float, float]:
    counts = np.round(_shares() * people).astype(np.int64)
    counts[0] += people - counts.sum()
    truth = counts / people
    design = kary([str(cell) for cell in range(_CELLS)], epsilon=_EPSILON)
    answers = np.repeat(np.arange(_CELLS), counts)
    central = Histogram.for_epsilon(_EPSILON, relation="change")
    local = []
    for _ in range(max(4, repeats * 100 // people) if people > 100 else repeats):
        reports = design.release(answers)
        tally = np.bincount(np.asarray(reports, dtype=np.int64), minlength=_CELLS)
        found = [float(share.value) for share in design.estimate_from_counts(tally)]
        local.append(((np.array(found) - truth) ** 2).mean())
    noisy = np.array([central.release_counts(counts) for _ in range(repeats)]) / people
    return float(np.mean(local)), float(((noisy - truth) ** 2).mean())


def _local_error(people: int) -> float:
    """The exact mean over the cells of the variance of the estimate, people given."""
    low = 1 / (_CELLS + math.e**_EPSILON - 1)
    high = low * math.e**_EPSILON
    each = _shares() * high * (1 - high) + (1 - _shares()) * low * (1 - low)
    return float((each / (people * (high - low) ** 2)).mean())


def _counting(effort: Effort) -> Sequence[Part]:
    rows, series = [], {"counting queries, measured": [], "histogram, measured": []}  # type: ignore[var-annotated]
    bounds = {"counting queries, bound": [], "histogram, bound": []}  # type: ignore[var-annotated]
    for size in (1, 4, 16, 64, 256):
        queries = Laplace.for_epsilon(1, sensitivity=Sensitivity.read(size, norm=Norm.L1))
        cells = Histogram.for_epsilon(1, relation="change")
        zeros = np.zeros(size, dtype=np.int64)
        repeats = effort.times(2000)
        worst = [
            float(np.quantile([np.abs(release(zeros)).max() for _ in range(repeats)], 0.95))
            for release in (queries.release, cells.release_counts)
        ]
        limits = size * math.log(size / 0.05), 2 * math.log(size / 0.05)
        exact = queries.error("0.95", size=size, integers=True), cells.error("0.95", cells=size)
        for name, value in zip(series, worst, strict=True):
            series[name].append((size, max(value, 0.5)))
        for name, value in zip(bounds, limits, strict=True):
            bounds[name].append((size, value))
        rows.append(
            [
                str(size),
                *map(figure, (worst[0], exact[0], limits[0], worst[1], exact[1], limits[1])),
            ]
        )
    head = [
        "k",
        "queries: 95 % of maxima",
        "exact",
        "k ln(k / beta)",
        "histogram: 95 % of maxima",
        "exact",
        "2 ln(k / beta)",
    ]
    marks = {name.replace("measured", "bound"): line for name, line in series.items()}
    return [
        Words(
            "The largest error of k answers at epsilon 1, below which it stays in 95 % of releases. One person can be in all of k counting queries, but in one cell of a histogram only, or in two when replaced."
        ),
        PageTable(head, rows, frozenset(range(7))),
        lines(
            bounds,
            marks=marks,
            x="k",
            y="largest error",
            caption="Lines: the bounds of the lectures. Points: measured.",
            scales=("log", "log"),
        ),
    ]


LOCAL_OR_CENTRAL = Experiment(
    "histograms",
    "A histogram, locally and centrally private",
    "Chapter 7, Example 7.34; Kamath's lectures",
    _local_or_central,
    (13, 14, 15),
)
COUNTING = Experiment(
    "counting",
    "Counting queries and histograms",
    "Kamath's lecture 4; thesis, section 2.4",
    _counting,
    (4, 7, 20, 21, 40),
)
