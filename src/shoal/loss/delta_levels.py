"""Epsilon at a delta and delta at an epsilon, both from one family of enclosed profiles.

Deltas are sorted into levels, from one power of two up to the next, and each level has one
enclosure of the profile, made for its least delta.  Epsilon at a delta is read off the enclosure of
its level; delta at an epsilon is read off every level that can contain it.  So the way back from an
epsilon does not end above the delta it was found for: loss.md, *The way back*.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from typing import Protocol

from shoal.loss.bracket import Bracket
from shoal.loss.loss_sources import Sources

TOLERANCE = 1e-4
"""How wide a bracket of epsilon may be before it is refined."""
_LEAST_LEVEL = -1000
_MOST_LEVELS = 4
"""So many levels are looked at before a delta is left to others."""


class EnclosedProfile(Protocol):
    """The profile of a sum of losses from both sides, made for one delta and good near it."""

    @property
    def bracket(self) -> Bracket:
        """Epsilon at the delta it was made for."""

    def most(self, epsilon: float) -> float:
        """Delta, from above."""

    def least(self, epsilon: float) -> float:
        """Delta, from below."""

    def epsilon(self, delta: float) -> Bracket | None:
        """Epsilon at a delta near the one it was made for; None where it cannot tell."""


class LevelledSum(ABC):
    """A sum of losses whose profile is enclosed level by level; what is found is kept."""

    def __init__(self, sources: Sources) -> None:
        self._sources = sources
        self._known: dict[tuple[int, float], EnclosedProfile | None] = {}
        self._coarser: dict[int, EnclosedProfile | None] = {}

    @abstractmethod
    def _passes(self, delta: float, tolerance: float) -> Iterator[EnclosedProfile]:
        """Enclosures for a delta, from coarse to fine; the last is as fine as was wanted, or as can
        be.
        """

    def _coarse(self, delta: float) -> EnclosedProfile | None:  # noqa: ARG002 - for those that have one
        """An enclosure that costs little, where the first pass costs much."""
        return None

    @abstractmethod
    def _about(self, epsilon: float) -> float | None:
        """About the delta at an epsilon; None where it is not heard."""

    def _is_useful(self, found: EnclosedProfile, tolerance: float) -> bool:  # noqa: ARG002 - any is
        """Whether an enclosure that is as fine as can be is fine enough."""
        return True

    def epsilon(
        self, delta: float, tolerance: float = TOLERANCE, *, floor: float = -math.inf
    ) -> Bracket | None:
        """Epsilon at a delta; None where it is not found.  It is ``floor`` once it is known to lie
        below.
        """

        def is_enough(found: EnclosedProfile) -> bool:
            return floor >= 0 and found.most(floor) <= delta

        found = self._at(level_of(delta), tolerance, is_enough, coarsely=floor >= 0)
        if found is None:
            return None
        return Bracket(0.0, floor) if is_enough(found) else found.epsilon(delta)

    def delta(self, low: float, high: float, *, floor: float = 0.0) -> Bracket | None:
        """Delta between an epsilon rounded down and the same rounded up; None where it is not
        found, ``floor`` once below.
        """

        def is_enough(found: EnclosedProfile) -> bool:
            return found.most(low) <= floor

        best, tried = Bracket(0.0, 1.0), set[int]()
        levels = self._first_levels(low, high, floor)
        while levels and len(tried) < _MOST_LEVELS:
            level = levels.pop()
            tried.add(level)
            found = self._at(level, TOLERANCE, is_enough, coarsely=floor > 0)
            if found is not None:
                if is_enough(found):
                    return Bracket(0.0, floor)
                best = best.met(Bracket(found.least(high), found.most(low)))
            likely = range(level_of(best.low or best.high), level_of(best.high) + 1)
            levels = [each for each in likely if each not in tried]
        return best if best.high < 1 else None

    def _first_levels(self, low: float, high: float, floor: float) -> list[int]:
        """The level that probably contains delta, or that of the floor: from what is known, or else
        from a coarse estimate.
        """
        known = [found.most(low) for found in self._known.values() if found is not None]
        near = min(known) if known else self._about(high)
        return [] if near is None else [level_of(max(near, floor))]

    def _at(
        self,
        level: int,
        tolerance: float,
        is_enough: Callable[[EnclosedProfile], bool],
        *,
        coarsely: bool,
    ) -> EnclosedProfile | None:
        """The enclosure of a level, or a coarser one if that is enough; None where there is
        none.
        """
        if level < _LEAST_LEVEL:
            return None
        key, delta = (level, tolerance), 2.0**level
        if key not in self._known:
            if coarsely and level not in self._coarser:
                self._coarser[level] = self._coarse(delta)
            first = self._coarser.get(level)
            if first is not None and is_enough(first):
                return first
            last = None
            for found in self._passes(delta, tolerance):
                if is_enough(found):
                    return found
                last = found
            useful = last is not None and self._is_useful(last, tolerance)
            self._known[key] = last if useful else None
        return self._known[key]


def level_of(delta: float) -> int:
    """The exponent of the power of two that is at most delta and more than half of it."""
    return math.frexp(delta)[1] - 1 if delta > 0 else _LEAST_LEVEL - 1
