"""Public tables: read once, when they are given, for their rows and for all that can be known of
them.

What is asked later is asked of the rows read then: a file that changes afterwards, or a frame that
is written to, changes neither facts nor answers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

from shoal.engines.csv_file import as_csv, is_csv
from shoal.engines.duckdb.csv_reading import proposed
from shoal.engines.engine import Engine
from shoal.engines.engine_choice import close, engine_over
from shoal.engines.held_rows import HeldRows
from shoal.plan import Column, Scan, Span, Table, Value, number_of, written

MOST_ANY = 1000
"""A table of so few rows can be joined on any expression: no more rows than these agree in it."""


def read_public(sources: Mapping[str, object]) -> dict[str, tuple[Table, HeldRows]]:
    """Each table with the range of its columns and how often their values repeat, and its rows."""
    if not sources:
        return {}
    declared = {
        name: proposed(as_csv(source), {}, name) if is_csv(source) else source
        for name, source in sources.items()
    }  # what is public may say its own types
    engine = engine_over(declared)
    try:
        return _read(engine, sources)
    finally:
        close(engine)


def _read(engine: Engine, sources: Mapping[str, object]) -> dict[str, tuple[Table, HeldRows]]:
    found = {}
    for name in sources:
        plain = Table(name, engine.columns(name))
        rows = engine.rows(Scan(plain))
        lists = [[row[at] for row in rows] for at in range(len(plain.columns))]
        found[name] = _described(plain, lists), _held(plain, lists)
    return found


def _described(plain: Table, lists: Sequence[list[Value]]) -> Table:
    columns: list[Column] = []
    keys: dict[tuple[str, ...], int] = {}
    if len(lists[0]) <= MOST_ANY:
        keys[()] = max(1, len(lists[0]))  # so many rows agree in anything
    for each, values in zip(plain.columns, lists, strict=True):
        known = [value for value in values if value is not None]
        columns.append(_with_span(each, known))
        keys[(each.name,)] = max(Counter(known).values(), default=1)
    return Table(plain.name, tuple(columns), keys=keys)


def _with_span(each: Column, values: Sequence[Value]) -> Column:
    places = [p for value in values if (p := number_of(value, each.type)) is not None]
    if not each.type.ordered or not places:
        return replace(each, origin=None)
    return replace(each, origin=None, span=Span(min(places), max(places)))


def _held(plain: Table, lists: Sequence[list[Value]]) -> HeldRows:
    """The rows in types that are read back as the same values."""
    return HeldRows(
        {
            each.name: (each.type, [written(v, each.type) for v in values])
            for each, values in zip(plain.columns, lists, strict=True)
        },
        digits=18,
    )
