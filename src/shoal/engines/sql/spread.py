"""Bounded weights by key and value as SQL: rows into splits, splits into cells, cells into persons.

A split holds the rows of one person, key and value: k0, k1, ..., p0, p1, ..., the value v, the
number of rows c.
"""

from __future__ import annotations

from collections.abc import Mapping

from shoal.engines.sql.dialect import Dialect
from shoal.engines.sql.expressions import Layers, lowered
from shoal.engines.sql.person_windows import splits_beside
from shoal.engines.sql.relations import names_of, persons_of, read_by, select
from shoal.engines.sql.totals import (
    cut,
    exceeding,
    factor_beside,
    joined,
    keys_of,
    names_of_words,
    steps_of,
)
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
    if not (dialect.together and persons):
        return f"SELECT {by}, {counted} AS c FROM ({rows}) GROUP BY {by}"
    rows = f"SELECT {dialect.together.format(', '.join(persons))} * FROM ({rows})"
    made = f"SELECT {by}, {counted} AS c FROM ({rows}) GROUP BY {by}"
    return splits_beside(made, persons, keys_of(spread.bounded), spread.unit)


def _persons(spread: Spread) -> list[str]:
    return persons_of(spread.relation) if isinstance(spread.unit, Person) else []


def weight_words(spread: Spread, dialect: Dialect) -> list[str]:
    """How the words of a weight are named, the highest first."""
    unit = spread.unit
    most = spread.fraction * unit.rows_per_group if isinstance(unit, Person) else 1
    return names_of_words("w", most, dialect)


def weights(spread: Spread, made: str, dialect: Dialect) -> str:
    """The SELECT of weights over a table of splits: the keys, the value, the words of its weight,
    as for `totals`.
    """
    keys, unit = keys_of(spread.bounded), spread.unit
    by = ", ".join([*keys, "v"])
    if not isinstance(unit, Person):
        return f"SELECT {by}, c AS w{', c AS rows' * bool(dialect.word)} FROM {made}"
    words = cut("w", spread.fraction * unit.rows_per_group, dialect)
    named = zip(words, weight_words(spread, dialect), strict=True)
    sums = [f"SUM({word}) AS {name}" for word, name in named]
    sums += ["SUM(c) AS rows"] * bool(dialect.word)
    inner = (_beside if dialect.together else _looked_up)(spread, unit, made, dialect)
    return f"SELECT {by}, {', '.join(sums)} FROM ({inner}) GROUP BY {by}"


def _beside(spread: Spread, unit: Person, made: str, dialect: Dialect) -> str:
    """Splits with their weights, of splits with what their person has in all beside them
    (`person_windows`).
    """
    keys, rows = keys_of(spread.bounded), unit.rows_per_group
    factor = factor_beside(unit, spread.norm, dialect) if keys else "CAST(NULL AS BIGINT)"
    listed = ", ".join([*keys, "v", "c", "n", f"{factor} AS f"])
    # Up to here 64 bits hold the product; wide arithmetic, which is slower, is left to the rest.
    least = (1 << 62) // (spread.fraction * rows * WHOLE)
    shares = []
    for kind in ("BIGINT", dialect.wide):
        above = f"(CAST(c AS {kind}) * {spread.fraction} * LEAST(n, {rows}) * COALESCE(f, {WHOLE}))"
        shares.append(dialect.divided.format(above, f"(CAST(n AS {kind}) * {WHOLE})"))
    weight = (
        f"CASE WHEN n <= {rows} AND f IS NULL THEN c * {spread.fraction} "
        f"WHEN n <= {min(least, 1 << 41)} THEN {shares[0]} ELSE {shares[1]} END"
    )
    return f"SELECT {', '.join([*keys, 'v'])}, c, {weight} AS w FROM (SELECT {listed} FROM {made})"


def _looked_up(spread: Spread, unit: Person, made: str, dialect: Dialect) -> str:
    """Splits with their weights; cells with more rows than count, and persons beyond their share,
    are joined.
    """
    keys, persons = keys_of(spread.bounded), persons_of(spread.relation)
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
        f"SELECT {listed}, s.c, {weight} AS w FROM {made} AS s LEFT JOIN ({shares}) AS w ON {alike}"
    )


def distinct(spread: Spread, made: str, dialect: Dialect) -> str:
    """The SELECT of the number of values by key, each for at most one whole."""
    by = ", ".join(keys_of(spread.bounded))
    listed = f"{by}, " if by else ""
    inner = weights(spread, made, dialect)
    whole = joined(weight_words(spread, dialect), dialect, wide=True)
    counted = f"CAST(LEAST({whole}, {spread.fraction}) AS BIGINT)"
    group = f" GROUP BY {by}" if by else ""
    return f"SELECT {listed}COALESCE(SUM({counted}), 0) FROM ({inner}){group}"
