"""The f-divergences of two finite laws: one sum for every convex f.

D_f(p, q) = Σ q f(p/q), over the outcomes possible under q, plus f'(∞) times the probability under p
of the others, f'(∞) the limit of f(t)/t.  It is never negative, 0 for equal laws, and
post-processing cannot raise it.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from flint import arb

from shoal.errors import InternalError
from shoal.exact import at_precision, ball, dyadic
from shoal.interpret.divergences import Extended, renyi_divergence_down, renyi_divergence_up
from shoal.interpret.pair import Pair

_FIRST_BITS = 256
_LAST_BITS = 4096


@dataclass(frozen=True, slots=True)
class Convex:
    """A convex function on the positive numbers with f(1) = 0, in balls.

    ``at`` encloses f(t) for t > 0, ``at_zero`` is its limit at 0 and ``slope_at_infinity`` that of
    f(t)/t; either limit may be ``math.inf``.  That f is convex is the giver's word.
    """

    at: Callable[[arb], arb]
    at_zero: Extended
    slope_at_infinity: Extended


KULLBACK_LEIBLER = Convex(lambda t: t * t.log(), Fraction(0), math.inf)
TOTAL_VARIATION = Convex(lambda t: abs(t - 1) / 2, Fraction(1, 2), Fraction(1, 2))
CHI_SQUARED = Convex(lambda t: (t - 1) ** 2, Fraction(1), math.inf)
SQUARED_HELLINGER = Convex(lambda t: (t.sqrt() - 1) ** 2 / 2, Fraction(1, 2), Fraction(1, 2))


def f_divergence_up(pair: Pair, f: Convex) -> Extended:
    """Σ q f(p/q), rounded up.

    Guarantee: an enclosure's upper end, within 2^-64 of the sum or as close as 4096 bits allow.
    Edges: ``math.inf`` where f'(∞) is and some outcome is impossible under q only, or f(0) is and
        some is impossible under p only; 0 for equal laws.
    Reference: Ali and Silvey 1966; Csiszár 1967.

    >>> float(f_divergence_up(Pair([0.5, 0.5], [0.25, 0.75]), TOTAL_VARIATION))
    0.25
    """
    return _f_divergence(pair, f, up=True)


def f_divergence_down(pair: Pair, f: Convex) -> Extended:
    """The same as `f_divergence_up`, rounded down, and never below 0."""
    return _f_divergence(pair, f, up=False)


def kullback_leibler_up(pair: Pair) -> Extended:
    """Σ p ln(p/q), the mean loss, rounded up: the Rényi divergence of order 1."""
    return renyi_divergence_up(pair, order=1)


def kullback_leibler_down(pair: Pair) -> Extended:
    """The same as `kullback_leibler_up`, rounded down."""
    return renyi_divergence_down(pair, order=1)


def chi_squared(pair: Pair) -> Extended:
    """Σ (p - q)²/q, exactly; e^D - 1 for the Rényi divergence D of order 2.

    >>> chi_squared(Pair([0.5, 0.5], [0.25, 0.75]))
    Fraction(1, 3)
    """
    if any(y == 0 for _, y in pair.atoms):
        return math.inf
    return sum(((x - y) ** 2 / y for x, y in pair.atoms), Fraction(0))


def squared_hellinger_up(pair: Pair) -> Fraction:
    """1 - Σ sqrt(p q), from 0 to 1, rounded up."""
    return min(Fraction(1), _finite(f_divergence_up(pair, SQUARED_HELLINGER)))


def squared_hellinger_down(pair: Pair) -> Fraction:
    """The same as `squared_hellinger_up`, rounded down."""
    return _finite(f_divergence_down(pair, SQUARED_HELLINGER))


def _f_divergence(pair: Pair, f: Convex, *, up: bool) -> Extended:
    if pair.is_equal:
        return Fraction(0)
    only_p = sum((x for x, y in pair.atoms if y == 0), Fraction(0))
    only_q = sum((y for x, y in pair.atoms if x == 0), Fraction(0))
    ends = [(only_p, f.slope_at_infinity), (only_q, f.at_zero)]
    if any(mass and value == math.inf for mass, value in ends):
        return math.inf
    settled = sum((mass * Fraction(value) for mass, value in ends if mass), Fraction(0))
    shared = [(x, y) for x, y in pair.atoms if x and y]

    def total() -> arb:
        return sum((ball(y) * f.at(ball(x / y)) for x, y in shared), ball(settled))

    bits = _FIRST_BITS
    while bits < _LAST_BITS and at_precision(bits, total).rel_accuracy_bits() < 64:
        bits *= 2
    found = at_precision(bits, lambda: _ends(total()))
    return max(Fraction(0), found[1] if up else found[0])


def _ends(number: arb) -> tuple[Fraction, Fraction]:
    if not number.is_finite():
        raise InternalError(
            "f could not be enclosed at a ratio of the two laws.",
            remedy="Give f as a function that encloses every positive number.",
        )
    return dyadic(number.lower()), dyadic(number.upper())


def _finite(number: Extended) -> Fraction:
    assert isinstance(number, Fraction)
    return number
