"""The limits on size, found a second time: by walking a plan step by step, and by computing its
texts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from scripts.fuzzing.case import Finding
from shoal.engines.reference import Reference
from shoal.plan import TEXT, Call, Expression, Filter, Project, Query, Ref, Rows, Scan, evaluate
from shoal.plan.sizes import LARGEST, LONGEST_TEXT, MOST_NODES, MOST_WORK


def beyond(asked: Query, rows: Sequence[Mapping[str, Any]]) -> Iterator[Finding]:
    """What of a planned question is beyond a public limit; ``rows`` have the longest texts there
    can be.
    """
    steps = _first(_steps(asked.relation), MOST_NODES + 1)
    if len(steps) > MOST_NODES:
        yield Finding("size", f"a plan of more than {MOST_NODES} steps")
        return
    shown = [
        *(key.expression for key in asked.keys),
        *(a.argument for a in asked.aggregates if a.argument is not None),
    ]
    placed = [(each, asked.relation) for each in shown]
    placed += [(each, step.sources[0]) for step in steps for each in _computed(step)]
    work = sum(_work(each) for each, _ in placed)
    if work > MOST_WORK:
        yield Finding("size", f"a plan that touches {work:,} characters in one row")
    parts = max((_parts(each, below, {}) for each, below in placed), default=0)
    if parts > LARGEST:
        yield Finding("size", f"a plan of {parts:,} parts, with columns spelled out")
        return
    try:
        _compute(asked.relation, shown, rows)
    except _TooLong as text:
        yield Finding("size", str(text))


class _TooLong(Exception):  # noqa: N818 - a proof, not an error
    """A text that is longer than its expression says."""


def _first(found: Iterable[Any], most: int) -> list[Any]:
    return [each for each, _ in zip(found, range(most), strict=False)]


def _steps(rows: Rows) -> Iterator[Rows]:
    """Every step, as often as it is used."""
    yield rows
    for source in rows.sources:
        yield from _steps(source)


def _computed(step: Rows) -> list[Expression]:
    if isinstance(step, Filter):
        return [step.condition]
    return [each for _, each in step.named] if isinstance(step, Project) else []


def _work(expression: Expression) -> int:
    """The characters touched here, with columns as they are read."""
    if not isinstance(expression, Call):
        return 0
    own = expression.cost.work - sum(each.cost.work for each in expression.arguments)
    return own + sum(map(_work, expression.arguments))


def _parts(expression: Expression, rows: Rows, known: dict[tuple[int, str], int]) -> int:
    """How many parts there are, with every column replaced by what computes it."""
    if isinstance(expression, Call):
        return 1 + sum(_parts(each, rows, known) for each in expression.arguments)
    if not isinstance(expression, Ref) or isinstance(rows, Scan):
        return 1
    place = id(rows), expression.column.name
    if place not in known:
        made = dict(rows.named)[place[1]] if isinstance(rows, Project) else expression
        known[place] = max(_parts(made, source, known) for source in rows.sources)
    return known[place]


def _compute(
    relation: Rows, shown: Sequence[Expression], rows: Sequence[Mapping[str, Any]]
) -> None:
    """Compute every text, also for rows that a condition leaves out: an engine may do so before it
    tests the condition.
    """
    for row in _rows(relation, rows):
        for each in shown:
            _value(each, row)


def _rows(step: Rows, rows: Sequence[Mapping[str, Any]]) -> Sequence[Mapping[str, Any]]:
    if isinstance(step, Scan):
        return [each.row for each in Reference({step.table.name: rows}).owned(step)]
    below = _rows(step.sources[0], rows)
    if isinstance(step, Filter):
        for row in below:
            _value(step.condition, row)
    if isinstance(step, Project):
        return [{name: _value(each, row) for name, each in step.named} for row in below]
    return below


def _value(expression: Expression, row: Mapping[str, Any]) -> Any:
    made = evaluate(expression, row)
    longest = min(expression.length, LONGEST_TEXT)
    if expression.type == TEXT and len(str(made or "")) > longest:
        raise _TooLong(
            f"a text of {len(str(made)):,} characters, where at most {longest:,} are said to be"
        )
    return made
