"""Approximate differential privacy: (epsilon, delta)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import NoReturn

from shoal.errors import ConversionError
from shoal.exact import Number, ball, closed_unit, exactly, non_negative, short, short_up, upper
from shoal.measures.from_pure import pure_delta_up, pure_epsilon_up
from shoal.measures.measure import Measure


@dataclass(frozen=True, slots=True, init=False, repr=False)
class Approx(Measure):
    """(epsilon, delta)-differential privacy: P(S) <= e^epsilon Q(S) + delta for every event S.

    Delta 1 is allowed and promises nothing, which is how it prints.  One promise is at most another
    when both its numbers are.

    >>> print(Approx(0.5, "1e-6"))
    epsilon 0.5, delta 1e-6
    >>> Approx(0.5, 1e-6) <= Approx(1, 1e-6)
    True
    """

    epsilon: Fraction
    delta: Fraction

    def __init__(self, epsilon: Number, delta: Number) -> None:
        object.__setattr__(self, "epsilon", non_negative(epsilon, "epsilon"))
        object.__setattr__(self, "delta", closed_unit(delta, "delta"))

    def __str__(self) -> str:
        nothing = " (promises nothing)" if self.delta == 1 else ""
        return f"epsilon {short_up(self.epsilon)}, delta {short_up(self.delta)}{nothing}"

    def __repr__(self) -> str:
        return f"Approx(epsilon={exactly(self.epsilon)}, delta={exactly(self.delta)})"

    def _spends_at_most(self, other: Approx) -> bool:
        return self.epsilon <= other.epsilon and self.delta <= other.delta

    def to_approx(self, *, delta: Number) -> Approx:
        """The promise at a larger delta, with the smaller epsilon it allows.

        Guarantee: all that (ε, δ) implies: with probability δ everything is told, otherwise
            randomized response, is its worst case, so a delta d >= δ leaves (d - δ) / (1 - δ) for
            `pure_epsilon_up`.  Proof as for `pure_delta_up`, from x <= e^ε y + δ and
            1 - y <= e^ε (1 - x) + δ: the bounds meet at x = (δ + e^ε) / (1 + e^ε),
            y = (1 - δ) / (1 + e^ε).
        Needs: delta at least this delta.
        Reference: Kairouz, Oh and Viswanath 2015, for one release.
        """
        target = closed_unit(delta, "delta")
        if target < self.delta:
            raise ConversionError(
                f"{self} says nothing at the smaller delta {short(target)}.",
                remedy=f"Ask with delta {short(self.delta)} or more.",
            )
        if target == 1:
            return Approx(0, 1)
        spare = (target - self.delta) / (1 - self.delta)
        return Approx(pure_epsilon_up(self.epsilon, delta=spare), target)

    def to_delta(self, *, epsilon: Number) -> Approx:
        """The promise at another epsilon.

        Guarantee: δ itself for an epsilon at least as large; for a smaller ε' the least delta
            implied, δ + (1 - δ) (e^ε - e^ε') / (1 + e^ε), rounded up.
        Reference: as `to_approx`.
        """
        target = non_negative(epsilon, "epsilon")
        if target >= self.epsilon:
            return Approx(target, self.delta)
        more = pure_delta_up(self.epsilon, at_epsilon=target)
        total = upper(lambda: ball(self.delta + (1 - self.delta) * more))
        return Approx(target, min(Fraction(1), total))

    def to_zero_concentrated(self) -> NoReturn:
        raise self._bounds_no("Rényi divergence, so no rho")

    def to_renyi(self, orders: Iterable[Number]) -> NoReturn:  # noqa: ARG002
        raise self._bounds_no("Rényi divergence of any order")

    def to_gaussian(self) -> NoReturn:
        raise self._bounds_no("Gaussian trade-off curve, so no mu")

    def _bounds_no(self, what: str) -> ConversionError:
        if self.delta == 0:
            return ConversionError(
                f"{self} is a pure promise written as an approximate one.",
                remedy=f"Convert Pure(epsilon={exactly(self.epsilon)}), which is the same promise.",
            )
        return ConversionError(
            f"{self} bounds no {what}: with probability delta anything may happen.",
            remedy="Convert the measure it came from, before delta was fixed.",
        )
