"""Staircase noise: the pure mechanism with the least error for one number.

For small epsilon it is hardly better than Laplace; for large epsilon its error falls exponentially
in epsilon where Laplace's falls as 1 / epsilon.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Self

from flint import arb

from shoal import events
from shoal.errors import ShapeError
from shoal.exact import Grid, Number, Real, ball, lower, out_of_range, positive
from shoal.measures import Measure, Pure
from shoal.mechanisms.additive import Additive, apart
from shoal.mechanisms.affordable_parameters import pure_epsilon_of
from shoal.mechanisms.values import read_grid
from shoal.noise import IntegerNoise, secret, staircase
from shoal.sensitivity import Norm, Sensitivity


@dataclass(frozen=True, init=False, repr=False)
class Staircase(Additive):
    """Add noise whose weight falls by e^-epsilon once per sensitivity, in steps.

    Guarantee: epsilon-DP, exactly, for one number.
    Needs: epsilon > 0, sensitivity > 0; an integer value needs a whole-number sensitivity.
    Edges: ``gamma``, above 0 and at most 1, is where in each sensitivity the step lies; by default
        the place with the least expected error, 1 / (1 + e^(epsilon / 2)).  With sensitivity 1 on
        the integers every gamma gives the geometric law.  Arrays of several numbers are refused:
        the steps of two numbers that move by half the sensitivity each would cost twice.
    Reference: Geng, Kairouz, Oh and Viswanath 2015.  Proof: staircase.md.

    >>> from shoal.mechanisms.laplace import Laplace
    >>> stairs, laplace = Staircase(epsilon=8, sensitivity=1), Laplace.for_epsilon(8, sensitivity=1)
    >>> stairs.error("0.9") < laplace.error("0.9")
    True
    """

    epsilon: Fraction
    sensitivity: Sensitivity
    gamma: Fraction
    grid: Grid | None

    def __init__(
        self,
        *,
        epsilon: Number,
        sensitivity: Number | Sensitivity,
        gamma: Number | None = None,
        grid: Grid | None = None,
    ) -> None:
        keep = object.__setattr__
        keep(self, "epsilon", positive(epsilon, "epsilon"))
        keep(self, "sensitivity", Sensitivity.read(sensitivity, norm=Norm.L1))
        apart(self.sensitivity)
        chosen = best_gamma(self.epsilon) if gamma is None else positive(gamma, "gamma")
        if chosen > 1:
            raise out_of_range("gamma", chosen, "above 0 and at most 1")
        keep(self, "gamma", chosen)
        keep(self, "grid", read_grid(grid))

    @classmethod
    def for_epsilon(
        cls, epsilon: Number, *, sensitivity: Number | Sensitivity, grid: Grid | None = None
    ) -> Self:
        """The mechanism that costs exactly this epsilon."""
        return cls(epsilon=epsilon, sensitivity=sensitivity, grid=grid)

    @property
    def cost(self) -> Pure:
        """What one release costs."""
        return Pure(self.epsilon)

    @property
    def event(self) -> events.Staircase:
        """The description of a release of one number."""
        return events.Staircase(
            epsilon=self.epsilon,
            sensitivity=self.sensitivity.value,
            gamma=self.gamma,
            relation=self.sensitivity.relation,
            private=secret(),
        )

    @property
    def spread(self) -> Fraction:
        """The scale of a Laplace law with the same epsilon."""
        return self.sensitivity.value / self.epsilon

    @classmethod
    def _with(cls, spread: Fraction, sensitivity: Number | Sensitivity, grid: Grid | None) -> Self:
        distance = apart(Sensitivity.read(sensitivity, norm=Norm.L1))
        return cls(epsilon=distance / spread, sensitivity=sensitivity, grid=grid)

    @classmethod
    def _spread_for(cls, budget: Measure, sensitivity: Number | Sensitivity) -> Fraction:
        return apart(Sensitivity.read(sensitivity, norm=Norm.L1)) / pure_epsilon_of(budget)

    def _stairs(self, spread: Fraction) -> tuple[int, int]:
        """The sensitivity in whole steps, and how many of them are of the higher weight: those
        below gamma.
        """
        width = spread * self.epsilon
        if width.denominator != 1:
            raise out_of_range("sensitivity", width, "a whole number where integers are released")
        return width.numerator, math.ceil(self.gamma * width)

    def _noise(self, spread: Fraction) -> IntegerNoise:
        return staircase(self.epsilon, *self._stairs(spread))

    def _coverage(self, spread: Fraction, steps: int) -> Real:
        """P(|X| <= steps) = 1 - 2 q^k (F - (1 - q) p) / (2 F - 1 + q), in which q = e^-epsilon.

        F is the weight of the first flight, k how many flights end within ``steps``, and p the
        weight, over q^k, of what is passed of the next one; all flights weigh F / (1 - q), and 0
        counts once.
        """
        width, tread = self._stairs(spread)
        flights, place = divmod(steps + 1, width)

        def chance() -> arb:
            fall, drop = ball(-self.epsilon).exp(), -ball(-self.epsilon).expm1()
            flight = tread + (width - tread) * fall
            passed = min(place, tread) + max(0, place - tread) * fall
            beyond = ball(-self.epsilon * flights).exp() * (flight - drop * passed)
            return 1 - 2 * beyond / (2 * flight - drop)

        return chance

    def _quantile(self, spread: Fraction, beyond: Real) -> Real:
        """`_coverage` solved for the flights and then for the place in the last one."""
        width, tread = self._stairs(spread)

        def steps() -> arb:
            fall, drop = ball(-self.epsilon).exp(), -ball(-self.epsilon).expm1()
            flight = tread + (width - tread) * fall
            left = beyond() * (2 * flight - drop) / 2
            flights = (-(left / flight).log() / ball(self.epsilon)).mid().floor()
            passed = (flight - left * (ball(self.epsilon) * flights).exp()) / drop
            on_tread = passed if passed < tread else tread + (passed - tread) / fall
            return flights * width + on_tread

        return steps

    def _steps_apart(self, distance: Fraction, size: int) -> Fraction:
        self._check_size(size)
        return Fraction(math.ceil(distance))

    def _lattice(self, size: int, *, integers: bool) -> tuple[Grid | None, Fraction]:
        self._check_size(size)
        return super()._lattice(size, integers=integers)

    def _check_size(self, size: int) -> None:
        if size > 1:
            raise ShapeError(
                f"staircase noise is for one number; {size} were given.",
                remedy="Use Laplace for vectors, or a release for each number.",
            )

    def _shown(self) -> Iterator[tuple[str, Any]]:
        usual = self.gamma == best_gamma(self.epsilon)
        return (part for part in super()._shown() if not (usual and part[0] == "gamma"))


def best_gamma(epsilon: Fraction) -> Fraction:
    """1 / (1 + e^(epsilon / 2)), which minimises the expected error, as a rational above 0.

    Beyond epsilon 18000 the one for 18000 is kept: a smaller one would not fit an event.
    """
    capped = min(epsilon, Fraction(18000))
    return lower(lambda: 1 / (1 + ball(capped / 2).exp()), bits=40)
