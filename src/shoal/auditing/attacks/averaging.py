"""Averaging: the same question again and again, until the noise is gone."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from shoal.auditing.attacks.attack import EPSILON, Attack, Result, Score
from shoal.auditing.attacks.ceiling import BARE, CEILING, SHOAL, pure_coin_up
from shoal.auditing.attacks.repeated_runs import counted
from shoal.noise import uniform_below
from shoal.page import PageTable, Part, Words
from shoal.plots.lines import lines
from shoal.reproduce import Effort
from shoal.reproduce.number_format import percent

TIMES = (1, 3, 10, 30, 100, 300, 1000, 3000, 10_000)
REST = 1234
"""How many others have the trait; the attacker knows it."""

_TOGETHER = 4_000_000

Price = Callable[[int], Fraction]
"""What each of so many answers is made to cost."""


def _score(price: Price, answers: int, runs: int) -> Score:
    """The mean of so many answers, each with noise of its own, on either side of the middle."""
    right = list[NDArray[np.bool_]]()
    left = runs
    while left:
        now = min(left, max(1, _TOGETHER // answers))
        secret = uniform_below(2, now).astype(np.int64)
        asked = np.repeat(REST + secret, answers)
        means = counted(asked, price(answers), queries=1).reshape(now, answers).mean(axis=1)
        right.append((means > REST + 0.5) == (secret == 1))
        left -= now
    return Score.of(np.concatenate(right))


def _run(effort: Effort) -> Result:
    runs = effort.times(10_000, least=400)
    times = TIMES if not effort.quick else TIMES[::2]
    bare = {each: _score(lambda _: EPSILON, each, runs) for each in times}
    shared = {each: _score(lambda asked: EPSILON / asked, each, runs) for each in times}
    ceiling = pure_coin_up(float(EPSILON))
    rows = [
        [
            f"{each:,}",
            percent(bare[each].rate),
            percent(shared[each].rate),
            f"{float(EPSILON) * each:g}",
        ]
        for each in times
    ]
    parts: list[Part] = [
        Words(
            "Without Shoal here means: honest Laplace noise of epsilon 0.1 in every answer, and nobody keeps an account. One answer tells next to nothing; "
            "the mean of ten thousand tells the count to the unit, and with it the person."
        ),
        Words(
            "With Shoal the same question, however it is put, is answered once: a vault gives the stored answer again. Who asks with a little of the budget each time gets answers that are "
            "so much noisier that their mean is worse than one answer for the whole, which is what the attack is judged by. When the budget is spent, it refuses."
        ),
        PageTable(
            ["answers", "nobody counts", "Shoal: epsilon 0.1 for all", "what nobody counted"],
            rows,
            frozenset(range(4)),
        ),
        lines(
            {
                SHOAL: [(each, shared[each].rate) for each in times],
                BARE: [(each, bare[each].rate) for each in times],
                CEILING: [(each, ceiling) for each in times],
            },
            x="answers",
            y="guesses that are right",
            scales=("log", "linear"),
            dashed=(CEILING,),
            shares=True,
            caption="Averaging: how often the person's bit is guessed from the mean of many answers.",
        ),
    ]
    return Result(0.5, bare[times[-1]], shared[times[0]], ceiling, parts)


AVERAGING = Attack(
    "averaging",
    "Averaging: the same question many times",
    "An analyst knows a count but for one person, and asks for it again and again. A guess is right or wrong; half of the people count.",
    "Dwork and Roth 2014, section 3.5; the reason for budgets",
    _run,
)
