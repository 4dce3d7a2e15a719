"""What reports cost in random order: the central guarantee beside the local one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol

from shoal.accounting import (
    shuffled_closed_epsilon_up,
    shuffled_epsilon_up,
    shuffled_variation_epsilon_up,
)
from shoal.errors import RangeError
from shoal.exact import Number, open_unit, short_up, whole


class Randomizer(Protocol):
    """What shuffling has to know about a report."""

    @property
    def odds(self) -> Fraction:
        """The largest ratio of the chances of a report under two values."""

    @property
    def variation(self) -> Fraction:
        """The largest total variation between the reports of two values."""

    @property
    def epsilon(self) -> Fraction:
        """The logarithm of the odds, rounded up."""


@dataclass(frozen=True)
class ShuffledReports:
    """Reports of many people whose order, and therefore whose sender, nobody knows.

    Guarantee: all reports together are (``central``, ``delta``)-DP for a person whose value
        changes, and each one is ``local``-DP whatever happens to the order.
    """

    local: Fraction
    central: Fraction
    delta: Fraction
    people: int
    method: str

    def __str__(self) -> str:
        return (
            f"epsilon {short_up(self.local)} for each report by itself; epsilon {short_up(self.central)}, "
            f"delta {short_up(self.delta)} for {self.people:,} reports in random order"
        )


_Method = Callable[[Randomizer, int, Fraction], Fraction | None]
METHODS: dict[str, _Method] = {
    "variation": lambda one, people, delta: shuffled_variation_epsilon_up(
        one.odds, variation=one.variation, people=people, delta=delta
    ),
    "clones": lambda one, people, delta: shuffled_epsilon_up(
        one.epsilon, people=people, delta=delta
    ),
    "closed 2021": lambda one, people, delta: shuffled_closed_epsilon_up(
        one.epsilon, people=people, delta=delta
    ),
}


def shuffled(
    randomizer: Randomizer, *, people: int, delta: Number, method: str = "variation"
) -> ShuffledReports:
    """The guarantee of shuffled reports.

    "variation" counts with the ratio and the total variation of the protocol; "clones" knows the
    epsilon only; "closed 2021" is a formula, and says the local epsilon outside of its range.

    >>> from shoal.local.protocols.oracles import KaryResponse
    >>> print(shuffled(KaryResponse.for_epsilon(1, size=10), people=100_000, delta="1e-6"))
    epsilon 1 for each report by itself; epsilon 0.00664931, delta 1e-6 for 100,000 reports in random order
    """
    if method not in METHODS:
        raise RangeError(
            f"method must be one of {', '.join(METHODS)}; got {str(method)[:40]!r}.",
            remedy="Choose 'variation', which is the tightest.",
        )
    count, risk = whole(people, "people", at_least=1), open_unit(delta, "delta")
    found = METHODS[method](randomizer, count, risk)
    central = randomizer.epsilon if found is None else min(found, randomizer.epsilon)
    return ShuffledReports(randomizer.epsilon, central, risk, count, method)
