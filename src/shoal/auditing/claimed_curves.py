"""What a promise allows for one event: how likely it may be on one dataset, given how likely it is
on its neighbour.

For an event S let p = P(S) on one dataset and q = Q(S) on the other.  Whatever the promise, its
parameter bounds p by a function of q, ``reach(q, parameter)``, which rises in both; its inverse
``strength(p, q)`` is the least parameter that allows the pair.  Both orders of the datasets and
both the event and its complement are in it, so the curve is its own mirror image: p = reach(q)
where 1 - q = reach(1 - p).  See `intervals` for what is made of it.

Of the Rényi divergences it says what the two chances of the event imply: by the data-processing
inequality the divergence of the outputs is at least that of the two coins (p, 1 - p) and (q, 1 -
q).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from shoal.auditing.extra import audit_module
from shoal.errors import ConversionError, RangeError
from shoal.exact import float_up, short
from shoal.interpret import Polygon, TradeOff
from shoal.measures import Approx, GaussianDP, Measure, Pure, Renyi, ZeroConcentrated

Array = NDArray[np.float64]
Promise = Measure | TradeOff
"""What can be claimed."""

LARGEST = 700.0
"""No parameter is looked for beyond this; e^700 is near the largest float."""

_ORDERS = (1.0, 1.2, 2.0, 4.0, 10.0, 40.0)
"""Orders at which zero-concentrated promises are tried; any set of them gives a lower bound on rho.
"""

_ROOM = 1e-12
"""Chances that a claimed polygon allows are given this much room for rounding its corners to
floats.
"""


class PromiseCurve(Protocol):
    """A family of promises with one parameter."""

    @property
    def name(self) -> str:
        """The parameter in words."""
        ...

    def strength(self, p: Any, q: Any) -> Array:
        """The least parameter that allows an event of chances p and q; at most 0 where p <= q."""
        ...

    def reach(self, q: Any, parameter: float) -> Array:
        """The largest chance p of an event of chance q on the neighbour that the parameter
        allows.
        """
        ...


@dataclass(frozen=True)
class ApproxClaim:
    """(epsilon, delta), for a fixed delta; delta 0 is pure.

    >>> curve = ApproxClaim(0.0)
    >>> round(float(curve.reach(0.25, math.log(2))), 9), round(float(curve.strength(0.5, 0.25)), 9)
    (0.5, 0.693147181)
    """

    delta: float

    @property
    def name(self) -> str:
        return f"epsilon at delta {self.delta:.6g}" if self.delta else "epsilon"

    def strength(self, p: Any, q: Any) -> Array:
        p, q = np.asarray(p, dtype=np.float64), np.asarray(q, dtype=np.float64)
        with np.errstate(divide="ignore", invalid="ignore"):
            first = np.log(np.maximum(p - self.delta, 0)) - np.log(q)
            second = np.log(np.maximum(1 - q - self.delta, 0)) - np.log1p(-p)
        found = np.maximum(np.nan_to_num(first, nan=-np.inf), np.nan_to_num(second, nan=-np.inf))
        return np.where(p > q, np.clip(found, 0, LARGEST), 0.0)

    def reach(self, q: Any, parameter: float) -> Array:
        q = np.asarray(q, dtype=np.float64)
        first = _times_exp(q, parameter) + self.delta
        second = 1 - np.exp(-parameter) * np.maximum(1 - q - self.delta, 0)
        return _up(np.minimum(first, second))


@dataclass(frozen=True)
class GaussianClaim:
    """mu: the two laws are at least as hard to tell apart as N(0, 1) and N(mu, 1).

    A pair (p, q) outside is a point of the trade-off curve, errors q and 1 - p, below that of the
    claim.
    """

    name: str = "mu"

    def strength(self, p: Any, q: Any) -> Array:
        ndtri = audit_module("scipy.special").ndtri

        with np.errstate(invalid="ignore"):
            found = np.nan_to_num(np.asarray(ndtri(p) - ndtri(q)), posinf=LARGEST)
        return np.where(np.asarray(p) > np.asarray(q), np.clip(found, 0, LARGEST), 0.0)

    def reach(self, q: Any, parameter: float) -> Array:
        special = audit_module("scipy.special")
        ndtr, ndtri = special.ndtr, special.ndtri

        q = np.asarray(q, dtype=np.float64)
        moved = np.asarray(ndtr(ndtri(q) + parameter))
        return np.where(q >= 1, 1.0, np.where(q <= 0, 0.0, _up(moved)))


@dataclass(frozen=True)
class RenyiClaim:
    """The Rényi divergence at one order; with ``zero_concentrated``, the largest divergence over
    its order.
    """

    orders: tuple[float, ...]
    zero_concentrated: bool = False

    @property
    def name(self) -> str:
        if self.zero_concentrated:
            return "rho"
        return f"Rényi epsilon at order {self.orders[0]:.6g}"

    def strength(self, p: Any, q: Any) -> Array:
        p, q = np.broadcast_arrays(np.asarray(p, dtype=np.float64), np.asarray(q, dtype=np.float64))
        found = np.zeros(p.shape)
        for order in self.orders:
            weight = order if self.zero_concentrated else 1.0
            both = np.maximum(_divergence(p, q, order), _divergence(q, p, order))
            found = np.maximum(found, both / weight)
        return np.where(p > q, np.clip(found, 0, LARGEST), 0.0)

    def reach(self, q: Any, parameter: float) -> Array:
        """By bisection: the strength rises with p."""
        q = np.asarray(q, dtype=np.float64)
        low, high = q.copy(), np.ones_like(q)
        for _ in range(40):
            middle = (low + high) / 2
            inside = self.strength(middle, q) <= parameter
            low, high = np.where(inside, middle, low), np.where(inside, high, middle)
        return np.where(q <= 0, 0.0, _up(high))


@dataclass(frozen=True)
class TradeOffClaim:
    """How far, as a chance, the errors of telling the datasets apart fall below a curve that is
    claimed; the claim is 0.

    Lowered by t, the curve f allows p <= u(q) + t and 1 - q <= u(1 - p) + t, where u(q) is the
    largest chance that f itself allows.  The strength of a pair inside the curve is below 0: by how
    much it could be lowered.
    """

    promised: Polygon
    name: str = "the fall below the trade-off curve"

    def strength(self, p: Any, q: Any) -> Array:
        p, q = np.asarray(p, dtype=np.float64), np.asarray(q, dtype=np.float64)
        return np.asarray(
            np.maximum(
                p - most_allowed(self.promised, q), 1 - q - most_allowed(self.promised, 1 - p)
            )
        )

    def reach(self, q: Any, parameter: float) -> Array:
        q = np.asarray(q, dtype=np.float64)
        moved = most_allowed(self.promised, np.minimum(q + parameter, 1.0))
        return _up(np.minimum(most_allowed(self.promised, q) + parameter, moved))


def most_allowed(promised: Polygon, q: Any) -> Array:
    """The largest chance that a claimed curve allows an event of chance q on the neighbour, in both
    orders of the datasets.

    >>> curve = Polygon([(0, 1), ("0.25", "0.25"), (1, 0)])
    >>> round(most_allowed(curve, 0.125).item(), 9)
    0.375
    """
    q = np.asarray(q, dtype=np.float64)
    corners = np.array([(float(alpha), float(beta)) for alpha, beta in promised.bent])
    alphas, betas = corners[:, 0], corners[:, 1]
    missed = np.interp(q, alphas, betas, right=0.0)
    swapped = np.interp(q, betas[::-1], alphas[::-1], right=0.0)
    return np.asarray(np.clip(1 - np.maximum(missed, swapped) + _ROOM, 0, 1))


def _divergence(p: Array, q: Array, order: float) -> Array:
    """The Rényi divergence of a coin p from a coin q, of Kullback and Leibler at order 1."""
    with np.errstate(divide="ignore", invalid="ignore"):
        heads, tails = np.log(p), np.log1p(-p)
        ours, others = np.log(q), np.log1p(-q)
        if order == 1:
            total = np.where(p > 0, p * (heads - ours), 0) + np.where(
                p < 1, (1 - p) * (tails - others), 0
            )
        else:
            first = np.where(p > 0, order * heads + (1 - order) * ours, -np.inf)
            second = np.where(p < 1, order * tails + (1 - order) * others, -np.inf)
            total = np.logaddexp(first, second) / (order - 1)
    return np.where(np.isnan(total), np.inf, total)


def _times_exp(chance: Array, exponent: float) -> Array:
    """e^exponent times a chance; where that is beyond every float it is any number above 1."""
    if exponent <= LARGEST:
        return np.asarray(np.exp(exponent) * chance)
    with np.errstate(divide="ignore"):
        return np.exp(np.minimum(np.log(chance) + exponent, 1.0))


def _up(chance: Array) -> Array:
    """A chance with room for the roundings of its formula."""
    return np.minimum(1.0, chance * (1 + 1e-12) + 1e-300)


@dataclass(frozen=True)
class ClaimedCurve:
    """What is claimed, as a curve and the claimed parameter; rounded up, so that a refutation
    refutes the claim itself.
    """

    measure: Promise
    curve: PromiseCurve
    claimed: float

    @property
    def text(self) -> str:
        return str(self.measure)


def read_claim(claim: Promise | None, *, epsilon: Any = None, delta: Any = None) -> Promise:
    """The claim that is meant: a measure, a trade-off curve, or an epsilon and perhaps a delta."""
    if claim is not None and (epsilon is not None or delta is not None):
        raise RangeError(
            "the claim was given twice: as claim= and as epsilon= or delta=.",
            remedy="Give claim=shoal.Approx(1, 1e-6), or epsilon=1 with delta=1e-6.",
        )
    if claim is not None:
        if not isinstance(claim, Measure | TradeOff):
            raise RangeError(
                f"a claim is a measure of Shoal or a trade-off curve; got {type(claim).__name__}.",
                remedy="Give claim=shoal.Pure(1), or epsilon=1.",
            )
        return claim
    if epsilon is None:
        raise RangeError(
            "there is no claim to test.",
            remedy="Give claim=shoal.Pure(1), or epsilon=1; a mechanism of Shoal brings its own.",
        )
    return Pure(epsilon) if delta is None else Approx(epsilon, delta)


def claims_of(measure: Promise) -> Sequence[ClaimedCurve]:
    """The claim as curves, one of which is tested: a Rényi promise has one for each of its
    orders.
    """
    match measure:
        case Pure():
            return [ClaimedCurve(measure, ApproxClaim(0.0), float_up(measure.epsilon))]
        case Approx():
            if measure.delta == 1:
                raise RangeError(
                    "delta 1 promises nothing, so nothing can refute it.",
                    remedy="Claim a delta below 1.",
                )
            return [
                ClaimedCurve(
                    measure, ApproxClaim(float_up(measure.delta)), float_up(measure.epsilon)
                )
            ]
        case TradeOff():
            return [_claimed_curve(measure)]
        case GaussianDP():
            return [ClaimedCurve(measure, GaussianClaim(), float_up(measure.mu))]
        case ZeroConcentrated():
            return [
                ClaimedCurve(
                    measure, RenyiClaim(_ORDERS, zero_concentrated=True), float_up(measure.rho)
                )
            ]
        case Renyi():
            return [
                ClaimedCurve(measure, RenyiClaim((_order_down(order),)), float_up(epsilon))
                for order, epsilon in measure.curve
            ]
    raise ConversionError(
        f"{measure} is no promise about every pair of neighbours, so no pair can refute it.",
        remedy="Audit a promise of differential privacy: Pure, Approx, Renyi, ZeroConcentrated or GaussianDP, or a trade-off curve.",
    )


def _claimed_curve(promised: TradeOff) -> ClaimedCurve:
    """A trade-off curve as a claim: the polygon below it, which promises no more."""
    polygon = promised.polygon_down()
    if polygon.corners[0][1] == 0:
        raise RangeError(
            "the curve is 0 nearly everywhere, so nothing can refute it.",
            remedy="Claim a curve of larger errors.",
        )
    return ClaimedCurve(polygon, TradeOffClaim(polygon), 0.0)


def _order_down(order: Fraction) -> float:
    """The divergence rises with the order, so an order that is rounded down is promised no less."""
    near = float(order)
    down = near if Fraction(near) <= order else math.nextafter(near, 0)
    if down <= 1:
        raise RangeError(
            f"the order {short(order)} is too close to 1 to be tested.",
            remedy="Claim larger orders.",
        )
    return down
