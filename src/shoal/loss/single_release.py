"""One release by itself, where its delta has a closed form: enclosed by balls, at any delta."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Protocol, runtime_checkable

from flint import arb

from shoal.exact import (
    Real,
    ball,
    float_down,
    float_up,
    is_below,
    lower,
    turning_point,
    upper,
)
from shoal.loss.bracket import Bracket
from shoal.measures.gaussian_profile import (
    gaussian_delta_down,
    gaussian_delta_up,
    gaussian_epsilon_up,
)
from shoal.measures.normal import upper_tail

SUM_ERROR = Fraction(1, 1 << 46)
"""How far the mu of many normal losses, added up in floats, can be off in relative terms."""
POSITION_ERROR = 2.0**-48
"""How far a loss given as a float can be off, in relative terms."""
_BEYOND = 1e6
_NEAR = 1 - 2.0**-50


@runtime_checkable
class KnownAlone(Protocol):
    """A loss whose own delta is known in closed form."""

    def epsilon_alone(self, delta: Fraction) -> Bracket:
        """Epsilon at 0 < delta < 1."""

    def delta_alone(self, low: Fraction, high: Fraction) -> Bracket:
        """Delta between two epsilons, the second not below the first."""


def enclosed_root(
    near: float,
    at: Callable[[float], Bracket],
    delta: Fraction,
    *,
    off: float = 0.0,
) -> Bracket:
    """The epsilon at a delta, from about where it is: both sides asked and answered.

    ``at`` tells delta at an epsilon; ``off`` is how far epsilon probably is from ``near``.
    """
    less, more = float_down(delta), float_up(delta)
    if at(0.0).high <= less:
        return Bracket(0.0, 0.0)
    near = max(near, 0.0)
    least = off + 4 * POSITION_ERROR * max(near, 2.0**-20)
    pad = least
    while near - pad > 0 and at(near - pad).low < more:
        pad *= 4
    low, pad = max(0.0, near - pad), least
    while at(near + pad).high > less:
        pad *= 4
        if pad > _BEYOND:
            return Bracket(low, math.inf)
    return Bracket(low, near + pad)


def at_floats(
    delta_alone: Callable[[Fraction, Fraction], Bracket],
) -> Callable[[float], Bracket]:
    """Delta at a float, from delta between two rationals."""
    return lambda epsilon: delta_alone(Fraction(epsilon), Fraction(epsilon))


def normal_epsilon(mu: float, delta: Fraction) -> Bracket:
    """Sigma and sensitivity are exact, but the mu of many releases is a float."""
    high = float_up(gaussian_epsilon_up(Fraction(mu) * (1 + SUM_ERROR), delta))
    less, near = Fraction(mu) * (1 - SUM_ERROR), high * (1 - 2.0**-30)
    if gaussian_delta_down(less, Fraction(near)) > delta:
        return Bracket(near, high)
    return Bracket(float_down(gaussian_epsilon_up(less, delta)) * _NEAR, high)


def normal_delta(mu: float, low: Fraction, high: Fraction) -> Bracket:
    return Bracket(
        float_down(gaussian_delta_down(Fraction(mu) * (1 - SUM_ERROR), high)),
        float_up(gaussian_delta_up(Fraction(mu) * (1 + SUM_ERROR), low)),
    )


def sampled_epsilon(rate: float, mu: float, delta: Fraction, *, removed: bool) -> Bracket:
    """The epsilon of one sampled Gaussian at a delta."""

    def misses(epsilon: Fraction) -> bool:
        profile = _sampled_profile(rate, mu, epsilon, removed=removed)
        return profile is not None and not is_below(profile, lambda: ball(delta))

    if not misses(Fraction(0)):
        return Bracket(0.0, 0.0)
    low, high = turning_point(misses, start=Fraction(1))
    return Bracket(float_down(low), float_up(high))


def sampled_delta(
    rate: float, mu: float, low: Fraction, high: Fraction, *, removed: bool
) -> Bracket:
    """The delta of one sampled Gaussian between two epsilons."""
    least = _sampled_profile(rate, mu, high, removed=removed)
    most = _sampled_profile(rate, mu, low, removed=removed)
    return Bracket(
        0.0 if least is None else max(0.0, float_down(lower(least))),
        0.0 if most is None else float_up(upper(most)),
    )


def _sampled_profile(rate: float, mu: float, epsilon: Fraction, *, removed: bool) -> Real | None:
    """Delta at an epsilon; None where it is 0, above the largest loss.

    Guarantee: the mixture (1 - q) phi(x) + q phi(x - mu) exceeds e^t phi(x) exactly beyond x =
        ln((e^t - 1 + q) / q) / mu + mu / 2.  Removed: P is the mixture and t = epsilon, and delta
        is q T(x - mu) - (e^t - 1 + q) T(x) for the upper tail T.  Added: P is the plain law and t =
        -epsilon; delta is what lies below x, T(-x) - e^epsilon ((1 - q) T(-x) + q T(mu - x)).
    """
    share, apart = Fraction(rate), Fraction(mu)

    def place(exponent: arb) -> arb:
        return ((exponent.expm1() + ball(share)) / ball(share)).log() / ball(apart) + ball(
            apart
        ) / 2

    def was_there() -> arb:
        x = place(ball(epsilon))
        rest = ball(epsilon).expm1() + ball(share)
        return ball(share) * upper_tail(x - ball(apart)) - rest * upper_tail(x)

    def was_not() -> arb:
        x = place(ball(-epsilon))
        mixed = ball(1 - share) * upper_tail(-x) + ball(share) * upper_tail(ball(apart) - x)
        return upper_tail(-x) - ball(epsilon).exp() * mixed

    if removed:
        return was_there
    below: Callable[[], arb] = lambda: -ball(1 - share).log()  # noqa: E731 - the largest loss
    return was_not if is_below(lambda: ball(epsilon), below) else None
