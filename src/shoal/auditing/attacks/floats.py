"""Floating point: the last bits of a noisy answer say which answers are possible at all.

A uniform double has 2^53 values, so noise that is computed from it has at most as many, and they
lie unevenly.  The sum with the true count is a double again.  Of the doubles near an answer only
some can be the sum of 0 and such noise, and only some, others, the sum of 1 and such noise.  One
answer that is impossible under a count refutes it, whatever epsilon the scale was made for.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from shoal.auditing.attacks.attack import EPSILON, Attack, Result, Score
from shoal.auditing.attacks.ceiling import CEILING, coin_up, pure_coin_up
from shoal.auditing.reachable_doubles import (
    Found,
    Numbers,
    gaussian_can,
    laplace_can,
    naive_gaussian,
    naive_laplace,
)
from shoal.measures import Approx, GaussianDP
from shoal.mechanisms import Gaussian, Laplace
from shoal.noise import uniform_below
from shoal.page import Heading, PageTable, Part, Words
from shoal.plots.lines import lines
from shoal.reproduce import Effort
from shoal.reproduce.number_format import percent

ANSWERS = (2, 4, 8, 16, 32)
"""How often the count is asked; all answers together are made for the epsilon that is compared."""

DELTA = "1e-6"


@dataclass(frozen=True)
class Noise:
    """A law of noise: the doubles of the textbooks, Shoal's, the attack, and what is promised."""

    name: str
    spread: Callable[[int], float]
    naive: Callable[[Numbers, float], Numbers]
    shoal: Callable[[Numbers, float], Numbers]
    can: Callable[[Numbers, float, float], Found]
    ceiling: float


def _right(noise: Noise, answers: int, runs: int, *, shoal: bool) -> Score:
    """The count, 0 or 1, that explains more answers; if both explain as many, the nearer to their
    mean.
    """
    spread = noise.spread(answers)
    secret = uniform_below(2, runs).astype(np.float64)
    counts = np.repeat(secret[:, None], answers, axis=1)
    seen = (noise.shoal if shoal else noise.naive)(counts, spread)
    zero, one = (noise.can(seen, count, spread).sum(axis=1) for count in (0.0, 1.0))
    says = np.where(zero == one, seen.mean(axis=1) > 0.5, one > zero)
    return Score.of(says == (secret == 1))


def _shoal_laplace(counts: Numbers, spread: float) -> Numbers:
    return Laplace(scale=spread, sensitivity=1).release(counts)


def _shoal_gaussian(counts: Numbers, spread: float) -> Numbers:
    return Gaussian(sigma=spread, sensitivity=1).release(counts)


def _laws() -> tuple[Noise, Noise]:
    sigma = Gaussian.for_budget(Approx(EPSILON, DELTA), sensitivity=1).sigma
    return (
        Noise(
            "Laplace",
            lambda answers: answers / float(EPSILON),
            naive_laplace,
            _shoal_laplace,
            laplace_can,
            pure_coin_up(float(EPSILON)),
        ),
        Noise(
            "Gaussian",
            lambda answers: math.sqrt(answers) * float(sigma),
            naive_gaussian,
            _shoal_gaussian,
            gaussian_can,
            coin_up(GaussianDP(1 / Fraction(sigma))),
        ),
    )


def _run(effort: Effort) -> Result:
    runs = effort.times(10_000, least=400)
    laws = _laws()
    naive = {
        law.name: {each: _right(law, each, runs, shoal=False) for each in ANSWERS} for law in laws
    }
    ours = {
        law.name: {each: _right(law, each, runs, shoal=True) for each in ANSWERS} for law in laws
    }
    last = ANSWERS[-1]
    rows = [
        [
            law.name,
            percent(naive[law.name][last].rate),
            percent(ours[law.name][last].rate),
            percent(ours[law.name][last].error),
            percent(law.ceiling),
        ]
        for law in laws
    ]
    parts: list[Part] = [
        Words(
            "The noise follows its law to fifteen digits, but the promise is made for exact numbers, and doubles are not exact: of those near an answer only some can be 0 plus such noise, and only some, "
            "others, 1 plus such noise. The attack computes the uniform numbers back that would explain each answer, tries their neighbours, and counts for which truth an answer has an explanation."
        ),
        Heading(f"{last} answers, made for epsilon {float(EPSILON):g} together", 3),
        PageTable(
            ["noise", "in doubles", "Shoal's", "standard error", "ceiling"],
            rows,
            frozenset(range(1, 5)),
        ),
        lines(
            {
                **{
                    f"{name}, in doubles": [(each, naive[name][each].rate) for each in ANSWERS]
                    for name in naive
                },
                **{
                    f"{name}, Shoal's": [(each, ours[name][each].rate) for each in ANSWERS]
                    for name in ours
                },
                CEILING: [(each, laws[0].ceiling) for each in ANSWERS],
            },
            x="answers",
            y="guesses that are right",
            scales=("log", "linear"),
            dashed=(CEILING,),
            shares=True,
            caption=f"Floating point: how often it is told whether the count is 0 or 1; all answers together are made for epsilon {float(EPSILON):g}.",
        ),
        Words(
            "Shoal adds integers to integers and rounds once, afterwards: every multiple of the grid is possible for every count, and the last bits say nothing. "
            "The same attack then falls back on the mean of the answers, which the ceiling covers."
        ),
    ]
    return Result(0.5, naive["Laplace"][last], ours["Laplace"][last], laws[0].ceiling, parts)


FLOATS = Attack(
    "floats",
    "Floating point: the last bits of noise",
    "An analyst wants to know whether a count is 0 or 1 and sees a few noisy answers with all their digits. A guess is right or wrong; both counts are equally likely.",
    "Mironov 2012; Jin, McMurtry, Rubinstein and Ohrimenko 2022; Haney and others 2022",
    _run,
)
