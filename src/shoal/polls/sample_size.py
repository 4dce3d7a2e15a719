"""How many people a poll needs, before it runs and at another epsilon while it runs."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from shoal.errors import PollError
from shoal.exact import Number, closed_unit, open_unit, positive
from shoal.local import Subsets, bit_worths
from shoal.local.intervals import normal_point
from shoal.polls.estimates import Measured, mean_of
from shoal.polls.poll import Poll
from shoal.polls.poll_question import PollQuestion
from shoal.polls.protocol import DIRECT, AskedQuestion, asked, by_device
from shoal.polls.written_poll import epsilon_text


@dataclass(frozen=True)
class Need:
    """How many people of an arm, and of the whole poll, give a margin for one question."""

    question: str
    arm: str
    epsilon: str
    words: str
    margin: float
    people: int
    in_all: int

    def to_dict(self) -> dict[str, Any]:
        """The need as plain values."""
        return dict(vars(self))


def needs(
    poll: Poll, *, margin: Number | None = None, guess: Number = "1/2", confidence: Number = "0.95"
) -> tuple[Need, ...]:
    """For each question and arm, the people with whom the normal interval of a share reaches at
    most ``margin`` to either side.

    ``guess`` is the expected share of the answer of interest; of a range, the expected place of the
    mean between low and high, and ``margin`` is then in its unit.  If left out it is 0.05, of a
    range 5 % of it.

    >>> poll = Poll("commute", "Have you ever ...?", odds=3)
    >>> needs(poll, margin="0.03", guess="0.1")[0].people
    3586
    """
    risk = 1 - open_unit(confidence, "confidence")
    share = closed_unit(guess, "guess")
    made = []
    for arm in poll.arms:
        for question, design in zip(poll.questions, arm.designs, strict=True):
            reach = _reach(question, margin)
            people = _people(spread(question, design, share), reach, risk)
            in_all = math.ceil(people * Fraction(poll.shares, arm.share))
            price = epsilon_text(design.law.epsilon)
            made.append(
                Need(question.name, arm.name, price, design.words, float(reach), people, in_all)
            )
    return tuple(made)


def _reach(question: PollQuestion, margin: Number | None) -> Fraction:
    scale = question.scale
    if margin is None:
        return Fraction(1, 20) * (1 if scale is None else scale.high - scale.low)
    reach = positive(margin, "margin")
    if scale is None and reach >= 1:
        raise PollError(
            f"the margin of the share in {question.name!r} must be below 1.",
            remedy="Give 0.05 for 5 percent.",
        )
    return reach


def spread(question: PollQuestion, design: AskedQuestion, share: Fraction) -> Fraction:
    """The variance of the estimate from one report, where the answer of interest has this share."""
    law, scale = design.law, question.scale
    if scale is not None:
        mean = scale.low + share * (scale.high - scale.low)
        if design.way == DIRECT:  # the most that numbers of this mean can vary
            return (scale.high - mean) * (mean - scale.low)
        assert law.ratio is not None
        less, more = bit_worths(law.ratio, scale.low, scale.high)
        return (more - mean) * (mean - less)
    size = len(question.answers)
    if isinstance(law, Subsets):
        return law.variances([share], reports=1)[0]
    shares = [(1 - share) / (size - 1)] * (size - 1) + [share]
    return law.variances(shares, reports=1)[-1]


def _people(variance: Fraction, reach: Fraction, risk: Fraction) -> int:
    return max(1, math.ceil(Fraction(normal_point(risk)) ** 2 * variance / reach**2))


@dataclass(frozen=True)
class WhatIf:
    """One epsilon: the margin with as many people as there are, and the people that a margin would
    need.
    """

    epsilon: str
    words: str
    margin: float
    people: int
    wanted: float

    def to_dict(self) -> dict[str, Any]:
        """The row as plain values."""
        return dict(vars(self))


def what_if(
    question: PollQuestion,
    design: AskedQuestion,
    found: Measured,
    epsilons: Iterable[Number],
    *,
    margin: Number | None,
    risk: Fraction,
) -> tuple[WhatIf, ...]:
    """The same question by a device at other epsilons."""
    people, share = max(1, found.people), _share(question, found)
    reach = _margin(spread(question, design, share), people, risk)
    wanted = positive(margin, "margin") if margin is not None else Fraction(reach or 1e-9)
    made = []
    for epsilon in epsilons:
        other = asked(question, by_device(epsilon=epsilon))
        variance = spread(question, other, share)
        made.append(
            WhatIf(
                epsilon_text(other.law.epsilon),
                other.words,
                _margin(variance, people, risk),
                _people(variance, wanted, risk),
                float(wanted),
            )
        )
    return tuple(made)


def _margin(variance: Fraction, people: int, risk: Fraction) -> float:
    return normal_point(risk) * math.sqrt(variance / people)


def _share(question: PollQuestion, found: Measured) -> Fraction:
    """The estimate of the last answer, or the place of the mean, cut to [0, 1]; one half before the
    first report.
    """
    if not found.people:
        return Fraction(1, 2)
    value = mean_of(found.groups[-1])
    if question.scale is not None:
        value = (value - found.ends[0]) / (found.ends[1] - found.ends[0])
    return min(Fraction(1), max(Fraction(0), value))
