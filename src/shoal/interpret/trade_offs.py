"""The trade-off curve: how few misses a tester can have for so many false alarms.

A tester sees one release and must say which of two neighbours it came from.  With a false alarm (a
type-I error) of probability α under the one, it misses (a type-II error) with probability at least
f(α) under the other, whatever it does.  f is convex and falls from at most 1 to 0.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from fractions import Fraction
from typing import TYPE_CHECKING

from shoal.errors import ConversionError
from shoal.exact import Number
from shoal.interpret.profiles import Profile

if TYPE_CHECKING:
    from shoal.interpret.polygon import Polygon


class TradeOff(ABC):
    """The least type-II error at each type-I error, rounded down; the power, rounded up.

    Guarantee: every test of one neighbour (type-I error α) against the other has a type-II error of
        at least `type_two_down` and a power, one minus that error, of at most `power_up`.  The
        power is bounded by itself, so that it keeps its digits where it is small.
    Reference: Wasserman and Zhou 2010, Theorem 2.4; Dong, Roth and Su 2022, Definition 2.1.
    """

    __slots__ = ()

    @abstractmethod
    def type_two_down(self, type_one: Number) -> Fraction:
        """A type-II error that no test of this type-I error can undercut."""

    @abstractmethod
    def power_up(self, type_one: Number) -> Fraction:
        """A power that no test of this type-I error can exceed."""

    @abstractmethod
    def delta_up(self, epsilon: Number) -> Fraction:
        """The delta at this epsilon, by duality: the largest of 1 - f(α) - e^ε α, rounded up.

        It is that of one direction, P(S) <= e^ε Q(S) + δ with P the alternative of the test.
        """

    def inverse(self) -> TradeOff:
        """The curve with the two errors swapped; a promise that holds both ways is its own
        inverse.
        """
        return self

    def polygon_down(self) -> Polygon:
        """A polygon on or below the curve, close to it; exact where the curve is one.

        Needs: a curve in closed form, for only its values are right to the last bits.
        """
        raise ConversionError(
            f"{type(self).__name__} has no trade-off curve in closed form, so no polygon is close below it.",
            remedy="Give a Pure, Approx or GaussianDP measure, or the corners of a Polygon.",
        )

    @abstractmethod
    def profile(self) -> Profile:
        """The profile, both ways round."""
