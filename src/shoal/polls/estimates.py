"""What the reports of some respondents say about one question, with intervals."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from shoal.exact import ball, float_down, float_up, shown, upper
from shoal.local import bit_worths, interval_of
from shoal.local.intervals import Groups, Interval
from shoal.polls.enough_answers import least_people
from shoal.polls.poll_question import PollQuestion
from shoal.polls.protocol import DIRECT, AskedQuestion

MEAN = "mean"
Ends = tuple[Fraction, Fraction]


@dataclass(frozen=True)
class PollEstimate:
    """The share of an answer, or the mean of a range, from the reports of one arm or several.

    ``value`` is exact and unbiased, so possibly outside of the range of what it estimates;
    ``interval`` is cut to it.  ``always`` is an interval that holds however often one looks, for
    polls that are open.  With fewer than ``least`` people there are too few answers yet: the
    interval may be wider than half of what is possible.
    """

    answer: str
    people: int
    value: Fraction | None
    error: float | None
    interval: Interval
    always: Interval | None
    method: str = "exact"
    least: int = 1

    @property
    def enough(self) -> bool:
        """Whether there are enough answers for the interval to mean something."""
        return self.people >= self.least

    def to_dict(self) -> dict[str, Any]:
        """The estimate as plain values."""
        return {
            "answer": self.answer,
            "people": self.people,
            "value": None if self.value is None else float(self.value),
            "exact": None if self.value is None else str(self.value),
            "error": self.error,
            "interval": list(self.interval),
            "always": None if self.always is None else list(self.always),
            "method": self.method,
            "least": self.least,
            "enough": self.enough,
        }

    def __str__(self) -> str:
        if self.value is None:
            return f"{self.answer}: no reports"
        if not self.enough:
            return f"{self.answer}: too few answers yet ({self.people:,} of {self.least:,})"
        text = shown(self.value, *self.interval)
        return f"{self.answer}: {text.value} {text.bracket}"


@dataclass(frozen=True)
class Measured:
    """What is estimated of a question in one arm: worths of reports, for each answer or for the
    mean.
    """

    names: tuple[str, ...]
    groups: tuple[Groups, ...]
    ends: tuple[Fraction, Fraction]

    @property
    def people(self) -> int:
        """How many reports there are."""
        return sum(count for _, count in self.groups[0])


def measured(question: PollQuestion, design: AskedQuestion, counts: Mapping[int, int]) -> Measured:
    """The worths of the reports of a question; counts are by the report."""
    scale, law = question.scale, design.law
    if scale is None:
        return Measured(question.answers, law.groups(counts), (Fraction(0), Fraction(1)))
    if design.way == DIRECT:
        worths = enumerate(scale.numbers)
        groups = tuple((number, counts.get(place, 0)) for place, number in worths)
    else:
        assert law.ratio is not None
        less, more = bit_worths(law.ratio, scale.low, scale.high)
        groups = ((less, counts.get(0, 0)), (more, counts.get(1, 0)))
    return Measured((MEAN,), (groups,), (scale.low, scale.high))


def estimates(found: Measured, risk: Fraction, *, is_open: bool) -> tuple[PollEstimate, ...]:
    """The estimates of one arm, each with the exact interval at this risk."""
    return tuple(
        _estimate(name, groups, found.ends, risk, is_open=is_open)
        for name, groups in zip(found.names, found.groups, strict=True)
    )


def _estimate(
    name: str, groups: Groups, ends: tuple[Fraction, Fraction], risk: Fraction, *, is_open: bool
) -> PollEstimate:
    people, least = sum(count for _, count in groups), least_people([groups], ends)
    if not people:
        nothing = float_down(ends[0]), float_up(ends[1])
        always = nothing if is_open else None
        return PollEstimate(name, 0, None, None, nothing, always, least=least)
    always = exact_interval(groups, ends, risk, method="always") if is_open else None
    error = math.sqrt(variance_of(groups)) if people > 1 else None
    interval = exact_interval(groups, ends, risk)
    return PollEstimate(name, people, mean_of(groups), error, interval, always, least=least)


def exact_interval(
    groups: Groups, ends: tuple[Fraction, Fraction], risk: Fraction, *, method: str = "exact"
) -> Interval:
    """An interval that covers at least as often as it says, cut to what is possible."""
    low, high = interval_of(groups, confidence=1 - risk, method=method, cut=False)
    least, most = float_down(ends[0]), float_up(ends[1])
    return min(max(low, least), most), max(min(high, most), least)


def mean_of(groups: Groups) -> Fraction:
    """The mean worth of a report."""
    people = sum(count for _, count in groups)
    return sum((worth * count for worth, count in groups), Fraction(0)) / people


def variance_of(groups: Groups, *, softened: bool = False) -> Fraction:
    """The estimated variance of the mean worth; ``softened`` counts every worth once more, so that
    it is never 0.
    """
    more = 1 if softened else 0
    counts = [count + more for _, count in groups]
    people = sum(counts)
    pairs = [(worth, count) for (worth, _), count in zip(groups, counts, strict=True)]
    mean = mean_of(pairs)
    spread = sum(((worth - mean) ** 2 * count for worth, count in pairs), Fraction(0))
    return spread / (people * max(1, people - 1))


def combined(
    found: Sequence[Measured], risk: Fraction, *, is_open: bool
) -> tuple[PollEstimate, ...]:
    """Several arms that hide the answer, weighted by how many reported and by how far their worths
    reach, never by what was reported.

    Proof: polls.md.
    """
    some = [each for each in found if each.people]
    if len(some) < 2:
        return ()
    return tuple(
        _weighted(
            name,
            [each.groups[place] for each in some],
            some[0].ends,
            (risk, risk / len(found)),
            is_open=is_open,
        )
        for place, name in enumerate(some[0].names)
    )


def _weighted(
    name: str,
    arms: Sequence[Groups],
    ends: Ends,
    risks: tuple[Fraction, Fraction],
    *,
    is_open: bool,
) -> PollEstimate:
    """``risks`` are that of the whole interval, and that of each arm's where all of them must hold
    at once.
    """
    people = [sum(count for _, count in groups) for groups in arms]
    reaches = [max(groups)[0] - min(groups)[0] for groups in arms]
    weights = [count / reach**2 for count, reach in zip(people, reaches, strict=True)]
    shares = [weight / sum(weights) for weight in weights]
    value = sum(
        (share * mean_of(each) for share, each in zip(shares, arms, strict=True)), Fraction(0)
    )
    spread = sum(
        share**2 * variance_of(each, softened=True)
        for share, each in zip(shares, arms, strict=True)
    )
    always = None
    if is_open:
        each_end = [exact_interval(each, ends, risks[1], method="always") for each in arms]
        low, high = (
            sum(
                (
                    share * Fraction(pair[side])
                    for share, pair in zip(shares, each_end, strict=True)
                ),
                Fraction(0),
            )
            for side in (0, 1)
        )
        always = _cut((low, high), ends)
    weight = 2 * sum(weights, Fraction(0))
    reach = upper(lambda: (ball(2 / risks[0]).log() / ball(weight)) ** ball(Fraction(1, 2)))
    interval = _cut((value - reach, value + reach), ends)
    least = least_people(arms, ends)
    return PollEstimate(
        name, sum(people), value, math.sqrt(spread), interval, always, "hoeffding", least
    )


def _cut(found: tuple[Fraction, Fraction], ends: Ends) -> Interval:
    """Two ends moved to what is possible, and rounded outwards."""
    low, high = (min(max(each, ends[0]), ends[1]) for each in found)
    return float_down(low), float_up(high)


@dataclass(frozen=True)
class Difference:
    """How much higher an estimate is in one arm than in another; the interval covers whatever
    depends on what.  There are ``enough`` answers where each of the two arms has enough.
    """

    answer: str
    arms: tuple[str, str]
    value: Fraction
    interval: Interval
    always: Interval | None
    enough: bool = True

    def to_dict(self) -> dict[str, Any]:
        """The difference as plain values."""
        return {
            "answer": self.answer,
            "arms": list(self.arms),
            "value": float(self.value),
            "exact": str(self.value),
            "interval": list(self.interval),
            "always": None if self.always is None else list(self.always),
            "enough": self.enough,
        }


def differences(
    one: tuple[str, Measured], two: tuple[str, Measured], risk: Fraction, *, is_open: bool
) -> tuple[Difference, ...]:
    """The first arm less the second, each with an interval at half of the risk."""
    (first, mine), (second, other) = one, two
    if not mine.people or not other.people:
        return ()
    made = []
    for name, a, b in zip(mine.names, mine.groups, other.groups, strict=True):
        found = [
            _apart((a, mine.ends), (b, other.ends), risk / 2, method)
            for method in ("exact", "always")[: 1 + is_open]
        ]
        value = mean_of(a) - mean_of(b)
        enough = all(
            each.people >= least_people([groups], each.ends)
            for each, groups in ((mine, a), (other, b))
        )
        always = found[1] if is_open else None
        made.append(Difference(name, (first, second), value, found[0], always, enough))
    return tuple(made)


_Side = tuple[Groups, tuple[Fraction, Fraction]]


def _apart(one: _Side, two: _Side, risk: Fraction, method: str) -> Interval:
    """The far ends of two intervals, rounded outwards."""
    low, high = exact_interval(*one, risk, method=method)
    less, more = exact_interval(*two, risk, method=method)
    return math.nextafter(low - more, -math.inf), math.nextafter(high - less, math.inf)
