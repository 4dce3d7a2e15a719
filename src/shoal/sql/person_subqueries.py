"""Sub-queries about the same person: EXISTS, IN and aggregates of their rows in another table.

Each becomes one row for each person (and value of what else must agree), joined to the rows at hand,
where none need be found.  So a sub-query reads the rows of the person at hand alone, and adds no row.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from shoal.plan import (
    INTEGER,
    Expression,
    Filter,
    Literal,
    PerPerson,
    PersonJoin,
    PersonQuantity,
    PersonTotal,
    Project,
    Ref,
    Rows,
    call,
    substitute,
)
from shoal.sql.exists_items import ROWS_AS_THEY_ARE, check_items_of_exists
from shoal.sql.joins import Pair, besides_person, conjuncts_of
from shoal.sql.per_person import PERSON_AGGREGATES, PersonItems
from shoal.sql.question_text import Text
from shoal.sql.scope import Scope, same, translator

SUBQUERIES = ("Exists", "In", "Subquery")
"""Where a SELECT may hold a sub-query about the person at hand; IN may have a list in its place."""
_FOUND = "found"
_POSITIVE = ("And", "Or", "Paren")
_COUNTS = (PersonQuantity.ROWS, PersonQuantity.COUNT, PersonQuantity.DISTINCT)


def with_matches(select: Any, scope: Scope, named: Mapping[str, Any], text: Text) -> Scope:
    """A scope with a column for each sub-query in SELECT and WHERE that is about the same person."""
    parts = [select.args.get("where"), *select.expressions]
    for node in [each for part in parts if part is not None for each in _subqueries(part)]:
        scope = _matched(node, scope, named, text)
    return scope


def filtered_by_match(
    left: Scope, right: Scope, pairs: list[Pair], join: Any, text: Text, *, anti: bool
) -> Scope:
    """SEMI JOIN and ANTI JOIN: the rows of the left side that have a partner, or have none."""
    if left.rows.protects is None or right.rows.protects is None:
        raise text.refused(
            join,
            "SEMI and ANTI joins are answered between private tables of the same persons.",
            "Use JOIN for public tables.",
        )
    made, found = _beside(left, right, pairs, join, text)
    is_null = call("is_null", found(made.rows))
    kept = Filter(made.rows, is_null if anti else call("not", is_null))
    return made.over(kept)


def _subqueries(node: Any) -> Iterator[Any]:
    """The outermost sub-queries of an expression."""
    kind = type(node).__name__
    if kind in ("Exists", "Subquery") or (kind == "In" and node.args.get("query") is not None):
        yield node
        return
    for held in node.args.values():
        for child in held if isinstance(held, list) else [held]:
            if hasattr(child, "walk"):
                yield from _subqueries(child)


def _matched(node: Any, scope: Scope, named: Mapping[str, Any], text: Text) -> Scope:
    from shoal.sql.relations import joined_source, row_wise, with_tables  # noqa: PLC0415 - nested

    kind = type(node).__name__
    query = node.args["query"] if kind == "In" else node.this
    while type(query).__name__ == "Subquery":
        text.only(query, "this", "alias")
        query = query.this
    if scope.rows.protects is None or not _reads_private(query, named):
        return scope
    wanted = _compared(node, query, text) if kind == "In" else []
    more = any(map(query.args.get, ("group", "having", "distinct", "qualify")))
    if type(query).__name__ != "Select" or (kind == "In" and more):
        rows = row_wise(query, named, text)
        if kind != "In":
            return scope
        outer = translator(scope, text)
        columns = [Ref(column) for column in rows.columns]
        found: list[Pair] = [
            (outer.of(mine), theirs) for (mine, _), theirs in zip(wanted, columns, strict=True)
        ]
        return _told(node, scope, Scope.of(rows, "sub-query"), found, text)
    text.only(query, *ROWS_AS_THEY_ARE)
    if kind == "Exists":
        check_items_of_exists(query, text)
    inner, parts = joined_source(query, with_tables(query, named, text), text)
    inner = with_matches(query, inner, named, text)
    tied = list[tuple[Any, Any]]()
    for part in [each for whole in parts for each in conjuncts_of(whole)]:
        ends = _tie(part, inner, text)
        if ends is not None:
            tied.append(ends)
            continue
        with text.at(part):
            inner = inner.over(Filter(inner.rows, translator(inner, text).of(part)))
    rows_in, rows_out = translator(inner, text), translator(scope, text)
    pairs = [(rows_out.of(mine), rows_in.of(theirs)) for mine, theirs in [*tied, *wanted]]
    if kind == "Subquery":
        return _aggregated(node, scope, inner, pairs, text)
    return _told(node, scope, inner, pairs, text)


def _reads_private(query: Any, named: Mapping[str, Any]) -> bool:
    """Whether a sub-query reads a private table; of others nothing is known here."""
    for part in query.walk():
        if type(part).__name__ == "Table" and type(part.this).__name__ == "Identifier":
            found = [held for name, held in named.items() if same(part.this, name)]
            # of a SELECT that aggregates only its released groups can be asked
            if any(getattr(held, "protects", None) is not None for held in found):
                return True
    return False


def _compared(node: Any, query: Any, text: Text) -> list[tuple[Any, Any]]:
    """What IN compares: each part of its left side with a column of the sub-query."""
    mine = node.this.expressions if type(node.this).__name__ == "Tuple" else [node.this]
    theirs = [i.this if type(i).__name__ == "Alias" else i for i in query.selects]
    if len(mine) != len(theirs):
        raise text.refused(
            node, "IN compares as many values as the sub-query has columns.", "Select one column."
        )
    return list(zip(mine, theirs, strict=True))


def _tie(part: Any, inner: Scope, text: Text) -> tuple[Any, Any] | None:
    """The two ends of an equality between the row at hand and the sub-query; None if a condition is
    about the sub-query alone.
    """

    def inside(node: Any) -> list[bool]:
        return [bool(inner.find(p)) for p in node.walk() if type(p).__name__ == "Column"]

    if any(id(each) in inner.matched for each in part.walk()) or all(inside(part)):
        return None
    if type(part).__name__ == "EQ":
        for mine, theirs in ((part.this, part.expression), (part.expression, part.this)):
            if all(inside(theirs)) and inside(theirs) and not any(inside(mine)):
                return mine, theirs
    raise text.refused(
        part,
        "a sub-query can be compared with the row at hand by equalities only.",
        "Compare columns with =, joined by AND; for an order within one person use LAG or ROW_NUMBER.",
    )


def _told(node: Any, scope: Scope, inner: Scope, pairs: list[Pair], text: Text) -> Scope:
    """A scope in which EXISTS or IN is known."""
    if type(node).__name__ == "In":
        _check_nulls(node, scope, inner, pairs, text)
    made, found = _beside(scope, inner, pairs, node, text)
    known = {id(node): lambda rows: call("not", call("is_null", found(rows)))}
    return replace(made, matched={**made.matched, **known})


def _check_nulls(node: Any, scope: Scope, inner: Scope, pairs: list[Pair], text: Text) -> None:
    """NOT IN is never true where something compared is NULL: such a question is refused."""
    above = node.parent
    while above is not None and type(above).__name__ in _POSITIVE:
        above = above.parent
    if type(above).__name__ == "Where":
        return  # in WHERE, and in no NOT, unknown is as good as false
    dropped = all(getattr(s.rows.protects, "nulls", "one") == "drop" for s in (scope, inner))
    plain = [e for pair in pairs for e in pair if not (_is_person(e) and dropped)]
    if any(each.nullable for each in plain):
        raise text.refused(
            node,
            "NOT IN is true for no row if the sub-query has a NULL.",
            "Write NOT EXISTS (SELECT 1 FROM ... WHERE ... = ...), which is.",
        )


def _is_person(expression: Expression) -> bool:
    return isinstance(expression, Ref) and expression.column.person is not None


def _beside(
    scope: Scope, inner: Scope, pairs: list[Pair], node: Any, text: Text
) -> tuple[Scope, Callable[[Rows], Expression]]:
    """The rows at hand with a column that is NULL where the sub-query has no row."""
    others = besides_person(scope, inner, pairs, node, text)
    name = _new(_FOUND, scope)
    with text.at(node):
        keys = tuple((f"{name} {at}", theirs) for at, (_, theirs) in enumerate(others))
        right = PerPerson(inner.rows, keys, (PersonTotal(name, PersonQuantity.ROWS, None, 0, 1),))
        joined = _joined(scope, right, [mine for mine, _ in others])
    return scope.over(joined), lambda rows: _column(rows, name)


def _joined(scope: Scope, right: Rows, mine: list[Expression]) -> PersonJoin:
    """The rows at hand, each with the one row of its person that agrees with it, if there is one."""
    on = tuple((own, Ref(column)) for own, column in zip(mine, right.columns, strict=False))
    return PersonJoin(scope.rows, right, on, "left", 1)


def _aggregated(node: Any, scope: Scope, inner: Scope, pairs: list[Pair], text: Text) -> Scope:
    """A scope in which an aggregate of the person's rows in another table is known."""
    items = [i.this if type(i).__name__ == "Alias" else i for i in node.this.expressions]
    if len(items) != 1 or not any(type(n).__name__ in PERSON_AGGREGATES for n in items[0].walk()):
        raise text.refused(
            node,
            "a sub-query in an expression has one aggregate.",
            "Write (SELECT COUNT(*) FROM ...).",
        )
    others = besides_person(scope, inner, pairs, node, text)
    name = _new(_FOUND, scope)
    keys = tuple((f"key {at}", theirs) for at, (_, theirs) in enumerate(others))
    found = PersonItems(inner, text, keys, translator(inner, text))
    made = found.of(items[0], "", whole=None)
    with text.at(node):
        per = PerPerson(inner.rows, keys, tuple(found.totals))
        renamed = {column.name: f"{name} {column.name}" for column in per.columns}
        right = Project(per, tuple((renamed[c.name], Ref(c)) for c in per.columns))
        joined = _joined(scope, right, [mine for mine, _ in others])
    counts = [total.name for total in found.totals if total.quantity in _COUNTS]

    def resolved(rows: Rows) -> Expression:
        held: dict[str, Expression] = {
            total.name: _column(rows, renamed[total.name]) for total in found.totals
        }
        zero = Literal(0, INTEGER)
        held |= {each: call("coalesce", held[each], zero) for each in counts}
        return substitute(made, held)

    return replace(scope.over(joined), matched={**scope.matched, id(node): resolved})


def _column(rows: Rows, name: str) -> Ref:
    return Ref(next(column for column in rows.columns if column.name == name))


def _new(name: str, scope: Scope) -> str:
    taken = {column.name.partition(" ")[0] for column in scope.rows.columns}
    while name in taken:
        name += "'"
    return name
