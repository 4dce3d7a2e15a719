"""The rows of each person aggregated, as one SELECT with GROUP BY."""

from __future__ import annotations

from collections.abc import Mapping

from shoal.engines.sql.dialect import Dialect
from shoal.engines.sql.expressions import Layers, lowered
from shoal.plan import Kind, PerPerson, PersonQuantity, PersonTotal


def aggregated(
    per: PerPerson, source: str, names: Mapping[str, str], persons: list[str], dialect: Dialect
) -> str:
    """One row for each person and value of the keys that a person may have several of.

    Keys and arguments are computed below, so that each is a name above and equal values are one.
    """
    layers, apart = Layers(), {name for name, _ in per.grouping}
    keys = [lowered(key, names, layers, dialect).sql for _, key in per.keys]
    given = [
        "" if total.argument is None else lowered(total.argument, names, layers, dialect).sql
        for total in per.totals
    ]
    below = [f"{sql} AS k{at}" for at, sql in enumerate(keys)]
    below += [f"{sql} AS a{at}" for at, sql in enumerate(given) if sql]
    outputs = [
        f"k{at}" if name in apart else _end("MIN", f"k{at}", per.columns[at].type.kind, dialect)
        for at, (name, _) in enumerate(per.keys)
    ]
    outputs += [total_of(total, f"a{at}", dialect) for at, total in enumerate(per.totals)]
    listed = ", ".join([*(f"{sql} AS c{at}" for at, sql in enumerate(outputs)), *persons])
    by = [*persons, *(f"k{at}" for at, (name, _) in enumerate(per.keys) if name in apart)]
    rows = f"SELECT {', '.join([*below, *persons])} FROM {layers.over(f'({source})')}"
    return f"SELECT {listed} FROM ({rows}) GROUP BY {', '.join(by)}"


def _end(word: str, name: str, kind: Kind, dialect: Dialect) -> str:
    return dialect.one_of_equals(f"{word}({name})", kind)


def total_of(total: PersonTotal, name: str, dialect: Dialect, over: str = "") -> str:
    """What rows of a person come to; ``over`` says which rows, where it is told of each row."""
    match total.quantity:
        case PersonQuantity.ROWS:
            return _held(f"COUNT(*) {over}", total, dialect)
        case PersonQuantity.COUNT:
            return _held(f"COUNT({name}) {over}", total, dialect)
        case PersonQuantity.DISTINCT:
            return _held(f"COUNT(DISTINCT {name})", total, dialect)
        case PersonQuantity.SUM:
            held = _held(f"SUM(CAST({name} AS {dialect.wide})) {over}", total, dialect)
            # LEAST and GREATEST pass over NULL: a sum of nothing would be an end
            return f"CASE WHEN COUNT({name}) {over} > 0 THEN {held} END"
    word = "MIN" if total.quantity is PersonQuantity.LEAST else "MAX"
    return dialect.one_of_equals(f"{word}({name}) {over}", total.column.type.kind)


def _held(sql: str, total: PersonTotal, dialect: Dialect) -> str:
    """A number between its ends, in 64 bits; it is compared before it is cut."""
    low, high = (f"CAST({end} AS {dialect.wide})" for end in (total.least, total.most))
    wide = f"CAST({sql} AS {dialect.wide})"
    return f"CAST(LEAST(GREATEST({wide}, {low}), {high}) AS BIGINT)"
