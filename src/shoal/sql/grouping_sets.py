"""ROLLUP, CUBE and GROUPING SETS: one release of the finest groups, and totals that add up.

Every other level is the sum of the released numbers of the finest groups, so sub-totals and totals
are consistent, and cost nothing more.  Which noise the finest groups have is not decided here: counts
may be measured such that these sums have little (`query/joint_counts.py`).
"""

from __future__ import annotations

from itertools import combinations
from typing import Any

from shoal.sql.functions import AGGREGATES
from shoal.sql.merged_aggregates import conditioned
from shoal.sql.question_text import Text

_ADDING = ("Count", "Sum", "CountIf")
LEVELS = ("Rollup", "Cube", "GroupingSets")


def levels_of(select: Any) -> list[Any]:
    """The parts of GROUP BY that make several sets of keys."""
    group = select.args.get("group")
    if group is None:
        return []
    listed = [node for node in group.expressions if type(node).__name__ in LEVELS]
    return [*listed, *(group.args.get("rollup") or []), *(group.args.get("cube") or [])]


def split_levels(select: Any, text: Text) -> tuple[Any, list[Any]]:
    """The SELECT of the finest groups, and a SELECT over them for each level; its FROM is
    ``base``.
    """
    sets = _sets(select.args["group"], select, text)
    return _split([(select, each) for each in sets], text)


def split_union(union: Any, text: Text) -> tuple[Any, list[Any]]:
    """The same for aggregates of the same rows, joined by UNION ALL."""
    selects = _selects(union, text)
    rows = {(_from(each), _text(each, "joins")) for each in selects}
    if len(rows) > 1:
        raise text.refused(
            union,
            "the parts of this UNION ALL aggregate different tables.",
            "Ask once per table, and put the answers together.",
        )
    if len({_text(each, "where") for each in selects}) > 1:
        selects = [each.copy() for each in selects]
        for each in selects:
            conditioned(each, each.args.get("where"), text)
            each.set("where", None)
    asked = []
    for each in selects:
        group = each.args.get("group")
        nodes = [] if group is None else [meant(node, each) for node in group.expressions]
        asked.append((each, nodes))
    return _split(asked, text)


def _selects(union: Any, text: Text) -> list[Any]:
    if type(union).__name__ == "Select":
        text.only(union, "expressions", "from_", "from", "joins", "where", "group", "having")
        return [union]
    if type(union).__name__ == "Subquery":
        text.only(union, "this")
        if type(union.this).__name__ != "Select":
            text.only(union.this, "this", "expression", "distinct")
        return _selects(union.this, text)
    if type(union).__name__ != "Union" or union.args.get("distinct") is not False:
        raise text.refused(
            union, "a question is one SELECT, or several joined by UNION ALL.", "Write UNION ALL."
        )
    return [*_selects(union.this, text), *_selects(union.expression, text)]


def _from(select: Any) -> str:
    clause = select.args.get("from_") or select.args.get("from")
    return "" if clause is None else _sql(clause)


def _text(select: Any, name: str) -> str:
    value = select.args.get(name)
    parts = value if isinstance(value, list) else [value]
    return " ".join(_sql(part) for part in parts if part is not None)


def _split(asked: list[tuple[Any, list[Any]]], text: Text) -> tuple[Any, list[Any]]:
    """The finest groups of some sets of keys, and a SELECT over them for each set."""
    from sqlglot import exp  # noqa: PLC0415 - heavy

    select = asked[0][0]
    keys = _unique([node for _, each in asked for node in each])
    names = {_sql(node): f"k{at}" for at, node in enumerate(keys)}
    sums: dict[str, tuple[str, Any]] = {}
    levels = [_level(each, nodes, names, sums, text) for each, nodes in asked]
    base = select.copy()
    for clause in ("having", "order", "limit", "offset", "qualify"):
        base.set(clause, None)
    items = [exp.alias_(node.copy(), names[_sql(node)], quoted=True) for node in keys]
    items += [exp.alias_(node.copy(), name, quoted=True) for name, node in sums.values()]
    base.set("expressions", items)
    base.set("group", exp.Group(expressions=[node.copy() for node in keys]) if keys else None)
    return base, levels


def _sql(node: Any) -> str:
    return str(node.sql(dialect="duckdb"))


def _unique(nodes: list[Any]) -> list[Any]:
    return list({_sql(node): node for node in nodes}.values())


def _sets(group: Any, select: Any, text: Text) -> list[list[Any]]:
    """The sets of keys, those beside ROLLUP in every one."""
    held = levels_of(select)
    nodes = [node for node in group.expressions if type(node).__name__ not in LEVELS]
    plain = [meant(node, select) for node in nodes]
    if len(held) > 1:
        raise text.refused(
            group, "one ROLLUP, CUBE or GROUPING SETS is read.", "Write one of them."
        )
    (only,) = held
    kind = type(only).__name__
    listed = [meant(node, select) for node in only.expressions]
    if not listed:  # GROUP BY a, b WITH ROLLUP
        plain, listed = [], plain
    if kind == "GroupingSets":
        parts = [_members(node) for node in only.expressions]
        return [[*plain, *(meant(node, select) for node in each)] for each in parts]
    if len(listed) > 6:
        raise text.refused(group, "at most 6 keys make levels.", "Group by fewer keys.")
    sizes = range(len(listed), -1, -1)
    if kind == "Rollup":
        return [[*plain, *listed[:size]] for size in sizes]
    return [[*plain, *each] for size in sizes for each in combinations(listed, size)]


def _members(node: Any) -> list[Any]:
    kind = type(node).__name__
    if kind == "Tuple":
        return list(node.expressions)
    return [node.this] if kind == "Paren" else [node]


def meant(node: Any, select: Any) -> Any:
    """A key by itself, by its number, or by its alias."""
    items = select.expressions
    if type(node).__name__ == "Literal" and not node.is_string and node.name.isdigit():
        at = int(node.name)
        return items[at - 1].unalias() if 0 < at <= len(items) else node
    if type(node).__name__ == "Column" and not node.table:
        for item in items:
            if type(item).__name__ == "Alias" and item.alias.lower() == node.name.lower():
                return item.this
    return node


def _level(
    select: Any,
    keys: list[Any],
    names: dict[str, str],
    sums: dict[str, tuple[str, Any]],
    text: Text,
) -> Any:
    from sqlglot import exp  # noqa: PLC0415 - heavy

    held = {_sql(node) for node in keys}

    def changed(node: Any) -> Any:
        written, kind = _sql(node), type(node).__name__
        if written in names:
            column = exp.column(exp.to_identifier(names[written], quoted=True))
            return column if written in held else exp.Null()
        if kind in ("Grouping", "GroupingId") or (
            kind == "Anonymous" and node.name.lower() in ("grouping", "grouping_id")
        ):
            told = "".join("0" if _sql(meant(e, select)) in held else "1" for e in node.expressions)
            return exp.Literal.number(int(told or "0", 2))
        return _added(node, sums, text) if kind in AGGREGATES else None

    made = exp.Select(
        expressions=[
            exp.alias_(
                _through(item.unalias(), changed),
                item.alias_or_name or _sql(item).lower(),
                quoted=True,
            )
            for item in select.expressions
        ]
    )
    made = made.from_("base")
    if keys:
        made.set("group", exp.Group(expressions=[changed(node) for node in _unique(keys)]))
    having = select.args.get("having")
    if having is not None:
        made.set("having", exp.Having(this=_through(having.this, changed)))
    return made


def _through(node: Any, changed: Any) -> Any:
    """A copy of a node in which parts are replaced, the outermost first."""
    new = changed(node)
    if new is not None:
        return new
    made = node.copy()
    for name, value in node.args.items():
        if isinstance(value, list):
            made.set(name, [_through(v, changed) if hasattr(v, "walk") else v for v in value])
        elif hasattr(value, "walk"):
            made.set(name, _through(value, changed))
    return made


def _added(node: Any, sums: dict[str, tuple[str, Any]], text: Text) -> Any:
    """An aggregate as a sum of those of the finest groups."""
    from sqlglot import exp  # noqa: PLC0415 - heavy

    inner = node.this if type(node).__name__ == "Filter" else node
    kind = type(inner).__name__
    if kind == "Avg":
        parts = []
        for new in (exp.Sum(this=inner.this.copy()), exp.Count(this=inner.this.copy())):
            whole = (
                new if inner is node else exp.Filter(this=new, expression=node.expression.copy())
            )
            parts.append(_added(whole, sums, text))
        return exp.Paren(this=exp.Div(this=parts[0], expression=parts[1]))
    if kind not in _ADDING or type(inner.this).__name__ == "Distinct":
        raise text.refused(
            node,
            "this number of the groups does not add up to that of the total.",
            "Use COUNT(*), SUM or AVG with ROLLUP, or ask once per grouping.",
        )
    name, _ = sums.setdefault(_sql(node), (f"a{len(sums)}", node))
    return exp.Sum(this=exp.column(exp.to_identifier(name, quoted=True)))
