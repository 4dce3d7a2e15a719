"""SELECT as a question: keys, aggregates, and what follows from the released values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from shoal.plan import (
    After,
    Expression,
    Key,
    Literal,
    Order,
    Query,
    Ref,
    Rows,
    Table,
    known_values,
)
from shoal.sql.aggregates import Gathered, spelled_out
from shoal.sql.expressions import Translator
from shoal.sql.functions import AGGREGATES
from shoal.sql.question_text import Text, nothing_else, tree_of
from shoal.sql.relations import row_wise, source_of, translator, with_tables
from shoal.sql.scope import Scope

_CLAUSES = (
    "expressions",
    "from_",
    "from",
    "joins",
    "where",
    "with_",
    "with",
    "group",
    "having",
    "order",
    "limit",
    "offset",
)


def question(sql: str, tables: Mapping[str, Table], *, dialect: str = "duckdb") -> Query:
    """The question that a SELECT asks of registered tables, or an error that points at the word.

    >>> from shoal.plan import INTEGER, Row, Table, column
    >>> people = Table("people", (column("age", INTEGER),), protects=Row())
    >>> print(question("SELECT COUNT(*) AS n FROM people WHERE age >= 18", {"people": people}).explain())
    show n AS n
    release count rows AS n
    filter (age >= 18)  [1 row of people -> 1]
      scan people (age)  [each row; 1 row of people -> 1]
    """
    text = Text(sql)
    with nothing_else(text):
        return _question(tree_of(text, dialect=dialect), tables, text)


def relation(sql: str, tables: Mapping[str, Table], *, dialect: str = "duckdb") -> Rows:
    """The rows that a SELECT without aggregates means; for a question to be asked of them."""
    text = Text(sql)
    with nothing_else(text):
        return row_wise(tree_of(text, dialect=dialect), tables, text)


def expression(sql: str, rows: Rows, *, dialect: str = "duckdb") -> Expression:
    """An expression alone, over the columns of a relation.

    >>> from shoal.plan import INTEGER, Row, Scan, Table, column, text_of
    >>> people = Scan(Table("people", (column("age", INTEGER),), protects=Row()))
    >>> text_of(expression("Age >= 18", people))
    '(age >= 18)'
    """
    text = Text(sql)
    with nothing_else(text):
        return translator(_scope(rows), text).of(tree_of(text, dialect=dialect))


def outputs(
    rows: Rows,
    *,
    by: Mapping[str, str],
    show: Mapping[str, str],
    having: str | None = None,
    dialect: str = "duckdb",
) -> Query:
    """A question from parts: names and texts of keys and of what is shown of each group.

    >>> from shoal.plan import INTEGER, Row, Scan, Table, column
    >>> people = Scan(Table("people", (column("age", INTEGER),), protects=Row()))
    >>> [str(a) for a in outputs(people, by={}, show={"mean": "sum(age) / count(*)"}).aggregates]
    ['sum of age AS "sum(age)"', 'count rows AS "count(*)"']
    """
    scope = _scope(rows)
    keys = tuple(_key(name, expression(sql, rows, dialect=dialect)) for name, sql in by.items())
    gathered = Gathered(scope, Text(""), keys, names=set(show))
    columns: list[tuple[str, Expression]] = [(key.name, Ref(key.column)) for key in keys]
    for name, sql in show.items():
        gathered.text = Text(sql)
        with nothing_else(gathered.text):
            shown = spelled_out(
                _named(name, tree_of(gathered.text, dialect=dialect)), gathered.text
            )
            columns += [(one, gathered.after(node, one)) for one, node in map(_item, shown)]
    gathered.named = dict(columns)
    condition = None
    if having is not None:
        gathered.text = Text(having)
        with nothing_else(gathered.text):
            condition = gathered.after(tree_of(gathered.text, dialect=dialect))
    return Query(rows, keys, tuple(gathered.found), After(tuple(columns), condition))


def _named(name: str, tree: Any) -> Any:
    """A tree under a name, as SELECT has it."""
    from sqlglot import exp  # noqa: PLC0415 - heavy

    return exp.Alias(this=tree, alias=exp.Identifier(this=name, quoted=True))


def _scope(rows: Rows) -> Scope:
    return Scope.of(rows, "this")


def _key(name: str, made: Expression) -> Key:
    return Key(name, made, known_values(made))


def _question(select: Any, tables: Mapping[str, Table], text: Text) -> Query:
    if type(select).__name__ != "Select":
        raise text.refused(select, "a question is one SELECT.", "Put a UNION ALL in FROM (...).")
    if select.args.get("distinct"):
        raise text.refused(
            select,
            "SELECT DISTINCT would show which values there are.",
            "Use GROUP BY with COUNT(*).",
        )
    text.only(select, *_CLAUSES)
    scope = source_of(select, with_tables(select, tables, text), text)
    if scope.rows.protects is None:
        raise text.refused(
            select,
            "the question reads public tables only.",
            "Ask it of a private table, or read the public one.",
        )
    items = [_item(one) for item in select.expressions for one in spelled_out(item, text)]
    keys = _keys(select, items, scope, text)
    gathered = Gathered(scope, text, keys, names={name for name, _ in items})
    columns = [(name, gathered.after(inner, name)) for name, inner in items]
    _check_names(columns, select, text)
    gathered.named = dict(columns)
    having = select.args.get("having")
    condition = gathered.after(having.this) if having is not None else None
    order = _order(select, columns, gathered)
    limit, offset = _number(select, "limit", text), _number(select, "offset", text)
    if offset and not order:
        raise text.refused(
            select.args["offset"], "OFFSET without ORDER BY skips rows at random.", "Add ORDER BY."
        )
    if not gathered.found:
        raise text.refused(
            select,
            "the question asks for rows, not for aggregates of them.",
            "Use COUNT, SUM, AVG, ...",
        )
    with text.at(select):
        after = After(tuple(columns), condition, order, limit, offset or 0)
        return Query(scope.rows, keys, tuple(gathered.found), after)


def _item(item: Any) -> tuple[str, Any]:
    if type(item).__name__ == "Alias":
        return item.alias, item.this
    name = item.name if type(item).__name__ == "Column" else item.sql(dialect="duckdb").lower()
    return name, item


def _check_names(columns: list[tuple[str, Expression]], select: Any, text: Text) -> None:
    names = [name for name, _ in columns]
    if len(set(names)) < len(names):
        raise text.refused(select, "two columns of the answer have one name.", "Name them with AS.")


def _keys(select: Any, items: list[tuple[str, Any]], scope: Scope, text: Text) -> tuple[Key, ...]:
    group = select.args.get("group")
    if group is None:
        return ()
    text.only(group, "expressions", "all")
    aggregated = {
        name for name, inner in items if any(type(n).__name__ in AGGREGATES for n in inner.walk())
    }
    nodes = (
        [inner for name, inner in items if name not in aggregated] if group.args.get("all") else []
    )
    nodes += [_grouped(node, items, scope, text) for node in group.expressions]
    rows, keys = translator(scope, text, once=True), list[Key]()
    for node in nodes:
        made = rows.of(node)
        if isinstance(made, Literal):
            raise text.refused(node, "a constant is no key.", "Group by a column.")
        if any(key.expression == made for key in keys):
            continue
        keys.append(_key(_key_name(made, node, items, scope, rows), made))
    names = [key.name for key in keys]
    if len(set(names)) < len(names):
        raise text.refused(group, "two keys have one name.", "Name them with AS in SELECT.")
    return tuple(keys)


def _grouped(node: Any, items: list[tuple[str, Any]], scope: Scope, text: Text) -> Any:
    """What a part of GROUP BY means: an item by its number, a column, or an item by its alias."""
    if type(node).__name__ == "Literal" and not node.is_string:
        at = (
            int(node.name)
            if node.name.isascii() and node.name.isdigit() and len(node.name) < 6
            else 0
        )
        if not 1 <= at <= len(items):
            raise text.refused(node, "there is no such column in SELECT.", "Count from 1.")
        return items[at - 1][1]
    if type(node).__name__ == "Column" and not scope.find(node) and not node.args.get("table"):
        for name, inner in items:
            if name.lower() == node.this.name.lower():
                return inner
    return node


def _key_name(
    made: Expression, node: Any, items: list[tuple[str, Any]], scope: Scope, rows: Translator
) -> str:
    for name, inner in items:
        if any(type(part).__name__ in AGGREGATES for part in inner.walk()):
            continue
        if type(inner).__name__ == "Literal":
            continue
        if all(len(scope.find(p)) == 1 for p in inner.walk() if type(p).__name__ == "Column") and (
            rows.of(inner) == made
        ):
            return name
    return _item(node)[0]


def _order(
    select: Any, columns: list[tuple[str, Expression]], gathered: Gathered
) -> tuple[Order, ...]:
    clause = select.args.get("order")
    if clause is None:
        return ()
    text = gathered.text
    text.only(clause, "expressions")
    found = []
    for part in clause.expressions:
        text.only(part, "this", "desc", "nulls_first")
        inner = part.this
        if type(inner).__name__ == "Literal" and not inner.is_string:
            at = (
                int(inner.name)
                if inner.name.isascii() and inner.name.isdigit() and len(inner.name) < 6
                else 0
            )
            if not 1 <= at <= len(columns):
                raise text.refused(inner, "there is no such column in SELECT.", "Count from 1.")
            made = columns[at - 1][1]
        else:
            made = gathered.alias(inner) or gathered.after(inner)
        found.append(Order(made, bool(part.args.get("desc")), bool(part.args.get("nulls_first"))))
    return tuple(found)


def _number(select: Any, clause: str, text: Text) -> int | None:
    node = select.args.get(clause)
    if node is None:
        return None
    text.only(node, "expression", "this")
    inner = node.args.get("expression") or node.this
    name = inner.name if inner is not None and type(inner).__name__ == "Literal" else ""
    if not (name.isascii() and name.isdigit()) or len(name) > 18 or inner.is_string:
        raise text.refused(
            node, f"{clause.upper()} takes a whole number.", f"Write {clause.upper()} 10."
        )
    return int(name)
