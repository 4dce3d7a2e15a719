"""The ends of a share that hold at all times together; confidence_sequence.md has the proof."""

from __future__ import annotations

import math
from fractions import Fraction

_STEPS = 200


def always_ends(count: int, people: int, risk: Fraction) -> tuple[Fraction, Fraction]:
    """The chances of a reply that the replies so far do not contradict, with both ends moved
    outwards.
    """
    rest = people - count
    return _lower_end(count, rest, risk), 1 - _lower_end(rest, count, risk)


def evidence_against(yes: int, no: int) -> float:
    """The logarithm of the mixture's chance of these replies in their order: Beta(1/2, 1/2) over
    the share of "yes".
    """
    mixed = math.lgamma(yes + 0.5) + math.lgamma(no + 0.5) - math.lgamma(yes + no + 1)
    return mixed - math.log(math.pi)


def _lower_end(yes: int, no: int, risk: Fraction) -> Fraction:
    """The lower end for the chance of "yes", where the evidence against it passes 1 / risk, rounded
    down.
    """
    if yes == 0:
        return Fraction(0)
    least = evidence_against(yes, no) + math.log(risk)
    top = yes / (yes + no)
    low, high = 0.0, top
    for _ in range(_STEPS):
        middle = (low + high) / 2
        if middle in (low, high):
            break
        low, high = (middle, high) if _fit(middle, yes, no) <= least else (low, middle)
    return Fraction(max(0.0, low - 1e-9 * top))


def _fit(told: float, yes: int, no: int) -> float:
    """The logarithm of the chance of these replies, in their order, if "yes" comes with
    ``told``.
    """
    return yes * math.log(told) + (no * math.log1p(-told) if no else 0.0)
