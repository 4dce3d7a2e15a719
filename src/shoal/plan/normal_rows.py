"""One spelling of a relation: sub-queries that only rename or compute columns dissolve, conditions
that follow each other are one, and stand below a join where they are about its left side alone.

The rows are the same, with the same persons; the columns may have other names.  Proof:
normal_questions.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from shoal.plan.expression import Expression, Literal, Ref, columns_of, substitute
from shoal.plan.normal_expressions import NormalSpelling
from shoal.plan.per_person import PerPerson
from shoal.plan.question import explain
from shoal.plan.refine import conjuncts
from shoal.plan.relation import (
    Filter,
    PersonJoin,
    Project,
    PublicJoin,
    Rows,
    Scan,
    UnionAll,
)
from shoal.plan.types import BOOLEAN
from shoal.plan.within_person import WithinPerson

Made = Mapping[str, Expression]
"""What each column of a relation is computed from, by its name."""


@dataclass(frozen=True)
class NormalRows:
    """A relation without the conditions on top of it, these conditions, and what its columns are
    made of.

    Conditions and columns are expressions over the columns of ``base``.
    """

    base: Rows
    conditions: tuple[Expression, ...]
    made: Made

    def filtered(self) -> tuple[Rows, Made]:
        """The relation with its conditions, and its columns over it."""
        base, rest = self.base, self.conditions
        if isinstance(base, PublicJoin | PersonJoin):
            base, rest = _pushed(base, rest)
        rows = _kept(base, rest)
        return rows, {name: onto(rows, made) for name, made in self.made.items()}

    def with_columns(self, names: Iterable[str]) -> Rows:
        """The relation with exactly these of its columns, in this order and under these names."""
        rows, made = self.filtered()
        named = tuple((name, made[name]) for name in names)
        plain = tuple((column.name, Ref(column)) for column in rows.columns)
        return rows if named == plain else Project(rows, named)


def normal_rows(rows: Rows, *, dissolve: bool) -> NormalRows:
    """The one spelling of a relation.

    Sub-queries that rename columns always dissolve; those that compute columns do so with
    ``dissolve``, since what a condition teaches of a computed column is lost with the column.

    Guarantee: the rows of every person are the same, as a multiset of values of ``made``.
    """
    match rows:
        case Scan():
            return _whole(rows)
        case Filter(source, condition):
            below = normal_rows(source, dissolve=dissolve)
            said = conjuncts(substitute(condition, below.made))
            return replace(below, conditions=(*below.conditions, *said))
        case Project(source, named):
            below = normal_rows(source, dissolve=dissolve)
            if dissolve or all(isinstance(each, Ref) for _, each in named):
                made = {name: substitute(each, below.made) for name, each in named}
                return replace(below, made=made)
            under, held = below.filtered()
            spelled = NormalSpelling(under.columns)
            return _whole(
                Project(under, tuple((name, spelled.of(substitute(e, held))) for name, e in named))
            )
        case PublicJoin() | PersonJoin():
            return _joined(rows, dissolve=dissolve)
        case UnionAll(left, right):
            return _whole(_union(_same(left, dissolve), _same(right, dissolve)))
        case PerPerson():
            return _whole(_per_person(rows, dissolve=dissolve))
        case WithinPerson(source, name, window):
            under = _same(source, dissolve)  # all values decide the order
            spelled = NormalSpelling(under.columns)
            order = tuple(
                replace(each, expression=spelled.of(onto(under, each.expression)))
                for each in window.order
            )
            of = None if window.argument is None else spelled.of(onto(under, window.argument))
            by = (spelled.of(onto(under, each)) for each in window.partition)
            parts = {spelled.place(each): each for each in by}
            listed = tuple(parts[place] for place in sorted(parts))
            return _whole(
                WithinPerson(
                    under, name, replace(window, argument=of, partition=listed, order=order)
                )
            )


def onto(rows: Rows, expression: Expression) -> Expression:
    """An expression over the columns of a relation that have its names, with what is known of them
    there.
    """
    return substitute(expression, {column.name: Ref(column) for column in rows.columns})


def _whole(rows: Rows) -> NormalRows:
    return NormalRows(rows, (), {column.name: Ref(column) for column in rows.columns})


def _same(rows: Rows, dissolve: bool) -> Rows:  # noqa: FBT001 - handed on
    """The one spelling of a relation whose columns, and their order, matter."""
    names = [column.name for column in rows.columns]
    return normal_rows(rows, dissolve=dissolve).with_columns(names)


def _kept(base: Rows, conditions: tuple[Expression, ...]) -> Rows:
    """The rows for which all conditions hold."""
    if not conditions:
        return base
    spelled = NormalSpelling(base.columns)
    condition = spelled.all_of(spelled.of(onto(base, each)) for each in conditions)
    return base if condition == Literal(value=True, type=BOOLEAN) else Filter(base, condition)


def _pushed(
    join: PublicJoin | PersonJoin, conditions: tuple[Expression, ...]
) -> tuple[Rows, tuple[Expression, ...]]:
    """A join with the conditions on its left side below it, and the other conditions."""
    names = {column.name for column in join.left.columns}
    spelled = NormalSpelling(join.columns)
    parts = [part for each in conditions for part in conjuncts(spelled.of(each))]
    below = tuple(part for part in parts if names.issuperset(c.name for c in columns_of(part)))
    left = _kept(join.left, below)
    made = replace(join, left=left, on=tuple((onto(left, a), b) for a, b in join.on))
    return made, tuple(part for part in parts if part not in below)


def _joined(join: PublicJoin | PersonJoin, *, dissolve: bool) -> NormalRows:
    """Which rows of the right side are joined is decided by all their values, so it keeps its
    columns.
    """
    left, right = normal_rows(join.left, dissolve=dissolve), _same(join.right, dissolve)
    taken = {column.name for column in right.columns}
    if any(column.name in taken for column in left.base.columns):
        left = _whole(left.with_columns(column.name for column in join.left.columns))
    own, other = NormalSpelling(left.base.columns), NormalSpelling(right.columns)
    pairs = [(own.of(substitute(a, left.made)), other.of(onto(right, b))) for a, b in join.on]
    placed = {(own.place(a), other.place(b)): (a, b) for a, b in pairs}
    on = tuple(placed[place] for place in sorted(placed))
    made = replace(join, left=left.base, right=right, on=on)
    beside = {c.name: Ref(c) for c in made.columns[len(left.base.columns) :]}
    return NormalRows(made, left.conditions, {**left.made, **beside})


def _union(left: Rows, right: Rows) -> Rows:
    """Two relations one after the other, in an order that does not depend on how they were listed.

    Columns are paired by place and named after the left side, so sides change places only where
    the names are the same on both.
    """
    made = UnionAll(left, right)
    if explain(left) <= explain(right):
        return made
    turned = UnionAll(right, left)
    # columns are the same if their names are, and all that is known of them
    alike = turned.columns == made.columns and turned.protects == made.protects
    return turned if alike else made


def _per_person(rows: PerPerson, *, dissolve: bool) -> PerPerson:
    under, made = normal_rows(rows.source, dissolve=dissolve).filtered()
    spelled = NormalSpelling(under.columns)
    keys = [(name, spelled.of(substitute(each, made))) for name, each in rows.keys]
    totals = [
        total
        if total.argument is None
        else replace(total, argument=spelled.of(substitute(total.argument, made)))
        for total in rows.totals
    ]
    keys.sort(key=lambda key: spelled.place(key[1]))
    totals.sort(
        key=lambda each: (each.quantity, (each.argument and spelled.place(each.argument)) or "")
    )
    return PerPerson(under, tuple(keys), tuple(totals))
