"""What a report says about the one person who sent it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from shoal.errors import PollError
from shoal.exact import Number, non_negative
from shoal.local import Subsets
from shoal.polls.estimates import mean_of, measured
from shoal.polls.poll_question import PollQuestion
from shoal.polls.protocol import AskedQuestion

MOST_ROWS = 1001


@dataclass(frozen=True)
class Suspicion:
    """For each report the chance of each answer, before and after: at most the ratio apart in odds.

    For sets of answers there is one row for each answer: the chance of it when the set holds it,
    and when it does not.
    """

    question: str
    arm: str
    answers: tuple[str, ...]
    prior: tuple[Fraction, ...]
    rows: tuple[tuple[str, tuple[Fraction, ...]], ...]

    def to_dict(self) -> dict[str, Any]:
        """The table as plain values."""
        return {
            "question": self.question,
            "arm": self.arm,
            "answers": list(self.answers),
            "prior": [float(each) for each in self.prior],
            "rows": [
                {"report": report, "posterior": [float(each) for each in chances]}
                for report, chances in self.rows
            ],
        }


def suspicions(
    question: PollQuestion,
    design: AskedQuestion,
    counts: Counter[int],
    prior: Sequence[Number] | None,
    arm: str,
) -> Suspicion:
    """The chance of each answer after each report."""
    known = _prior(question, design, counts, prior)
    law = design.law
    if isinstance(law, Subsets):
        rows = []
        own, other = law.support
        for place, answer in enumerate(law.answers):
            share = known[place]
            for words, (mine, theirs) in (
                (f"a set with {answer}", (own, other)),
                (f"a set without {answer}", (1 - own, 1 - other)),
            ):
                chance = share * mine / (share * mine + (1 - share) * theirs)
                spread = [
                    chance if at == place else _rest(known, at, place, chance)
                    for at in range(len(known))
                ]
                rows.append((words, tuple(spread)))
        return Suspicion(question.name, arm, law.answers, known, tuple(rows))
    told = [
        report for report in range(min(law.kinds, MOST_ROWS)) if _possible(design, report, known)
    ]
    made = tuple((law.told(report), law.posterior(report, known)) for report in told)
    return Suspicion(question.name, arm, law.answers, known, made)


def _rest(known: Sequence[Fraction], at: int, place: int, chance: Fraction) -> Fraction:
    """The others keep their proportions when it is known only whether a set holds one answer."""
    left = 1 - known[place]
    return (1 - chance) * known[at] / left if left else Fraction(0)


def _possible(design: AskedQuestion, report: int, known: Sequence[Fraction]) -> bool:
    law = design.law
    return any(share and law.chance(place, report) for place, share in enumerate(known))


def _prior(
    question: PollQuestion,
    design: AskedQuestion,
    counts: Counter[int],
    prior: Sequence[Number] | None,
) -> tuple[Fraction, ...]:
    size = len(question.answers)
    if prior is not None:
        given = tuple(non_negative(share, "a share of the prior") for share in prior)
        if len(given) != size or sum(given) != 1:
            raise PollError(
                f"a prior for {question.name!r} has {size} shares that add up to 1.",
                remedy="Give exact shares, such as '9/10' and '1/10'.",
            )
        return given
    if question.scale is not None or not counts:
        return (Fraction(1, size),) * size
    found = measured(question, design, counts)
    cut = [min(Fraction(1), max(Fraction(0), mean_of(groups))) for groups in found.groups]
    return tuple(each / sum(cut) for each in cut)
