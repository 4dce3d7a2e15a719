"""How far apart two finite laws are, in every usual sense, each on a named side.

A divergence that is infinite is ``math.inf``: an outcome possible under p and impossible under q
carries infinite loss, and is never left out.
"""

from __future__ import annotations

import math
from fractions import Fraction

from flint import arb

from shoal.exact import Number, Real, ball, closed_unit, holdable_up, lower, non_negative, upper
from shoal.interpret.pair import Pair

Extended = Fraction | float
"""An exact number, or ``math.inf``; no other float."""


def hockey_stick_up(pair: Pair, epsilon: Number) -> Fraction:
    """The hockey-stick divergence of p from q, the sum of (p - e^ε q)_+ over the outcomes.

    Guarantee: the least δ with p(S) <= e^ε q(S) + δ for every event S, rounded up; exact at ε = 0.
    Needs: epsilon >= 0.
    Edges: outcomes impossible under q count in full, at every epsilon.
    Reference: Balle, Barthe and Gaboardi 2018, Theorem 1.

    >>> float(hockey_stick_up(Pair([0.75, 0.25], [0.25, 0.75]), 1))
    0.07042954288523869
    """
    return pair.swapped().trade_off().delta_up(epsilon)


def hockey_stick_down(pair: Pair, epsilon: Number) -> Fraction:
    """The same as `hockey_stick_up`, rounded down."""
    return pair.swapped().trade_off().delta_down(epsilon)


def total_variation(pair: Pair) -> Fraction:
    """Half the sum of |p - q|, exactly: the hockey-stick divergence at ε = 0, the same both
    ways.
    """
    return sum((x - y for x, y in pair.atoms if x > y), Fraction(0))


def max_divergence_up(pair: Pair) -> Extended:
    """The largest loss, ln of the largest p/q, rounded up: the least ε of a pure promise, one way.

    >>> max_divergence_up(Pair([1, 0], [0, 1]))
    inf
    """
    return approximate_max_divergence_up(pair, delta=0)


def approximate_max_divergence_up(pair: Pair, *, delta: Number) -> Extended:
    """The least ε >= 0 with p(S) <= e^ε q(S) + δ for every event S, rounded up.

    Guarantee: the largest ln((p(S) - δ) / q(S)) over events with p(S) >= δ, found among the sets of
        largest ratio p/q, exactly but for the logarithm.
    Edges: infinite where the outcomes impossible under q have more than δ under p.
    Reference: Dwork and Roth 2014, Definition 3.6; the maximum runs over sets of positive measure.

    >>> float(approximate_max_divergence_up(Pair([0.75, 0.25], [0.25, 0.75]), delta=0.25))
    0.6931471805599453
    """
    ratio = pair.swapped().trade_off().least_ratio(closed_unit(delta, "delta"))
    return math.inf if ratio is None else _log(ratio, up=True)


def renyi_divergence_up(pair: Pair, *, order: Number) -> Extended:
    """The Rényi divergence of p from q, of any order from 0 to infinity, rounded up.

    Guarantee: ln(Σ p^α q^(1-α)) / (α - 1); its limits at α = 1, the Kullback-Leibler divergence,
        and at ``math.inf``, the max divergence.
    Edges: infinite where an outcome is possible under p only and α >= 1, or the laws share no
        outcome at all; 0 for equal laws, exactly.
    Reference: van Erven and Harremoës 2014, Definitions 1 to 3.

    >>> fair, biased = [0.5, 0.5], [0.25, 0.75]
    >>> [round(float(renyi_divergence_up(Pair(fair, biased), order=a)), 4) for a in (1, 2, 10)]
    [0.1438, 0.2877, 0.6161]
    """
    return _renyi(pair, order, up=True)


def renyi_divergence_down(pair: Pair, *, order: Number) -> Extended:
    """The same as `renyi_divergence_up`, rounded down."""
    return _renyi(pair, order, up=False)


def _renyi(pair: Pair, order: Number, *, up: bool) -> Extended:
    if isinstance(order, float) and order == math.inf:
        ratio = pair.swapped().trade_off().least_ratio(Fraction(0))
        return math.inf if ratio is None else _log(ratio, up=up)
    alpha = non_negative(order, "order")
    shared = [(x, y) for x, y in pair.atoms if x and y]
    if not shared or (alpha >= 1 and any(x and not y for x, y in pair.atoms)):
        return math.inf
    if pair.is_equal:
        return Fraction(0)
    if alpha == 0:
        return _log(1 / sum((y for _, y in shared), Fraction(0)), up=up)

    def divergence() -> arb:
        if alpha == 1:
            return sum((ball(x) * ball(x / y).log() for x, y in shared), arb(0))
        powers = ((ball(alpha) * ball(x / y).log()).exp() * ball(y) for x, y in shared)
        return sum(powers, arb(0)).log() / ball(alpha - 1)

    return _bound(divergence, up=up)


def _log(ratio: Fraction, *, up: bool) -> Fraction:
    return Fraction(0) if ratio == 1 else _bound(lambda: ball(ratio).log(), up=up)


def _bound(positive: Real, *, up: bool) -> Fraction:
    """A bound of a number that is not negative, and not 0."""
    return holdable_up(upper(positive)) if up else max(Fraction(0), lower(positive))
