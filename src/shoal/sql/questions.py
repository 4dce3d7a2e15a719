"""SELECT as a question: keys, aggregates, and what follows from the released values."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from shoal.plan import (
    After,
    Column,
    Expression,
    Key,
    Literal,
    Order,
    Query,
    Ref,
    Rows,
    Selected,
    Table,
    Type,
    cast,
    known_values,
)
from shoal.plan.released_steps import Branch, Keep, Levels
from shoal.sql.aggregate_nodes import aggregates_in
from shoal.sql.aggregates import Gathered, spelled_out
from shoal.sql.expressions import Translator
from shoal.sql.functions import AGGREGATES
from shoal.sql.grouping_sets import LEVELS, levels_of, split_levels, split_union
from shoal.sql.merged_aggregates import merged
from shoal.sql.pivots import rewritten
from shoal.sql.public_selects import PublicSubqueries, ReadPublic
from shoal.sql.question_text import Text, holds, nothing_else, tree_of
from shoal.sql.relations import (
    Draft,
    GroupedSelect,
    Named,
    grouped_source,
    row_wise,
    source_of,
    with_tables,
)
from shoal.sql.released_select import ReleasedSelect
from shoal.sql.scope import Scope, same, translator
from shoal.sql.windows import Windows, unique

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
    "qualify",
    "windows",
    "order",
    "limit",
    "offset",
)


def question(
    sql: str,
    tables: Mapping[str, Table],
    *,
    dialect: str = "duckdb",
    read_public: ReadPublic | None = None,
) -> Query:
    """The question that a SELECT asks of registered tables, or an error that points at the word.

    ``read_public`` reads public rows for sub-queries over them; without it these are refused.

    >>> from shoal.plan import INTEGER, Row, Table, column
    >>> people = Table("people", (column("age", INTEGER),), protects=Row())
    >>> print(question("SELECT COUNT(*) AS n FROM people WHERE age >= 18", {"people": people}).explain())
    show n AS n
    release count rows AS n
    filter (age >= 18)  [1 row of people -> 1]
      scan people (age)  [each row; 1 row of people -> 1]
    """
    text = Text(sql)
    text.names, text.read_public = tables, read_public
    text.subqueries = PublicSubqueries(text)
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
    if type(select).__name__ == "Pivot":
        select = rewritten(select, tables, text)
    kind = type(select).__name__
    if kind not in ("Select", "Union"):
        raise text.refused(select, "a question is one SELECT.", "Write SELECT ... FROM ...")
    draft = _draft(select, tables, text)
    with text.at(select):
        return draft.query()


def _draft(select: Any, outer: Named, text: Text) -> Draft:
    """What a SELECT asks: of private rows, or of groups of them that are released."""
    with text.inside():
        named = with_tables(select, outer, text)
        if holds(select, "Pivot", "Mode"):
            select = rewritten(select, named, text)
        return _drafted(select, named, text)


def _drafted(select: Any, named: Named, text: Text) -> Draft:
    if type(select).__name__ == "Union":
        text.only(select, "this", "expression", "with_", "with", "order", "limit", "offset")
        return _levelled(select, split_union(select, text), named, text)
    if holds(select, *LEVELS) and levels_of(select):
        return _levelled(select, split_levels(select, text), named, text)
    clause = select.args.get("from_") or select.args.get("from")
    if clause is not None and grouped_source(clause.this, named) is not None:
        asked = ReleasedSelect(select, named, text, lambda inner, known: _draft(inner, known, text))
        return asked.draft(lambda node, shown, of: _tail(node, shown, of, text))
    return _grouped_rows(select, named, text)


def _levelled(select: Any, parts: tuple[Any, list[Any]], named: Named, text: Text) -> Draft:
    """ROLLUP, CUBE, GROUPING SETS, UNION ALL: levels of one release, one below the other."""
    base, levels = parts
    held = GroupedSelect(base, named)
    finest = _draft(base, named, text)
    if any(isinstance(key.known, Selected) for key in finest.keys):
        raise text.refused(
            select,
            "totals of private keys would miss the groups that are not shown.",
            "State Choices for the keys, or ask once per grouping.",
        )

    def drafted(*_: Any) -> Draft:
        return finest

    drafts = [
        ReleasedSelect(level, {"base": held}, text, drafted).draft(lambda *_: ((), None, 0))
        for level in levels
    ]
    names = [name for name, _ in drafts[0].columns]
    if any(len(each.columns) != len(names) for each in drafts):
        raise text.refused(
            select, "the parts have different numbers of columns.", "Select as many in each."
        )
    shown = [[made for _, made in each.columns] for each in drafts]
    typed = [
        next((e for e in each if not _is_null(e)), each[0]) for each in zip(*shown, strict=True)
    ]
    taken: set[str] = finest.taken
    columns = tuple(
        Column(unique(name, taken), made.type, nullable=True)
        for name, made in zip(names, typed, strict=True)
    )
    branches = tuple(
        Branch(tuple(each.steps), tuple(_as(e, c.type) for e, c in zip(row, columns, strict=True)))
        for each, row in zip(drafts, shown, strict=True)
    )
    finest.steps = [Levels(columns, branches)]
    finest.columns = [(name, Ref(column)) for name, column in zip(names, columns, strict=True)]

    def of(node: Any) -> Expression:
        for name, column in zip(names, columns, strict=True):
            if type(node).__name__ == "Column" and same(node.this, name):
                return Ref(column)
        raise text.refused(node, "levels are ordered by what is shown.", "Name a column of SELECT.")

    finest.order, finest.limit, finest.offset = _tail(select, finest.columns, of, text)
    return finest


def _is_null(made: Expression) -> bool:
    return isinstance(made, Literal) and made.value is None


def _as(made: Expression, kind: Type) -> Expression:
    return cast(made, kind)


def _grouped_rows(select: Any, named: Named, text: Text) -> Draft:
    if select.args.get("distinct"):
        raise text.refused(
            select,
            "SELECT DISTINCT would show which values there are.",
            "Count the groups: SELECT x, COUNT(*) AS n FROM t GROUP BY x.",
        )
    text.only(select, *_CLAUSES)
    asked = select
    if holds(select, "Subquery"):
        select = merged(select, text)
    scope = source_of(select, named, text)
    if scope.rows.protects is None:
        private = ", ".join(name for name, each in named.items() if getattr(each, "protects", None))
        raise text.refused(
            select,
            "the question reads public tables only.",
            f"Ask it of a private table ({private}), or read the public one."
            if private
            else "Read the public table itself.",
        )
    items = [_item(one) for item in select.expressions for one in spelled_out(item, text)]
    keys = _keys(select, items, scope, text)
    windows = Windows(text, {name for name, _ in items}, select.args.get("windows") or ())
    grouped = select.args.get("group") is not None or any(aggregates_in(one) for _, one in items)
    gathered = Gathered(
        scope, text, keys, names=windows.taken, windows=windows if grouped else None
    )
    columns = []
    for name, inner in items:
        columns.append((name, gathered.after(inner, name)))
        if not any(entry.name.lower() == name.lower() for entry in scope.entries):
            gathered.named[name] = columns[-1][1]
    _check_names(columns, select, text)
    gathered.named = dict(columns)
    having, qualify = select.args.get("having"), select.args.get("qualify")
    condition = gathered.after(having.this) if having is not None else None
    chosen = gathered.after(qualify.this) if qualify is not None else None
    order, limit, offset = _tail(
        select, columns, lambda node: gathered.alias(node) or gathered.after(node), text
    )
    if select is not asked and any(isinstance(key.known, Selected) for key in keys):
        raise text.refused(
            asked,
            "a total beside private keys would miss the groups that are not shown.",
            "Ask for the total in a question of its own.",
        )
    if not gathered.found:
        raise text.refused(
            select,
            "the question asks for rows, not for aggregates of them.",
            "Use COUNT, SUM, AVG, ...",
        )
    made = Draft(scope.rows, keys, tuple(gathered.found), columns)
    made.having, made.order, made.limit, made.offset = condition, order, limit, offset
    if windows.steps or chosen is not None:  # windows see the groups that HAVING leaves
        made.steps = [] if condition is None else [Keep(condition)]
        made.steps += windows.steps
        made.having = chosen
    return made


def _tail(
    select: Any,
    columns: list[tuple[str, Expression]],
    translate: Callable[[Any], Expression],
    text: Text,
) -> tuple[tuple[Order, ...], int | None, int]:
    """ORDER BY, LIMIT and OFFSET."""
    order = _order(select, columns, translate, text)
    limit, offset = _number(select, "limit", text), _number(select, "offset", text)
    if offset and not order:
        raise text.refused(
            select.args["offset"], "OFFSET without ORDER BY skips rows at random.", "Add ORDER BY."
        )
    return order, limit, offset or 0


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
    select: Any,
    columns: list[tuple[str, Expression]],
    translate: Callable[[Any], Expression],
    text: Text,
) -> tuple[Order, ...]:
    clause = select.args.get("order")
    if clause is None:
        return ()
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
            made = translate(inner)
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
