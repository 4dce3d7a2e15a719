"""Window functions over the rows of one person: ROW_NUMBER, LAG, LEAD, FIRST_VALUE, LAST_VALUE, and
counts, sums, least and greatest values so far.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from shoal.plan import (
    BOOLEAN,
    INTEGER,
    REAL,
    Expression,
    Person,
    PersonQuantity,
    PersonWindow,
    Ref,
    Rows,
    Sorting,
    WindowWord,
    WithinPerson,
    cast,
)
from shoal.plan.types import LEAST_INTEGER, MOST_INTEGER
from shoal.sql.question_text import Text
from shoal.sql.scope import Scope, translator

_WORDS = {
    "RowNumber": WindowWord.NUMBER,
    "Lag": WindowWord.BEFORE,
    "Lead": WindowWord.AFTER,
    "FirstValue": WindowWord.FIRST,
    "LastValue": WindowWord.LAST,
    "First": WindowWord.FIRST,
    "Last": WindowWord.LAST,
}
_TOTALS = {
    "Count": PersonQuantity.COUNT,
    "Sum": PersonQuantity.SUM,
    "Min": PersonQuantity.LEAST,
    "Max": PersonQuantity.GREATEST,
}
_RUNNING = ("UNBOUNDED", "PRECEDING", "CURRENT ROW")
_WHOLE = ("UNBOUNDED", "PRECEDING", "UNBOUNDED")


def with_windows(select: Any, scope: Scope, text: Text) -> Scope:
    """A scope with a column for each window function in SELECT and QUALIFY."""
    _spell_out_aliases(select, scope)
    parts = [*select.expressions, select.args.get("qualify")]
    named = {each.this.name.lower(): each for each in select.args.get("windows") or []}
    for node in [each for part in parts if part is not None for each in _windows(part)]:
        scope = _told(node, _spelled_out(node, named, text), scope, text)
    return scope


def _spell_out_aliases(select: Any, scope: Scope) -> None:
    """Put what SELECT calls by a name in its place in QUALIFY; columns of the rows come first."""
    qualify = select.args.get("qualify")
    items = [each for each in select.expressions if type(each).__name__ == "Alias"]
    meant = {each.alias.lower(): each.this for each in items}
    for part in [] if qualify is None else list(qualify.walk()):
        named = type(part).__name__ == "Column" and not part.table
        if named and part.name.lower() in meant and not scope.find(part):
            part.replace(meant[part.name.lower()].copy())


def _windows(node: Any) -> Iterator[Any]:
    """The window functions of an expression."""
    if type(node).__name__ == "Window":
        yield node
        return
    for held in node.args.values():
        for child in held if isinstance(held, list) else [held]:
            if hasattr(child, "walk"):
                yield from _windows(child)


def _spelled_out(node: Any, named: dict[str, Any], text: Text) -> Any:
    """The node that says over which rows: itself, or the WINDOW that it names."""
    alias = node.args.get("alias")
    if alias is None:
        return node
    if alias.name.lower() not in named:
        raise text.unknown(
            node, f"there is no window {alias.name[:60]!r} here.", "Write OVER (...)."
        )
    return named[alias.name.lower()]


def _told(node: Any, over: Any, scope: Scope, text: Text) -> Scope:
    unit = scope.rows.protects
    if not isinstance(unit, Person):
        raise text.refused(
            node,
            "window functions are answered over the rows of one person only.",
            "Aggregate with GROUP BY, and rank the released values with ORDER BY and LIMIT.",
        )
    text.only(over, "this", "partition_by", "order", "spec", "over", "alias")
    rows = translator(scope, text)
    apart = tuple(rows.of(each) for each in over.args.get("partition_by") or [])
    whose = {e.column.person for e in apart if isinstance(e, Ref)} - {None}
    if len(whose) < len(unit.columns):
        raise text.refused(
            node,
            "window functions are answered over the rows of one person only: another person's rows would show.",
            f"Write OVER (PARTITION BY {', '.join(unit.columns)} ORDER BY ...).",
        )
    order = tuple(_sorting(each, rows, text) for each in _ordered(over))
    partition = tuple(e for e in apart if not (isinstance(e, Ref) and e.column.person is not None))
    with text.at(node):
        window = _window(node, scope, text)
        made = replace(window, partition=partition, order=order, so_far=_so_far(node, over, text))
        name = _new(scope, node)
        joined = WithinPerson(scope.rows, name, made)

    def resolved(now: Rows) -> Expression:
        return Ref(next(column for column in now.columns if column.name == name))

    return replace(scope.over(joined), matched={**scope.matched, id(node): resolved})


def _ordered(over: Any) -> list[Any]:
    order = over.args.get("order")
    return [] if order is None else list(order.expressions)


def _sorting(part: Any, rows: Any, text: Text) -> Sorting:
    text.only(part, "this", "desc", "nulls_first")
    return Sorting(
        rows.of(part.this), bool(part.args.get("desc")), bool(part.args.get("nulls_first"))
    )


def _window(node: Any, scope: Scope, text: Text) -> PersonWindow:
    inner, rows = node.this, translator(scope, text)
    kind = type(inner).__name__
    if kind in _TOTALS:
        return _total(kind, inner, scope, text)
    if kind not in _WORDS:
        raise text.refused(
            inner,
            "this is not computed over the rows of one person.",
            "Use ROW_NUMBER, LAG, LEAD, FIRST_VALUE, LAST_VALUE, COUNT, SUM, MIN or MAX.",
        )
    text.only(inner, "this", "offset")
    if kind == "RowNumber":
        return PersonWindow(WindowWord.NUMBER)
    return PersonWindow(_WORDS[kind], rows.of(inner.this), steps=_steps(inner, text))


def _steps(inner: Any, text: Text) -> int:
    offset = inner.args.get("offset")
    if offset is None:
        return 1
    if not (type(offset).__name__ == "Literal" and offset.name.isascii() and offset.name.isdigit()):
        raise text.refused(inner, "how far to look is a whole number.", "Write LAG(x, 1).")
    return int(offset.name[:9])


def _total(kind: str, inner: Any, scope: Scope, text: Text) -> PersonWindow:
    text.only(inner, "this")
    given = inner.this
    if kind == "Count" and (given is None or type(given).__name__ == "Star"):
        return PersonWindow(WindowWord.TOTAL, quantity=PersonQuantity.ROWS, least=0)
    if type(given).__name__ == "Distinct":
        raise text.refused(
            inner, "distinct values are not counted row by row.", "Leave DISTINCT out."
        )
    argument = translator(scope, text).of(given)
    if kind == "Sum" and argument.type == BOOLEAN:
        argument = cast(argument, INTEGER)
    if kind == "Sum" and argument.type == REAL:
        raise text.refused(
            inner,
            "sums of reals so far depend on the order in which they are added up.",
            "Cast to a decimal: SUM(CAST(x AS DECIMAL(18, 2))).",
        )
    least = 0 if kind == "Count" or (argument.span and argument.span.lo >= 0) else LEAST_INTEGER
    quantity = _TOTALS[kind]
    return PersonWindow(
        WindowWord.TOTAL, argument, quantity=quantity, least=least, most=MOST_INTEGER
    )


def _so_far(node: Any, over: Any, text: Text) -> bool:
    """Whether a frame ends at the row at hand: with an order it does, unless another is stated."""
    spec = over.args.get("spec")
    if spec is None:
        return over.args.get("order") is not None
    said = tuple(str(spec.args.get(part) or "").upper() for part in ("start", "start_side", "end"))
    rows = str(spec.args.get("kind") or "").upper() == "ROWS"
    if not rows or said not in (_RUNNING, _WHOLE) or spec.args.get("exclude"):
        raise text.refused(
            node,
            "this frame is not answered.",
            "Write ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW (or AND UNBOUNDED FOLLOWING).",
        )
    return said == _RUNNING


def _new(scope: Scope, node: Any) -> str:
    """A name that no column has: what SELECT calls the window, so that errors can name it."""
    name = str(node.parent.alias) if type(node.parent).__name__ == "Alias" else "window"
    taken = {column.name for column in scope.rows.columns}
    while name in taken:
        name += "'"
    return name
