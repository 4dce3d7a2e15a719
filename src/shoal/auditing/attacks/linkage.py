"""Linkage: a few things that are known of someone find their row among the nameless."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from shoal.auditing.attacks.attack import EPSILON, Attack, Result, Score
from shoal.auditing.attacks.ceiling import by_epsilon, epsilons, pure_coin_up
from shoal.mechanisms import Geometric
from shoal.noise import uniform_below
from shoal.page import Heading, Part, Words
from shoal.plots.lines import lines
from shoal.reproduce import Effort
from shoal.reproduce.made_up import uniforms

TITLES = 2000
DAYS = 2000
FEWEST, MOST = 20, 60
"""How many titles one person rated, at least and at most."""

KNOWN = 8
WRONG = 2
"""Of so many things known of the target, so many are wrong."""

Places = NDArray[np.int64]


@dataclass(frozen=True)
class Ratings:
    """Who rated what, how, and when; a row each, sorted by person."""

    person: Places
    title: Places
    stars: Places
    day: Places
    raters: tuple[Places, ...]
    """The rows of each title."""
    people: int

    def of(self, person: int) -> Places:
        """The rows of a person."""
        first, last = np.searchsorted(self.person, [person, person + 1])
        return np.arange(first, last)


@dataclass(frozen=True)
class Memory:
    """What someone knows of the target: titles, stars give or take one, and days give or take some,
    or no days.
    """

    titles: Places
    stars: Places
    days: Places | None


def made_up(people: int) -> Ratings:
    """People who rate the titles that many rate, each some of them, in the course of years."""
    weights = 1 / (np.arange(TITLES) + 20.0) ** 0.8
    ends = np.cumsum(weights / weights.sum())
    many = FEWEST + uniform_below(MOST - FEWEST + 1, people).astype(np.int64)
    drawn = [np.unique(np.searchsorted(ends, uniforms(int(each)))) for each in many]
    title = np.minimum(np.concatenate(drawn), TITLES - 1)
    person = np.repeat(np.arange(people), [len(each) for each in drawn])
    stars = 1 + uniform_below(5, len(title)).astype(np.int64)
    day = uniform_below(DAYS, len(title)).astype(np.int64)
    order = np.argsort(title, kind="stable")
    starts = np.searchsorted(title[order], np.arange(1, TITLES))
    return Ratings(person, title, stars, day, tuple(np.split(order, starts)), people)


def remembered(ratings: Ratings, person: int, known: int, wrong: int, within: int | None) -> Memory:
    """What is known of a person; ``wrong`` of the titles are others, with stars and days of their
    own.
    """
    rows = ratings.of(person)
    chosen = rows[np.argsort(uniforms(len(rows)))[:known]]
    titles, stars, days = (
        ratings.title[chosen].copy(),
        ratings.stars[chosen].copy(),
        ratings.day[chosen].copy(),
    )
    titles[:wrong] = uniform_below(TITLES, wrong)
    stars = np.clip(stars + uniform_below(3, known).astype(np.int64) - 1, 1, 5)
    if within is None:
        return Memory(titles, stars, None)
    return Memory(
        titles, stars, days + uniform_below(2 * within + 1, known).astype(np.int64) - within
    )


def found(ratings: Ratings, memory: Memory) -> int:
    """The person whose rows agree best: rare titles count for more, near stars and days count for
    something.
    """
    score = np.zeros(ratings.people)
    for at, title in enumerate(memory.titles.tolist()):
        rows = ratings.raters[title]
        if not len(rows):
            continue
        agree = np.exp(-np.abs(ratings.stars[rows] - memory.stars[at]) / 1.5)
        if memory.days is not None:
            agree = agree + np.exp(-np.abs(ratings.day[rows] - memory.days[at]) / 30)
        score[ratings.person[rows]] += agree / math.log(len(rows) + 2)
    return int(score.argmax())


def _linked(
    ratings: Ratings, targets: Sequence[int], known: int, wrong: int, within: int | None
) -> Score:
    return Score.of(
        [
            found(ratings, remembered(ratings, each, known, wrong, within)) == each
            for each in targets
        ]
    )


def _told(ratings: Ratings, targets: Sequence[int]) -> Score:
    """Which of two titles the target rated, read off the row that was found; a coin where it has
    none or both.
    """
    right = []
    for target in targets:
        memory = remembered(ratings, target, KNOWN, WRONG, 14)
        own = ratings.title[ratings.of(target)]
        free = np.setdiff1d(own, memory.titles)
        rated = int(free[int(uniform_below(len(free), 1)[0])])
        other = _not_in(own)
        row = ratings.title[ratings.of(found(ratings, memory))]
        says = bool((row == rated).any()), bool((row == other).any())
        right.append(says[0] if says[0] != says[1] else bool(uniform_below(2, 1)[0]))
    return Score.of(right)


def _not_in(own: Places) -> int:
    while True:
        title = int(uniform_below(TITLES, 1)[0])
        if title not in own:
            return title


def _with_shoal(epsilon: Fraction, runs: int) -> Score:
    """The same secret from a noisy count of raters per title, by someone who knows every other
    rating there is.
    """
    secret = uniform_below(2, runs).astype(np.int64)
    mechanism = Geometric.for_epsilon(epsilon, sensitivity=2 * MOST)
    first, second = mechanism.release(secret), mechanism.release(1 - secret)
    coin = uniform_below(2, runs) == 1
    says = np.where(first == second, coin, first > second)
    return Score.of(says == (secret == 1))


def _run(effort: Effort) -> Result:
    ratings = made_up(500 if effort.quick else 2000)
    targets = uniform_below(ratings.people, effort.times(400, least=60)).astype(np.int64).tolist()
    known = (1, 2, 4, 8) if effort.quick else tuple(range(1, 9))
    ways = {"days known within 3": 3, "days known within 14": 14, "days not known": None}
    curves = {
        name: [(each, _linked(ratings, targets, each, 0, within).rate) for each in known]
        for name, within in ways.items()
    }
    without = _told(ratings, targets)
    scores = {
        each: _with_shoal(each, effort.times(20_000, least=400))
        for each in epsilons(1, 10, 100, 1000)
    }
    parts: list[Part] = [
        Words(
            f"{ratings.people:,} made-up people rated {FEWEST} to {MOST} of {TITLES:,} titles each. The table is published with numbers in place of names. An acquaintance knows some titles that the target "
            "rated, the stars give or take one, and perhaps the days. The row that agrees best is taken to be theirs."
        ),
        Heading("Whose row it is", 3),
        lines(
            curves,
            x="titles known",
            y="people found",
            shares=True,
            caption="Linkage: how many people are found in the table without names, by what is known of them.",
        ),
        Heading("What the row says besides", 3),
        Words(
            f"The secret is which of two titles the target rated, neither of which the acquaintance asked about. Of {KNOWN} titles known within 14 days, {WRONG} are wrong; still the row is found and the "
            "secret read off it. With Shoal no rows are published; the number of raters of every title is, with noise for a person with all their ratings "
            f"(at most {MOST}). The attacker against it is the strongest there is: they know every rating in the table but this one."
        ),
        by_epsilon(
            scores,
            without=without.rate,
            caption="Linkage: how often it is told which of two titles the target rated.",
        ),
    ]
    return Result(0.5, without, scores[EPSILON], pure_coin_up(float(EPSILON)), parts)


LINKAGE = Attack(
    "linkage",
    "Linkage: rows without names",
    "An acquaintance knows a few of someone's ratings and wants to know the others. A guess which of two titles the target rated is right or wrong.",
    "Narayanan and Shmatikov 2008; thesis, section 1.2.1 and Figure 1.1",
    _run,
)
