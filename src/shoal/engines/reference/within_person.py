"""What each row is told of the other rows of its person, as the plan means it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from shoal.engines.reference.per_person import total_of
from shoal.plan import PersonWindow, Sorting, Value, WindowWord, WithinPerson, evaluate

Key = tuple[Value, ...]
Row = dict[str, Value]


def told(within: WithinPerson, rows: Iterable[tuple[Key, Row]]) -> Iterator[tuple[Key, Row]]:
    """The rows with one more column."""
    window = within.window
    groups: dict[tuple[Key, Key], list[Row]] = {}
    for person, row in rows:
        at = person, tuple(evaluate(each, row) for each in window.partition)
        groups.setdefault(at, []).append(row)
    for (person, _), own in groups.items():
        ordered = _sorted(own, window.order)
        for place, row in enumerate(ordered):
            yield person, {**row, within.name: _value(window, ordered, place)}


def _sorted(rows: list[Row], order: Sequence[Sorting]) -> list[Row]:
    """By the last part first: every later sorting keeps the order of what it finds equal."""
    found = sorted(rows, key=lambda row: tuple((v is not None, v) for v in row.values()))
    for part in reversed(order):
        of: list[tuple[Any, Row]] = [(evaluate(part.expression, row), row) for row in found]
        known = [pair for pair in of if pair[0] is not None]
        known.sort(key=lambda pair: pair[0], reverse=part.descending)
        missing = [row for value, row in of if value is None]
        values = [row for _, row in known]
        found = [*missing, *values] if part.nulls_first else [*values, *missing]
    return found


def _value(window: PersonWindow, rows: list[Row], at: int) -> Value:
    if window.word is WindowWord.NUMBER:
        return at + 1
    frame = rows[: at + 1] if window.so_far else rows
    if window.word is WindowWord.TOTAL:
        return total_of(window.total, frame)
    assert window.argument is not None
    places = {
        WindowWord.BEFORE: at - window.steps,
        WindowWord.AFTER: at + window.steps,
        WindowWord.FIRST: 0,
        WindowWord.LAST: len(frame) - 1,
    }
    place = places[window.word]
    return evaluate(window.argument, rows[place]) if 0 <= place < len(rows) else None
