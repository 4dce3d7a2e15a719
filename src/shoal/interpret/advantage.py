"""The largest total variation distance that a promise about Rényi divergences allows."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache

from shoal.exact import approximately, ball, is_below, turning_point
from shoal.measures.from_pure import pure_delta_up, pure_divergence_up
from shoal.measures.one_parameter import ZeroConcentrated
from shoal.measures.renyi import Renyi

Moments = Renyi | ZeroConcentrated
"""The promises that bound Rényi divergences and nothing else."""


@lru_cache(maxsize=256)
def moment_advantage_up(measure: Moments) -> Fraction:
    """The largest total variation distance that a promise about Rényi divergences allows.

    Guarantee: that of the largest randomized response that keeps the promise, rounded up; for
        rho-zCDP tanh(ε/2) with ε tanh(ε/2) = rho.  Proof: if the coins (x, y) keep the promise, so
        do (1 - y, 1 - x), because it holds both ways; divergences are jointly quasi-convex, so the
        coins in the middle, which are as far apart and add up to 1, keep it as well.
    Reference: van Erven and Harremoës 2014, Theorem 13; the proof above is complete.

    >>> round(float(moment_advantage_up(ZeroConcentrated("1/2"))), 4)
    0.4791
    """
    if isinstance(measure, ZeroConcentrated):
        return _of_zero_concentrated(measure.rho)
    return _of_renyi(measure)


def _of_zero_concentrated(rho: Fraction) -> Fraction:
    if rho == 0:
        return rho

    def keeps(epsilon: Fraction) -> bool:
        return is_below(lambda: ball(epsilon) * (ball(epsilon) / 2).tanh(), lambda: ball(rho))

    start = approximately(lambda: ball(rho) + (2 * ball(rho)).sqrt())
    _, enough = turning_point(keeps, start=start)
    return pure_delta_up(enough, at_epsilon=0)


def _of_renyi(measure: Renyi) -> Fraction:
    if measure.curve[0][1] == 0:
        return Fraction(0)

    def keeps(epsilon: Fraction) -> bool:
        return all(
            pure_divergence_up(epsilon, order=order) * _DOWN <= bound
            for order, bound in measure.curve
        )

    _, enough = turning_point(keeps, start=measure.curve[0][1] + 1)
    return pure_delta_up(enough, at_epsilon=0)


_DOWN = 1 - Fraction(1, 2**60)
"""What is rounded up by at most 2^-63 of itself lies below the truth after this factor."""
