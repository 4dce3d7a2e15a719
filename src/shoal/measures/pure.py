"""Pure differential privacy: one number, epsilon."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

from shoal.exact import Number, closed_unit, exactly, non_negative, short_up
from shoal.measures.approx import Approx
from shoal.measures.from_pure import (
    pure_delta_up,
    pure_divergence_up,
    pure_epsilon_up,
    pure_mu_up,
    pure_rho_up,
)
from shoal.measures.gaussian_dp import GaussianDP
from shoal.measures.measure import Measure
from shoal.measures.renyi import Renyi, read_orders
from shoal.measures.zero_concentrated import ZeroConcentrated


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
