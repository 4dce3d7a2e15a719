"""One row for each person, or for each person and value of some keys: what a person's rows come to.

`SELECT patient, COUNT(*) AS n FROM visits GROUP BY patient` has one row for each person.  A question
about such rows protects one row a person, so it needs far less noise than one about the visits.
Totals are whole numbers, held between public ends, so they are the same in every engine and in
every order of rows.  Proof: stability.md.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from fractions import Fraction
from functools import cached_property
from math import prod

from shoal.errors import ExpressionError, RelationError
from shoal.plan.declared_table import Person, Unit
from shoal.plan.expression import Expression, Ref, require_known
from shoal.plan.facts import Column, Span
from shoal.plan.meaning import values_of
from shoal.plan.nodes import OverOne, Stability, column_of
from shoal.plan.sizes import ONE
from shoal.plan.types import INTEGER, LEAST_INTEGER, MOST_INTEGER


class PersonQuantity(StrEnum):
    """What the rows of a person come to."""

    ROWS = "rows"
    COUNT = "count"
    DISTINCT = "distinct"
    SUM = "sum"
    LEAST = "least"
    GREATEST = "greatest"


_COUNTS = (PersonQuantity.ROWS, PersonQuantity.COUNT, PersonQuantity.DISTINCT)
ENDS = (PersonQuantity.LEAST, PersonQuantity.GREATEST)


@dataclass(frozen=True)
class PersonTotal:
    """A number (or one of the values) for each person, under a name.

    Counts and sums are held between ``least`` and ``most``, in units of the argument's type: whole
    numbers, or 10^-s of a decimal.  The least and the greatest value are those in the order of
    values, NULL passed over; texts are in the order of their bytes.
    """

    name: str
    quantity: PersonQuantity
    argument: Expression | None = None
    least: int = LEAST_INTEGER
    most: int = MOST_INTEGER

    def __post_init__(self) -> None:
        if (self.quantity is PersonQuantity.ROWS) == (self.argument is not None):
            raise ExpressionError(
                f"{self.quantity} of a person {'takes no' if self.argument else 'needs an'} argument.",
                remedy="Write COUNT(*) for rows, SUM(x) for a sum.",
            )
        if self.quantity is PersonQuantity.SUM and not (self.argument and self._is_exact):
            raise ExpressionError(
                "sums of one person are those of whole numbers and decimals.",
                remedy="Cast: SUM(CAST(x AS DECIMAL(18, 2))).",
            )
        empty = self.quantity in _COUNTS and self.most < 1
        if empty or not LEAST_INTEGER <= self.least <= self.most <= MOST_INTEGER:
            raise ExpressionError(
                "the ends of a person's total are 64-bit numbers, the lower one first.",
                remedy="Give least <= most.",
            )

    @property
    def _is_exact(self) -> bool:
        return self.argument is not None and self.argument.type.numeric and self.argument.type.exact

    @property
    def column(self) -> Column:
        """The column that holds it, with what is known of its values."""
        argument = self.argument
        if self.quantity in _COUNTS:
            low = 1 if self.quantity is PersonQuantity.ROWS else 0
            span = Span(Fraction(max(low, self.least)), Fraction(max(low, self.most)))
            return Column(self.name, INTEGER, nullable=False, span=span)
        assert argument is not None
        if self.quantity is PersonQuantity.SUM:
            unit = 10**argument.type.scale
            span = Span(Fraction(self.least, unit), Fraction(self.most, unit))
            return Column(self.name, argument.type, argument.nullable, span)
        return replace(column_of(self.name, argument), person=None, origin=None, cost=ONE)

    def held(self, number: int) -> int:
        """A count or a sum between its ends."""
        return min(max(number, self.least), self.most)


@dataclass(frozen=True)
class PerPerson(OverOne):
    """For each person, and each value of the keys among their rows, one row of totals.

    A key that is a column of the person's own id is the same in all rows of a person, or is the
    least that it is called there; the others make a row for each of their values, NULL among them.

    Guarantee: the rows of one person depend on the rows of that person alone.
    Needs: persons are protected.
    Edges: someone without rows has none here.
    Proof: stability.md.
    """

    keys: tuple[tuple[str, Expression], ...]
    totals: tuple[PersonTotal, ...]

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.source.protects, Person):
            raise RelationError(
                "rows are aggregated for each person, but no persons are protected here.",
                remedy="Register the table with Person(...), or aggregate once.",
            )
        names = [column.name for column in self.columns]
        if not names or len(set(names)) < len(names):
            raise ExpressionError(
                "what is kept of each person needs different names.", remedy="Name each with AS."
            )
        for expression in self.expressions:
            require_known(expression, self.source.columns)

    @property
    def expressions(self) -> list[Expression]:
        """Everything that is computed of a row."""
        given = [total.argument for total in self.totals]
        return [*(key for _, key in self.keys), *(each for each in given if each is not None)]

    @property
    def grouping(self) -> tuple[tuple[str, Expression], ...]:
        """The keys of which a person may have several values."""
        return tuple((name, key) for name, key in self.keys if not is_of_person(key))

    @cached_property
    def columns(self) -> tuple[Column, ...]:
        keys = (column_of(name, key) for name, key in self.keys)
        return (*keys, *(total.column for total in self.totals))

    @property
    def protects(self) -> Unit | None:
        """The person: with one row, or one for each of as many values of the keys as before."""
        unit = self.source.protects
        if not isinstance(unit, Person):
            return unit
        return unit.with_shares(min(unit.groups, self.most_rows or unit.groups), 1)

    @cached_property
    def most_rows(self) -> int | None:
        """How many rows a person can have, where the values of the keys are known."""
        listed = [(values_of(key), key.nullable) for _, key in self.grouping]
        if any(values is None for values, _ in listed):
            return None
        return prod(len(values or ()) + nullable for values, nullable in listed)

    @property
    def stability(self) -> Stability:
        """One row that comes takes the row of its person away and puts another in its place."""
        return {name: factor and 2 * factor for name, factor in self.source.stability.items()}


def is_of_person(key: Expression) -> bool:
    """Whether an expression is a column of the person's id."""
    return isinstance(key, Ref) and key.column.person is not None
