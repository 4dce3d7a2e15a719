"""PIVOT and MODE as released groups: each is read as a SELECT that asks for the same numbers.

PIVOT puts groups of two keys beside one another: what is released are the groups, one number a
cell, and each cell of the table is one of them.  MODE is the value of the group with the largest
released count.  Both come after the draws, so they cost what the counts cost, and nothing else is
learnt from the rows.
"""

from __future__ import annotations

from typing import Any

from shoal.plan import Listed, Rows, Scan, Table, known_values
from shoal.sql.aggregate_nodes import aggregates_in
from shoal.sql.grouping_sets import meant
from shoal.sql.question_text import Text
from shoal.sql.relations import Named, table_of
from shoal.sql.scope import Scope, translator

MOST_COLUMNS = 200
"""A table has at most so many columns side by side."""

_ON, _PIVOTED = "pivot on", "pivoted"
_HOW = "Write PIVOT t ON x IN ('a', 'b') USING COUNT(*) GROUP BY y."


def rewritten(node: Any, named: Named, text: Text) -> Any:
    """A SELECT without PIVOT or MODE in it, that asks for the same; a node without them as it is."""
    kind = type(node).__name__
    if kind == "Pivot":
        return _statement(node, named, text)
    if kind != "Select":
        return node
    return _without_mode(_without_pivot(node, text), text)


def _statement(pivot: Any, named: Named, text: Text) -> Any:
    """PIVOT t ON x USING ... GROUP BY y."""
    text.only(pivot, "this", "expressions", "using", "group", *_IDLE)
    group, used = pivot.args.get("group"), pivot.args.get("using")
    if group is None:
        raise text.refused(pivot, "without GROUP BY, PIVOT shows single rows.", _HOW)
    text.only(group, "expressions")
    if not used or len(pivot.expressions) != 1:
        raise text.refused(pivot, "PIVOT needs one column after ON, and USING.", _HOW)
    on = pivot.expressions[0]
    if type(on).__name__ == "In":
        text.only(on, "this", "expressions")
    else:
        on = _known(pivot.this, on, named, text)
    return _table(pivot.this, on, used, group.expressions, text)


_IDLE = ("identify_pivot_strings", "prefixed_pivot_columns", "pivot_column_naming", "columns")
"""How sqlglot names columns in other databases; names here are ours (`_cell_name`)."""


def _known(source: Any, on: Any, named: Named, text: Text) -> Any:
    """A column IN the values that it is declared to have."""
    from sqlglot import exp  # noqa: PLC0415 - heavy

    found = table_of(source.this, named) if type(source).__name__ == "Table" else None
    if not isinstance(found, Table | Rows):
        raise text.refused(on, "the values of this column must be listed.", _HOW)
    rows = Scan(found) if isinstance(found, Table) else found
    known = known_values(translator(Scope.of(rows, source.name), text).of(on))
    values = [v for v in known.values if v is not None] if isinstance(known, Listed) else []
    if not values or not all(isinstance(v, str | int) for v in values):
        raise text.refused(on, "no values of this column are declared.", _HOW)
    listed = [exp.convert(value) for value in values[: MOST_COLUMNS + 1]]
    return exp.In(this=on.copy(), expressions=listed)


def _without_pivot(select: Any, text: Text) -> Any:
    """SELECT ... FROM (...) PIVOT (SUM(x) FOR k IN (...))."""
    from sqlglot import exp  # noqa: PLC0415 - heavy

    clause = select.args.get("from_") or select.args.get("from")
    pivots = None if clause is None else clause.this.args.get("pivots")
    if not pivots:
        return select
    source, pivot = clause.this.copy(), pivots[0]
    text.only(pivot, "expressions", "fields", "alias", *_IDLE)
    fields = pivot.args.get("fields") or []
    inner = source.this if type(source).__name__ == "Subquery" else None
    items = [] if inner is None or type(inner).__name__ != "Select" else inner.expressions
    plain = bool(items) and not any(item.is_star for item in items)
    if len(pivots) > 1 or len(fields) != 1 or not plain or type(fields[0]).__name__ != "In":
        raise text.refused(
            pivot,
            "PIVOT is read after a sub-query that names its columns, FOR one of them.",
            "Write FROM (SELECT y, x, v FROM t) PIVOT (SUM(v) FOR x IN ('a', 'b')).",
        )
    on = fields[0].this
    source.set("pivots", None)
    used = {part.name.lower() for each in pivot.expressions for part in each.find_all(exp.Column)}
    rest = [n for n in (item.alias_or_name for item in items) if n.lower() not in used]
    keys = [exp.column(exp.to_identifier(n)) for n in rest if n.lower() != on.name.lower()]
    made = _table(source, fields[0], pivot.expressions, keys, text)
    asked = select.copy()
    held = (pivot.args.get("alias") or source.args.get("alias") or exp.TableAlias()).copy()
    if held.this is None:
        held.set("this", exp.to_identifier(_PIVOTED, quoted=True))
    shown = [exp.column(exp.to_identifier(item.alias, quoted=True)) for item in made.expressions]
    asked.set("from_", exp.From(this=exp.Subquery(this=made, alias=held)))
    asked.set(
        "expressions",
        [new for item in asked.expressions for new in (shown if _is_bare(item) else [item])],
    )
    return asked


def _is_bare(item: Any) -> bool:
    """Whether an item is * and nothing else: neither of some table, nor without some columns."""
    return type(item).__name__ == "Star" and not any(item.args.values())


def _table(source: Any, among: Any, used: list[Any], keys: list[Any], text: Text) -> Any:
    """The cells as groups by the keys and one more, and a SELECT that puts them side by side."""
    from sqlglot import exp  # noqa: PLC0415 - heavy

    on, values = among.this, among.expressions
    if len(values) * len(used) > MOST_COLUMNS:
        raise text.refused(on, f"more than {MOST_COLUMNS} columns stand side by side.", _HOW)
    held = source.copy()
    if type(held).__name__ == "Subquery" and held.args.get("alias") is None:
        held.set("alias", exp.TableAlias(this=exp.to_identifier(_PIVOTED, quoted=True)))
    wanted = [value.this if type(value).__name__ == "PivotAlias" else value for value in values]
    if not all(type(value).__name__ in ("Literal", "Neg") for value in wanted):
        raise text.refused(on, "the values after IN must be constants.", _HOW)
    names = [_key_name(key) for key in keys]
    cells = exp.Select(
        expressions=[
            *(
                exp.alias_(k.unalias().copy(), n, quoted=True)
                for k, n in zip(keys, names, strict=True)
            ),
            exp.alias_(on.copy(), _ON, quoted=True),
            *(exp.alias_(a.unalias().copy(), f"cell {j}", quoted=True) for j, a in enumerate(used)),
        ]
    )
    cells.set("from_", exp.From(this=held))
    cells.set(
        "where", exp.Where(this=exp.In(this=on.copy(), expressions=[w.copy() for w in wanted]))
    )
    cells.set("group", exp.Group(expressions=[*(k.unalias().copy() for k in keys), on.copy()]))
    columns = [exp.column(exp.to_identifier(n, quoted=True)) for n in names]
    shown = [exp.alias_(c.copy(), n, quoted=True) for c, n in zip(columns, names, strict=True)]
    for value, constant in zip(values, wanted, strict=True):
        for j, aggregate in enumerate(used):
            is_its = exp.EQ(
                this=exp.column(exp.to_identifier(_ON, quoted=True)), expression=constant.copy()
            )
            cell = exp.Sum(this=exp.column(exp.to_identifier(f"cell {j}", quoted=True)))
            kept = exp.Filter(this=cell, expression=exp.Where(this=is_its))
            shown.append(exp.alias_(kept, _cell_name(value, aggregate, used), quoted=True))
    made = exp.Select(expressions=shown)
    alias = exp.TableAlias(this=exp.to_identifier("cells", quoted=True))
    made.set("from_", exp.From(this=exp.Subquery(this=cells, alias=alias)))
    if keys:
        made.set("group", exp.Group(expressions=columns))
    return made


def _key_name(key: Any) -> str:
    return str(key.alias_or_name or key.sql(dialect="duckdb").lower())


def _cell_name(value: Any, aggregate: Any, used: list[Any]) -> str:
    """As DuckDB calls it: the value, and the aggregate where it has a name or is one of several."""
    minus = "-" if type(value).__name__ == "Neg" else ""
    name = value.alias if type(value).__name__ == "PivotAlias" else f"{minus}{value.name}"
    said = aggregate.alias or (aggregate.sql(dialect="duckdb").lower() if len(used) > 1 else "")
    return f"{name}_{said}" if said else str(name)


def _without_mode(select: Any, text: Text) -> Any:
    """MODE(x) as the x of the group with the largest released count."""
    from sqlglot import exp  # noqa: PLC0415 - heavy

    found = [item for item in select.expressions if type(item.unalias()).__name__ == "Mode"]
    if not found:
        return select
    group = select.args.get("group")
    rest = [item for item in select.expressions if item is not found[0]]
    clash = ("having", "qualify", "windows", "distinct")
    if len(found) > 1 or any(map(aggregates_in, rest)) or any(map(select.args.get, clash)):
        raise text.refused(
            found[0],
            "MODE is answered by itself, beside the keys that it is asked for.",
            "Ask for it in a question of its own, such as SELECT MODE(x) AS usual FROM t.",
        )
    text.only(found[0].unalias(), "this")
    if found[0].unalias().this is None:
        raise text.refused(found[0], "MODE needs a column.", "Write MODE(x).")
    keys = []
    if group is not None:
        text.only(group, "expressions", "all")
        nodes = rest if group.args.get("all") else group.expressions
        keys = [meant(node, select).unalias().copy() for node in nodes]
    value = found[0].unalias().this
    made = select.copy()
    at = select.expressions.index(found[0])
    name = found[0].alias or found[0].sql(dialect="duckdb").lower()
    made.expressions[at].replace(exp.alias_(value.copy(), name, quoted=True))
    made = made.where(exp.Not(this=exp.Is(this=value.copy(), expression=exp.Null())), copy=False)
    made.set("group", exp.Group(expressions=[*keys, value.copy()]))
    ranked = exp.Window(
        this=exp.RowNumber(),
        partition_by=[key.copy() for key in keys],
        order=exp.Order(
            expressions=[
                exp.Ordered(this=exp.Count(this=exp.Star()), desc=True, nulls_first=False),
                exp.Ordered(this=value.copy(), desc=False, nulls_first=False),
            ]
        ),
    )
    first = exp.EQ(this=ranked, expression=exp.Literal.number(1))
    made.set("qualify", exp.Qualify(this=first))
    return made
