"""Polls with coins, and with an insignificant question: what they promise, and how often their
intervals cover.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from shoal.local import mangat, warner
from shoal.page import Heading, PageTable, Part, Words
from shoal.plots.lines import lines
from shoal.reproduce.experiment import Effort, Experiment
from shoal.reproduce.made_up import binom, binomials
from shoal.reproduce.number_format import figure, percent

_NORMAL = 1.959963984540054
_PEOPLE = (50, 200)
_SHARES = (0.0, 0.02, 0.1, 0.5)


def _run(effort: Effort) -> Sequence[Part]:
    return [
        Heading("Two coins: how much one answer tells", 3),
        Words(
            "With at least one Tails the truth is told, with two Heads its opposite: phi = 3/4, and epsilon = ln 3 = 1.0986 (Exercise 7.30)."
        ),
        _privacy_picture(),
        Heading("Exercise 7.1: an interval for the share", 3),
        Words(
            "The share z of yes leads to p = (z - (1 - phi)) / (2 phi - 1). The chapter asks for the normal interval; Shoal's default maps the exact binomial one. "
            "Coverage of 95 % intervals, added up over all outcomes:"
        ),
        _coverage(),
        Heading("Exercise 7.2: an insignificant question instead of coins", 3),
        Words(
            "Everyone says whether one of two questions is a yes; another poll of m people estimates the share q of the second. "
            "The interval is (z - q) / (1 - q) with the variances of both polls."
        ),
        _extra_question(effort),
        Words(
            f"Who says no has told the truth about both: {mangat('1/2').note} Epsilon is infinite; only a yes is protected."
        ),
    ]


def _privacy_picture() -> Part:
    phis = [at / 200 for at in range(4, 197) if at != 100]
    truth = [(phi, abs(math.log(phi / (1 - phi)))) for phi in phis]
    error = [(phi, 1 / abs(2 * phi - 1)) for phi in phis if phi - 0.5 > 0.06]
    mirror = [(1 - phi, size) for phi, size in reversed(error)]
    return lines(
        {
            "epsilon of one answer": truth,
            "error, phi > 1/2: times that of asking directly": error,
            "error, phi < 1/2": mirror,
        },
        x="phi: how often the truth is told",
        y="",
        caption="Privacy is best at phi = 1/2, where nothing can be learned, and lost at both ends.",
    )


def _coverage() -> Part:
    rows = []
    for people in _PEOPLE:
        for share in _SHARES:
            found = [
                percent(_covers(people, share, method)) for method in ("wald", "wilson", "exact")
            ]
            rows.append([str(people), figure(share), *found])
    head = ["people", "true share", "normal (the exercise)", "Wilson", "exact (default)"]
    return PageTable(head, rows, frozenset(range(5)))


@lru_cache
def _intervals(people: int, method: str) -> tuple[tuple[float, float], ...]:
    design = warner("3/4")
    return tuple(
        design.estimate_from_counts([people - yes, yes])["yes"].interval(method=method)
        for yes in range(people + 1)
    )


def _covers(people: int, share: float, method: str) -> float:
    """The chance that the interval holds the share, over all outcomes."""
    chances = binom.pmf(np.arange(people + 1), people, 0.25 + share / 2)
    held = [low <= share <= high for low, high in _intervals(people, method)]
    return float(chances[np.array(held)].sum())


def _extra_question(effort: Effort) -> Part:
    rows = []
    for people, others, share, extra in (
        (200, 200, 0.1, 0.5),
        (1000, 500, 0.1, 0.5),
        (1000, 5000, 0.1, 0.3),
        (1000, 500, 0.3, 0.3),
    ):
        repeats = effort.times(20_000)
        z = binomials(people, share + extra - share * extra, repeats) / people
        q = binomials(others, extra, repeats) / others
        found = (z - q) / (1 - q)
        error = np.sqrt(
            z * (1 - z) / people / (1 - q) ** 2
            + ((1 - z) / (1 - q) ** 2) ** 2 * q * (1 - q) / others
        )
        covered = float((np.abs(found - share) <= _NORMAL * error).mean())
        rows.append(
            [
                str(people),
                str(others),
                figure(share),
                figure(extra),
                figure(float(error.mean())),
                percent(covered),
            ]
        )
    head = ["n", "m", "share p", "share q", "mean standard error", "coverage of the 95 % interval"]
    return PageTable(head, rows, frozenset(range(6)))


POLLS = Experiment(
    "polls",
    "Polls and their intervals",
    "Chapter 7, section 7.1.3, Exercises 7.1, 7.2 and 7.30",
    _run,
    (1, 2, 3),
)
