"""FROM, JOIN, WHERE, sub-queries and common table expressions as relations that stay row by row; and
the SELECTs among them that aggregate private rows, which are read where they are asked of.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from shoal.plan import (
    After,
    Aggregate,
    Expression,
    Filter,
    Key,
    Order,
    Project,
    Query,
    Ref,
    Rows,
    Scan,
    Table,
)
from shoal.plan.released_steps import Cut, Keep, LookUp, Regroup, Step
from shoal.sql.aggregate_nodes import aggregates_in
from shoal.sql.functions import AGGREGATES
from shoal.sql.joins import comma_joined, conjuncts_of, is_comma, joined
from shoal.sql.per_person import PERSON_AGGREGATES, aggregated, distinct
from shoal.sql.person_subqueries import SUBQUERIES, with_matches
from shoal.sql.question_text import Text, holds, nearest
from shoal.sql.scope import Scope, same, translator
from shoal.sql.set_operations import SET_OPERATIONS, combined
from shoal.sql.stars import starred
from shoal.sql.window_columns import with_windows


@dataclass(frozen=True, eq=False)
class GroupedSelect:
    """A SELECT that aggregates private rows, and the names it may use; read where it is asked
    of.
    """

    select: Any
    named: Named
    names: tuple[str, ...] = ()

    def renamed(self, columns: list[tuple[str, Expression]]) -> list[tuple[str, Expression]]:
        """Its columns under the names that an alias gives them."""
        given = [*self.names, *(name for name, _ in columns[len(self.names) :])]
        return [(name, made) for name, (_, made) in zip(given, columns, strict=False)]


@dataclass
class Draft:
    """A question in the making: what is released of private rows, and the steps that follow."""

    rows: Rows
    keys: tuple[Key, ...]
    aggregates: tuple[Aggregate, ...]
    columns: list[tuple[str, Expression]]
    steps: list[Step] = field(default_factory=list)
    having: Expression | None = None
    order: tuple[Order, ...] = ()
    limit: int | None = None
    offset: int = 0

    def query(self) -> Query:
        """The question as it stands."""
        steps = tuple(self.steps)
        after = After(tuple(self.columns), self.having, self.order, self.limit, self.offset, steps)
        return Query(self.rows, self.keys, self.aggregates, after)

    def all_steps(self) -> list[Step]:
        """The steps up to its rows, for a question about them."""
        kept = [] if self.having is None else [Keep(self.having)]
        cut = self.limit is not None or self.offset
        return [*self.steps, *kept, *([Cut(self.order, self.limit, self.offset)] if cut else [])]

    @property
    def taken(self) -> set[str]:
        """The names of its columns, as steps know them."""
        found = {each.name for each in self.keys} | {each.name for each in self.aggregates}
        for step in self.steps:
            new = step.columns if isinstance(step, Regroup | LookUp) else ()
            found |= {column.name for column in new} | {getattr(step, "name", "")}
        return found | {name for name, _ in self.columns}


Named = Mapping[str, Table | Rows | GroupedSelect]
"""What a name in FROM may stand for: a table, or a common table expression."""


def table_of(identifier: Any, named: Named) -> Table | Rows | GroupedSelect | None:
    """What a name in FROM stands for; None if nothing has it."""
    if identifier.name in named:
        return named[identifier.name]
    return next((named[name] for name in named if same(identifier, name)), None)


def grouped_source(item: Any, named: Named) -> GroupedSelect | None:
    """What an item of FROM is, if it aggregates private rows; None if it stays row by row."""
    kind = type(item).__name__
    if kind == "Table" and type(item.this).__name__ == "Identifier":
        found = table_of(item.this, named)
        return found if isinstance(found, GroupedSelect) else None
    if kind != "Subquery" or not is_grouped(item.this, named):
        return None
    alias = item.args.get("alias")
    names = [] if alias is None else alias.args.get("columns") or []
    return GroupedSelect(item.this, named, tuple(each.name for each in names))


def is_grouped(select: Any, named: Named) -> bool:
    """Whether a SELECT aggregates private rows by something else than the person, or asks of one
    that does.
    """
    if type(select).__name__ != "Select":
        return False
    clause = select.args.get("from_") or select.args.get("from")
    if clause is None:
        return False
    own = select.args.get("with_") or select.args.get("with")
    inner = named if own is None else with_tables(select, named, Text(""))
    if grouped_source(clause.this, inner) is not None:
        return True
    if select.args.get("group") is None and not any(map(aggregates_in, select.expressions)):
        return False
    return not _by_person(select, inner)


def _by_person(select: Any, named: Named) -> bool:
    """Whether groups are those of single persons."""
    persons = {
        column.name.lower()
        for held in named.values()
        if not isinstance(held, GroupedSelect)
        for column in (held.columns if not isinstance(held, Table) else Scan(held).columns)
        if column.person is not None
    }
    group = select.args.get("group")
    if group is None:
        return False
    renamed = [part for part in select.walk() if type(part).__name__ == "Alias"]
    for part in reversed(renamed):  # sub-queries first: their names are those outside
        if type(part.this).__name__ == "Column" and part.this.name.lower() in persons:
            persons.add(part.alias.lower())
    nodes = list(group.expressions)
    if group.args.get("all"):
        nodes += [item for item in select.expressions if not aggregates_in(item)]
    for node in group.expressions:
        at = int(node.name) if type(node).__name__ == "Literal" and node.name.isdigit() else 0
        nodes += select.expressions[at - 1 : at] if at else []
    columns = (part for node in nodes for part in node.walk() if type(part).__name__ == "Column")
    return any(column.name.lower() in persons for column in columns)


def with_tables(select: Any, named: Named, text: Text) -> Named:
    """The names a SELECT may use: those given, and its common table expressions in order.

    Sub-queries in its expressions know the same names, until the caller leaves ``text.inside``.
    """
    clause = select.args.get("with_") or select.args.get("with")
    text.names = named
    if clause is None:
        return named
    text.only(clause, "expressions")
    known = dict(named)
    for part in clause.expressions:
        text.only(part, "this", "alias")
        names = tuple(each.name for each in part.args["alias"].args.get("columns") or [])
        made: Rows | GroupedSelect
        if is_grouped(part.this, known) or _is_constant(part.this):
            made = GroupedSelect(part.this, known, names)
        else:
            _only_name(part, text)
            with text.inside():
                made = row_wise(part.this, known, text)
        alias = part.args["alias"].this
        left = {name: held for name, held in known.items() if not same(alias, name)}
        known = {**left, part.alias: made}
        text.names = known
    return known


def _is_constant(select: Any) -> bool:
    """Whether a table expression reads no table: VALUES, or a SELECT without FROM."""
    if type(select).__name__ == "Values":
        return True
    if type(select).__name__ != "Select":
        return False
    clause = select.args.get("from_") or select.args.get("from")
    return clause is None or type(clause.this).__name__ == "Values"


def row_wise(select: Any, named: Named, text: Text) -> Rows:
    """A SELECT without aggregates, as a relation."""
    kind = type(select).__name__
    if kind == "Subquery":
        text.only(select, "this", "alias")
        return row_wise(select.this, named, text)
    if kind in SET_OPERATIONS:
        text.only(select, "this", "expression", "with_", "with", "distinct")
        known = with_tables(select, named, text)
        left, right = (row_wise(side, known, text) for side in (select.this, select.expression))
        with text.at(select):
            return combined(select, left, right, text)
    if kind != "Select":
        raise text.refused(select, f"{kind} is not a SELECT.", "Ask with SELECT ... FROM ...")
    for clause in ("order", "limit", "offset"):
        if select.args.get(clause):
            raise text.refused(
                select.args[clause] if text.start_of(select.args[clause]) is not None else select,
                f"a sub-query with {clause.upper()} does not stay row by row.",
                "Aggregate once, in the outermost SELECT.",
            )
    text.only(select, *_ROW_WISE)
    scope = source_of(select, with_tables(select, named, text), text)
    if select.args.get("group") or select.args.get("having") or _aggregate_in(select):
        for clause in ("qualify", "windows"):
            if select.args.get(clause):
                raise text.refused(
                    select,
                    f"{clause.upper().rstrip('S')} is not read beside GROUP BY in a sub-query.",
                    "Group in a sub-query of its own, and use the window in the SELECT around it.",
                )
        grouped = aggregated(select, scope, translator(scope, text, once=True), text)
        return distinct(grouped, select, text) if select.args.get("distinct") else grouped
    scope = with_windows(select, scope, text)
    qualify = select.args.get("qualify")
    if qualify is not None:
        condition = translator(scope, text).of(qualify.this)
        with text.at(qualify):
            scope = scope.over(Filter(scope.rows, condition))
    made = _selected(select, scope, text)
    return distinct(made, select, text) if select.args.get("distinct") else made


_ROW_WISE = (
    *("expressions", "from_", "from", "joins", "where", "with_", "with"),
    *("group", "having", "distinct", "qualify", "windows"),
)


def _aggregate_in(select: Any) -> bool:
    """Whether an item of a sub-query aggregates."""
    return any(_aggregates(item) for item in select.expressions)


def _aggregates(node: Any) -> bool:
    """Whether an expression aggregates; what stands in a window or a sub-query does not."""
    kind = type(node).__name__
    if kind in ("Window", "Subquery", "Exists", "Select"):
        return False
    held = (
        child
        for value in node.args.values()
        for child in (value if isinstance(value, list) else [value])
    )
    inner = any(_aggregates(child) for child in held if hasattr(child, "walk"))
    return inner or kind in {*AGGREGATES, *PERSON_AGGREGATES}


def _selected(select: Any, scope: Scope, text: Text) -> Project:
    translate = translator(scope, text)
    named: list[tuple[str, Expression]] = []
    for item in select.expressions:
        entries = [each for each in scope.entries if not each.twin]
        stars = starred(item, text, scope.entries, entries)
        if stars is not None:
            named += [(each.name, Ref(scope.column(each))) for each in stars]
            continue
        inner = item.this if type(item).__name__ == "Alias" else item
        named.append((item.alias_or_name or item.sql(), translate.of(inner)))
    with text.at(select):
        return Project(scope.rows, tuple(named))


def source_of(select: Any, named: Named, text: Text) -> Scope:
    """FROM, its joins, what sub-queries say of the same person, and WHERE."""
    scope, left = joined_source(select, named, text)
    if holds(select, *SUBQUERIES):
        with text.inside():
            scope = with_matches(select, scope, named, text)
    for part in left:
        condition = translator(scope, text).of(part)
        with text.at(part):
            scope = scope.over(Filter(scope.rows, condition))
    return scope


def joined_source(select: Any, named: Named, text: Text) -> tuple[Scope, list[Any]]:
    """FROM and its joins, and the conditions of WHERE that are left to hold."""
    clause = select.args.get("from_") or select.args.get("from")
    if clause is None:
        raise text.refused(
            select, "the question has no FROM.", "Say which table: SELECT ... FROM t."
        )
    where = select.args.get("where")
    parts = [] if where is None else [where.this]
    scope = from_item(clause.this, named, text)
    for join in select.args.get("joins") or []:
        right = from_item(join.this, named, text)
        if is_comma(join):
            parts = [each for part in parts for each in conjuncts_of(part)]
            scope, parts = comma_joined(scope, right, join, parts, text)
        else:
            scope = joined(scope, right, join, text)
    return scope, parts


def from_item(item: Any, named: Named, text: Text) -> Scope:
    kind = type(item).__name__
    if kind == "Subquery":
        text.only(item, "this", "alias", "with_", "with")
        _only_name(item, text)
        with text.inside():
            rows = row_wise(item.this, named, text)
        return Scope.of(rows, item.alias or "a sub-query")
    if kind != "Table" or type(item.this).__name__ != "Identifier":
        raise text.refused(
            item,
            "FROM takes tables and sub-queries, no functions or files.",
            "Write CASE WHEN x = 'a' THEN 'b' END for a short list, or register it as a public table."
            if kind == "Values"
            else "Name a registered table, such as " + ", ".join(list(named)[:3]) + ".",
        )
    text.only(item, "this", "alias", "joins")
    _only_name(item, text)
    if item.args.get("joins"):
        raise text.refused(
            item, "joins in parentheses are not read.", "Write them one after another."
        )
    identifier = item.this
    exact = [name for name in named if name == identifier.name]
    found = exact or [name for name in named if same(identifier, name)]
    if len(found) != 1:
        raise text.unknown(
            item, f"there is no table {identifier.name[:60]!r}.", nearest(identifier.name, named)
        )
    held = named[found[0]]
    if isinstance(held, GroupedSelect):
        raise text.refused(
            item,
            "a sub-query that aggregates does not stay row by row.",
            "Aggregate once, in the outermost SELECT.",
        )
    return Scope.of(Scan(held) if isinstance(held, Table) else held, item.alias or found[0])


def _only_name(item: Any, text: Text) -> None:
    alias = item.args.get("alias")
    if alias is not None:
        text.only(alias, "this")
