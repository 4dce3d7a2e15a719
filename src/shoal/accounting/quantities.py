"""What a price is counted in, and exact sums of very many prices: quantities that simply add up
when releases are made one after another.

Each measure has one such quantity, an exact number of at least 0:

* `Pure`: epsilon;
* `ZeroConcentrated`: rho;
* `GaussianDP`: the square of mu;
* `Renyi`, at one order: the divergence of this order;
* `Approx`: the failing mass delta.  With this probability a release may tell everything; all prices
  in the other units hold for what it does otherwise (see `shoal.accounting.optimal_composition`).

So composition is one sum and repetition one product, whatever the measure; both stand in `pricing`.
Sums are exact for all numbers that people write, and bounded in length for all others.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction

from shoal.errors import EventError, InternalError
from shoal.exact import exponent_of
from shoal.measures import Approx, GaussianDP, Measure, Pure, Renyi, ZeroConcentrated


@dataclass(frozen=True, slots=True)
class Unit:
    """A measure in which prices are asked for; with an order for `Renyi`.

    ``spare`` is the delta that each shuffled release inside may use up; 0 leaves them unamplified.
    """

    measure: type[Measure]
    order: Fraction | None = None
    spare: Fraction = Fraction(0)

    def with_spare(self, spare: Fraction) -> Unit:
        return replace(self, spare=spare)

    def at(self, measure: type[Measure], order: Fraction | None = None) -> Unit:
        """The unit of another measure, all else equal."""
        return replace(self, measure=measure, order=order)

    @property
    def at_order(self) -> Fraction:
        if self.order is None:
            raise InternalError("a Rényi price without an order.", remedy="Please report it.")
        return self.order


PURE = Unit(Pure)
CONCENTRATED = Unit(ZeroConcentrated)
SQUARED_MU = Unit(GaussianDP)
FAILING = Unit(Approx)


def told(failing: Fraction | None) -> Fraction:
    """The probability that something is told, from a sum of failing masses; 1 where there is no
    sum.
    """
    return Fraction(1) if failing is None else min(Fraction(1), failing)


def divergence(order: Fraction) -> Unit:
    """The Rényi divergence of one order."""
    return Unit(Renyi, order)


ODD_BITS = 256
"""The part of a denominator that is prime to 10 may have so many bits."""

_DECIMALS = 10**11_000
_ROUNDED_BITS = 128
_SHORT = 1 << ODD_BITS


@dataclass(frozen=True, slots=True)
class Cost:
    """What one event takes from a filter, in the quantities that the filter adds up; None: without
    a price.

    ``alone`` are prices that do not add up here and say what the event costs if it is the only one.
    """

    relation: str | None
    amounts: tuple[Fraction | None, ...]
    alone: tuple[Fraction | None, ...] = ()


def added_up(sum_: Fraction, cost: Fraction) -> Fraction:
    """A sum and one more cost, never below the truth.

    Guarantee: exact when both are decimals (or any fractions with denominators of 256 bits, as long
        as the sum has such a one): ten times 0.1 is 1, three times 1/3 is 1.  Otherwise the cost is
        rounded up by at most 2^-127 of itself, so that the part of the denominator prime to 10
        never grows beyond 256 bits, however many costs are added.
    Edges: a negative cost gives back; rounded up, it gives back less.
    """
    total = sum_ + cost
    if total.denominator < _SHORT or _is_short(total):
        return total
    grid = Fraction(2) ** max(exponent_of(cost) - _ROUNDED_BITS, -36_000)
    return sum_ + math.ceil(cost / grid) * grid


def _is_short(number: Fraction) -> bool:
    below = number.denominator
    return (below // math.gcd(below, _DECIMALS)).bit_length() <= ODD_BITS


def sum_to_text(number: Fraction | None) -> str | None:
    """A sum as text, exactly: 1/10."""
    return None if number is None else fraction_to_text(number)


def fraction_to_text(number: Fraction) -> str:
    """A fraction as text, exactly and of any length, which ``str`` refuses beyond 4300 digits."""
    if number.denominator < _SHORT and abs(number.numerator) < _SHORT:
        return str(number)
    return f"{Decimal(number.numerator):f}/{Decimal(number.denominator):f}"


def _whole(digits: str) -> int:
    """A whole number of any length, in ASCII digits alone."""
    if not digits.removeprefix("-").isdecimal() or not digits.isascii():
        raise ValueError(digits)
    return int(Decimal(digits))


def sum_from_text(text: object) -> Fraction | None:
    """The sum that `sum_to_text` wrote; anything else is refused."""
    if text is None:
        return None
    try:
        above, slash, below = str(text).partition("/")
        return Fraction(_whole(above), _whole(below) if slash else 1)
    except (ArithmeticError, ValueError):
        raise EventError(
            "the state of a filter holds something that is not a fraction.",
            remedy="Give what state() returned, unchanged.",
        ) from None
