"""The best order of a Rényi curve: searched for wherever it lies, not only on a list.

Every order gives a true bound, so the search decides how tight an answer is and never whether it is
right.  Orders are 1 + t with t from a ladder of powers of two, climbed in whichever direction the
bound still falls; around the best rung the distance is halved again and again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction

_FIRST, _LAST = -2, 9
_LOWEST, _HIGHEST = -60, 60
_HALVINGS = 6
_MANTISSA = 12

Bound = Callable[[Fraction], Fraction | None]
"""The bound that an order gives; None where it gives none."""


def best_order(bound: Bound, also: Iterable[Fraction] = ()) -> tuple[Fraction, Fraction] | None:
    """The order where a bound is least, as far as a search shows, with the bound there; None if
    nowhere.

    Edges: an optimum beyond the first rungs is followed down to orders 2^-60 above 1 and up to
        2^60.  Orders in ``also`` are asked besides: a curve that is known at some orders only may
        bend there.
    """
    known = [(order, value) for order in also if (value := bound(order)) is not None]
    searched = _search(bound)
    if searched is not None:
        known.append(searched)
    return min(known, key=lambda one: one[1], default=None)


def _search(bound: Bound) -> tuple[Fraction, Fraction] | None:
    found: dict[Fraction, Fraction | None] = {}

    def ask(exponent: Fraction) -> Fraction | None:
        if exponent not in found:
            found[exponent] = bound(1 + _power_of_two(exponent))
        return found[exponent]

    for rung in range(_FIRST, _LAST + 1):
        ask(Fraction(rung))
    best = _least(found)
    if best is None:
        return None
    while best == max(found) and best < _HIGHEST:
        ask(best + 1)
        best = _least(found) or best
    while best == min(found) and best > _LOWEST:
        ask(best - 1)
        best = _least(found) or best
    distance = Fraction(1)
    for _ in range(_HALVINGS):
        distance /= 2
        ask(best - distance)
        ask(best + distance)
        best = _least(found) or best
    value = found[best]
    return None if value is None else (1 + _power_of_two(best), value)


def _least(found: dict[Fraction, Fraction | None]) -> Fraction | None:
    known = [(value, -exponent) for exponent, value in found.items() if value is not None]
    return -min(known)[1] if known else None


def _power_of_two(exponent: Fraction) -> Fraction:
    """About 2^exponent, with few bits, so that orders stay short numbers; exact for whole
    exponents.
    """
    below = exponent.numerator // exponent.denominator
    mantissa = round(2.0 ** float(exponent - below) * 2**_MANTISSA)
    return Fraction(mantissa, 2**_MANTISSA) * Fraction(2) ** below
