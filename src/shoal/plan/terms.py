"""Terms: what is added up of each row, as whole numbers with a known bound.

A number becomes a count of steps: its own units where it is an exact number of moderate range, a
power of two of about 2^-30 of the range otherwise, to the nearest.  So sums are exact, whatever the
order, and no floating point lies between the rows and the noise.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from enum import StrEnum
from fractions import Fraction

from shoal.exact import exponent_of
from shoal.plan.expression import Expression
from shoal.plan.meaning import range_of
from shoal.plan.printing import text_of
from shoal.plan.types import REAL, Value, number_of

FINE, COARSE = 30, 20
"""Sums have 2^30 steps in their range or fewer, squares 2^20 steps in the range of what is squared.
"""


class Quantity(StrEnum):
    """What a row adds to a total."""

    COUNT = "count"
    SUM = "sum"
    SQUARES = "squares"
    PERSONS = "persons"
    VOTES = "votes"
    DISTINCT = "distinct"


@dataclass(frozen=True)
class Term:
    """One total: a quantity of an argument in steps of ``step``, the ``middle`` taken off each.

    A row adds 1 for a count; for a sum the number of steps, held between ``lo`` and ``hi``, minus
    ``middle``; for squares the square of that, minus ``level``; and nothing where the argument is
    NULL.  `Quantity.PERSONS` adds 1 for each person in a group, however many their rows, and
    `Quantity.VOTES` does the same but for persons in more than ``hi`` groups, who add nothing.
    `Quantity.DISTINCT` counts values (`Spread`).  ``label`` is what people read of a term whose
    argument is long; it makes no difference otherwise.
    """

    quantity: Quantity
    argument: Expression | None = None
    step: Fraction = Fraction(1)
    lo: int = 0
    hi: int = 0
    middle: int = 0
    level: int = 0
    label: str = field(default="", compare=False)

    @property
    def ends(self) -> tuple[int, int]:
        """The least and the most that one row adds, where its argument is not NULL."""
        if self.quantity not in (Quantity.SUM, Quantity.SQUARES):
            return 1, 1
        least, most = self.lo - self.middle, self.hi - self.middle
        if self.quantity is Quantity.SUM:
            return least, most
        return -self.level, max(least * least, most * most) - self.level

    @property
    def bound(self) -> int:
        """The most that one row adds, in size."""
        return max(map(abs, self.ends))

    @property
    def in_every_row(self) -> bool:
        """Whether every row adds a number between the ends: it is no NULL, and no other row has a
        say in it.
        """
        if self.quantity not in (Quantity.COUNT, Quantity.SUM, Quantity.SQUARES):
            return False
        return self.argument is None or not self.argument.nullable

    @property
    def worth(self) -> Fraction:
        """What one unit of the total is worth on the number line of the argument, squared for
        squares.
        """
        return self.step**2 if self.quantity is Quantity.SQUARES else self.step

    def steps(self, value: Value) -> int:
        """The number of steps of a value, to the nearest, halves up; a NULL where none can be
        counts as the lower end.
        """
        assert self.argument is not None
        if value is None:
            return self.lo
        if self.argument.type == REAL:
            assert isinstance(value, float)
            nearest = math.floor(value * float(1 / self.step) + 0.5)
        else:
            place = number_of(value, self.argument.type)
            assert place is not None
            nearest = math.floor(place / self.step + Fraction(self.halves, 2))
        return min(max(nearest, self.lo), self.hi)

    @property
    def halves(self) -> int:
        """1 if values are rounded to the nearest step, 0 if each is a whole number of steps."""
        return 0 if self.step <= _unit(self.argument) else 1

    def of(self, value: Value) -> int:
        """What a row adds, given the value of its argument."""
        if self.argument is not None and value is None and self.argument.nullable:
            return 0
        if self.quantity not in (Quantity.SUM, Quantity.SQUARES):
            return 1
        moved = self.steps(value) - self.middle
        return moved if self.quantity is Quantity.SUM else moved * moved - self.level

    def __str__(self) -> str:
        if self.label:
            return self.label
        of = "" if self.argument is None else f" of {text_of(self.argument)}"
        about = f" about {float(self.middle * self.step):g}" if self.middle else ""
        return f"{self.quantity}{of}{about}"

    @property
    def shown(self) -> str:
        """The same for readers: the sum of (age - 60). Certificates keep the text above."""
        if self.label or self.argument is None or not self.middle:
            return str(self)
        middle = float(self.middle * self.step)
        away = f"- {middle:g}" if middle > 0 else f"+ {-middle:g}"
        return f"{self.quantity} of ({text_of(self.argument)} {away})"


def count_of(argument: Expression | None = None) -> Term:
    """The number of rows, or of rows in which an argument is not NULL."""
    known = argument is None or not argument.nullable
    return Term(Quantity.COUNT, None if known else argument)


PERSONS = Term(Quantity.PERSONS)
"""The number of persons."""


def votes_of(most: int) -> Term:
    """The number of persons, without those in more than ``most`` groups."""
    return Term(Quantity.VOTES, hi=most)


BY_PERSON = (Quantity.PERSONS, Quantity.VOTES)
"""Quantities of which each person has one in a group, however many their rows."""


def sum_of(argument: Expression, *, centred: bool = False) -> Term:
    """The sum of an argument, or ``centred`` of its distance from the middle of its range.

    The range must follow from facts.
    """
    lo, hi = range_of(argument)
    size = (hi - lo) / 2 if centred else max(abs(lo), abs(hi))
    step = _step(argument, size, max(abs(lo), abs(hi)), FINE)
    return _placed(Term(Quantity.SUM, argument, step), lo, hi, centred=centred)


def squares_of(argument: Expression) -> Term:
    """The sum of squared distances from the middle of the range, less a constant that halves the
    bound.
    """
    lo, hi = range_of(argument)
    step = _step(argument, (hi - lo) / 2, max(abs(lo), abs(hi)), COARSE)
    placed = _placed(Term(Quantity.SQUARES, argument, step), lo, hi, centred=True)
    most = max(placed.hi - placed.middle, placed.middle - placed.lo)
    return Term(
        Quantity.SQUARES, argument, step, placed.lo, placed.hi, placed.middle, most * most // 2
    )


def _step(argument: Expression, size: Fraction, largest: Fraction, bits: int) -> Fraction:
    """A power of two times the argument's own unit, fine beside ``size`` and exact for doubles."""
    unit = _unit(argument)
    if argument.type == REAL:
        if largest == 0:
            return Fraction(1)
        exponent = exponent_of(largest) - 51
        if size:
            exponent = max(exponent, exponent_of(size) - bits)
        return power(max(exponent, -1000))
    wide = int(size / unit).bit_length() - bits - 1
    return unit * (1 << max(0, wide))


def power(exponent: int) -> Fraction:
    """A power of two, exactly."""
    return Fraction(1 << exponent) if exponent >= 0 else Fraction(1, 1 << -exponent)


def _unit(argument: Expression | None) -> Fraction:
    if argument is None:
        return Fraction(1)
    return Fraction(0) if argument.type == REAL else Fraction(1, 10**argument.type.scale)


def _placed(term: Term, lo: Fraction, hi: Fraction, *, centred: bool) -> Term:
    half = Fraction(1, 2)
    first = math.floor(lo / term.step + half)
    last = math.floor(hi / term.step + half)
    middle = (first + last) // 2 if centred else 0
    return Term(term.quantity, term.argument, term.step, first, last, middle)
