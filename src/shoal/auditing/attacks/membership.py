"""Membership: from thousands of frequencies, whether someone was in the study."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from shoal.auditing.attacks.attack import EPSILON, Attack, Result, Score
from shoal.auditing.attacks.ceiling import BARE, CEILING, SHOAL, by_epsilon, epsilons, pure_coin_up
from shoal.auditing.attacks.repeated_runs import counted
from shoal.exact import float_up
from shoal.interpret import power_up
from shoal.measures import Pure
from shoal.page import Heading, PageTable, Part, Words
from shoal.plots.lines import lines
from shoal.reproduce import Effort
from shoal.reproduce.made_up import uniforms
from shoal.reproduce.number_format import percent

PEOPLE = 100
PLACES = 4000
TESTED = 10
"""So many of the study and so many others are tested on each release."""


Numbers = NDArray[np.float64]


@dataclass(frozen=True)
class Statistics:
    """What tests say of those who were in, and of those who were not; high speaks for in."""

    inside: Numbers
    outside: Numbers

    def score(self, at: float) -> Score:
        """Guesses at a threshold, in equal numbers of both; a run is one study."""
        right = ((self.inside > at).mean(axis=1) + (self.outside <= at).mean(axis=1)) / 2
        return Score.of(right)

    def middling(self) -> Score:
        """Guesses at the median of all, which needs to know how many were in."""
        return self.score(float(np.median([self.inside, self.outside])))

    def hits(self, false_alarms: float) -> float:
        """The share of those inside who are recognised at a threshold with this share of false
        alarms.
        """
        threshold = np.quantile(self.outside, 1 - false_alarms)
        return float((self.inside > threshold).mean())


@dataclass(frozen=True)
class Study:
    """How frequent markers are in the population and in the study, and those of some people in it
    and of some others.
    """

    common: Numbers
    counts: NDArray[np.int64]
    """How many of those in the study have each marker."""
    inside: NDArray[np.bool_]
    outside: NDArray[np.bool_]


def _study() -> Study:
    common = 0.05 + 0.9 * uniforms(PLACES)
    drawn = uniforms(PEOPLE + TESTED, PLACES) < common
    counts = drawn[:PEOPLE].sum(axis=0, dtype=np.int64)
    return Study(common, counts, drawn[:TESTED].copy(), drawn[PEOPLE:].copy())


def _sums(study: Study, shares: Numbers) -> tuple[Numbers, Numbers]:
    """How far people lean to where the study leans, each marker weighed by its spread; in and
    out.
    """
    lean = (shares - study.common) / (study.common * (1 - study.common))
    inside, outside = study.inside - study.common, study.outside - study.common
    return np.asarray(inside @ lean), np.asarray(outside @ lean)


def _homer(study: Study, shares: Numbers) -> tuple[Numbers, Numbers]:
    """Homer's distance: how much nearer people are to the study than to the population."""
    away = [
        np.abs(people - study.common) - np.abs(people - shares)
        for people in (study.inside, study.outside)
    ]
    return np.asarray(away[0].sum(axis=1)), np.asarray(away[1].sum(axis=1))


def _shares(study: Study, epsilon: Fraction | None) -> Numbers:
    """The frequencies that are published; with an epsilon, from counts that cost it together."""
    counts = study.counts
    if epsilon is not None:
        counts = counted(counts, epsilon, queries=PLACES)
    return np.asarray(counts / PEOPLE)


def _tested(studies: list[Study], epsilon: Fraction | None) -> tuple[Statistics, Statistics]:
    made: tuple[list[tuple[Numbers, Numbers]], list[tuple[Numbers, Numbers]]] = ([], [])
    for study in studies:
        shares = _shares(study, epsilon)
        made[0].append(_sums(study, shares))
        made[1].append(_homer(study, shares))
    first, second = (
        Statistics(np.array([each[0] for each in pairs]), np.array([each[1] for each in pairs]))
        for pairs in made
    )
    return first, second


def _run(effort: Effort) -> Result:
    studies = [_study() for _ in range(effort.times(300, least=20))]
    middle = PLACES / PEOPLE / 2
    bare, homer = _tested(studies, None)
    prices = epsilons(10, 1000) if effort.quick else epsilons(1, 10, 100, 1000, 10_000)
    shared = {each: _tested(studies, each) for each in prices}
    without, ours = bare.score(middle), shared[EPSILON][0]
    scores = {each: tests[0].score(middle) for each, tests in shared.items()}
    alarms = [step / 50 for step in range(51)]
    promise = Pure(EPSILON)
    rows = [
        ["exact", percent(without.rate), percent(homer.middling().rate)],
        *(
            [
                f"epsilon {float(each):g}",
                percent(scores[each].rate),
                percent(tests[1].middling().rate),
            ]
            for each, tests in shared.items()
        ),
    ]
    parts: list[Part] = [
        Words(
            f"A study of {PEOPLE} patients publishes how frequent each of {PLACES:,} markers is among them. Somebody has the target's markers (from a hair) and the frequencies of the population. Each marker says next to nothing; "
            "their sum says whether the target was a patient. This is what made the health institutes withdraw such tables in 2008."
        ),
        Heading("A tester's view", 3),
        lines(
            {
                SHOAL: [(alarm, ours.hits(alarm)) for alarm in alarms],
                BARE: [(alarm, bare.hits(alarm)) for alarm in alarms],
                CEILING: [
                    (
                        alarm,
                        float_up(power_up(promise, type_one=Fraction(alarm).limit_denominator(50))),
                    )
                    for alarm in alarms
                ],
            },
            x="false alarms",
            y="patients recognised",
            dashed=(CEILING,),
            shares=True,
            caption=f"Membership: patients recognised by false alarms, at epsilon {float(EPSILON):g}.",
        ),
        Heading("By epsilon", 3),
        Words(
            "The sum weighs each marker by its spread; the last column is Homer's own distance, at the median of all."
        ),
        PageTable(["frequencies", "weighed sum", "Homer's distance"], rows, frozenset((1, 2))),
        by_epsilon(
            scores,
            without=without.rate,
            caption="Membership: how often it is told whether the target was in the study.",
        ),
    ]
    return Result(0.5, without, scores[EPSILON], pure_coin_up(float(EPSILON)), parts)


MEMBERSHIP = Attack(
    "membership",
    "Membership: was this person in the study?",
    "Someone with a person's markers wants to know whether they were a patient. Half of those tested were; a guess is right or wrong.",
    "Homer and others 2008; Sankararaman and others 2009; Dwork and others 2015; thesis, section 1.2.3",
    _run,
)
