"""The keys of a question: every combination of values that are known, empty groups too, and the
ends of binned ones.

A public join ties keys together: a city has one region, so city and region are not crossed.  Of the
keys that a public table tells, or that rows are joined to it by, only the combinations that stand
in the table can have rows, whatever the private rows are.  Which they are follows from public
tables alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, product
from math import prod
from typing import Any, NamedTuple

from shoal.engines.engine import Engine
from shoal.errors import FactsError
from shoal.plan import (
    Call,
    Expression,
    FromTable,
    Key,
    Listed,
    Literal,
    PersonJoin,
    Project,
    PublicJoin,
    Query,
    Ref,
    Rows,
    Scan,
    Selected,
    Table,
    Value,
    number_of,
)
from shoal.plan.relation import Filter
from shoal.plan.within_person import WithinPerson

MOST_GROUPS = 1_000_000

Group = tuple[Value, ...]


def selects(question: Query) -> bool:
    """Whether some key is not known, so that groups must be selected privately."""
    return any(isinstance(key.known, Selected) for key in question.keys)


def known_groups(question: Query, engine: Engine, tables: Mapping[str, Table]) -> list[Group]:
    """Every group there can be, from facts and public tables alone."""
    lists = [values_of_key(key, engine, tables) for key in question.keys]
    parts = list(tied_keys(question, engine, lists, MOST_GROUPS))
    within = {at for places, _ in parts for at in places}
    others = [at for at in range(len(lists)) if at not in within]
    parts += [([at], [(value,) for value in lists[at]]) for at in others]
    count = prod(len(groups) for _, groups in parts)
    if count > MOST_GROUPS:
        raise FactsError(
            f"the keys have {count} combinations; at most {MOST_GROUPS} are answered.",
            remedy="Group by fewer keys, or by coarser ones: BIN(age, 10), DATE_TRUNC('month', day).",
        )
    order = [at for places, _ in parts for at in places]
    whole = (tuple(chain(*chosen)) for chosen in product(*(groups for _, groups in parts)))
    back = [order.index(at) for at in range(len(lists))]
    return [tuple(group[at] for at in back) for group in whole]


def in_order(group: Group) -> tuple[Any, ...]:
    """Where a group stands among others: NULL first."""
    return tuple((value is not None, value) for value in group)


def in_asked_order(groups: Sequence[Group], spelled: Query, asked: Query) -> list[int]:
    """The places of groups in the order in which they are shown: by the keys as they were asked,
    each in the order of its list.

    ``groups`` have the keys of the question in its one spelling.
    """
    names = [key.name for key in spelled.keys]
    columns = [(key, names.index(key.name)) for key in asked.keys]
    if selects(spelled):
        moved = [tuple(group[at] for _, at in columns) for group in groups]
        return sorted(range(len(groups)), key=lambda place: in_order(moved[place]))
    ranks = []
    for key, at in columns:
        listed = key.known.values if isinstance(key.known, Listed) else ()
        found = dict.fromkeys((*listed, *(group[at] for group in groups if group[at] is not None)))
        ranks.append({value: rank for rank, value in enumerate([*found, None])})
        if isinstance(key.known, FromTable):  # a table's values are in order, NULL among them
            values = sorted({(group[at],) for group in groups}, key=in_order)
            ranks[-1] = {value: rank for rank, (value,) in enumerate(values)}
    return sorted(
        range(len(groups)),
        key=lambda place: [
            rank[groups[place][at]] for rank, (_, at) in zip(ranks, columns, strict=True)
        ],
    )


def values_of_key(key: Key, engine: Engine, tables: Mapping[str, Table]) -> list[Value]:
    """Every value of a key, NULL last, from facts and public tables alone; none where they are not
    known.
    """
    match key.known:
        case Listed(values, null):
            return [*values, *([None] if null else [])]
        case FromTable(table, name, null):
            scan = Scan(tables[table])
            only = Project(scan, ((name, Ref(tables[table].column(name))),))
            found = {row[0] for row in engine.rows(only)} | ({None} if null else set())
            return [row[0] for row in sorted(((value,) for value in found), key=in_order)]
        case Selected():
            return []


_BIN, _BUCKET = "bin", "width_bucket"


def is_binned(key: Expression) -> bool:
    """Whether a key is BIN(...) or WIDTH_BUCKET(...)."""
    return isinstance(key, Call) and key.name in (_BIN, _BUCKET)


def bin_of(key: Expression, value: Value) -> tuple[float, float] | None:
    """The ends of the bin that a value of such a key stands for; None for NULL.

    Edges: what lies below the first bucket of WIDTH_BUCKET, or above the last, is given one more of
    their width.
    """
    assert isinstance(key, Call)
    if value is None:
        return None
    first, second, *more = (_bin_number(argument) for argument in key.arguments[1:])
    if key.name == _BIN:
        start = number_of(value, key.type)
        assert start is not None
        return float(start), float(start) + first
    width = (second - first) / more[0]
    assert isinstance(value, int)
    return first + (value - 1) * width, first + value * width


def _bin_number(argument: Expression) -> float:
    assert isinstance(argument, Literal)
    place = number_of(argument.value, argument.type)
    assert place is not None
    return float(place)


# keys that a public join ties together

Combinations = list[tuple[Value, ...]]


def tied_keys(
    question: Query, engine: Engine, values: Sequence[Sequence[Value]], most: int
) -> Iterator[tuple[list[int], Combinations]]:
    """For each public join that ties several keys: their places, and the combinations they can
    have, of the ``values`` of each key.

    Guarantee: no row of any data is in another combination of these keys.
    Needs: the keys of the question, each with all values it can have.
    Edges: a key is tied by the first join that tells it; what is computed of columns is not tied,
        and neither are keys of the private side with more than ``most`` combinations of their own.
    Proof: stability.md, Keys of a public join.
    """
    free = set(range(len(question.keys)))
    for join in _public_joins(question.relation):
        tied = {at: tie for at in sorted(free) if (tie := _tie(question.keys[at], join))}
        own = prod(len(values[at]) for at, tie in tied.items() if tie.own)
        if len(tied) > 1 and own <= most:
            free -= tied.keys()
            yield list(tied), _combinations(join, engine, tied, values)


class _Tie(NamedTuple):
    """The public column whose value a key has in every joined row; ``own`` says that the key is
    the column of the private side that was joined by.
    """

    name: str
    own: bool


def _public_joins(rows: Rows) -> Iterator[PublicJoin]:
    """The joins whose columns a question still has under their names."""
    while isinstance(rows, Filter | WithinPerson | PublicJoin | PersonJoin):
        if isinstance(rows, PublicJoin):
            yield rows
        rows = rows.left if isinstance(rows, PublicJoin | PersonJoin) else rows.source


def _tie(key: Key, join: PublicJoin) -> _Tie | None:
    if not isinstance(key.expression, Ref):
        return None
    name = key.expression.column.name
    if name in {column.name for column in join.right.columns}:
        return _Tie(name, own=False)
    for own, other in join.on:
        if isinstance(own, Ref) and isinstance(other, Ref) and own.column.name == name:
            return _Tie(other.column.name, own=True)
    return None


def _combinations(
    join: PublicJoin, engine: Engine, tied: Mapping[int, _Tie], values: Sequence[Sequence[Value]]
) -> Combinations:
    names = [column.name for column in join.right.columns]
    places = [names.index(tie.name) for tie in tied.values()]
    matching = [names.index(b.column.name) for _, b in join.on if isinstance(b, Ref)]
    # NULL agrees with nothing, so a public row with NULL there is never joined
    rows = [row for row in engine.rows(join.right) if all(row[at] is not None for at in matching)]
    found = dict.fromkeys(tuple(row[at] for at in places) for row in rows)
    if join.kind == "left":
        # NULL stands beside rows to which nothing was joined; what is in the table is joined
        sure = {row[matching[0]] for row in rows} if len(matching) == len(join.on) == 1 else set()
        alone = [
            [v for v in values[at] if v not in sure] if tie.own else [None]
            for at, tie in tied.items()
        ]
        found |= dict.fromkeys(product(*alone))
    known = [set(values[at]) for at in tied]
    return [
        group
        for group in found
        if all(value in own for value, own in zip(group, known, strict=True))
    ]
