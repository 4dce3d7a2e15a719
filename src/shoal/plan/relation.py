"""Rows: tables, and what keeps to them row by row.  Every node knows its columns, unit and
stability.

Beside its columns each row of a private relation carries the key of the person it belongs to, which
nothing can drop or rewrite.  The rows of one person depend on that person's rows alone
(stability.md), so a later floor can bound what one person does to an answer, whatever was selected
on the way.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar
from typing import Literal as OneOf

from shoal.errors import ExpressionError, RelationError
from shoal.exact import whole
from shoal.plan.condition_facts import refined
from shoal.plan.declared_table import Person, Table, Unit
from shoal.plan.expression import Expression, Ref, in_common, require_known
from shoal.plan.facts import Column
from shoal.plan.id_spaces import check_one_space, spaces_of
from shoal.plan.nodes import OverOne, RowsNode, Stability, column_of
from shoal.plan.per_person import PerPerson
from shoal.plan.sizes import WorkPerRow
from shoal.plan.types import BOOLEAN, TEXT, Kind, Type
from shoal.plan.within_person import WithinPerson
from shoal.sensitivity import Relation


@dataclass(frozen=True)
class Scan:
    """The rows of a table, with its facts made true."""

    table: Table
    nodes: ClassVar[int] = 1
    depth: ClassVar[int] = 1

    @property
    def columns(self) -> tuple[Column, ...]:
        return self.table.columns

    @property
    def protects(self) -> Unit | None:
        return self.table.protects

    @property
    def person(self) -> tuple[Type, ...]:
        protects = self.protects
        names = protects.columns if isinstance(protects, Person) else ()
        own = (TEXT,) if names and self.table.space is not None else ()
        return (*(self.table.column(name).type for name in names), *own)

    @property
    def stability(self) -> Stability:
        return {} if self.protects is None else {self.table.name: 1}

    @property
    def sources(self) -> tuple[Rows, ...]:
        return ()


@dataclass(frozen=True)
class Filter(OverOne):
    """The rows for which a condition is true: not false, and not NULL."""

    condition: Expression

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.condition.type != BOOLEAN:
            raise ExpressionError(
                f"a condition must be boolean; got {self.condition.type}.",
                remedy="Compare it with something: x > 0.",
            )
        require_known(self.condition, self.source.columns)

    @cached_property
    def columns(self) -> tuple[Column, ...]:
        return refined(self.source.columns, self.condition)


@dataclass(frozen=True)
class Project(OverOne):
    """New columns, each computed from the row at hand."""

    named: tuple[tuple[str, Expression], ...]

    def __post_init__(self) -> None:
        super().__post_init__()
        names = [name for name, _ in self.named]
        if not names or len(set(names)) < len(names):
            raise ExpressionError(
                "a selection needs columns of different names.", remedy="Name each with AS."
            )
        for _, expression in self.named:
            require_known(expression, self.source.columns)

    @cached_property
    def columns(self) -> tuple[Column, ...]:
        return tuple(column_of(name, expression) for name, expression in self.named)


@dataclass(frozen=True)
class _Joined(RowsNode):
    left: Rows
    right: Rows
    on: tuple[tuple[Expression, Expression], ...]
    kind: OneOf["inner", "left"] = "inner"
    at_most: int = 1

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.kind not in ("inner", "left"):
            raise RelationError(
                "only inner and left joins keep to the rows of the left side.", remedy="Use JOIN."
            )
        whole(self.at_most, "at_most", at_least=1)
        object.__setattr__(self, "on", tuple(self._pair(*pair) for pair in self.on))
        names = [column.name for side in (self.left, self.right) for column in side.columns]
        if len(set(names)) < len(names):
            raise RelationError(
                "both sides of the join have a column of the same name.",
                remedy="Rename one of them.",
            )

    def _pair(self, left: Expression, right: Expression) -> tuple[Expression, Expression]:
        require_known(left, self.left.columns)
        require_known(right, self.right.columns)
        found = in_common(left, right)
        if found is None:
            raise ExpressionError(
                f"a {left.type} and a {right.type} cannot be joined on.", remedy="Cast one of them."
            )
        return found[0][0], found[0][1]

    @cached_property
    def columns(self) -> tuple[Column, ...]:
        outer = self.kind == "left"
        kept = isinstance(self, PersonJoin) and not outer
        right = (
            replace(c, nullable=c.nullable or outer, person=c.person if kept else None)
            for c in self.right.columns
        )
        return (*self.left.columns, *right)

    @property
    def protects(self) -> Unit | None:
        return self.left.protects

    @property
    def person(self) -> tuple[Type, ...]:
        return self.left.person

    @property
    def sources(self) -> tuple[Rows, ...]:
        return (self.left, self.right)


@dataclass(frozen=True)
class PublicJoin(_Joined):
    """Each row with the rows of a public relation that agree with it, ``at_most`` of them per
    key.
    """

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.right.protects is not None or not self.on:
            raise RelationError(
                "the right side of this join must be public, and agree in at least one column.",
                remedy="Join private tables on the column of the person.",
            )

    @property
    def stability(self) -> Stability:
        return {
            name: factor and factor * self.at_most for name, factor in self.left.stability.items()
        }


@dataclass(frozen=True)
class PersonJoin(_Joined):
    """Each row with rows of another private relation that belong to the same person.

    ``on`` holds what must agree besides the person.  Of the right side, ``at_most`` rows of one
    person with the same ``on`` are joined: the first in the order of their values.
    """

    def __post_init__(self) -> None:
        super().__post_init__()
        check_one_space([*with_persons(self.left), *with_persons(self.right)])
        if not self.left.person or self.left.person != self.right.person:
            raise RelationError(
                "two private relations can be joined only if both protect persons with the same type of key.",
                remedy="Register both with Person(...) on columns of one type.",
            )
        _same_relation(self.left, self.right)

    @property
    def protects(self) -> Unit | None:
        """The person; a join of at most one row to each adds no rows, so the share of the left side
        is enough.
        """
        one = self.at_most == 1
        return self.left.protects if one else _wider(self.left.protects, self.right.protects)

    @property
    def stability(self) -> Stability:
        left = {n: factor and factor * self.at_most for n, factor in self.left.stability.items()}
        return {**left, **dict.fromkeys(self.right.stability)}


@dataclass(frozen=True)
class UnionAll(RowsNode):
    """The rows of two relations one after the other, column by column.

    Where ids of their tables mean different people, the table's space becomes a part of every
    person's key.
    """

    left: Rows
    right: Rows

    def __post_init__(self) -> None:
        super().__post_init__()
        _same_relation(self.left, self.right)
        self._tell_persons_apart()
        if self.left.person != self.right.person or type(self.left.protects) is not type(
            self.right.protects
        ):
            raise RelationError(
                "a union needs two relations that protect the same unit, with one type of key.",
                remedy="Register both tables with Person(...), or both with Row().",
            )
        kinds = [[column.type for column in side.columns] for side in self.sources]
        if kinds[0] != kinds[1]:
            raise RelationError(
                "a union needs the same number of columns, of the same types in the same order.",
                remedy="Select and cast the columns on both sides.",
            )

    def _tell_persons_apart(self) -> None:
        tables = [*with_persons(self.left), *with_persons(self.right)]
        spaces = spaces_of(tables)
        told = {(spaces[each.name], each.space) for each in tables}
        done = (
            len({space for _, space in told if space is not None}) == len(told) == len(dict(told))
        )
        if len(set(spaces.values())) > 1 and not done:  # a union around this one may have done it
            for side in ("left", "right"):
                object.__setattr__(self, side, _in_spaces(getattr(self, side), spaces))

    @cached_property
    def columns(self) -> tuple[Column, ...]:
        return tuple(map(_either, self.left.columns, self.right.columns))

    @property
    def protects(self) -> Unit | None:
        return _wider(self.left.protects, self.right.protects)

    @property
    def person(self) -> tuple[Type, ...]:
        return self.left.person

    @property
    def stability(self) -> Stability:
        left, right = self.left.stability, self.right.stability
        return {name: _sum(left.get(name, 0), right.get(name, 0)) for name in {**left, **right}}

    @property
    def sources(self) -> tuple[Rows, ...]:
        return (self.left, self.right)


Rows = Scan | Filter | Project | PublicJoin | PersonJoin | UnionAll | PerPerson | WithinPerson
"""A relation whose rows each come of single rows, or of the rows of one person: the only kind a
question is asked of.
"""


def tables_of(rows: Rows) -> dict[str, Table]:
    """Every table that is read, by name."""
    if isinstance(rows, Scan):
        return {rows.table.name: rows.table}
    found: dict[str, Table] = {}
    for source in rows.sources:
        found |= tables_of(source)
    return found


def cost_of(rows: Rows) -> WorkPerRow:
    """What it takes to compute the rows of a relation, for one row; columns that are only handed on
    cost nothing.
    """
    own = WorkPerRow(0)
    match rows:
        case Filter(_, condition):
            own = condition.cost
        case Project(_, named):
            own = sum((e.cost for _, e in named if not isinstance(e, Ref)), own)
        case PublicJoin() | PersonJoin():
            own = sum((e.cost for pair in rows.on for e in pair), own)
        case PerPerson():
            own = sum((e.cost for e in rows.expressions), own)
        case WithinPerson(_, _, window):
            own = sum((e.cost for e in window.expressions), own)
    return sum((cost_of(source) for source in rows.sources), own)


def with_persons(rows: Rows) -> list[Table]:
    """Every table read whose rows are those of persons."""
    return [each for each in tables_of(rows).values() if isinstance(each.protects, Person)]


def _in_spaces(rows: Rows, spaces: Mapping[str, str]) -> Rows:
    """A relation whose persons are told apart by the spaces of their tables, too."""
    match rows:
        case Scan(table):
            return Scan(replace(table, space=spaces.get(table.name)))
        case Filter() | Project() | PerPerson() | WithinPerson():
            return replace(rows, source=_in_spaces(rows.source, spaces))
        case PublicJoin() | PersonJoin() | UnionAll():
            left, right = (_in_spaces(side, spaces) for side in rows.sources)
            return replace(rows, left=left, right=right)


def _sum(left: int | None, right: int | None) -> int | None:
    return None if left is None or right is None else left + right


def _either(left: Column, right: Column) -> Column:
    span = left.span.hull(right.span) if left.span and right.span else None
    choices = None
    if left.choices is not None and right.choices is not None:
        choices = tuple(dict.fromkeys((*left.choices, *right.choices)))
    person = left.person if left.person == right.person else None
    nullable = left.nullable or right.nullable
    longest = max(left.length, right.length) if left.type.kind is Kind.TEXT else None
    cost = WorkPerRow(max(left.cost.parts, right.cost.parts), max(left.cost.work, right.cost.work))
    return Column(
        left.name,
        left.type,
        nullable,
        span,
        choices,
        person,
        longest=longest,
        cost=cost,
    )


def _relation(unit: Unit | None) -> Relation | None:
    return None if unit is None else unit.relation


def _same_relation(left: Rows, right: Rows) -> None:
    if _relation(left.protects) != _relation(right.protects):
        raise RelationError(
            "the two sides are protected under different relations of neighbours, or one not at all.",
            remedy="Register both tables with the same relation.",
        )


def _wider(left: Unit | None, right: Unit | None) -> Unit | None:
    if not isinstance(left, Person) or not isinstance(right, Person):
        return left
    return Person(
        left.columns,
        groups=max(left.groups, right.groups),
        rows_per_group=max(left.rows_per_group, right.rows_per_group),
        nulls=left.nulls,
        relation=left.relation,
    )
