"""A limit is a value: a number that no mechanism beats, of what, and by which theorem."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

from shoal.errors import RangeError
from shoal.exact import Number, float_down, non_negative, rational, short_down, short_up


@dataclass(frozen=True)
class Limit:
    """The least error there can be.

    Guarantee: every mechanism that keeps the promise has an error of at least ``value``, in the sense of
        ``of``, for some population or dataset of the class.  The value is rounded down.
    ``public`` is an error that is attained without any promise, rounded up, or None where none is stated.
    """

    value: Fraction
    of: str
    theorem: str
    public: Fraction | None = None

    @property
    def price(self) -> float | None:
        """How many times the error without a promise any private error is, at least; never below
        1.
        """
        if self.public is None:
            return None
        return max(1.0, float_down(self.value / self.public))

    def __float__(self) -> float:
        return float_down(self.value)

    def __str__(self) -> str:
        return f"at least {short_down(self.value, digits=4)}, {self.of} ({self.theorem})"


@dataclass(frozen=True)
class LimitComparison:
    """An error beside the best possible one."""

    error: Fraction
    limit: Limit

    @property
    def ratio(self) -> float:
        """How many times the limit the error is; infinite where the limit is 0."""
        if self.limit.value == 0:
            return math.inf
        return float(self.error / self.limit.value)

    def __str__(self) -> str:
        least = short_down(self.limit.value, digits=4)
        error, ratio = (
            short_up(self.error, digits=4),
            short_up(rational(self.ratio, "ratio"), digits=3),
        )
        return f"{error}, where no mechanism has less than {least}: {ratio} times the limit"


def beside(error: Number, limit: Limit) -> LimitComparison:
    """Show an error beside the best possible one.

    Edges: an error below the limit is refused: it belongs to another promise, class or measure of
    error.

    >>> from shoal.measures import Pure
    >>> from shoal.limits import count
    >>> print(beside("1.85", count(Pure(1))))
    1.85, where no mechanism has less than 0.2384: 7.76 times the limit
    """
    found = non_negative(error, "error")
    if found < limit.value:
        raise RangeError(
            "error is below the limit, so the two are not about the same thing.",
            remedy=f"Give an error that is a {limit.of}, under the promise the limit was made for.",
        )
    return LimitComparison(found, limit)
