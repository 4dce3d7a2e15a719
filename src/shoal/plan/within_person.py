"""A column that tells of each row where it stands among the rows of its person: its number, the row
before or after it, the first or the last, and what there was so far.

The order is that of the question, and rows that it leaves equal are in the order of all their values.
So what a row is told is a function of the person's rows, whatever order an engine reads them in.
Proof: stability.md.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from fractions import Fraction
from functools import cached_property

from shoal.errors import ExpressionError, RelationError
from shoal.exact import whole
from shoal.plan.declared_table import Person
from shoal.plan.expression import Expression, Ref, require_known
from shoal.plan.facts import Column, Span
from shoal.plan.nodes import OverOne, Stability, column_of
from shoal.plan.per_person import PersonQuantity, PersonTotal
from shoal.plan.sizes import ONE
from shoal.plan.types import INTEGER, LEAST_INTEGER, MOST_INTEGER


class WindowWord(StrEnum):
    """What a row is told of the rows of its person."""

    NUMBER = "number"
    BEFORE = "before"
    AFTER = "after"
    FIRST = "first"
    LAST = "last"
    TOTAL = "total"


MOVED = (WindowWord.BEFORE, WindowWord.AFTER)
MOST_STEPS = 1000
"""A row is told of another at most so many places away."""


@dataclass(frozen=True)
class Sorting:
    """One part of the order of a person's rows."""

    expression: Expression
    descending: bool = False
    nulls_first: bool = False


@dataclass(frozen=True)
class PersonWindow:
    """What is told, of which value, in which order of which rows.

    ``partition`` is what must agree besides the person.  ``so_far`` takes the rows up to the one at
    hand, and not all; of a number, and of the row some ``steps`` away, it says nothing.  A total is
    a count, a sum or an end, held as `PersonTotal` says.
    """

    word: WindowWord
    argument: Expression | None = None
    partition: tuple[Expression, ...] = ()
    order: tuple[Sorting, ...] = ()
    so_far: bool = True
    steps: int = 1
    quantity: PersonQuantity | None = None
    least: int = LEAST_INTEGER
    most: int = MOST_INTEGER

    def __post_init__(self) -> None:
        bare = self.word is WindowWord.NUMBER or self.quantity is PersonQuantity.ROWS
        if bare == (self.argument is not None) or (self.quantity is not None) != (
            self.word is WindowWord.TOTAL
        ):
            raise ExpressionError(
                f"the {self.word} of a person's rows {'takes no' if bare else 'needs an'} argument.",
                remedy="Write ROW_NUMBER() without, LAG(x) and SUM(x) with one.",
            )
        if self.quantity is PersonQuantity.DISTINCT:
            raise ExpressionError(
                "distinct values are not counted row by row.", remedy="Count rows, or use GROUP BY."
            )
        whole(self.steps, "steps", at_least=1)
        if self.steps > MOST_STEPS:
            raise ExpressionError(
                f"a row is told of another at most {MOST_STEPS} places away.",
                remedy="Write LAG(x, 1).",
            )

    @property
    def total(self) -> PersonTotal:
        """The total that is told."""
        assert self.quantity is not None
        return PersonTotal("total", self.quantity, self.argument, self.least, self.most)

    @property
    def expressions(self) -> list[Expression]:
        """Everything that is computed of a row."""
        own = [] if self.argument is None else [self.argument]
        return [*own, *self.partition, *(each.expression for each in self.order)]

    def column(self, name: str) -> Column:
        """The column that holds it, with what is known of its values."""
        if self.word is WindowWord.NUMBER:
            return Column(
                name, INTEGER, nullable=False, span=Span(Fraction(1), Fraction(MOST_INTEGER))
            )
        if self.word is WindowWord.TOTAL:
            made = replace(self.total.column, name=name)
            missing = self.quantity not in (PersonQuantity.ROWS, PersonQuantity.COUNT)
            return replace(made, nullable=made.nullable and missing)
        assert self.argument is not None
        made = replace(column_of(name, self.argument), person=None, origin=None, cost=ONE)
        return replace(made, nullable=made.nullable or self.word in MOVED)


@dataclass(frozen=True)
class WithinPerson(OverOne):
    """The rows of a relation, each with one more column.

    Guarantee: the rows of one person depend on the rows of that person alone.
    Needs: persons are protected.
    Edges: rows that are equal in every column are told apart by no order, and none is needed: the
        rows that come out are the same whichever is first.
    Proof: stability.md.
    """

    name: str
    window: PersonWindow

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.source.protects, Person):
            raise RelationError(
                "the rows of one person are put in order, but no persons are protected here.",
                remedy="Register the table with Person(...).",
            )
        if self.name in {column.name for column in self.source.columns}:
            raise ExpressionError("a new column needs a new name.", remedy="Name it with AS.")
        for expression in self.window.expressions:
            require_known(expression, self.source.columns)

    @cached_property
    def columns(self) -> tuple[Column, ...]:
        return (*self.source.columns, self.window.column(self.name))

    @property
    def stability(self) -> Stability:
        """One row that comes can change what every other row of its person is told."""
        return dict.fromkeys(self.source.stability)


def apart_by(window: PersonWindow) -> set[str | None]:
    """The columns by which rows of one person are numbered apart; None stands for one that has no
    name.
    """
    plain = [
        e for e in window.partition if not (isinstance(e, Ref) and e.column.person is not None)
    ]
    return {e.column.name if isinstance(e, Ref) else None for e in plain}
