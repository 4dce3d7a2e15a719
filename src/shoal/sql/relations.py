"""FROM, JOIN, WHERE, sub-queries and common table expressions as relations that stay row by row."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Literal

from shoal.plan import (
    Expression,
    Filter,
    PersonJoin,
    Project,
    PublicJoin,
    Ref,
    Rows,
    Scan,
    Table,
    UnionAll,
    columns_of,
    rows_per_key,
)
from shoal.plan.id_spaces import check_one_space
from shoal.plan.relation import with_persons
from shoal.sql.expressions import Translator
from shoal.sql.functions import AGGREGATES
from shoal.sql.question_text import Text, nearest
from shoal.sql.scope import Scope, ScopeEntry, same, sources_of

Named = Mapping[str, Table | Rows]
"""What a name in FROM may stand for: a table, or a common table expression."""


def translator(scope: Scope, text: Text, *, once: bool = False) -> Translator:
    """A translator of row-wise expressions over a scope; with ``once`` it remembers the nodes it
    has seen.
    """

    def resolve(node: Any) -> Expression | None:
        return (
            scope.resolve(node, text) if type(node).__name__ == "Column" and _plain(node) else None
        )

    return Translator(text, resolve, {} if once else None)


def _plain(column: Any) -> bool:
    return type(column.this).__name__ == "Identifier"


def with_tables(select: Any, named: Named, text: Text) -> Named:
    """The names a SELECT may use: those given, and its common table expressions in order."""
    clause = select.args.get("with_") or select.args.get("with")
    if clause is None:
        return named
    text.only(clause, "expressions")
    known = dict(named)
    for part in clause.expressions:
        text.only(part, "this", "alias")
        known[part.alias] = row_wise(part.this, known, text)
    return known


def row_wise(select: Any, named: Named, text: Text) -> Rows:
    """A SELECT without aggregates, as a relation."""
    kind = type(select).__name__
    if kind == "Subquery":
        text.only(select, "this", "alias")
        return row_wise(select.this, named, text)
    if kind == "Union":
        return _union(select, named, text)
    if kind != "Select":
        raise text.refused(select, f"{kind} is not a SELECT.", "Ask with SELECT ... FROM ...")
    for clause in ("group", "having", "distinct", "order", "limit", "offset"):
        if select.args.get(clause):
            raise text.refused(
                select.args[clause] if text.start_of(select.args[clause]) is not None else select,
                f"a sub-query with {clause.upper()} does not stay row by row.",
                "Aggregate once, in the outermost SELECT.",
            )
    text.only(select, "expressions", "from_", "from", "joins", "where", "with_", "with")
    scope = source_of(select, with_tables(select, named, text), text)
    return _selected(select, scope, text)


def _union(union: Any, named: Named, text: Text) -> Rows:
    if union.args.get("distinct") is not False:
        raise text.refused(
            union, "UNION without ALL compares rows of different persons.", "Write UNION ALL."
        )
    text.only(union, "this", "expression", "with_", "with")
    known = with_tables(union, named, text)
    with text.at(union):
        return UnionAll(row_wise(union.this, known, text), row_wise(union.expression, known, text))


def _selected(select: Any, scope: Scope, text: Text) -> Rows:
    translate = translator(scope, text)
    named: list[tuple[str, Expression]] = []
    for item in select.expressions:
        stars = _star(item, scope, text)
        if stars is not None:
            named += stars
            continue
        inner = item.this if type(item).__name__ == "Alias" else item
        aggregate = next((n for n in inner.walk() if type(n).__name__ in AGGREGATES), None)
        if aggregate is not None:
            raise text.refused(
                aggregate,
                "a sub-query that aggregates is not answered.",
                "Aggregate in the outermost SELECT.",
            )
        named.append((item.alias_or_name or item.sql(), translate.of(inner)))
    with text.at(select):
        return Project(scope.rows, tuple(named))


def _star(item: Any, scope: Scope, text: Text) -> list[tuple[str, Expression]] | None:
    """The columns a star stands for; None if the item is not one."""
    inner = item.this if type(item).__name__ == "Column" else item
    if type(inner).__name__ != "Star":
        return None
    text.only(inner, "except_", "except")
    source = item.args.get("table") if inner is not item else None
    left_out = inner.args.get("except_") or inner.args.get("except") or []
    names = [part.this if type(part).__name__ == "Column" else part for part in left_out]
    entries = [
        entry
        for entry in scope.entries
        if (source is None or same(source, entry.source))
        and not any(same(n, entry.name) for n in names)
    ]
    return [(entry.name, Ref(scope.column(entry))) for entry in entries]


def source_of(select: Any, named: Named, text: Text) -> Scope:
    """FROM, its joins and WHERE."""
    clause = select.args.get("from_") or select.args.get("from")
    if clause is None:
        raise text.refused(
            select, "the question has no FROM.", "Say which table: SELECT ... FROM t."
        )
    scope = _from_item(clause.this, named, text)
    for join in select.args.get("joins") or []:
        scope = _joined(scope, join, named, text)
    where = select.args.get("where")
    if where is None:
        return scope
    condition = translator(scope, text).of(where.this)
    with text.at(where):
        return scope.over(Filter(scope.rows, condition))


def _from_item(item: Any, named: Named, text: Text) -> Scope:
    kind = type(item).__name__
    if kind == "Subquery":
        text.only(item, "this", "alias", "with_", "with")
        _only_name(item, text)
        return Scope.of(row_wise(item.this, named, text), item.alias or "a sub-query")
    if kind != "Table" or type(item.this).__name__ != "Identifier":
        raise text.refused(
            item,
            "FROM takes tables and sub-queries, no functions or files.",
            "Name a registered table.",
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
    return Scope.of(Scan(held) if isinstance(held, Table) else held, item.alias or found[0])


def _only_name(item: Any, text: Text) -> None:
    alias = item.args.get("alias")
    if alias is not None:
        text.only(alias, "this")


def _joined(left: Scope, join: Any, named: Named, text: Text) -> Scope:
    text.only(join, "this", "side", "kind", "on", "using")
    side, kind = (join.args.get("side") or "").upper(), (join.args.get("kind") or "").upper()
    if side not in ("", "LEFT") or kind not in ("", "INNER", "OUTER"):
        raise text.refused(
            join, f"a {side or kind} join is not answered.", "Use JOIN or LEFT JOIN with ON."
        )
    right = _from_item(join.this, named, text)
    if sources_of(left.entries) & sources_of(right.entries):
        raise text.refused(
            join.this,
            "two tables here have the same name.",
            "Name one of them with AS; self-joins are not answered.",
        )
    shared = set(left.rows.stability) & set(right.rows.stability)
    if shared:
        raise text.refused(
            join.this, "a private table is joined with itself.", "Ask of one copy of the table."
        )
    pairs = _pairs(join, left, right, text)
    right, renamed = _apart(left, right)
    pairs = [(a, _renamed(b, renamed, right)) for a, b in pairs]
    with text.at(join):
        return _put_together(left, right, pairs, join, text)


def _renamed(pair: Expression, renamed: dict[str, str], right: Scope) -> Expression:
    assert isinstance(pair, Ref)
    name = renamed[pair.column.name]
    return Ref(next(column for column in right.rows.columns if column.name == name))


def _apart(left: Scope, right: Scope) -> tuple[Scope, dict[str, str]]:
    """The right side with names that the left side does not have."""
    taken = {column.name for column in left.rows.columns}
    renamed = {}
    for entry in right.entries:
        name = entry.held
        while name in taken:
            name = f"{entry.source}.{name}"
        renamed[entry.held] = name
    if all(old == new for old, new in renamed.items()):
        return right, renamed
    project = Project(right.rows, tuple((renamed[c.name], Ref(c)) for c in right.rows.columns))
    return Scope(project, tuple(replace(e, held=renamed[e.held]) for e in right.entries)), renamed


def _pairs(join: Any, left: Scope, right: Scope, text: Text) -> list[tuple[Expression, Expression]]:
    using, on = join.args.get("using"), join.args.get("on")
    if using:
        named = [_as_column(name, join, text) for name in using]
        return [(left.resolve(each, text), right.resolve(each, text)) for each in named]
    if on is None:
        raise text.refused(join.this, "a join needs ON.", "Say which columns agree: ON a.k = b.k.")
    return [_pair(part, left, right, text) for part in _conjuncts(on)]


def _as_column(name: Any, join: Any, text: Text) -> Any:
    from sqlglot import exp  # noqa: PLC0415 - heavy

    if isinstance(name, exp.Identifier):
        return exp.Column(this=name.copy())
    if not (isinstance(name, exp.Column) and isinstance(name.this, exp.Identifier)):
        raise text.refused(join.this, "USING takes names of columns.", "Write USING (city).")
    return name


def _conjuncts(node: Any) -> list[Any]:
    while type(node).__name__ == "Paren":
        node = node.this
    if type(node).__name__ == "And":
        return [*_conjuncts(node.this), *_conjuncts(node.expression)]
    return [node]


def _pair(node: Any, left: Scope, right: Scope, text: Text) -> tuple[Expression, Expression]:
    sides = (node.this, node.expression) if type(node).__name__ == "EQ" else ()
    if len(sides) != 2 or any(type(part).__name__ != "Column" for part in sides):
        raise text.refused(
            node, "ON takes equalities of columns, joined by AND.", "Put other conditions in WHERE."
        )
    both = Scope(left.rows, (*left.entries, *right.entries))
    for part in sides:
        if len(both.find(part)) != 1:
            if not both.find(part):
                both.resolve(part, text)
            raise text.refused(
                part, "this name is on both sides of the join.", "Write table.column."
            )
    first, second = sides
    if left.find(first) and right.find(second):
        return left.resolve(first, text), right.resolve(second, text)
    if left.find(second) and right.find(first):
        return left.resolve(second, text), right.resolve(first, text)
    raise text.refused(
        node, "both columns are on one side of the join.", "Compare one of each side."
    )


def _put_together(
    left: Scope, right: Scope, pairs: list[tuple[Expression, Expression]], join: Any, text: Text
) -> Scope:
    outer = (join.args.get("side") or "").upper() == "LEFT"
    kind: Literal["inner", "left"] = "left" if outer else "inner"
    entries: tuple[ScopeEntry, ...] = (*left.entries, *right.entries)
    if left.rows.protects is None and right.rows.protects is not None and kind == "inner":
        left, right, pairs = right, left, [(b, a) for a, b in pairs]
    if left.rows.protects is None and right.rows.protects is not None:
        raise text.refused(
            join, "a public table would keep its rows whatever the private one holds.", "Use JOIN."
        )
    if right.rows.protects is None:
        at_most = _at_most(right, [b for _, b in pairs], join, text)
        return Scope(PublicJoin(left.rows, right.rows, tuple(pairs), kind, at_most), entries)
    check_one_space([*with_persons(left.rows), *with_persons(right.rows)])
    others = [pair for pair in pairs if not _same_person(*pair)]
    if len({_place(a) for a, b in pairs if _same_person(a, b)}) < max(1, len(left.rows.person)):
        raise text.refused(
            join,
            "two private tables can be joined only on the columns that say whose row it is.",
            "Add the person's columns of both tables to ON.",
        )
    swapped = kind == "inner" and _known(right, [b for _, b in pairs]) is None
    if swapped and _known(left, [a for a, _ in pairs]) is not None:
        left, right = right, left
        pairs, others = [(b, a) for a, b in pairs], [(b, a) for a, b in others]
    at_most = _at_most(right, [b for _, b in pairs], join, text)
    return Scope(PersonJoin(left.rows, right.rows, tuple(others), kind, at_most), entries)


def _place(expression: Expression) -> int | None:
    return expression.column.person if isinstance(expression, Ref) else None


def _same_person(left: Expression, right: Expression) -> bool:
    return _place(left) is not None and _place(left) == _place(right)


def _known(scope: Scope, keys: list[Expression]) -> int | None:
    names = frozenset(column.name for key in keys for column in columns_of(key))
    return rows_per_key(scope.rows, names)


def _at_most(scope: Scope, keys: list[Expression], join: Any, text: Text) -> int:
    found = _known(scope, keys)
    if found is None:
        names = ", ".join(
            sorted(
                {
                    e.name
                    for e in scope.entries
                    for k in keys
                    for c in columns_of(k)
                    if c.name == e.held
                }
            )
        )
        raise text.refused(
            join,
            "nobody has stated how many rows agree in the columns of this join.",
            f"State it with the table: keys={{({names!r},): 1}} for at most one row per key.",
        )
    return found
