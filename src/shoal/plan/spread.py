"""Rows spread over the values of an expression: histograms and distinct values, with bounded
weights.

Within a group the rows of a person are split by a value: a grid point for histograms, the value
itself where distinct ones are counted.  Everyone's weights are bounded as totals are; `bounding.md`
has the proofs.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

from shoal.exact import exponent_of
from shoal.plan.contribution_bounds import Bounded
from shoal.plan.declared_table import Row, Unit
from shoal.plan.expression import Expression
from shoal.plan.meaning import range_of
from shoal.plan.relation import Rows
from shoal.plan.terms import Quantity, Term, count_of, power
from shoal.plan.types import REAL, Value
from shoal.plan.value_weights import ValueWeights
from shoal.sensitivity import Norm, Relation, Sensitivity

Weights = dict[tuple[Value, ...], ValueWeights]
"""The weight of each value, by key."""

MOST_POINTS = 1 << 30
"""A grid has at most about this many points."""

_FINEST = -1000
"""Steps of reals are at least 2^-1000, so that 1 / step is a double."""


@dataclass(frozen=True)
class Spread:
    """Weights by key and value; rows in which ``value`` is NULL are left out.

    With a ``grid`` values are its points and a row weighs 1; without, a person weighs 1 in each
    value they have at all.  Both before shares are held.  ``only`` are the keys that are wanted,
    where these are not all: what somebody has under others counts in their share as ever.
    """

    relation: Rows
    keys: tuple[Expression, ...]
    value: Expression
    norm: Norm
    grid: Term | None = None
    possible: int | None = None
    only: tuple[tuple[Value, ...], ...] | None = None

    def wanted(self, found: Weights) -> Weights:
        """Of weights by key, those of the keys that are wanted."""
        if self.only is None:
            return found
        return {key: found[key] for key in self.only if key in found}

    @property
    def bounded(self) -> Bounded:
        """The count whose bounds these weights keep."""
        return Bounded(self.relation, self.keys, (count_of(),), self.norm, self.possible)

    @property
    def unit(self) -> Unit:
        return self.bounded.unit

    @property
    def fraction(self) -> int:
        """How many units of weight stand for one whole."""
        if isinstance(self.unit, Row):
            return 1
        return 1 << (20 if self.grid is None else 14)

    @property
    def sensitivity(self) -> Sensitivity:
        """The norm, over keys, of all weights that one unit moves within each: under *change* those
        it had and those it gets.
        """
        count, bounded = count_of(), self.bounded
        whole = Fraction(self.fraction, bounded.fraction(count))
        twice = 2 if self.unit.relation is Relation.CHANGE else 1
        return Sensitivity(twice * bounded.reach(count) * whole, self.norm, self.unit.relation)


def distinct_of(argument: Expression) -> Term:
    """The number of distinct values of an argument."""
    return Term(Quantity.DISTINCT, argument)


def points_of(argument: Expression, most: int = MOST_POINTS) -> Term:
    """A grid over the range of an argument, of about ``most`` points or fewer: the argument's own
    units where they are few enough, powers of two of them otherwise.
    """
    lo, hi = range_of(argument)
    width = hi - lo
    if argument.type == REAL:
        largest = max(abs(lo), abs(hi))
        # Exact for doubles: no step is finer than their digits at the far end of the range.
        step = power(max(exponent_of(largest) - 51, _FINEST)) if largest else Fraction(1)
        if width:
            step = max(step, power(max(exponent_of(width / most) + 1, _FINEST)))
    else:
        unit = Fraction(1, 10**argument.type.scale)
        steps = int(width / unit) // most
        step = unit * (1 << steps.bit_length())
    return grid_of(argument, step)


def grid_of(argument: Expression, step: Fraction) -> Term:
    """The grid over the range of an argument with points so far apart."""
    half = Fraction(1, 2)
    first, last = (math.floor(end / step + half) for end in range_of(argument))
    return Term(Quantity.SUM, argument, step, first, last)
