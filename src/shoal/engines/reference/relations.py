"""Each relation as the obvious loop over rows."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from shoal.engines.reference.per_person import aggregated
from shoal.engines.reference.within_person import told
from shoal.plan import (
    Filter,
    PerPerson,
    Person,
    PersonJoin,
    Project,
    PublicJoin,
    Rows,
    Scan,
    Table,
    UnionAll,
    Value,
    WithinPerson,
    evaluate,
    made_true,
    read,
)

Tables = Mapping[str, Sequence[Mapping[str, Any]]]
Key = tuple[Value, ...]


class OwnedRow(NamedTuple):
    """A row and the key of the person it belongs to."""

    person: Key
    row: dict[str, Value]


def evaluated(rows: Rows, tables: Tables) -> list[OwnedRow]:
    """The rows of a relation."""
    match rows:
        case Scan(table):
            return _scanned(table, tables)
        case Filter(source, condition):
            kept = evaluated(source, tables)
            return [owned for owned in kept if evaluate(condition, owned.row) is True]
        case Project(source, named):
            return [
                OwnedRow(person, {name: evaluate(expression, row) for name, expression in named})
                for person, row in evaluated(source, tables)
            ]
        case UnionAll(left, right):
            names = [column.name for column in left.columns]
            below = [
                OwnedRow(
                    person, dict(zip(names, (row[c.name] for c in right.columns), strict=True))
                )
                for person, row in evaluated(right, tables)
            ]
            return evaluated(left, tables) + below
        case PublicJoin() | PersonJoin():
            return _joined(rows, tables)
        case PerPerson(source):
            found = evaluated(source, tables)
            return [OwnedRow(*each) for each in aggregated(rows, found)]
        case WithinPerson(source):
            found = evaluated(source, tables)
            return [OwnedRow(*each) for each in told(rows, found)]


def _scanned(table: Table, tables: Tables) -> list[OwnedRow]:
    protects = table.protects
    found = []
    for given in tables[table.name]:
        raw = {c.name: read(given[c.name], c.type) for c in table.columns}
        person = tuple(raw[n] for n in protects.columns) if isinstance(protects, Person) else ()
        if isinstance(protects, Person) and protects.nulls == "drop" and None in person:
            continue
        if person and table.space is not None:
            person = (*person, table.space)
        found.append(OwnedRow(person, {c.name: made_true(raw[c.name], c) for c in table.columns}))
    return found


def _joined(join: PublicJoin | PersonJoin, tables: Tables) -> list[OwnedRow]:
    by_person = isinstance(join, PersonJoin)
    matches: dict[Key, list[dict[str, Value]]] = defaultdict(list)
    for person, row in evaluated(join.right, tables):
        key = tuple(evaluate(right, row) for _, right in join.on)
        matches[(*person, *key) if by_person else key].append(row)
    for key in matches:
        matches[key] = sorted(matches[key], key=_order)[: join.at_most]
    empty: dict[str, Value] = {column.name: None for column in join.right.columns}
    found = []
    for person, row in evaluated(join.left, tables):
        key = tuple(evaluate(left, row) for left, _ in join.on)
        key = (*person, *key) if by_person else key
        partners = [] if None in key else matches.get(key, [])
        if join.kind == "left" and not partners:
            partners = [empty]
        found += [OwnedRow(person, {**row, **partner}) for partner in partners]
    return found


def _order(row: dict[str, Value]) -> tuple[Any, ...]:
    return tuple((value is not None, value) for value in row.values())
