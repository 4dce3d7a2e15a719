"""Bounded weights by key and value as SQL: rows into splits, splits into cells, cells into persons.

A split holds the rows of one person, key and value: k0, k1, ..., p0, p1, ..., the value v, the number of rows c.
"""

from __future__ import annotations

from collections.abc import Mapping

from shoal.engines.sql.dialect import Dialect
from shoal.engines.sql.expressions import lowered
from shoal.engines.sql.layers import Layers
from shoal.engines.sql.relations import names_of, persons_of, read_by, select
from shoal.engines.sql.totals import exceeding, keys_of, steps_of
from shoal.plan import WHOLE, Person, Spread


def split_values(spread: Spread, sources: Mapping[str, str], dialect: Dialect) -> str:
    """The SELECT of what is needed of each row: its keys, its person and its value v."""
    layers, names = Layers(), names_of(spread.relation)
    keys = [lowered(key, names, layers, dialect) for key in spread.keys]
    value = layers.once(lowered(spread.value, names, layers, dialect))
    point = steps_of(spread.grid, value, dialect) if spread.grid else value.sql
    outputs = [f"{piece.sql} AS k{at}" for at, piece in enumerate(keys)]
    listed = ", ".join([*outputs, *_persons(spread), f"{point} AS v"])
    read = read_by(*spread.keys, spread.value)
    rows = layers.over(f"({select(spread.relation, sources, dialect, read)})")
    return f"SELECT {listed} FROM {rows} WHERE {value.sql} IS NOT NULL"


def splits(spread: Spread, sources: Mapping[str, str], dialect: Dialect) -> str:
    """The SELECT of splits."""
    persons = _persons(spread)
    by = ", ".join([*keys_of(spread.bounded), *persons, "v"])
    counted = "COUNT(*)" if spread.grid is not None or not persons else "CAST(1 AS BIGINT)"
    rows = split_values(spread, sources, dialect)
    return f"SELECT {by}, {counted} AS c FROM ({rows}) GROUP BY {by}"


def _persons(spread: Spread) -> list[str]:
    return persons_of(spread.relation) if isinstance(spread.unit, Person) else []


def weights(spread: Spread, made: str, dialect: Dialect) -> str:
    """The SELECT of weights over a table of splits: the keys, the value, its weight."""
    keys, unit = keys_of(spread.bounded), spread.unit
    by = ", ".join([*keys, "v"])
    if not isinstance(unit, Person):
        return f"SELECT {by}, c AS w FROM {made}"
    persons = persons_of(spread.relation)
    cell = ", ".join([*keys, *persons])
    cells = f"(SELECT {cell}, CAST(SUM(c) AS BIGINT) AS n FROM {made} GROUP BY {cell})"
    same = " AND ".join(f"x.{name} IS NOT DISTINCT FROM y.{name}" for name in persons)
    shares = (
        f"SELECT x.*, y.f FROM {cells} AS x LEFT JOIN ({exceeding(spread.bounded, cells, dialect)}) AS y "
        f"ON {same} WHERE x.n > {unit.rows_per_group} OR y.f IS NOT NULL"
    )
    alike = " AND ".join(f"s.{name} IS NOT DISTINCT FROM w.{name}" for name in [*keys, *persons])
    above = (
        f"(CAST(s.c AS {dialect.wide}) * {spread.fraction} * LEAST(w.n, {unit.rows_per_group}) "
        f"* COALESCE(w.f, {WHOLE}))"
    )
    share = dialect.divided.format(above, f"(CAST(w.n AS {dialect.wide}) * {WHOLE})")
    weight = f"CASE WHEN w.n IS NULL THEN s.c * {spread.fraction} ELSE {share} END"
    listed = ", ".join(f"s.{name}" for name in [*keys, "v"])
    return (
        f"SELECT {listed}, SUM({weight}) AS w FROM {made} AS s LEFT JOIN ({shares}) AS w ON {alike} "
        f"GROUP BY {listed}"
    )


def distinct(spread: Spread, made: str, dialect: Dialect) -> str:
    """The SELECT of the number of values by key, each for at most one whole."""
    by = ", ".join(keys_of(spread.bounded))
    listed = f"{by}, " if by else ""
    inner = weights(spread, made, dialect)
    group = f" GROUP BY {by}" if by else ""
    return f"SELECT {listed}COALESCE(SUM(LEAST(w, {spread.fraction})), 0) FROM ({inner}){group}"
