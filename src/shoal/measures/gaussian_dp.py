"""Gaussian differential privacy: one number, mu."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from shoal.exact import Number, closed_unit, exactly, holdable_up, non_negative, short_up
from shoal.measures.approx import Approx
from shoal.measures.gaussian import gaussian_delta_up, gaussian_epsilon_up
from shoal.measures.measure import Measure
from shoal.measures.renyi import Renyi
from shoal.measures.zero_concentrated import ZeroConcentrated


@dataclass(frozen=True, slots=True, init=False, repr=False)
class GaussianDP(Measure):
    """mu-GDP: neighbours are at least as hard to tell apart as N(0, 1) and N(mu, 1).

    It is the exact promise of Gaussian noise of standard deviation sensitivity / mu.

    >>> print(GaussianDP(1).to_approx(delta="1e-5"))
    epsilon 4.37718, delta 0.00001
    """

    mu: Fraction

    def __init__(self, mu: Number) -> None:
        object.__setattr__(self, "mu", non_negative(mu, "mu"))

    def __str__(self) -> str:
        return f"Gaussian, mu {short_up(self.mu)}"

    def __repr__(self) -> str:
        return f"GaussianDP(mu={exactly(self.mu)})"

    def _spends_at_most(self, other: GaussianDP) -> bool:
        return self.mu <= other.mu

    def to_approx(self, *, delta: Number) -> Approx:
        """The least epsilon at this delta: `gaussian_epsilon_up`."""
        target = closed_unit(delta, "delta")
        return Approx(gaussian_epsilon_up(self.mu, target), target)

    def to_delta(self, *, epsilon: Number) -> Approx:
        """The least delta at this epsilon: `gaussian_delta_up`."""
        target = non_negative(epsilon, "epsilon")
        return Approx(target, gaussian_delta_up(self.mu, target))

    def to_zero_concentrated(self) -> ZeroConcentrated:
        """The rho of two normals mu apart, exactly.

        Guarantee: every mu-GDP release is (mu²/2)-zCDP.  Proof: by Blackwell's theorem its pair of
            output laws is a randomised function of N(0, 1) and N(mu, 1), whose divergence of order
            α is α mu²/2 and cannot grow under such a function.  No smaller rho will do.
        Reference: Bun and Steinke 2016, Proposition 1.6; Dong, Roth and Su 2022, Theorem 2.10.
        """
        return ZeroConcentrated(holdable_up(self.mu**2 / 2))

    def to_renyi(self, orders: Iterable[Number]) -> Renyi:
        """The divergences of two normals mu apart, α mu²/2, exactly; see `to_zero_concentrated`."""
        return self.to_zero_concentrated().to_renyi(orders)

    def to_gaussian(self) -> GaussianDP:
        """The value itself."""
        return self
