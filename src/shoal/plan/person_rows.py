"""How many rows a person has where rows were aggregated for each person before, and what share of
them a question needs.

Bounding holds every share, whatever it is.  So a share that fits the rows costs no privacy; it spares
noise, and scales nobody down who need not be.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from shoal.plan.expression import Expression, Ref
from shoal.plan.per_person import PerPerson
from shoal.plan.protected_unit import Person
from shoal.plan.relation import Filter, PersonJoin, Project, PublicJoin, Rows, Scan, UnionAll
from shoal.plan.within_person import WindowWord, WithinPerson, apart_by

MOST_NUMBERS = 1 << 10
"""Numbers of rows beyond this spare no noise."""


class KnownRows(NamedTuple):
    """Whether nobody can have more than one row in a group, and whether nobody can be in more than
    one group.
    """

    one_in_a_group: bool
    one_group: bool


def stated_rows(rows: Rows) -> int | None:
    """How many rows one person has at most, as far as it is stated or by construction; None where
    it is not.

    Needs: nothing.  It is stated, not held: whoever has more rows counts for less, or not at all.
    """
    match rows:
        case Scan(table):
            own = set(table.protects.columns) if isinstance(table.protects, Person) else set()
            return min((n for key, n in table.keys.items() if own.issuperset(key)), default=None)
        case Filter(source) | Project(source) | WithinPerson(source):
            return stated_rows(source)
        case PerPerson():
            return rows.most_rows if rows.grouping else 1
        case PublicJoin(left, at_most=most) | PersonJoin(left, at_most=most):
            below = stated_rows(left)
            return None if below is None else below * most
        case UnionAll(left, right):
            sides = stated_rows(left), stated_rows(right)
            return None if None in sides else sum(each or 0 for each in sides)


class _Apart(NamedTuple):
    """The columns by which rows of one person differ, and how many rows agree in them at most."""

    names: set[str | None]
    rows: int


def known_rows(rows: Rows, keys: Sequence[Expression]) -> KnownRows:
    """What is known of the rows of one person in the groups of some keys."""
    apart = _apart(rows)
    if apart is None or apart.rows > 1:
        return KnownRows(one_in_a_group=False, one_group=False)
    grouped = {key.column.name for key in keys if isinstance(key, Ref)}
    return KnownRows(one_in_a_group=apart.names <= grouped, one_group=not apart.names)


def share_of(rows: Rows, keys: Sequence[Expression], unit: Person) -> Person:
    """The share of a person in the groups of some keys.

    Where each person has a row for each of several values and the question is not grouped by these,
    all the rows that may count can be in one group.
    """
    apart, known = _apart(rows), known_rows(rows, keys)
    if apart is None:
        return unit
    if not apart.names:
        most = apart.rows
        return unit.with_shares(min(unit.groups, most), min(unit.rows_per_group, most))
    if apart.rows > 1:
        return unit
    if known.one_in_a_group:
        return unit.with_shares(unit.groups, 1)
    return unit.with_shares(1, unit.groups)


def _apart(rows: Rows) -> _Apart | None:
    """How the rows of one person differ for certain; None where nothing is known."""
    found = _numbered(rows)
    if found is not None:
        return found
    match rows:
        case PerPerson():
            return _Apart({name for name, _ in rows.grouping}, 1)
        case Filter(source) | WithinPerson(source):
            return _apart(source)
        case PersonJoin(left, at_most=1) | PublicJoin(left, at_most=1):
            return _apart(left)
        case Project(source, named):
            below = _apart(source)
            called = {e.column.name: name for name, e in named if isinstance(e, Ref)}
            # a key that is not handed on has no name that a question can group by
            kept = {called.get(name) if name else None for name in below.names} if below else set()
            return _Apart(kept, below.rows) if below else None
    return None


def _numbered(rows: Rows) -> _Apart | None:
    """How rows differ of which only some numbers are left, each of which one row has."""
    called = {column.name: column for column in rows.columns}  # by their names further down
    below = rows
    while isinstance(below, Filter | WithinPerson | Project):
        if isinstance(below, WithinPerson) and below.window.word is WindowWord.NUMBER:
            number = called.get(below.name)
            span = None if number is None else number.span
            if span is not None and span.hi - span.lo < MOST_NUMBERS:
                names = apart_by(below.window)
                held = {called[n].name if n in called else None for n in names}
                return _Apart(held, int(span.hi - span.lo) + 1)
        if isinstance(below, Project):
            refs = [(n, e.column.name) for n, e in below.named if isinstance(e, Ref)]
            called = {under: called[name] for name, under in refs if name in called}
        below = below.source
    return None
