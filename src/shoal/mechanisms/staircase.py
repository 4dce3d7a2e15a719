"""Staircase noise: the pure mechanism with the least error for one number.

For small epsilon it is hardly better than Laplace; for large epsilon its error falls exponentially in
epsilon where Laplace's falls as 1 / epsilon.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Self

from flint import arb
from numpy.typing import NDArray

from shoal import events
from shoal.errors import ShapeError
from shoal.exact import Grid, Number, Real, ball, closed_unit, lower, out_of_range, positive
from shoal.measures import Measure, Pure
from shoal.mechanisms.additive import Additive, apart
from shoal.mechanisms.budgets import pure_epsilon_of
from shoal.noise import IntegerNoise, current, staircase
from shoal.sensitivity import Norm, Sensitivity


@dataclass(frozen=True, init=False)
class Staircase(Additive):
    """Add noise whose weight falls by e^-epsilon once per sensitivity, in steps.

    Guarantee: epsilon-DP, exactly, for one number.
    Needs: epsilon > 0, sensitivity > 0; an integer value needs a whole-number sensitivity.
    Edges: ``gamma`` is where in each sensitivity the step lies; by default the place with the least expected
        error, 1 / (1 + e^(epsilon / 2)).  With sensitivity 1 on the integers every gamma gives the
        geometric law.  Arrays of several numbers are refused: the steps of two numbers that move by
        half the sensitivity each would cost twice.
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
        chosen = best_gamma(self.epsilon) if gamma is None else closed_unit(gamma, "gamma")
        keep(self, "gamma", chosen)
        keep(self, "grid", grid)

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
            private=current().private,
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
        """The sensitivity in whole steps, and how many of them are of the higher weight.

        At least one is, so that zero is among them.
        """
        width = spread * self.epsilon
        if width.denominator != 1:
            raise out_of_range("sensitivity", width, "a whole number where integers are released")
        tread = min(width.numerator, max(1, round(self.gamma * width)))
        return width.numerator, tread

    def _noise(self, spread: Fraction) -> IntegerNoise:
        return staircase(self.epsilon, *self._stairs(spread))

    def _coverage(self, spread: Fraction, steps: int) -> Real:
        """P(|X| <= steps): with C the weight of the magnitudes 0..steps, (2 C - 1) / (2 C(all) - 1)."""
        width, tread = self._stairs(spread)
        flights, place = divmod(steps + 1, width)

        def chance() -> arb:
            fall = ball(-self.epsilon).exp()
            flight = tread + (width - tread) * fall
            below = flight * (1 - fall**flights) / (1 - fall)
            within = below + fall**flights * (min(place, tread) + max(0, place - tread) * fall)
            return (2 * within - 1) / (2 * flight / (1 - fall) - 1)

        return chance

    def _steps_apart(self, distance: Fraction, size: int) -> Fraction:
        if size > 1:
            raise ShapeError(
                f"staircase noise is for one number; {size} were given.",
                remedy="Use Laplace for vectors, or a release for each number.",
            )
        return Fraction(math.ceil(distance))

    def _release_array(self, values: NDArray[Any]) -> NDArray[Any]:
        self._steps_apart(self.sensitivity.value, values.size)
        return super()._release_array(values)


def best_gamma(epsilon: Fraction) -> Fraction:
    """1 / (1 + e^(epsilon / 2)), which minimises the expected error, as a rational.

    Beyond epsilon 80 it is below every step of every grid, and 0 says the same.
    """
    return (
        lower(lambda: 1 / (1 + ball(epsilon / 2).exp()), bits=40) if epsilon < 80 else Fraction(0)
    )
