"""A table as notebooks show it: its columns, their types, and what is declared of them."""

from __future__ import annotations

from collections.abc import Sequence

from shoal.plan import Column, written
from shoal.plan.values import value_at
from shoal.query.notebook_html import Html, table
from shoal.query.showing import plain_text

_MOST_CHOICES = 12
_MOST_COLUMNS = 60


def columns_table(columns: Sequence[Column]) -> Html:
    """One line for each column; of very many the first."""
    rows = [[each.name, str(each.type), known_of(each)] for each in columns[:_MOST_COLUMNS]]
    more = len(columns) - len(rows)
    rows += [[f"and {more:,} more", "", ""]] if more else []
    return table(["column", "type", "declared"], rows)


def known_of(column: Column) -> str:
    """What is declared of a column: its range or its choices, and whether it holds no NULL."""
    said = []
    if column.choices is not None:
        shown = [_value(each, column) for each in column.choices[:_MOST_CHOICES]]
        more = len(column.choices) - len(shown)
        said.append(f"one of {', '.join(shown)}{f' and {more:,} more' if more else ''}")
    elif column.span is not None:
        ends = (value_at(end, column.type) for end in (column.span.lo, column.span.hi))
        said.append(" to ".join(_value(end, column) for end in ends))
    if not column.nullable:
        said.append("no NULL")
    return "; ".join(said) or "nothing yet"


def _value(value: object, column: Column) -> str:
    return plain_text(written(value, column.type))  # type: ignore[arg-type]
