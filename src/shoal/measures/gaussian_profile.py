"""The exact privacy of Gaussian noise, both ways, and the noise that a promise needs.

Two unit normals mu apart dominate everything that is mu-GDP, and the delta they need at epsilon is

    delta(mu, epsilon) = Φ(mu/2 - epsilon/mu) - e^epsilon Φ(-mu/2 - epsilon/mu).

With a = epsilon/mu - mu/2 and b = a + mu it is φ(a) (m(a) - m(b)), m the Mills ratio, because
e^epsilon φ(b) = φ(a): no term overflows, and a and b are exact rationals.  It grows with mu, at
rate φ(a), and falls with epsilon; so each inverse is one bracketed turning point.
"""

from __future__ import annotations

import math
from fractions import Fraction

from flint import arb

from shoal.exact import (
    Number,
    Real,
    approximately,
    ball,
    closed_unit,
    is_below,
    lower,
    non_negative,
    open_unit,
    turning_point,
    upper,
)
from shoal.exact.real import SMALLEST
from shoal.measures.measure import no_epsilon_at_zero
from shoal.measures.normal import density, mills, mills_drop, upper_tail

_FAR = 152
"""For a > 152 the bound delta <= P(N > a) <= exp(-a²/2) is below every delta that can be given."""

_SMALL = Fraction(1, 2**32)
"""Below this mu the two tails nearly cancel and their difference is summed as a series."""


def gaussian_delta_up(mu: Number, epsilon: Number) -> Fraction:
    """The delta that mu-GDP needs at this epsilon.

    Guarantee: every mu-GDP release is (epsilon, delta)-DP at the delta returned, which is the least
        such delta rounded up in its 64th bit.
    Needs: mu >= 0, epsilon >= 0.
    Edges: mu 0 needs delta 0; a delta below 2^-16500 is returned as 2^-16500, never as 0.
    Reference: Balle and Wang 2018, Theorem 8; Dong, Roth and Su 2022, Corollary 2.13.

    >>> round(float(gaussian_delta_up(1, 1)), 6)
    0.126937
    """
    mu, epsilon = non_negative(mu, "mu"), non_negative(epsilon, "epsilon")
    if mu == 0:
        return Fraction(0)
    if _distance(mu, epsilon) > _FAR:
        return SMALLEST
    return min(Fraction(1), max(SMALLEST, upper(_profile(mu, epsilon))))


def gaussian_delta_down(mu: Number, epsilon: Number) -> Fraction:
    """A delta below which no mu-GDP promise can be said at this epsilon.

    Guarantee: two normals mu apart are not (epsilon, delta)-DP for any delta below the one
        returned.
    Needs: mu >= 0, epsilon >= 0.
    Edges: a delta below 2^-16500 is returned as 0.
    Reference: as `gaussian_delta_up`; rounded down instead.
    """
    mu, epsilon = non_negative(mu, "mu"), non_negative(epsilon, "epsilon")
    if mu == 0 or _distance(mu, epsilon) > _FAR:
        return Fraction(0)
    delta = lower(_profile(mu, epsilon))
    return delta if delta >= SMALLEST else Fraction(0)


def gaussian_epsilon_up(mu: Number, delta: Number) -> Fraction:
    """The epsilon that mu-GDP needs at this delta.

    Guarantee: every mu-GDP release is (epsilon, delta)-DP at the epsilon returned, which exceeds
        the least such epsilon by a factor of at most 1 + 2^-52.
    Needs: mu >= 0, 0 <= delta <= 1; delta > 0 unless mu is 0.
    Edges: 0 where delta covers the total variation distance, 2 Φ(mu/2) - 1.
    Reference: as `gaussian_delta_up`, whose delta falls strictly in epsilon.

    >>> round(float(gaussian_epsilon_up(1, "1e-5")), 6)
    4.377178
    """
    mu, delta = non_negative(mu, "mu"), closed_unit(delta, "delta")
    if mu == 0 or delta == 1:
        return Fraction(0)
    if delta == 0:
        raise no_epsilon_at_zero("A Gaussian trade-off curve")
    if _fits(mu, Fraction(0), delta):
        return Fraction(0)
    start, close = _start_of_epsilon(mu, delta)
    _, enough = turning_point(
        lambda epsilon: not _fits(mu, epsilon, delta), start=start, close=close
    )
    return enough


def gaussian_mu_down(epsilon: Number, delta: Number) -> Fraction:
    """The largest mu, so the least Gaussian noise, that keeps an (epsilon, delta) promise.

    Guarantee: every release that is mu-GDP at the mu returned is (epsilon, delta)-DP; the largest
        such mu is greater by a factor of at most 1 + 2^-52.  Noise of standard deviation
        sensitivity / mu does it, for every epsilon, small or large.
    Needs: epsilon >= 0, 0 < delta < 1.
    Edges: epsilon 0 is a promise on total variation alone: mu about delta sqrt(2π).
    Reference: Balle and Wang 2018, Algorithm 1, here by bracketing with enclosures.

    >>> round(1 / float(gaussian_mu_down(1, "1e-5")), 6)
    3.730632
    """
    epsilon, delta = non_negative(epsilon, "epsilon"), open_unit(delta, "delta")
    start = approximately(lambda: _start_of_mu(ball(epsilon), delta))
    enough, _ = turning_point(lambda mu: _fits(mu, epsilon, delta), start=start)
    return enough


def _distance(mu: Fraction, epsilon: Fraction) -> Fraction:
    return epsilon / mu - mu / 2


def _profile(mu: Fraction, epsilon: Fraction) -> Real:
    """delta(mu, epsilon) as a real number, for mu > 0 and a distance within `_FAR`."""
    near = _distance(mu, epsilon)

    def real() -> arb:
        a = ball(near)
        if mu < _SMALL:
            return density(a) * mills_drop(a, ball(mu))
        return upper_tail(a) - density(a) * mills(ball(near + mu))

    return real


def _fits(mu: Fraction, epsilon: Fraction, delta: Fraction) -> bool:
    """Whether delta(mu, epsilon) < delta, decided by enclosures."""
    if _distance(mu, epsilon) > _FAR:
        return True
    return is_below(_profile(mu, epsilon), lambda: ball(delta))


def _quantile(probability: Fraction) -> arb:
    """The x with P(N > x) = probability."""
    return arb(2).sqrt() * (2 * ball(probability)).erfcinv()


def _start_of_mu(epsilon: arb, delta: Fraction) -> arb:
    """A first guess, never above the answer: delta(mu, epsilon) <= P(N > a) and <= mu /
    sqrt(2π).
    """
    a = _quantile(delta)
    root = (a * a + 2 * epsilon).sqrt()
    by_tail = 2 * epsilon / (a + root) if a > 0 else root - a
    return by_tail.max(ball(delta) * (2 * arb.pi()).sqrt())


def _start_of_epsilon(mu: Fraction, delta: Fraction) -> tuple[Fraction, int]:
    """A first guess and how many of its bits are probably right; nothing rests on it."""
    crude = approximately(lambda: ball(mu) * (_quantile(delta) + ball(mu) / 2))
    apart, epsilon, wanted = float(mu), float(crude), float(delta)
    if not (_FLOATS[0] < apart and wanted > _LEAST and 0 < epsilon < _FLOATS[1]):
        return crude, 0
    for _ in range(_NEWTON):  # delta falls with slope e^epsilon P(N > b)
        a = epsilon / apart - apart / 2
        behind = math.exp(epsilon) * math.erfc((a + apart) / math.sqrt(2)) / 2
        value = math.erfc(a / math.sqrt(2)) / 2 - behind
        if value <= 0 or behind <= 0:
            return crude, 0
        step = math.log(value / wanted) * value / behind
        epsilon += step
        if not 0 < epsilon < _FLOATS[1]:
            return crude, 0
        if abs(step) < _GUESSED * epsilon:
            return Fraction(epsilon), 32
    return crude, 0


_FLOATS, _LEAST = (1e-3, 300.0), 1e-250
_NEWTON = 40
_GUESSED = 2.0**-36
