"""Intervals that may be looked at after every reply: a confidence sequence."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from shoal.exact import Number, open_unit
from shoal.local.design import Design
from shoal.local.indices import read_counts
from shoal.local.intervals import Interval, bounded
from shoal.local.martingale import always_ends


@dataclass(frozen=True, init=False)
class ConfidenceSequence:
    """Intervals for the share that all cover together, however often one looks and whenever one
    stops.

    Guarantee: with at least the stated probability the share lies in every interval, over all
        numbers of replies at once, when replies come one by one from independent people of one
        population.
    Needs: a design of two answers; counts that only grow.  For more answers, `Share.interval` has
        the method "always".
    Edges: before the first reply it is [0, 1].  Each interval by itself is wider than one planned
        for a single look.
    Reference: Ville 1939; Robbins 1970.  Proof: confidence_sequence.md.

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
        ends = always_ends(yes, no + yes, 1 - self.confidence)
        mapped = sorted((end - self.design.floor) / self.design.lean for end in ends)
        return bounded((mapped[0], mapped[1]))
