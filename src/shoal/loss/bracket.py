"""Two numbers with the truth between them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Bracket:
    """Two numbers between which the truth lies; ``high`` is the one to promise."""

    low: float
    high: float

    @property
    def width(self) -> float:
        return self.high - self.low

    def joined(self, other: Bracket) -> Bracket:
        """The bracket of the larger of two numbers."""
        return Bracket(max(self.low, other.low), max(self.high, other.high))

    def met(self, other: Bracket) -> Bracket:
        """What both brackets of one number leave."""
        return Bracket(max(self.low, other.low), min(self.high, other.high))
