"""What the counters cost towards someone who sees them and nothing else."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction

from shoal.exact import Number
from shoal.local.shuffling import ShuffledReports, shuffled
from shoal.polls.poll import PollArm
from shoal.polls.protocol import DIRECT


@dataclass(frozen=True)
class _Hidden:
    """The hidden questions of an arm as one randomizer."""

    odds: Fraction
    variation: Fraction
    epsilon: Fraction


def central(arm: PollArm, told: Counter[tuple[int, ...]], delta: Number) -> ShuffledReports | None:
    """The guarantee of an arm's counters for one person's hidden answers; None without a bound, or
    without people.

    Counters forget the order, so each person is hidden among those with the same direct answers:
    the smallest such group counts.  Reports of several questions are one report whose total
    variation is at most 1 less the product of what each leaves.
    """
    price = arm.hidden_epsilon
    hidden = [design for design in arm.designs if design.way != DIRECT]
    if not hidden or not isinstance(price, Fraction):
        return None
    groups: Counter[tuple[int, ...]] = Counter()
    for reports, count in told.items():
        pairs = zip(arm.designs, reports, strict=True)
        groups[tuple(report for design, report in pairs if design.way == DIRECT)] += count
    if not groups:
        return None
    odds, apart = Fraction(1), Fraction(1)
    for design in hidden:
        assert design.ratio is not None
        odds *= design.ratio
        apart *= 1 - design.law.variation
    return shuffled(_Hidden(odds, 1 - apart, price), people=min(groups.values()), delta=delta)
