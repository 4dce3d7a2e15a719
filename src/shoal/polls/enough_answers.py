"""When there are too few answers to show an estimate: a rule that follows from the design alone."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

from shoal.exact import ball, upper
from shoal.local.intervals import Groups

WIDEST = Fraction(1, 2)
"""The widest interval that is shown, as a part of all that is possible."""
_RISK = Fraction(1, 20)
"""The rule is about 95 % intervals, whatever confidence is looked at."""


def least_people(arms: Sequence[Groups], ends: tuple[Fraction, Fraction]) -> int:
    """With how many reports an estimate from these arms is shown.

    Guarantee: with so many reports Hoeffding's 95 % interval is at most half as wide as the range
        of what is estimated, whatever people answer.
    Needs: for each arm every worth that a report can have, with its count.
    Edges: of several arms that have reports, so many as would be enough with the present mixture
        of the arms.  The rule looks at how many reports there are, never at what they say, so
        that waiting for it chooses no result.
    Proof: polls.md.

    >>> warner = ((Fraction(-1, 2), 0), (Fraction(3, 2), 0))
    >>> least_people([warner], (Fraction(0), Fraction(1)))
    119
    """
    reaches = [max(groups)[0] - min(groups)[0] for groups in arms]
    counts = [sum(count for _, count in groups) for groups in arms]
    if not sum(counts):
        counts = [1] * len(arms)
    weight = sum(
        (count / reach**2 for count, reach in zip(counts, reaches, strict=True)), Fraction(0)
    )
    widest = WIDEST * (ends[1] - ends[0])
    needed = upper(lambda: 2 * ball(2 / _RISK).log()) / widest**2
    return math.ceil(needed * sum(counts) / weight)
