"""The rows of each person aggregated, as the plan means it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from shoal.plan import Expression, PerPerson, PersonQuantity, PersonTotal, Value, evaluate

Key = tuple[Value, ...]
Row = dict[str, Value]


def aggregated(per: PerPerson, rows: Iterable[tuple[Key, Row]]) -> Iterator[tuple[Key, Row]]:
    """One row for each person and value of the keys that a person may have several of."""
    apart = [key for _, key in per.grouping]
    groups: dict[tuple[Key, Key], list[Row]] = {}
    for person, row in rows:
        at = person, tuple(evaluate(key, row) for key in apart)
        groups.setdefault(at, []).append(row)
    for (person, _), own in groups.items():
        keys = {name: _least(_values(key, own)) for name, key in per.keys}
        yield person, {**keys, **{total.name: total_of(total, own) for total in per.totals}}


def _values(expression: Expression, rows: list[Row]) -> list[Value]:
    """The values that are not NULL."""
    return [value for row in rows if (value := evaluate(expression, row)) is not None]


def _least(values: list[Any]) -> Value:
    found: Value = min(values, default=None)
    return found


def total_of(total: PersonTotal, rows: list[Row]) -> Value:
    """What some rows of a person come to."""
    if total.argument is None:
        return total.held(len(rows))
    values: list[Any] = _values(total.argument, rows)
    match total.quantity:
        case PersonQuantity.COUNT:
            return total.held(len(values))
        case PersonQuantity.DISTINCT:
            return total.held(len(set(values)))
        case PersonQuantity.SUM:
            return total.held(sum(values)) if values else None
        case PersonQuantity.GREATEST:
            greatest: Value = max(values, default=None)
            return greatest
    return _least(values)
