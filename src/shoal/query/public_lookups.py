"""Public rows that stand beside released groups: read when a question is made, before it is paid
for.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import cast

from shoal.engines.engine import Engine
from shoal.errors import FactsError, InternalError
from shoal.plan import After, Query, Rows, Scan, Table, Value, tables_of
from shoal.plan.released_steps import LookUp
from shoal.query.answer import kept, shown
from shoal.query.payment import Askable
from shoal.query.released_table import Bounds, Stage, staged
from shoal.sql.public_selects import PublicRows

MOST_ROWS = 1_000_000
"""A public table of more rows is not joined with released groups."""


@dataclass(frozen=True, eq=False)
class PublicReader:
    """Who reads public rows for sub-queries, and computes what they ask of them."""

    held: Askable

    def __call__(
        self, rows: PublicRows, names: Sequence[str], after: After
    ) -> list[tuple[Value, ...]]:
        if isinstance(rows, list | tuple):
            listed: Sequence[tuple[Value, ...]] = rows
        else:
            found = cast("Rows", rows)
            if found.protects is not None:
                raise InternalError(
                    "private rows were taken for public ones.", remedy="Please report it."
                )
            engine = self.held.source_for(sorted(tables_of(found))).engine
            listed = engine.rows(found)
        table = [dict(zip(names, row, strict=True)) for row in listed]
        stage = staged(PublicStage(table), after.steps)
        return [shown(stage.rows[at], after) for at in kept(stage.rows, after)]


class PublicStage(Stage):
    """Public rows as they are."""

    def __init__(self, rows: list[dict[str, Value]]) -> None:
        self.rows = rows

    def noisy(self, name: str) -> bool | None:  # noqa: ARG002 - nothing is
        return False

    def bound(self, name: str, level: Fraction) -> Bounds:  # noqa: ARG002
        return [None] * len(self.rows)


def with_public_rows(question: Query, engine: Engine, tables: Mapping[str, Table]) -> Query:
    """The question with the rows in it of the public tables that are joined with released groups."""
    steps = tuple(
        replace(step, rows=_rows(engine, tables[step.table])) if isinstance(step, LookUp) else step
        for step in question.after.steps
    )
    return replace(question, after=replace(question.after, steps=steps))


def _rows(engine: Engine, table: Table) -> tuple[tuple[Value, ...], ...]:
    assert table.protects is None
    found = tuple(engine.rows(Scan(table)))
    if len(found) > MOST_ROWS:
        raise FactsError(
            f"the public table {table.name!r} has {len(found)} rows; at most {MOST_ROWS} are "
            "joined with released groups.",
            remedy="Join it before the groups are made: SELECT ... FROM private JOIN public ...",
        )
    return found
