"""Name and shame: a promise that publishes people, and keeps its delta."""

from __future__ import annotations

import contextvars
from fractions import Fraction

import numpy as np

from shoal.auditing.attacks.attack import EPSILON, Attack, Result, Score
from shoal.auditing.attacks.ceiling import BARE, CEILING, SHOAL
from shoal.auditing.extra import audit_module
from shoal.exact import float_up
from shoal.measures import Approx
from shoal.page import Heading, PageTable, Part, Words
from shoal.plan import Row
from shoal.plots.lines import lines
from shoal.query import private
from shoal.reproduce import Effort
from shoal.reproduce.made_up import uniforms
from shoal.reproduce.number_format import percent

PEOPLE = 1000
"""So many people have a name that nobody else has."""

COMMON = {"Smith": 4000, "Jones": 2500}
"""Names that many others have."""

DELTA = Fraction(1, 10**9)
EXPECTED = (
    Fraction(1, 100),
    Fraction(1, 10),
    Fraction(1, 2),
    Fraction(1),
    Fraction(2),
    Fraction(5),
    Fraction(10),
)
"""Delta times the number of people: how many are published on average."""

HEADLINE = Fraction(5)


def name_and_shame(delta: Fraction, runs: int) -> Score:
    """Each person is published in the clear with probability delta, which is (0, delta)-DP; was
    anybody?
    """
    return Score.of([bool((uniforms(PEOPLE) < float(delta)).any()) for _ in range(runs)])


def _told() -> set[str]:
    """The names that Shoal tells when people are counted by name and nobody listed the names."""
    pa = audit_module("pyarrow")

    names = [f"Only {each}" for each in range(PEOPLE)]
    names += [name for name, many in COMMON.items() for _ in range(many)]
    people = private(
        pa.table({"name": names}),
        name="people",
        protects=Row(),
        budget=Approx(EPSILON, 2 * DELTA),
    )
    asked = people.sql("SELECT name, COUNT(*) AS n FROM people GROUP BY name")
    answer = asked.release(epsilon=EPSILON, delta=DELTA)
    return {str(name) for name, *_ in answer.rows}


def _with_shoal(runs: int) -> tuple[Score, float]:
    """Whether anybody's own name is told, in each run, and how many of the common names are.

    Questions draw from the secret source: a rehearsal is refused as a release.  So they are asked
    outside of the seed.
    """
    told = [contextvars.Context().run(_told) for _ in range(runs)]
    named = Score.of([bool(each - set(COMMON)) for each in told])
    return named, float(np.mean([len(each & set(COMMON)) for each in told]))


def _ceiling(expected: Fraction) -> float:
    """At most this often somebody is published, if everybody is with probability at most delta."""
    return float_up(1 - (1 - expected / PEOPLE) ** PEOPLE)


def _run(effort: Effort) -> Result:
    runs = effort.times(2000, least=200)
    shamed = {each: name_and_shame(each / PEOPLE, runs) for each in EXPECTED}
    named, common = _with_shoal(effort.times(100, least=5))
    small = DELTA * PEOPLE
    rows = [
        [
            f"name and shame, delta {float(each):g} / n",
            percent(shamed[each].rate),
            f"{100 * _ceiling(each):.3g} %",
        ]
        for each in EXPECTED
    ]
    rows += [
        ["noise and no threshold: every name that occurs", "always", "no promise"],
        [f"Shoal, delta {float(DELTA):g}", percent(named.rate), f"{100 * _ceiling(small):.2g} %"],
    ]
    curve = [10 ** (step / 8 - 6) for step in range(57)]
    parts: list[Part] = [
        Words(
            f"An algorithm goes through {PEOPLE:,} people and publishes each of them, name and all, with probability delta. That is (0, delta)-differentially private: the delta is the whole promise. With delta of a few over n somebody is "
            "published nearly always, and nothing was broken. So a delta must be far below 1 / n, and what happens when it strikes must be known."
        ),
        Heading("Is anybody published?", 3),
        PageTable(["release", "somebody published", "ceiling"], rows, frozenset((1, 2))),
        lines(
            {
                SHOAL: [],
                BARE: [(float(each), shamed[each].rate) for each in EXPECTED],
                CEILING: [(each, 1 - (1 - each / PEOPLE) ** PEOPLE) for each in curve],
            },
            marks={
                SHOAL: [(float(small), named.rate)],
                BARE: [(float(each), shamed[each].rate) for each in EXPECTED],
            },
            x="delta times the number of people",
            y="somebody is published",
            scales=("log", "linear"),
            dashed=(CEILING,),
            shares=True,
            caption="Name and shame: how often somebody is published, by delta. Shoal's point is a question that must select its keys.",
        ),
        Words(
            f"Shoal can publish a name in one place only: when groups are counted whose keys nobody listed. It then tells a key only if enough people stand behind it, noise included. Counted by name at epsilon {float(EPSILON):g} and delta {float(DELTA):g}, "
            f"{common:.3g} of {len(COMMON)} common names are told and nobody's own. Counts with noise and no such threshold tell every name there is."
        ),
    ]
    return Result(0.0, shamed[HEADLINE], named, _ceiling(small), parts)


SHAMING = Attack(
    "shame",
    "Name and shame: what a delta may do",
    "A promise with a delta is kept to the letter. The success is a release in which somebody is published in the clear.",
    "Lecture notes on approximate differential privacy, the example of Smith 2020; Korolova and others 2009 for keys",
    _run,
)
