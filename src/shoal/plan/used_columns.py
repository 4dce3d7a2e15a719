"""Of a wide table only the columns that a question uses: engines plan each column they are told of,
used or not.

Which columns these are follows from the question and its tables alone, never from rows, and the
rows that are left have the same values under the same names: proof in stability.md, Narrowing.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from shoal.plan.contribution_bounds import Bounded
from shoal.plan.declared_table import Person, Table
from shoal.plan.expression import Expression, Ref, columns_of
from shoal.plan.per_person import PerPerson
from shoal.plan.relation import (
    Filter,
    PersonJoin,
    Project,
    PublicJoin,
    Rows,
    Scan,
    UnionAll,
    tables_of,
)
from shoal.plan.sizes import DEEPEST_ROWS, MOST_NODES
from shoal.plan.spread import Spread
from shoal.plan.within_person import WithinPerson

WIDE = 256
"""A table of more columns is narrowed; of fewer an engine takes no notice."""

Names = frozenset[str]


def narrowed_rows(rows: Rows) -> Rows:
    """A relation with all its columns, over no more of its tables' columns than these need."""
    return _narrowed(rows, _names(rows)) if _is_wide(rows) else rows


def narrowed_totals(bounded: Bounded, soon: Bounded | None) -> tuple[Bounded, Bounded | None]:
    """Totals, and what is asked next, over the columns that they use; both keep their rows in
    common if they had them so.
    """
    if not _is_wide(bounded.relation):
        return bounded, soon
    together = soon is not None and soon.has_groups_of(bounded)
    used = _used_by(*([bounded, soon] if soon is not None and together else [bounded]))
    rows = _narrowed(bounded.relation, used)
    next_ = replace(soon, relation=rows) if soon is not None and together else None
    return replace(bounded, relation=rows), next_


def narrowed_weights(spread: Spread) -> Spread:
    """Weights over the columns that they use."""
    if not _is_wide(spread.relation):
        return spread
    used = _read_by([*spread.keys, spread.value])
    return replace(spread, relation=_narrowed(spread.relation, used))


def columns_read(rows: Rows) -> dict[str, Names]:
    """The columns that are read of each table."""
    if isinstance(rows, Scan):
        return {rows.table.name: _names(rows)}
    found: dict[str, Names] = {}
    for source in rows.sources:
        for name, columns in columns_read(source).items():
            found[name] = found.get(name, frozenset()) | columns
    return found


def _is_wide(rows: Rows) -> bool:
    """Whether there is a wide table, and room for the steps that narrowing may add: never more than
    there are.
    """
    room = 2 * rows.nodes <= MOST_NODES and 2 * rows.depth <= DEEPEST_ROWS
    return room and any(len(table.columns) > WIDE for table in tables_of(rows).values())


def _used_by(*plans: Bounded) -> Names:
    terms = [term.argument for plan in plans for term in plan.terms]
    return _read_by([*plans[0].keys, *(each for each in terms if each is not None)])


def _read_by(expressions: Iterable[Expression]) -> Names:
    return frozenset(column.name for each in expressions for column in columns_of(each))


def _names(rows: Rows) -> Names:
    return frozenset(column.name for column in rows.columns)


def _narrowed(rows: Rows, used: Names) -> Rows:
    """A relation that has the columns used, perhaps more, with the same rows and persons."""
    match rows:
        case Scan(table):
            return Scan(_narrowed_table(table, used))
        case Filter(source, condition):
            return Filter(_narrowed(source, used | _read_by([condition])), condition)
        case Project(source, named):
            kept = tuple(each for each in named if each[0] in used) or named[:1]
            return Project(_narrowed(source, _read_by(e for _, e in kept)), kept)
        case UnionAll(left, right):
            places = [at for at, each in enumerate(rows.columns) if each.name in used] or [0]
            return UnionAll(*(_exactly(side, places) for side in (left, right)))
        case PublicJoin() | PersonJoin():
            return _narrowed_join(rows, used)
        case WithinPerson(source):  # all values decide the order
            return replace(rows, source=_narrowed(source, _names(source)))
        case PerPerson(source):
            return replace(rows, source=_narrowed(source, _read_by(rows.expressions)))


def _narrowed_table(table: Table, used: Names) -> Table:
    person = table.protects.columns if isinstance(table.protects, Person) else ()
    kept = tuple(each for each in table.columns if each.name in used or each.name in person)
    kept = kept or table.columns[:1]  # rows are counted by something
    names = {each.name for each in kept}
    keys = {key: count for key, count in table.keys.items() if names.issuperset(key)}
    return replace(table, columns=kept, keys=keys)


def _narrowed_join(join: PublicJoin | PersonJoin, used: Names) -> Rows:
    """Which rows of the right side are joined is decided by all their values, so all its columns
    stay.
    """
    left = used & _names(join.left) | _read_by(pair[0] for pair in join.on)
    return replace(
        join,
        left=_narrowed(join.left, left),
        right=_narrowed(join.right, _names(join.right)),
    )


def _exactly(rows: Rows, places: list[int]) -> Rows:
    """The columns at some places: the sides of a union agree by place."""
    wanted = [rows.columns[at].name for at in places]
    source = _narrowed(rows, frozenset(wanted))
    if [each.name for each in source.columns] == wanted:
        return source
    held = {each.name: each for each in source.columns}
    return Project(source, tuple((name, Ref(held[name])) for name in wanted))
