"""Intervals that may be looked at after every reply: a confidence sequence."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from shoal.exact import Number, open_unit
from shoal.local.design import Design
from shoal.local.indices import read_counts
from shoal.local.intervals import Interval, bounded

_STEPS = 200


@dataclass(frozen=True, init=False)
class ConfidenceSequence:
    """Intervals for the share that all cover together, however often one looks and whenever one stops.

    Guarantee: with at least the stated probability the share lies in every interval, over all numbers of replies at once,
        when replies come one by one from independent people of one population.
    Needs: a design of two answers; counts that only grow.
    Edges: before the first reply it is [0, 1].  Each interval by itself is wider than one planned for a single look.
    Reference: Ville 1939; Robbins 1970.  Proof: peeking.md.

    >>> from shoal.local import warner
    >>> watch = ConfidenceSequence(warner())
    >>> [tuple(round(end, 3) for end in watch.interval(counts)) for counts in ([6, 4], [600, 400], [6000, 4000])]
    [(0.0, 1.0), (0.189, 0.415), (0.261, 0.339)]
    """

    design: Design
    confidence: Fraction

    def __init__(self, design: Design, confidence: Number = "0.95") -> None:
        object.__setattr__(self, "design", design)
        object.__setattr__(self, "confidence", open_unit(confidence, "confidence"))
        _ = design.lean

    def interval(self, counts: Any) -> Interval:
        """The interval after so many replies of each kind, cut to [0, 1]."""
        if not sum(counts):
            return 0.0, 1.0
        no, yes = read_counts(counts, 2)
        ends = [self._end(yes, no), 1 - self._end(no, yes)]
        mapped = sorted((Fraction(end) - self.design.floor) / self.design.lean for end in ends)
        return bounded((mapped[0], mapped[1]))

    def _end(self, yes: int, no: int) -> float:
        """The lower end for the chance of a reply "yes", rounded down."""
        if yes == 0:
            return 0.0
        most = evidence_against(yes, no) + math.log(1 - self.confidence)
        return _first_inside(lambda told: most - _fit(told, yes, no), yes / (yes + no))


def evidence_against(yes: int, no: int) -> float:
    """The logarithm of the mixture's chance of these replies in their order: Beta(1/2, 1/2) over the share of "yes"."""
    return (
        math.lgamma(yes + 0.5)
        + math.lgamma(no + 0.5)
        - math.lgamma(yes + no + 1)
        - math.log(math.pi)
    )


def _fit(told: float, yes: int, no: int) -> float:
    """The logarithm of the chance of these replies, in their order, if "yes" comes with ``told``."""
    return yes * math.log(told) + (no * math.log1p(-told) if no else 0.0)


def _first_inside(surplus: Callable[[float], float], top: float) -> float:
    """A place at or just below the one where a falling function passes 0 on (0, top)."""
    low, high = 0.0, top
    for _ in range(_STEPS):
        middle = (low + high) / 2
        if middle in (low, high):
            break
        low, high = (middle, high) if surplus(middle) >= 0 else (low, middle)
    return max(0.0, low - 1e-9 * top)
