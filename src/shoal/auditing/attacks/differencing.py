"""Differencing: two harmless counts whose difference is one person."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.auditing.attacks.attack import EPSILON, Attack, Result, Score
from shoal.auditing.attacks.ceiling import by_epsilon, epsilons, pure_coin_up
from shoal.auditing.attacks.repeated_runs import counted
from shoal.noise import uniform_below
from shoal.page import Code, Heading, Part, Words
from shoal.reproduce import Effort
from shoal.reproduce.number_format import percent

STAFF = 500
LEAST = 10
"""A rule that many offices have: no answer about fewer people than this."""

Counts = NDArray[np.int64]


def _pairs(times: int) -> tuple[Counts, Counts, Counts]:
    """Whether targets are ill, how many are ill, and how many are ill but for the person with the
    target's age and street.
    """
    ill, both, others = list[Any](), list[Any](), list[Any]()
    while len(ill) < times:
        age, street, sick = (
            18 + uniform_below(50, STAFF),
            uniform_below(40, STAFF),
            uniform_below(2, STAFF),
        )
        place = age * 40 + street
        alone = np.flatnonzero(np.bincount(place)[place] == 1)[: times - len(ill)]
        ill += sick[alone].tolist()
        both += [int(sick.sum())] * len(alone)
        others += [int(sick[place != place[target]].sum()) for target in alone]
    return np.array(ill), np.array(both), np.array(others)


def _score(ill: Counts, both: Counts, others: Counts) -> Score:
    return Score.of((both - others > 0.5) == (ill == 1))


def _with_shoal(epsilon: Fraction, ill: Counts, both: Counts, others: Counts) -> Score:
    """Two counts for this epsilon together, each with noise of its own."""
    return _score(ill, counted(both, epsilon, queries=2), counted(others, epsilon, queries=2))


def _run(effort: Effort) -> Result:
    ill, both, others = _pairs(effort.times(20_000, least=400))
    allowed = int((others >= LEAST).sum())
    without = _score(ill, both, others)
    scores = {each: _with_shoal(each, ill, both, others) for each in epsilons("0.3", 1, 3, 10)}
    parts: list[Part] = [
        Heading("What is asked", 3),
        Code(
            "SELECT COUNT(*) FROM staff WHERE ill\n"
            "SELECT COUNT(*) FROM staff WHERE ill AND NOT (age = 52 AND street = 'Mill Lane')"
        ),
        Words(
            f"Of {STAFF} made-up people about four in five are alone with their age in their street, which a neighbour knows. Both counts are about hundreds: "
            f"{percent(allowed / len(ill))} of the pairs pass a rule that forbids answers about fewer than {LEAST} people. Their difference is 1 if the target is ill, and else 0."
        ),
        Words(
            "With Shoal both counts carry noise and are paid from one budget. A third question, to average the noise away, finds the budget spent."
        ),
        by_epsilon(
            scores,
            without=without.rate,
            caption="Differencing: how often the target's illness is guessed. Points are the attack on Shoal's answers.",
        ),
    ]
    return Result(0.5, without, scores[EPSILON], pure_coin_up(float(EPSILON)), parts)


DIFFERENCING = Attack(
    "differencing",
    "Differencing: two counts, one person",
    "A neighbour wants to know whether one person is ill, and may only ask for counts of many. A guess is right or wrong; half of the people are ill.",
    "Lecture notes on privacy-preserving inference, section 7.1.2; Denning, Denning and Schwartz 1979",
    _run,
)
