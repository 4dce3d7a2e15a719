"""Floating point: the last bits of a noisy answer say which answers are possible at all.

A uniform double has 2^53 values, so noise that is computed from it has at most as many, and they lie unevenly.
The sum with the true count is a double again.  Of the doubles near an answer only some can be the sum
of 0 and such noise, and only some, others, the sum of 1 and such noise.  One answer that is impossible
under a count refutes it, whatever epsilon the scale was made for.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from shoal.auditing.attacks.attack import EPSILON, Attack, Result, Score
from shoal.auditing.attacks.ceiling import CEILING, coin_up, pure_coin_up
from shoal.measures import Approx, GaussianDP
from shoal.mechanisms import Gaussian, Laplace
from shoal.noise import uniform_below
from shoal.page import Grid, Heading, Part, Words
from shoal.plots.lines import lines
from shoal.reproduce import Effort
from shoal.reproduce.words import percent

ANSWERS = (2, 4, 8, 16, 32)
"""How often the count is asked; all answers together are made for the epsilon that is compared."""

DELTA = "1e-6"

_STEP, _HALF_STEP = 2.0**-52, 2.0**-53
_NEAR = np.arange(-5, 6)
"""So many steps around a uniform number that is computed back are tried."""

Numbers = NDArray[np.float64]
Found = NDArray[np.bool_]


def naive_laplace(counts: Numbers, scale: float) -> Numbers:
    """The formula of the textbooks, by inversion, in doubles."""
    u = uniform_below(1 << 53, counts.size).reshape(counts.shape) * _HALF_STEP - 0.5
    u = np.where(u == -0.5, 0.25, u)
    return np.asarray(counts - scale * np.sign(u) * np.log(1 - 2 * np.abs(u)))


def laplace_can(answers: Numbers, count: float, scale: float) -> Found:
    """Whether `naive_laplace` can give each answer to this count."""
    away = answers - count
    steps = np.rint(np.exp(-np.abs(away) / scale) / _STEP)[..., None] + _NEAR
    u = np.clip(steps, 1, 2.0**52) * _STEP
    again = count - scale * np.sign(away)[..., None] * np.log(u)
    return np.asarray((again == answers[..., None]).any(axis=-1))


def naive_gaussian(counts: Numbers, sigma: float) -> Numbers:
    """Box and Muller's formula in doubles: two uniform numbers make two normal ones, for two answers."""
    shape = (*counts.shape[:-1], counts.shape[-1] // 2)
    first, second = (uniform_below(1 << 53, math.prod(shape)).reshape(shape) for _ in range(2))
    return counts + sigma * np.stack(_box_muller((first + 1) * _HALF_STEP, second * _HALF_STEP), axis=-1).reshape(counts.shape)  # fmt: skip


def _box_muller(first: Numbers, second: Numbers) -> tuple[Numbers, Numbers]:
    radius, angle = np.sqrt(-2 * np.log(first)), 2 * math.pi * second
    return radius * np.cos(angle), radius * np.sin(angle)


def gaussian_can(answers: Numbers, count: float, sigma: float) -> Found:
    """Whether `naive_gaussian` can give each pair of answers to this count."""
    pairs = answers.reshape(*answers.shape[:-1], -1, 2)
    one, two = (pairs[..., 0] - count) / sigma, (pairs[..., 1] - count) / sigma
    first = np.rint(np.exp(-(one**2 + two**2) / 2) / _HALF_STEP)
    second = np.rint(np.arctan2(two, one) / (2 * math.pi) % 1 / _HALF_STEP)
    found = np.zeros(one.shape, dtype=np.bool_)
    for near in _NEAR:
        u = np.clip(first + near, 1, 2.0**53)[..., None] * _HALF_STEP
        v = ((second[..., None] + _NEAR) % 2.0**53) * _HALF_STEP
        again = _box_muller(np.asarray(u, dtype=np.float64), np.asarray(v, dtype=np.float64))
        hit = (count + sigma * again[0] == pairs[..., :1]) & (count + sigma * again[1] == pairs[..., 1:])  # fmt: skip
        found |= hit.any(axis=-1)
    return found


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
    """The count, 0 or 1, that explains more answers; if both explain as many, the nearer to their mean."""
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
        Noise("Laplace", lambda answers: answers / float(EPSILON), naive_laplace, _shoal_laplace, laplace_can, pure_coin_up(float(EPSILON))),
        Noise("Gaussian", lambda answers: math.sqrt(answers) * float(sigma), naive_gaussian, _shoal_gaussian, gaussian_can, coin_up(GaussianDP(1 / Fraction(sigma)))),
    )  # fmt: skip


def _run(effort: Effort) -> Result:
    runs = effort.times(10_000, least=400)
    laws = _laws()
    naive = {law.name: {each: _right(law, each, runs, shoal=False) for each in ANSWERS} for law in laws}  # fmt: skip
    ours = {law.name: {each: _right(law, each, runs, shoal=True) for each in ANSWERS} for law in laws}  # fmt: skip
    last = ANSWERS[-1]
    rows = [
        [law.name, percent(naive[law.name][last].rate), percent(ours[law.name][last].rate), percent(ours[law.name][last].error), percent(law.ceiling)]
        for law in laws
    ]  # fmt: skip
    parts: list[Part] = [
        Words(
            "The noise follows its law to fifteen digits, but the promise is made for exact numbers, and doubles are not exact: of those near an answer only some can be 0 plus such noise, and only some, "
            "others, 1 plus such noise. The attack computes the uniform numbers back that would explain each answer, tries their neighbours, and counts for which truth an answer has an explanation."
        ),
        Heading(f"{last} answers, made for epsilon {float(EPSILON):g} together", 3),
        Grid(["noise", "in doubles", "Shoal's", "standard error", "ceiling"], rows, frozenset(range(1, 5))),
        lines(
            {
                **{f"{name}, in doubles": [(each, naive[name][each].rate) for each in ANSWERS] for name in naive},
                **{f"{name}, Shoal's": [(each, ours[name][each].rate) for each in ANSWERS] for name in ours},
                CEILING: [(each, laws[0].ceiling) for each in ANSWERS],
            },
            x="answers", y="guesses that are right", scales=("log", "linear"), dashed=(CEILING,), shares=True,
            caption=f"Floating point: how often it is told whether the count is 0 or 1; all answers together are made for epsilon {float(EPSILON):g}.",
        ),
        Words(
            "Shoal adds integers to integers and rounds once, afterwards: every multiple of the grid is possible for every count, and the last bits say nothing. "
            "The same attack then falls back on the mean of the answers, which the ceiling covers."
        ),
    ]  # fmt: skip
    return Result(0.5, naive["Laplace"][last], ours["Laplace"][last], laws[0].ceiling, parts)


FLOATS = Attack(
    "floats",
    "Floating point: the last bits of noise",
    "An analyst wants to know whether a count is 0 or 1 and sees a few noisy answers with all their digits. A guess is right or wrong; both counts are equally likely.",
    "Mironov 2012; Jin, McMurtry, Rubinstein and Ohrimenko 2022; Haney and others 2022",
    _run,
)
