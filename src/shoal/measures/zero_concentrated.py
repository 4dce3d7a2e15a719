"""Zero-concentrated differential privacy: one number, rho."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import NoReturn

from shoal.errors import ConversionError
from shoal.exact import Number, closed_unit, exactly, non_negative, short_up
from shoal.measures.approx import Approx
from shoal.measures.from_zero_concentrated import (
    zero_concentrated_delta_up,
    zero_concentrated_epsilon_up,
)
from shoal.measures.measure import Measure
from shoal.measures.renyi import Renyi, read_orders


@dataclass(frozen=True, slots=True, init=False, repr=False)
class ZeroConcentrated(Measure):
    """rho-zCDP: the Rényi divergence of every order α > 1 is at most rho α.

    >>> print(ZeroConcentrated(0.5))
    zero-concentrated, rho 0.5
    """

    rho: Fraction

    def __init__(self, rho: Number) -> None:
        object.__setattr__(self, "rho", non_negative(rho, "rho"))

    def __str__(self) -> str:
        return f"zero-concentrated, rho {short_up(self.rho)}"

    def __repr__(self) -> str:
        return f"ZeroConcentrated(rho={exactly(self.rho)})"

    def _spends_at_most(self, other: ZeroConcentrated) -> bool:
        return self.rho <= other.rho

    def to_approx(self, *, delta: Number) -> Approx:
        """The epsilon at this delta, at the best order: `zero_concentrated_epsilon_up`."""
        target = closed_unit(delta, "delta")
        return Approx(zero_concentrated_epsilon_up(self.rho, delta=target), target)

    def to_delta(self, *, epsilon: Number) -> Approx:
        """The delta at this epsilon, at the best order: `zero_concentrated_delta_up`."""
        target = non_negative(epsilon, "epsilon")
        return Approx(target, zero_concentrated_delta_up(self.rho, epsilon=target))

    def to_zero_concentrated(self) -> ZeroConcentrated:
        """The value itself."""
        return self

    def to_renyi(self, orders: Iterable[Number]) -> Renyi:
        """Order times rho, exactly: the definition, at finitely many orders."""
        return Renyi((order, self.rho * order) for order in read_orders(orders))

    def to_gaussian(self) -> NoReturn:
        raise ConversionError(
            "no theorem here turns rho-zCDP, a bound on moments, into a Gaussian trade-off curve.",
            remedy="Take mu from the mechanism itself, or go on with to_approx(delta=...).",
        )
