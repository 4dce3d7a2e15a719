"""How many people the contribution bound cuts: a private count of those beyond their share, and of
those within it.

Intervals cover the noise and not what bounding changed.  How much it changed is private, so it is
told on request, for a part of what the question costs.  Proof: clipped_people.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from shoal.engines.engine import Engine
from shoal.events import Event
from shoal.exact import root_up, shown
from shoal.plan import Bounded, Person
from shoal.query.noise_choice import Means, Noise, noise_with
from shoal.sensitivity import Norm, Relation, Sensitivity

SHARE = Fraction(1, 10)
"""So much of what a question costs goes to this count, where it is asked for."""


@dataclass(frozen=True)
class Clipped:
    """Noisy numbers of people beyond their share and within it; ``error`` is how far each can be
    off at ``confidence``.
    """

    beyond: int
    within: int
    error: float
    confidence: Fraction

    @property
    def interval(self) -> tuple[float, float]:
        """Where the number of people beyond their share is."""
        return max(0.0, self.beyond - self.error), max(0.0, self.beyond + self.error)

    def __str__(self) -> str:
        text = shown(self.beyond, *self.interval, places=0)
        people = max(self.beyond + self.within, self.beyond, 0)
        return f"About {text.value} of {people:,} people are beyond this limit ({text.ends})."


@dataclass(frozen=True)
class Clipping:
    """Two counts of persons and the noise they get.

    Guarantee: one person moves the two counts together by at most ``noise.sensitivity``.
    Needs: an engine in which one person changes one number of `Engine.shares` by one.
    Edges: ``by_rows`` is off where only persons are counted; then rows in a group do not matter.
        Proof: clipped_people.md.
    """

    bounded: Bounded
    noise: Noise
    by_rows: bool

    @classmethod
    def of(cls, bounded: Bounded, means: Means, *, by_rows: bool) -> Clipping:
        """The counts for the persons of bounded totals, at their share of what is spent."""
        change = bounded.unit.relation is Relation.CHANGE
        size = Fraction(1)
        if change:  # one person leaves one count and joins the other
            size = Fraction(2) if bounded.norm is Norm.L1 else root_up(Fraction(2))
        moved = Sensitivity(size, bounded.norm, bounded.unit.relation)
        return cls(bounded, noise_with(moved, means, SHARE), by_rows)

    @property
    def event(self) -> Event:
        """What both counts cost."""
        return self.noise.event_for(size=2)

    def release(self, engine: Engine) -> tuple[int, int]:
        """How many persons are beyond their share, and how many within it, with noise."""
        counts = self._counts(engine.shares(self.bounded))
        beyond, within = self.noise.release(np.array(counts, dtype=object))
        return int(beyond), int(within)

    def told(self, counts: tuple[int, int], confidence: Fraction) -> Clipped:
        """What was released, with its error."""
        error = float(self.noise.error(confidence, integers=True))
        return Clipped(*counts, error, confidence)

    def _counts(self, found: Mapping[tuple[int, int], int]) -> tuple[int, int]:
        unit = self.bounded.unit
        assert isinstance(unit, Person)
        beyond = sum(
            persons
            for (groups, rows), persons in found.items()
            if groups > unit.groups or (self.by_rows and rows > unit.rows_per_group)
        )
        return beyond, sum(found.values()) - beyond
