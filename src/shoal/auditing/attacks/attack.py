"""An attack: what it is after, what it sees, and how often it is right, with and without Shoal in
front.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from shoal.page import Part
from shoal.reproduce import Effort

EPSILON = Fraction(1, 10)
"""What Shoal may spend on everything that the attacker sees, in the figures that are compared."""

ERRORS = 4
"""So many standard errors are forgiven where a measured share is held against a bound."""


@dataclass(frozen=True)
class Score:
    """How often an attack was right: the share of its guesses in each of many independent runs.

    >>> Score.of([True, True, False, True]).rate
    0.75
    """

    runs: tuple[float, ...]

    @classmethod
    def of(cls, right: Any) -> Score:
        """From one truth value or share per run."""
        return cls(tuple(np.asarray(right, dtype=np.float64).ravel().tolist()))

    @property
    def rate(self) -> float:
        """The share over all runs."""
        return math.fsum(self.runs) / len(self.runs)

    @property
    def error(self) -> float:
        """The standard error of the rate."""
        rate = self.rate
        spread = math.fsum((each - rate) ** 2 for each in self.runs)
        return math.sqrt(spread / max(1, len(self.runs) - 1) / len(self.runs))

    def to_dict(self) -> dict[str, float | int]:
        """As plain data."""
        return {"rate": self.rate, "standard_error": self.error, "runs": len(self.runs)}


@dataclass(frozen=True)
class Result:
    """What an attack found: without Shoal, with Shoal at epsilon 0.1, and what nobody could exceed
    there.
    """

    chance: float
    """How often someone is right who sees nothing."""
    without: Score
    shoal: Score
    ceiling: float
    """No attack is right more often on what Shoal released, whatever it knows and computes; rounded
    up.
    """
    parts: Sequence[Part]

    @property
    def works(self) -> bool:
        """Whether the attack is right more than 95 % of the time where Shoal is not in front."""
        return self.without.rate > 0.95

    @property
    def held(self) -> bool:
        """Whether the attack stays below the ceiling with Shoal, but for what chance explains."""
        return self.shoal.rate - ERRORS * self.shoal.error <= self.ceiling

    def to_dict(self) -> dict[str, Any]:
        """As plain data, without the page."""
        return {
            "epsilon": float(EPSILON),
            "chance": self.chance,
            "without": self.without.to_dict(),
            "shoal": self.shoal.to_dict(),
            "ceiling": self.ceiling,
            "works": self.works,
            "held": self.held,
        }


@dataclass(frozen=True)
class Attack:
    """One classic attack."""

    name: str
    title: str
    aim: str
    """What the attacker wants to know, and when that counts as a success."""
    source: str
    run: Callable[[Effort], Result]
