"""Gaussian noise: continuous and then rounded, or discrete on the integers."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Self

from flint import arb

from shoal import events
from shoal.exact import (
    Grid,
    Number,
    Real,
    ball,
    float_up,
    open_unit,
    out_of_range,
    positive,
    precision_in_force,
    root_up,
    truth_value,
    upper,
    whole,
)
from shoal.measures import GaussianDP, Measure, ZeroConcentrated
from shoal.mechanisms.additive import Additive, apart
from shoal.mechanisms.affordable_parameters import gaussian_mu_of, rho_of
from shoal.mechanisms.values import read_grid
from shoal.noise import IntegerNoise, discrete_gaussian, rounded_gaussian, secret
from shoal.sensitivity import Norm, Sensitivity


@dataclass(frozen=True, init=False, repr=False)
class _Normal(Additive):
    """What the two Gaussian mechanisms share: a sigma, and sensitivity in L2."""

    sigma: Fraction
    sensitivity: Sensitivity
    grid: Grid | None

    def __init__(
        self, *, sigma: Number, sensitivity: Number | Sensitivity, grid: Grid | None = None
    ) -> None:
        keep = object.__setattr__
        keep(self, "sigma", positive(sigma, "sigma"))
        keep(self, "sensitivity", Sensitivity.read(sensitivity, norm=Norm.L2))
        keep(self, "grid", read_grid(grid))

    @property
    def spread(self) -> Fraction:
        return self.sigma

    @classmethod
    def _with(cls, spread: Fraction, sensitivity: Number | Sensitivity, grid: Grid | None) -> Self:
        return cls(sigma=spread, sensitivity=sensitivity, grid=grid)

    def _steps_apart(self, distance: Fraction, size: int) -> Fraction:
        """Rounding adds a vector of entries below one step: at most the root of ``size`` in L2."""
        if size == 1:
            return Fraction(math.ceil(distance))
        return distance + root_up(Fraction(size))

    def _quantile(self, spread: Fraction, beyond: Real) -> Real:
        """Where the continuous law has this probability beyond, half a step in."""
        return lambda: beyond().erfcinv() * arb(2).sqrt() * ball(spread)

    def textbook_error(self, confidence: Number, *, size: int = 1) -> float:
        """The bound usually quoted for continuous noise, sigma * sqrt(2 ln(2 size / (1 -
        confidence))).
        """
        risk = (1 - open_unit(confidence, "confidence")) / (2 * whole(size, "size", at_least=1))
        return float_up(upper(lambda: (-2 * ball(risk).log()).sqrt() * ball(self.sigma)))


@dataclass(frozen=True, init=False, repr=False)
class Gaussian(_Normal):
    """Add normal noise of standard deviation sigma to each number, and round the sum to the grid.

    Guarantee: mu-GDP with mu = sensitivity / sigma, exactly, for one number or a whole vector whose
        L2 sensitivity is the declared one; hence (epsilon, delta)-DP along the whole Gaussian
        profile and zero-concentrated with rho = mu^2 / 2.  The continuous noise is drawn to as many
        digits as the rounding needs, so the release is a rounding of the ideal mechanism and
        nothing else.
    Needs: sigma > 0 and sensitivity >= 0, in the units of the value; a vector needs its L2
        sensitivity.
    Edges: sensitivity 0 costs 0; a pure budget is refused, since no normal noise is pure; integers
        come back as integers, reals on a grid as with `Laplace`.
    Reference: Balle and Wang 2018, Theorem 8; Dong, Roth and Su 2022.  Proof: gaussian.md.

    >>> from shoal.measures import Approx
    >>> mechanism = Gaussian.for_budget(Approx(1, "1e-5"), sensitivity=1)
    >>> round(float(mechanism.sigma), 4)
    3.7306
    """

    @classmethod
    def classic(
        cls,
        *,
        epsilon: Number,
        delta: Number,
        sensitivity: Number | Sensitivity,
        grid: Grid | None = None,
    ) -> Self:
        """The textbook calibration sigma = sensitivity * sqrt(2 ln(1.25 / delta)) / epsilon,
        rounded up.

        Guarantee: (epsilon, delta)-DP, with more noise than `for_budget` needs.
        Needs: 0 < epsilon <= 1; above, the formula is not proved and for large epsilon it is false.
        Reference: Dwork and Roth 2014, Theorem A.1.
        """
        bound = positive(epsilon, "epsilon")
        if bound > 1:
            raise out_of_range("epsilon", bound, "at most 1 for the classic formula")
        risk = open_unit(delta, "delta")
        distance = apart(Sensitivity.read(sensitivity, norm=Norm.L2))

        def factor() -> arb:
            return (2 * ball(Fraction(5, 4) / risk).log()).sqrt()

        return cls(sigma=distance * upper(factor) / bound, sensitivity=sensitivity, grid=grid)

    @property
    def cost(self) -> GaussianDP:
        """What one release costs."""
        return GaussianDP(self.sensitivity.value / self.sigma)

    @property
    def event(self) -> events.Gaussian:
        """The description of a release of one number."""
        return self.event_for(size=1)

    def event_for(self, *, size: int) -> events.Gaussian:
        """The description of a release of ``size`` numbers."""
        return events.Gaussian(
            sigma=self.sigma,
            sensitivity=self.sensitivity.value,
            size=size,
            relation=self.sensitivity.relation,
            private=secret(),
        )

    @classmethod
    def _spread_for(cls, budget: Measure, sensitivity: Number | Sensitivity) -> Fraction:
        return apart(Sensitivity.read(sensitivity, norm=Norm.L2)) / gaussian_mu_of(budget)

    def _noise(self, spread: Fraction) -> IntegerNoise:
        return rounded_gaussian(spread * spread)

    def _coverage(self, spread: Fraction, steps: int) -> Real:
        """P(|X| <= steps) = erf((steps + 1/2) / (sigma sqrt 2)) for the rounded law, up to one
        tie.
        """
        return lambda: 1 - (ball((steps + Fraction(1, 2)) / spread) / arb(2).sqrt()).erfc()


@dataclass(frozen=True, init=False, repr=False)
class DiscreteGaussian(_Normal):
    """Add noise with P(x) proportional to exp(-x^2 / (2 sigma^2)) on the integers, or on a grid.

    Guarantee: rho-zero-concentrated DP with rho = sensitivity^2 / (2 sigma^2), exactly, for one
        number or a whole vector whose L2 sensitivity is the declared one.
    Needs: as `Gaussian`.
    Edges: as `Gaussian`.  Its approximate guarantee follows from rho; where the profile of the
        continuous law is wanted, `Gaussian` has it.  For small sigma the noise is smaller than the
        rounded normal's.  `error` is exact for sigma up to 256 steps, and beyond at most one step
        above the quantile.
    Reference: Canonne, Kamath and Steinke 2020, Theorem 4.  Proof: gaussian.md.

    >>> from shoal.measures import ZeroConcentrated
    >>> print(DiscreteGaussian.for_budget(ZeroConcentrated("0.02"), sensitivity=1).cost)
    zero-concentrated, rho 0.02
    """

    @property
    def cost(self) -> ZeroConcentrated:
        """What one release costs."""
        return ZeroConcentrated((self.sensitivity.value / self.sigma) ** 2 / 2)

    @property
    def event(self) -> events.DiscreteGaussian:
        """The description of a release of one integer."""
        return self.event_for(size=1)

    def event_for(self, *, size: int, integers: bool = True) -> events.DiscreteGaussian:
        """The description of a release of ``size`` integers or, in steps of the grid, of so many
        reals.
        """
        moved, spread = self.sensitivity.value, self.sigma
        if not truth_value(integers, "integers"):
            count = whole(size, "size", at_least=1)
            grid, spread = self._on_grid(count)
            moved = self._steps_apart(moved / grid.spacing, count) if moved else moved
        return events.DiscreteGaussian(
            sigma_squared=spread**2,
            sensitivity_squared=moved**2,
            size=size,
            relation=self.sensitivity.relation,
            private=secret(),
        )

    @classmethod
    def _spread_for(cls, budget: Measure, sensitivity: Number | Sensitivity) -> Fraction:
        distance = apart(Sensitivity.read(sensitivity, norm=Norm.L2))
        return root_up(distance**2 / (2 * rho_of(budget)))

    def _noise(self, spread: Fraction) -> IntegerNoise:
        return discrete_gaussian(spread * spread)

    def _coverage(self, spread: Fraction, steps: int) -> Real:
        """P(|X| <= steps), summed for sigma up to 256; beyond, at least erf(steps / (sigma sqrt
        2)).

        The bound: what lies beyond sums to less than the integral of the falling weight, and all
        weights sum to at least sigma sqrt(2 pi), by Poisson summation.  It is reached one step
        later at most.
        """
        if spread > _SUMMED:
            return lambda: 1 - (ball(Fraction(steps) / spread) / arb(2).sqrt()).erfc()
        return lambda: 1 - 2 * _beyond(spread, steps) / _all(spread, precision_in_force())


_SUMMED = 256


def _beyond(sigma: Fraction, steps: int) -> arb:
    """The weights exp(-x^2 / (2 sigma^2)) of all x > steps, at the precision in force.

    Each is the one before it times a factor that falls by exp(-1 / sigma^2) from term to term, so
    what follows a term is below term * factor / (1 - factor).
    """
    halved = 1 / (2 * sigma * sigma)
    first = term = ball(-halved * (steps + 1) ** 2).exp()
    factor, shrinking = ball(-halved * (2 * steps + 3)).exp(), ball(-2 * halved).exp()
    total, smallest = arb(0), first * arb(2) ** -precision_in_force()
    while not term < smallest:
        total, term, factor = total + term, term * factor, factor * shrinking
    return total + (term / (1 - factor)).union(arb(0))


@lru_cache(maxsize=64)
def _all(sigma: Fraction, precision: int) -> arb:  # noqa: ARG001 - the key under which it is kept
    return 1 + 2 * _beyond(sigma, 0)
