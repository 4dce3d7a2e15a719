"""Keys that a public join ties together: a city has one region, so city and region are not crossed.

Of the keys that a public table tells, or that rows are joined to it by, only the combinations that
stand in the table can have rows, whatever the private rows are.  Which they are follows from public
tables alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from math import prod
from typing import NamedTuple

from shoal.engines.engine import Engine
from shoal.plan import Key, PersonJoin, PublicJoin, Query, Ref, Rows, Value
from shoal.plan.relation import Filter
from shoal.plan.within_person import WithinPerson

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
