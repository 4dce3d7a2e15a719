"""Traces of time: does a run take longer on one dataset, or the longer the larger its noise?

Whoever sees how long an answer took, and the answer, and can infer the size of the noise from the
time, has the truth.  Runs on both datasets are made in pairs, each pair in the order of a coin,
after some that are not counted.  Three questions are asked of the clock:

* **data**: is one dataset slower than the other?
* **noise**: on one dataset, are runs with large noise slower, or faster, than runs with small
  noise?  The noise is the distance of the answer from the middle of all answers; its largest third
  is held against its smallest.
* **equal answers**: among runs with the very same answer, is the dataset whose noise was larger
  slower, or faster?  This is asked where answers repeat.  It finds what an attacker can use even if
  all that depends on the answer alone is known.

No two computations take the same time to the nanosecond (a small integer of Python is found, a
large one is made), so each question is about more than a ``resolution``, a microsecond if nothing
is said.

Level: each question is a sign test.  Runs are taken in couples that are close in time: of one pair,
or the first two, the next two ... of those that are looked at, where one of the two is of the kind
in question.  Which of the two it is, is a coin: by the order of a pair, or because noise is drawn
anew in every run.  So, whatever the times drift, if this kind takes no longer it is the slower one
of a couple with probability at most 1/2; and if it takes at most the resolution longer, it is
slower by more than that with at most 1/2.  The number of couples in which it is so is at most
binomial, and the tail is the p-value.  Two directions of every question share the risk.  That
nothing is found proves nothing: another clock, machine or load may show more.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.auditing.extra import audit_module
from shoal.auditing.verdict import Figure, Verdict
from shoal.auditing.verdict_pictures import shares_of_time
from shoal.errors import DataError
from shoal.exact import Number, finite_float, non_negative, open_unit, whole
from shoal.noise import uniform_below
from shoal.noise.seam import seeded

RUNS = 2000
WARM = 50
FEWEST = 20
RESOLUTION = 1e-6
"""Smaller differences, in seconds, are not looked for unless asked for."""
CLAIM = "running time depends neither on the data nor on the noise"

Clock = Callable[[], int]
Array = NDArray[np.float64]


@dataclass(frozen=True)
class Timed:
    """Runs in pairs, one on each dataset: how long each took, in nanoseconds, and what it
    answered.
    """

    times: Array
    """One row per pair, one column per dataset."""
    answers: Array
    """As above; numbers, one per run."""

    def __post_init__(self) -> None:
        if (
            self.times.ndim != 2
            or self.times.shape[1] != 2
            or self.times.shape != self.answers.shape
        ):
            raise DataError(
                "times and answers are two columns, one per dataset.",
                remedy="Time the runs with time_runs.",
            )
        if len(self.times) < FEWEST:
            raise DataError(
                f"at least {FEWEST} pairs of runs are needed; got {len(self.times)}.",
                remedy="Ask for more runs.",
            )


def time_runs(
    mechanism: Callable[[Any], Any],
    d0: Any,
    d1: Any,
    *,
    runs: int = RUNS,
    warm: int = WARM,
    clock: Clock = time.perf_counter_ns,
    seed: int | str = 2026,
) -> Timed:
    """Run a mechanism ``runs`` times on each dataset, in pairs whose order is a coin, and note time
    and answer.
    """
    pairs, spare = whole(runs, "runs", at_least=FEWEST), whole(warm, "warm", at_least=0)
    with seeded(f"{seed}/timing/order"):
        first = uniform_below(2, pairs + spare)
    data = (d0, d1)
    times, answers = np.zeros((pairs + spare, 2)), np.zeros((pairs + spare, 2))
    for row, one in enumerate(first.tolist()):
        for side in (one, 1 - one):
            began = clock()
            answer = mechanism(data[side])
            times[row, side] = clock() - began
            answers[row, side] = _number(answer)
    return Timed(times[spare:], answers[spare:])


def timing(timed: Timed, *, resolution: float = RESOLUTION, confidence: Number = "0.99") -> Verdict:
    """Judge whether the times of runs tell anything of the data or of the noise; ``resolution`` in
    seconds.
    """
    alpha = float(1 - open_unit(confidence, "confidence"))
    step = 1e9 * finite_float(non_negative(resolution, "resolution"), "resolution")
    asked = _asked(timed)
    tests = [
        _Sign(name, *_sign(slow - fast, step))
        for name, one, two in asked
        for slow, fast in ((one, two), (two, one))
    ]
    p_value = min(1.0, len(tests) * min(each.p_value for each in tests))
    return Verdict(
        test="timing",
        claim=f"{CLAIM}, by more than {_seconds(step)}",
        refuted=p_value <= alpha,
        confidence=1 - alpha,
        p_value=p_value,
        found=_sentence(tests, alpha, len(timed.times)),
        figures=(
            *_figures(asked, tests),
            ("pairs of runs", len(timed.times)),
            ("resolution, microseconds", step / 1000),
        ),
        drawings=(shares_of_time(*_loudest(asked, tests)),),
    )


@dataclass(frozen=True)
class _Sign:
    """In how many pairs the one was slower by more than the resolution, and how probable that is by
    chance.
    """

    name: str
    slower: int
    pairs: int
    p_value: float


def _sign(differences: Array, step: float) -> tuple[int, int, float]:
    bdtrc = audit_module("scipy.special").bdtrc

    slower, pairs = int(np.count_nonzero(differences > step)), differences.size
    return (
        slower,
        pairs,
        1.0 if not slower else min(1.0, float(bdtrc(slower - 1, pairs, 0.5)) * (1 + 1e-9)),
    )


def _asked(timed: Timed) -> list[tuple[str, Array, Array]]:
    """Every question: its name, and the times of pairs of runs."""
    times, sizes = timed.times, np.abs(timed.answers - np.median(timed.answers, axis=0))
    asked = [("slower dataset", times[:, 1], times[:, 0])]
    for side in (0, 1):
        third = len(sizes) // 3
        order = np.argsort(sizes[:, side], kind="stable")
        ends = np.sort(np.concatenate([order[:third], order[len(order) - third :]]))
        large, small = _couples(ends, np.isin(ends, order[len(order) - third :]))
        asked.append((f"size of noise, dataset {side}", times[large, side], times[small, side]))
    more, less = _equal(timed.answers, times, sizes)
    if more.size >= FEWEST:
        asked.append(("size of noise at equal answers", more, less))
    return asked


def _couples(
    runs: NDArray[np.intp], large: NDArray[np.bool_]
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Of runs in the order of time, two by two, those of which one is large and one is not: first
    the large ones.
    """
    even = len(runs) // 2 * 2
    two, which = runs[:even].reshape(-1, 2), large[:even].reshape(-1, 2)
    mixed = which[:, 0] != which[:, 1]
    two, first = two[mixed], which[mixed, 0]
    return np.where(first, two[:, 0], two[:, 1]), np.where(first, two[:, 1], two[:, 0])


def _equal(answers: Array, times: Array, sizes: Array) -> tuple[Array, Array]:
    """Times of couples of runs with equal answers, one on each dataset, first of that whose noise
    was larger.
    """
    flat, slow, size = (
        answers.ravel(),
        times.ravel(),
        sizes.ravel(),
    )  # pair by pair, so in the order of time
    order = np.argsort(flat, kind="stable")
    starts = np.flatnonzero(np.diff(flat[order], prepend=np.nan) != 0)
    more, less = [np.zeros(0)], [np.zeros(0)]
    for runs in np.split(order, starts[1:]):
        noise = size[runs]
        if noise.min() != noise.max():
            large, small = _couples(runs, noise == noise.max())
            more.append(slow[large])
            less.append(slow[small])
    return np.concatenate(more), np.concatenate(less)


def _number(answer: Any) -> float:
    """The one number that a run answered."""
    if answer is None:
        raise DataError(
            "a run gave no answer, so the size of its noise is not known.",
            remedy="Run it by hand until it answers one number every time.",
        )
    given = np.asarray(answer)
    try:
        number = (
            float(given.reshape(-1)[0])
            if given.size == 1 and given.dtype.kind in "iubfO"
            else math.nan
        )
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if not math.isfinite(number):
        raise DataError(
            "the size of the noise is that of one finite number; got something else.",
            remedy="Time a mechanism that answers one number.",
        )
    return number


def _sentence(tests: list[_Sign], alpha: float, pairs: int) -> str:
    told = {each.name: each for each in tests if each.p_value * len(tests) <= alpha}
    if not told:
        return f"In {pairs} pairs of runs time went with nothing that was looked at; that proves nothing about other clocks and machines."
    said = [f"{each.name} ({each.slower} of {each.pairs} pairs)" for each in told.values()]
    return f"In {pairs} pairs of runs time went with {' and '.join(said)}."


def _figures(asked: list[tuple[str, Array, Array]], tests: list[_Sign]) -> list[tuple[str, Figure]]:
    found: list[tuple[str, Figure]] = []
    for name, one, two in asked:
        least = min(each.p_value for each in tests if each.name == name)
        found.append((f"{name}: p-value", least))
        if one.size:  # where all answers are the same, no two runs differ in noise
            found.append((f"{name}: microseconds", float(np.median(one) - np.median(two)) / 1000))
    return found


def _loudest(asked: list[tuple[str, Array, Array]], tests: list[_Sign]) -> tuple[str, Array, Array]:
    """The question with the least p-value, of those that had runs to look at."""
    least = {each.name: each.p_value for each in sorted(tests, key=lambda each: -each.p_value)}
    return min((each for each in asked if each[1].size), key=lambda each: least[each[0]])


def _seconds(nanoseconds: float) -> str:
    return f"{nanoseconds / 1000:.6g} microseconds"
