"""Random allocation: each row takes part in one of many steps, chosen at random (balls-and-bins
sampling).

With L_1, ..., L_T independent, ln L normal with mean -s/2 and variance s = μ², the ratio of the
laws with and without a row is r = (L_1 + ... + L_T) / T.  The proofs stand in `allocation.md`.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache

from flint import arb

from shoal.accounting.lognormal import laplace_transform
from shoal.accounting.sampling import between_orders
from shoal.exact import Number, ball, holdable_up, non_negative, precision_in_force, upper, whole
from shoal.measures.curve import order_above_one

HIGHEST_ORDER = 1024
"""Above this order only what holds without allocation is used."""

_FINEST = 16  # points of support lie at (1 + 1/16)^j / 16
_MOST_POINTS = 400
_SMALL = -60.0  # the logarithm of the part of a moment that is bounded in one piece


def allocated_divergence_up(square: Number, *, steps: int, order: Number) -> Fraction:
    """The Rényi divergence of a release with random allocation of rows to steps, all steps
    together.

    Guarantee: for steps that are each μ-GDP, square = μ², for rows that come and go, rounded up: at
        whole orders the larger of E[r^α] (exactly) and E[r^(1-α)] (within about a thousandth of
        what exceeds 1), between them by convexity; and never above α μ² / 2, what one step costs to
        whoever knows who was in it.
    Needs: square >= 0, steps >= 1, order > 1.
    Edges: one step is the release itself; above order 1024 only α μ² / 2.
    Reference: Chua and others 2025 (balls-and-bins) and Feldman and Shenfeld 2025, for the pair of
        laws; `allocation.md`.

    >>> round(float(allocated_divergence_up(1, steps=1000, order=8)), 6)
    0.006909
    """
    variance, count = non_negative(square, "square"), whole(steps, "steps", at_least=1)
    alpha = order_above_one(order)
    plain = alpha * variance / 2
    if variance == 0 or count == 1 or alpha > HIGHEST_ORDER:
        return plain

    def at(whole_order: int) -> Fraction:
        removed = removed_divergence_up(variance, count, whole_order)
        added = _simple_added(variance, count, whole_order)
        if added > removed:  # only then does it matter how far it is from the truth
            added = added_divergence_up(variance, count, whole_order)
        return min(max(removed, added), whole_order * variance / 2)

    found = between_orders(at, alpha)
    return plain if found is None else min(plain, found)


def removed_divergence_up(square: Fraction, steps: int, order: int) -> Fraction:
    """Ln E[r^α] / (α - 1), rounded up."""
    most = 1 << (order - 1).bit_length()

    def value() -> arb:
        return _moments(square, steps, most, precision_in_force())[order].log() / (order - 1)

    return holdable_up(upper(value))


@lru_cache(maxsize=64)
def _moments(square: Fraction, steps: int, most: int, bits: int) -> list[arb]:  # noqa: ARG001
    """E[r^n] for n = 0, ..., most, at the precision in force, which is ``bits``.

    E[(ΣL_t)^n] / n! is the coefficient of z^n in f(z)^T, f(z) = Σ_k e^(k(k-1)s/2) z^k / k!; those
    of a power g = f^T follow from f g' = T f' g one by one.
    """
    gain, step, ratio = arb(1), arb(1), ball(square).exp()
    factors = [arb(1), arb(1)]
    for place in range(2, most + 1):
        step = step * ratio
        gain = gain * step / place
        factors.append(gain)
    power = [arb(1)]
    for place in range(1, most + 1):
        terms = (
            (k * (steps + 1) - place) * factors[k] * power[place - k] for k in range(1, place + 1)
        )
        power.append(sum(terms, arb(0)) / place)
    moments, scale = [arb(1)], arb(1)
    for place in range(1, most + 1):
        scale = scale * place / steps
        moments.append(power[place] * scale)
    return moments


def added_divergence_up(square: Fraction, steps: int, order: int) -> Fraction:
    """A bound on ln E[r^(1-α)] / (α - 1), rounded up.

    Guarantee: with β = α - 1, E[r^-β] = ∫ u^(β-1) e^ψ(u) du / Γ(β) over u > 0, ψ(u) = T ln φ(u /
        T), φ the Laplace transform of L.  ψ is convex, so it lies below its chords, over which the
        integral is known; and beyond the last point below what e^-x <= (k / (e x))^k gives.  Never
        above s (T + α - 1) / (2T).
    """
    simple, power = _simple_added(square, steps, order), order - 1
    last = _last_point(float(square), steps, power)
    if last is None:
        return simple

    def value() -> arb:
        return _added_moment(square, steps, power, last).log() / power

    return min(simple, holdable_up(upper(value)))


def _simple_added(square: Fraction, steps: int, order: int) -> Fraction:
    """What the geometric mean gives, as r is at least that of the L_t.

    Reference: Feldman and Shenfeld 2025.
    """
    return square * (steps + order - 1) / (2 * steps)


def _point(place: int) -> Fraction:
    """Points of support, each a sixteenth above the one before, with few bits."""
    mantissa, exponent = math.frexp((1 + 1 / _FINEST) ** place / _FINEST)
    return Fraction(round(mantissa * 2**12)) * Fraction(2) ** (exponent - 12)


def _added_moment(square: Fraction, steps: int, power: int, last: int) -> arb:
    """The integral of the upper bound: over [a, b] ψ lies below level - fall u."""
    total, start, before = arb(0), Fraction(0), arb(0)
    for place in range(last + 1):
        end = _point(place)
        here = steps * laplace_transform(square, end / steps, precision_in_force()).log()
        fall = (before - here) / ball(end - start)
        level = before + fall * ball(start)
        share = _gamma_share(power, fall * ball(start), fall * ball(end))
        total += (level - power * fall.log()).exp() * share
        start, before = end, here
    return total + _beyond(square, steps, power, start).exp()


def _gamma_share(power: int, low: arb, high: arb) -> arb:
    """The part of the gamma law of this power between two numbers, from whichever side is small.

    Both sides are sums of positive terms, which lose no digits where arb's own functions do.
    """
    if low > power:
        return _gamma_above(power, low) - _gamma_above(power, high)
    return _gamma_below(power, high) - _gamma_below(power, low)


def _gamma_above(power: int, x: arb) -> arb:
    """e^-x Σ_(j < β) x^j / j!"""
    term, total = arb(1), arb(1)
    for place in range(1, power):
        term = term * x / place
        total += term
    return total * (-x).exp()


def _gamma_below(power: int, x: arb) -> arb:
    """e^-x Σ_(j >= β) x^j / j!, of which the terms left out fall by at least half each."""
    if x == 0 or not x.is_finite():  # without a number there is none, and more digits are asked for
        return x
    first = power * x.log() - x - arb(power + 1).lgamma()
    term, total, place = arb(1), arb(1), power
    while not (term < arb(2) ** -precision_in_force() and 2 * x < place):
        place += 1
        term = term * x / place
        total += term
    return (total + term * arb(0.5, 0.5)) * first.exp()


def _beyond(square: Fraction, steps: int, power: int, start: Fraction) -> arb:
    """The logarithm of a bound on the integral from a point on; any k > β / T is sound."""
    k = _exponent(float(square), float(start) / steps)
    one = ball(k) * (ball(k * steps / start).log() - 1) + ball(k * (k + 1) * square / 2)
    rest = power * ball(start).log() - ball(k * steps - power).log() - arb(power).lgamma()
    return steps * one + rest


def _exponent(square: float, at: float) -> Fraction:
    """About the k that makes (k / (e v))^k e^(k(k+1)s/2) least: k e^(sk) = v e^(-s/2), by Newton's
    steps for ln k.
    """
    target, log_k = math.log(at) - square / 2, min(math.log(at) - square / 2, 0.0)
    for _ in range(40):
        k = math.exp(log_k)
        log_k -= (log_k + square * k - target) / (1 + square * k)
    return Fraction(math.exp(log_k)).limit_denominator(1 << 60) or Fraction(1, 1 << 60)


def _last_point(square: float, steps: int, power: int) -> int | None:
    """The first point beyond which next to nothing is left; None where there is none, or too many
    before it.
    """
    if square > 64 or steps > 10**12:
        return None
    for place in range(_FINEST, _MOST_POINTS, 8):
        start = float(_point(place))
        k = float(_exponent(square, start / steps))
        if k * steps <= 1.01 * power:
            continue
        one = k * (math.log(k * steps / start) - 1) + k * (k + 1) * square / 2
        rest = power * math.log(start) - math.log(k * steps - power) - math.lgamma(power)
        if steps * one + rest < _SMALL:
            return place
    return None
