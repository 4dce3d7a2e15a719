"""Several aggregates of the same rows under different conditions, as one SELECT.

``COUNT(*) / (SELECT COUNT(*) FROM visits)`` and two table expressions that group the same rows by
the same keys are one question with ``FILTER (WHERE ...)``: one release and one charge.
"""

from __future__ import annotations

from typing import Any

from shoal.sql.functions import AGGREGATES
from shoal.sql.question_text import Text

_PLAIN = {"expressions", "from_", "from", "joins", "where", "group", "kind"}
_ADDING = ("Count", "Sum", "CountIf")


def merged(select: Any, text: Text) -> Any:
    """A SELECT without scalar sub-queries over its own rows, or itself if it has none."""
    if not any(_same_rows(select, each) for each in _scalars(select)):
        return select
    whole, group = select.copy(), select.args.get("group")
    scalars = [each for each in _scalars(whole) if _same_rows(whole, each)]
    if group is not None and whole.args.get("having") is not None:
        raise text.refused(
            select,
            "a total beside groups that HAVING leaves is not read.",
            "Put the condition in an outer SELECT: SELECT * FROM (...) WHERE n > 10.",
        )
    places = {id(each) for each in scalars}
    conditioned(whole, whole.args.get("where"), text, leave=places)
    for each in scalars:
        inner = each.this
        conditioned(inner, inner.args.get("where"), text)
        item = inner.expressions[0].unalias()
        each.replace(_paren(_totalled(item, text) if group is not None else item))
    whole.set("where", None)
    return whole


def together(first: Any, second: Any, text: Text) -> Any | None:
    """One SELECT with the columns of two that group the same rows by the same keys, or None.

    The columns of the second come after those of the first.
    """
    fits = all(set(_said(each)) <= _PLAIN for each in (first, second))
    if not fits or any(_text(first, name) != _text(second, name) for name in ("joins", "group")):
        return None
    if _from(first) != _from(second) or first.args.get("group") is None:
        return None
    one, other = first.copy(), second.copy()
    if _text(first, "where") != _text(second, "where"):
        for each in (one, other):
            conditioned(each, each.args.get("where"), text)
        one.set("where", None)
    extra = [_named(item, f"'{at}") for at, item in enumerate(other.expressions)]
    one.set("expressions", [*one.expressions, *extra])
    return one


def _named(item: Any, suffix: str) -> Any:
    from sqlglot import exp  # noqa: PLC0415 - heavy

    return exp.Alias(
        this=item.unalias(), alias=exp.Identifier(this=f"{item.alias_or_name}{suffix}", quoted=True)
    )


def _said(select: Any) -> list[str]:
    return [name for name, value in select.args.items() if value]


def _scalars(select: Any) -> list[Any]:
    """Its own scalar sub-queries; those of a sub-query may have other tables of the same name."""
    clauses = [*select.expressions, select.args.get("having"), select.args.get("order")]
    return [
        part
        for clause in clauses
        if clause is not None
        for part in clause.walk()
        if type(part).__name__ == "Subquery"
        and type(part.this).__name__ == "Select"
        and part.parent_select is select
    ]


def _from(select: Any) -> str:
    clause = select.args.get("from_") or select.args.get("from")
    return "" if clause is None else str(clause.sql(dialect="duckdb"))


def _text(select: Any, name: str) -> str:
    value = select.args.get(name)
    parts = value if isinstance(value, list) else [value]
    return " ".join(part.sql(dialect="duckdb") for part in parts if part is not None)


def _same_rows(select: Any, scalar: Any) -> bool:
    """Whether a sub-query is one number of the rows that a SELECT reads before its WHERE."""
    inner = scalar.this
    plain = set(_said(inner)) <= _PLAIN - {"group"} and len(inner.expressions) == 1
    rows = _from(inner) == _from(select) and _text(inner, "joins") == _text(select, "joins")
    return plain and rows and any(type(n).__name__ in AGGREGATES for n in inner.walk())


def conditioned(
    select: Any, where: Any, text: Text, leave: set[int] | frozenset[int] = frozenset()
) -> None:
    """Give every aggregate of a SELECT a condition of its own."""
    from sqlglot import exp  # noqa: PLC0415 - heavy

    if where is None:
        return
    for clause in [*select.expressions, select.args.get("having"), select.args.get("order")]:
        if clause is None:
            continue
        for node in _outermost(clause, leave):
            condition = where.this.copy()
            if type(node).__name__ == "Filter":
                known = node.expression.this
                both = exp.And(this=_paren(known.copy()), expression=_paren(condition))
                node.expression.set("this", both)
            elif _may_filter(node):
                inner = exp.Filter(this=node.copy(), expression=exp.Where(this=condition))
                node.replace(inner)
            else:
                raise text.refused(
                    node,
                    "this aggregate cannot stand beside others under another condition.",
                    "Ask for it in a question of its own.",
                )


def _may_filter(node: Any) -> bool:
    inner = node.this
    return type(node).__name__ != "Count" or type(inner).__name__ != "Distinct"


def _outermost(clause: Any, leave: set[int] | frozenset[int]) -> list[Any]:
    """The aggregates of a clause that are inside no other and in no sub-query to leave alone."""
    found, stack = [], [clause]
    while stack:
        node = stack.pop()
        if id(node) in leave:
            continue
        kind = type(node).__name__
        if kind == "Window":
            stack += list(node.this.iter_expressions())
            stack += [part for part in node.iter_expressions() if part is not node.this]
        elif kind in AGGREGATES:
            found.append(node)
        else:
            stack += list(node.iter_expressions())
    return found


def _totalled(item: Any, text: Text) -> Any:
    """A sum over all groups of what a sub-query counts or adds up."""
    from sqlglot import exp  # noqa: PLC0415 - heavy

    holder = exp.Paren(this=item.copy())
    for node in _outermost(holder, frozenset()):
        inner = node.this if type(node).__name__ == "Filter" else node
        if type(inner).__name__ not in _ADDING or not _may_filter(inner):
            raise text.refused(
                item,
                "beside groups, only counts and sums of all rows are computed.",
                "Ask for this number in a question of its own.",
            )
        node.replace(exp.Window(this=exp.Sum(this=node.copy()), over="OVER"))
    return holder.this


def _paren(node: Any) -> Any:
    from sqlglot import exp  # noqa: PLC0415 - heavy

    return node if isinstance(node, exp.Paren) else exp.Paren(this=node)
