"""Promises with one parameter: epsilon of pure differential privacy, rho of zero-concentrated, and
mu of Gaussian.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import NoReturn

from shoal.errors import ConversionError
from shoal.exact import Number, closed_unit, exactly, holdable_up, non_negative, short_up
from shoal.measures.approx import Approx
from shoal.measures.from_pure import (
    pure_delta_up,
    pure_divergence_up,
    pure_epsilon_up,
    pure_mu_up,
    pure_rho_up,
)
from shoal.measures.from_zero_concentrated import (
    zero_concentrated_delta_up,
    zero_concentrated_epsilon_up,
)
from shoal.measures.gaussian_profile import gaussian_delta_up, gaussian_epsilon_up
from shoal.measures.measure import Measure
from shoal.measures.renyi import Renyi, read_orders


@dataclass(frozen=True, slots=True, init=False, repr=False)
class Pure(Measure):
    """epsilon-differential privacy: P(S) <= e^epsilon Q(S) for every event S.

    >>> Pure(0.1), str(Pure(0.1))
    (Pure(epsilon='0.1'), 'epsilon 0.1')
    >>> Pure(0.1) <= Pure(0.2)
    True
    """

    epsilon: Fraction

    def __init__(self, epsilon: Number) -> None:
        object.__setattr__(self, "epsilon", non_negative(epsilon, "epsilon"))

    def __str__(self) -> str:
        return f"epsilon {short_up(self.epsilon)}"

    def __repr__(self) -> str:
        return f"Pure(epsilon={exactly(self.epsilon)})"

    def _spends_at_most(self, other: Pure) -> bool:
        return self.epsilon <= other.epsilon

    def to_approx(self, *, delta: Number = 0) -> Approx:
        """The least epsilon at this delta, exactly epsilon at delta 0: `pure_epsilon_up`."""
        target = closed_unit(delta, "delta")
        return Approx(pure_epsilon_up(self.epsilon, delta=target), target)

    def to_delta(self, *, epsilon: Number) -> Approx:
        """The least delta at this epsilon, 0 from the promise's own epsilon on: `pure_delta_up`."""
        target = non_negative(epsilon, "epsilon")
        return Approx(target, pure_delta_up(self.epsilon, at_epsilon=target))

    def to_zero_concentrated(self) -> ZeroConcentrated:
        """The least rho, epsilon tanh(epsilon / 2): `pure_rho_up`."""
        return ZeroConcentrated(pure_rho_up(self.epsilon))

    def to_renyi(self, orders: Iterable[Number]) -> Renyi:
        """The least divergences, those of randomized response: `pure_divergence_up`."""
        chosen = read_orders(orders)
        return Renyi((order, pure_divergence_up(self.epsilon, order=order)) for order in chosen)

    def to_gaussian(self) -> GaussianDP:
        """The least mu, by the corner of the trade-off curve: `pure_mu_up`."""
        return GaussianDP(pure_mu_up(self.epsilon))


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
