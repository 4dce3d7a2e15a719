"""Chapter 4 of the thesis, the Bernstein mechanism: Figure 4.2, Tables 4.8 and 4.9, Figure 4.3."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from shoal.functions import (
    Bernstein,
    KernelRegression,
    LocalMean,
    Operator,
    Sampler,
    SpacedCurve,
    privatize,
)
from shoal.functions.any_function import LatticeValues
from shoal.measures import Pure
from shoal.page import Heading, PageTable, Part, Words
from shoal.plots.lines import lines, side_by_side
from shoal.reproduce.experiment import Effort, Experiment
from shoal.reproduce.made_up import Numbers, normals, uniforms
from shoal.reproduce.number_format import figure
from shoal.sensitivity import Norm, Sensitivity

_DEGREE, _PAIRS, _GAMMA = 25, 500, "0.2"
_SIZES = (5000, 500, 100)
_POINTS = np.linspace(0, 1, 50)
_PRINTED = {
    (5000, 1): (2.359e-2, 6.806e-4),
    (500, 1): (1.165e-1, 8.258e-2),
    (100, 1): (2.605, 2.392),
    (5000, 3): (2.360e-4, 4.075e-5),
    (500, 3): (2.445e-2, 3.601e-3),
    (100, 3): (1.409, 1.337),
}
"""Tables 4.8 and 4.9: mean squared distance to the target and to its Bernstein approximation, one
draw each.
"""

_DIFFPRIV = {
    (100, 1): 1.957,
    (100, 3): 0.2343,
    (500, 1): 0.1221,
    (500, 3): 0.0605,
    (5000, 1): 0.05282,
    (5000, 3): 0.05255,
}
"""The median squared distance of diffpriv's releases to the true curve, measured over 60 to 400
repetitions.
"""

_BANDWIDTHS = {100: 0.05, 500: 0.04, 5000: 0.02}
_IMAGINED: tuple[Callable[[Any], Any], ...] = (
    lambda x: 0.8 * np.sin(9 * x),
    lambda x: (1 - x) * np.cos(11 * x),
    lambda x: x * np.cos(9 * x),
)
"""Curves about as lively as the true one: degree and order are chosen for these, never for the
data.
"""


@dataclass(frozen=True)
class _TooHigh:
    """The thesis' regression: Priestley and Chao's with a kernel that is not normalised, so sqrt(2
    pi) times too high.
    """

    curve: SpacedCurve

    def __call__(self, data: Numbers) -> Callable[[Numbers], Numbers]:
        made = self.curve(data)
        return lambda points: math.sqrt(2 * math.pi) * made(points)

    def changes(self, batch: Numbers, points: Numbers) -> Numbers:
        return math.sqrt(2 * math.pi) * self.curve.changes(batch, points)


def _truth(x: Any) -> Any:
    return x * np.sin(10 * x)


def _data(rows: int) -> Numbers:
    x = uniforms(rows)
    return np.stack([x, _truth(x) + 0.2 * normals(rows)], axis=1)


def _oracle(rows: int) -> Numbers:
    """The vignette's law of datasets: a random curve, then rows on it; the true curve is none of
    them.
    """
    x = uniforms(rows)
    plain, sine, cosine = uniforms(3) < (0.95, 0.5, 0.5)
    y = x * plain * (np.sin(x) if sine else 1) * (np.cos(x) if cosine else 1)
    return np.stack([x, y + 0.2 * normals(rows)], axis=1)


def _squared(found: Any, wanted: Any) -> float:
    return float(((np.asarray(found) - np.asarray(wanted)) ** 2).mean())


def _run(effort: Effort) -> Sequence[Part]:
    return [
        Heading("Figure 4.2", 3),
        _basis(),
        Heading("Tables 4.8 and 4.9: as the thesis did it", 3),
        Words(
            "Degree 25, one pass of the operator, a sensitivity sampled by the published rule (439th of 500 pairs, gamma 0.2) at each point and multiplied by 26. "
            "The mean squared distance of the release to the target regression and to its Bernstein approximation, over 50 points:"
        ),
        _as_printed(effort),
        Words(
            "Table 4.9 prints 2.360 x 10^-4 for n = 5000: the bias of the operator alone is 0.024, so 2.360 x 10^-2 is meant. Its values for n = 100 would be reached by fewer than one draw "
            "in a hundred at epsilon 3; they look like draws at epsilon 1."
        ),
        Heading("How far is the release from the truth", 3),
        Words(
            "What matters is the distance to x sin(10 x). The same random DP, with the exact rule for the sampler, the L1 norm of all values instead of 26 times the largest, and the iterated operator; and a release that is "
            "pure: a quotient of two sums of bounded y, whose sensitivity is known for all data. Medians of the mean squared distance:"
        ),
        _better(effort),
        Heading("Figure 4.3", 3),
        _curves(),
    ]


def _basis() -> Part:
    at = np.linspace(0, 1, 60)
    series = {
        f"i = {i}": [
            (float(t), math.comb(2, i) * float(t) ** i * (1 - float(t)) ** (2 - i)) for t in at
        ]
        for i in range(3)
    }
    return lines(
        dict(series),
        x="t",
        y="",
        caption="The three Bernstein polynomials of degree 2; they add up to 1 everywhere.",
    )


def _thesis_release(data: Numbers, epsilon: int) -> tuple[float, float]:
    target = _TooHigh(SpacedCurve(0.1))
    operator = Operator(_DEGREE)
    sampler = Sampler(_oracle, rows=len(data), gamma=_GAMMA, samples=_PAIRS, rule="published")
    measured = sampler.measure(LatticeValues(target, operator, None), norm=Norm.LINF)
    mechanism = Bernstein.for_epsilon(
        epsilon, sensitivity=Sensitivity(measured.value, Norm.LINF), degree=_DEGREE
    )
    wanted = target(data)
    released = mechanism.release(wanted)(_POINTS)
    plain = operator.evaluate(wanted(np.arange(_DEGREE + 1) / _DEGREE), _POINTS)
    return _squared(released, wanted(_POINTS)), _squared(released, plain)


def _as_printed(effort: Effort) -> Part:
    rows = []
    for epsilon in (1, 3):
        for size in _SIZES:
            repeats = effort.times(60, least=3)
            found = np.array([_thesis_release(_data(size), epsilon) for _ in range(repeats)])
            cells = []
            for at in (0, 1):
                printed = _PRINTED[size, epsilon][at]
                below = float((found[:, at] < printed).mean())
                low, middle, high = (float(np.quantile(found[:, at], q)) for q in (0.05, 0.5, 0.95))
                cells += [
                    figure(printed, 4),
                    f"{below:.2f}",
                    f"{figure(middle)} [{figure(low)}, {figure(high)}]",
                ]
            rows.append([str(epsilon), f"{size:,}", *cells])
    head = [
        "epsilon",
        "n",
        "to the target, printed",
        "draws below it",
        "here: median [5 %, 95 %]",
        "to Bernstein, printed",
        "draws below it",
        "here: median [5 %, 95 %]",
    ]
    return PageTable(head, rows, frozenset(range(8)))


@lru_cache
def _pure(rows: int, epsilon: int) -> KernelRegression:
    return KernelRegression.tuned(
        Pure(epsilon), curves=_IMAGINED, rows=rows, relation="change", low=-1.5, high=1.5
    )


def _random(rows: int, epsilon: int) -> Any:
    sampler = Sampler(_oracle, rows=rows, gamma=_GAMMA, samples=_PAIRS)
    target = LocalMean(_BANDWIDTHS[rows])
    return privatize(target, sampler=sampler, epsilon=epsilon, degree=_DEGREE, order=5)


def _better(effort: Effort) -> Part:
    rows = []
    for size in _SIZES:
        for epsilon in (1, 3):
            random, pure, plain = [], [], []
            for _ in range(effort.times(60, least=3)):
                data = _data(size)
                random.append(
                    _squared(_random(size, epsilon).release(data)(_POINTS), _truth(_POINTS))
                )
                released = _pure(size, epsilon).release(data[:, 0], data[:, 1])
                pure.append(_squared(released(_POINTS), _truth(_POINTS)))
                plain.append(_squared(LocalMean(_BANDWIDTHS[size])(data)(_POINTS), _truth(_POINTS)))
            theirs = _DIFFPRIV[size, epsilon]
            found = [float(np.median(each)) for each in (random, pure, plain)]
            rows.append(
                [
                    f"{size:,}",
                    str(epsilon),
                    figure(theirs, 4),
                    *map(figure, found),
                    f"{theirs / found[0]:.0f}x",
                    f"{theirs / found[1]:.1f}x",
                ]
            )
    head = [
        "n",
        "epsilon",
        "diffpriv, random DP",
        "Shoal, random DP",
        "Shoal, pure DP",
        "no privacy",
        "random DP: better by",
        "pure DP: better by",
    ]
    return PageTable(head, rows, frozenset(range(8)))


def _curves() -> Part:
    panels = {}
    at = np.linspace(0, 1, 81)
    for size in sorted(_SIZES):
        data = _data(size)
        made = {
            "x sin(10 x)": _truth(at),
            "pure, epsilon 1": _pure(size, 1).release(data[:, 0], data[:, 1])(at),
            "pure, epsilon 3": _pure(size, 3).release(data[:, 0], data[:, 1])(at),
        }
        panels[f"n = {size:,}"] = {
            name: [(float(x), float(y)) for x, y in zip(at, each, strict=True)]
            for name, each in made.items()
        }
    return side_by_side(
        dict(panels),
        x="x",
        y="y",
        caption="Figure 4.3 again, with a guarantee for all data: one release each, beside the true curve.",
    )


BERNSTEIN = Experiment(
    "bernstein",
    "The Bernstein mechanism: Figures 4.2 and 4.3, Tables 4.8 and 4.9",
    "Thesis, section 4.4; diffpriv's vignette",
    _run,
    (55, 56, 57, 58),
)
