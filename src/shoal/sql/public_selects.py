"""Sub-queries over public tables and constants: computed while a question is planned.

Public rows may be read before anything is paid for, so what such a sub-query comes to is a
constant of the question: a number, or a list of values.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from shoal.plan import (
    BOOLEAN,
    After,
    Column,
    Expression,
    Literal,
    Order,
    Ref,
    Rows,
    Table,
    Type,
    Value,
    call,
)
from shoal.sql.exists_items import check_items_of_exists
from shoal.sql.expressions import Translator
from shoal.sql.question_text import Text
from shoal.sql.relations import Draft, GroupedSelect, Named, source_of, with_tables
from shoal.sql.released_scope import ReleasedEntry
from shoal.sql.released_select import ReleasedSelect
from shoal.sql.scope import same
from shoal.sql.windows import Windows

PublicRows = Rows | Sequence[tuple[Value, ...]]
ReadPublic = Callable[[PublicRows, Sequence[str], After], list[tuple[Value, ...]]]
"""Who reads public rows, given with the names of their columns, and what is computed of them."""
MOST_VALUES = 5000
"""A sub-query may come to so many values in a list."""


@dataclass(frozen=True)
class PublicTable:
    """What a public sub-query comes to."""

    names: tuple[str, ...]
    types: tuple[Type, ...]
    rows: Sequence[tuple[Value, ...]]


def is_public(select: Any, named: Named) -> bool:
    """Whether a sub-query reads public tables and constants only."""
    inner = [part.alias.lower() for part in select.walk() if type(part).__name__ == "CTE"]
    for node in select.walk():
        if type(node).__name__ != "Table":
            continue
        held = next((named[name] for name in named if same(node.this, name)), None)
        if isinstance(held, GroupedSelect):
            if not is_public(held.select, held.named):
                return False
        elif held is not None and held.protects is not None:
            return False  # also where a table expression has the name of a private table
        elif held is None and node.name.lower() not in inner:
            return False
    return True


@dataclass(frozen=True, eq=False)
class PublicSubqueries:
    """Sub-queries inside of expressions, where they read public tables only."""

    text: Text

    def _reads_public(self, select: Any) -> bool:
        return self.text.read_public is not None and is_public(select, self.text.names)

    def scalar(self, select: Any) -> Expression | None:
        """One constant; None if the sub-query is not public."""
        if not self._reads_public(select):
            return None
        return public_scalar(select, self.text.names, self.text)

    def listed(self, operand: Expression, select: Any) -> Expression | None:
        """Whether a value is in a list."""
        inner = select.this if type(select).__name__ == "Subquery" else select
        if not self._reads_public(inner):
            return None
        return public_list(operand, inner, self.text.names, self.text)

    def exists(self, node: Any, of: Callable[[Any], Expression]) -> Expression | None:
        """Whether a public row agrees with the row at hand."""
        if type(node.this).__name__ != "Select" or not self._reads_public(node.this):
            return None
        return public_exists(node, of, self.text.names, self.text)


class PublicSelect(ReleasedSelect):
    """One SELECT over public rows."""

    def __init__(self, select: Any, named: Named, text: Text) -> None:
        self.select, self.named, self.text = select.copy(), named, text
        self.steps, self.joins, self.taken = [], [], set()
        self.columns, self.summed, self.keys = [], [], None
        self.base: PublicRows = [()]
        self.inner = _nothing()
        self.entries: list[ReleasedEntry] = []
        self._read_from()
        self.windows = Windows(text, self.taken, select.args.get("windows") or ())

    def _read_from(self) -> None:
        clause = self.select.args.get("from_") or self.select.args.get("from")
        if clause is None:
            return
        table = self._constant(clause.this)
        if table is not None and not self.select.args.get("joins"):
            self.base, alias = table.rows, clause.this.alias or clause.this.name
            columns = [
                Column(name, kind, nullable=True)
                for name, kind in zip(table.names, table.types, strict=True)
            ]
            self.entries = [ReleasedEntry(alias, c.name, Ref(c)) for c in columns]
        else:
            scope = source_of(self.select, self.named, self.text)
            self.base = scope.rows
            self.entries = [
                ReleasedEntry(e.source, e.name, Ref(_plain(scope.column(e)))) for e in scope.entries
            ]
            for name in ("where", "joins"):  # read already
                self.select.set(name, None)
        self.taken |= {
            e.expression.column.name for e in self.entries if isinstance(e.expression, Ref)
        }

    def _constant(self, item: Any) -> PublicTable | None:
        """A source that is computed: VALUES, or a sub-query that does not stay row by row."""
        if type(item).__name__ == "Table":
            held = next((self.named[n] for n in self.named if same(item.this, n)), None)
            if not isinstance(held, GroupedSelect):
                return None
            found = public_table(held.select, held.named, self.text)
            return PublicTable((*held.names, *found.names[len(held.names) :]), *_rest(found))
        if type(item).__name__ == "Subquery" and item.this.args.get("joins") is None:
            return public_table(item.this, self.named, self.text)
        return (
            public_table(item, self.named, self.text) if type(item).__name__ == "Values" else None
        )

    def _scalar(self, node: Any) -> Expression | None:
        return public_scalar(node.this, self.named, self.text)

    def after(self) -> After:
        """What is computed of the rows."""
        made = self.draft(self._tail)
        return After(
            tuple(made.columns), None, made.order, made.limit, made.offset, tuple(made.steps)
        )

    def _tail(
        self, select: Any, columns: list[tuple[str, Expression]], of: Callable[[Any], Expression]
    ) -> tuple[tuple[Order, ...], int | None, int]:
        found, clause = list[Order](), select.args.get("order")
        for part in [] if clause is None else clause.expressions:
            at = int(part.this.name) if part.this.is_int else 0
            made = columns[at - 1][1] if 0 < at <= len(columns) else of(part.this)
            found.append(
                Order(made, bool(part.args.get("desc")), bool(part.args.get("nulls_first")))
            )
        sizes = []
        for name in ("limit", "offset"):
            node = select.args.get(name)
            inner = None if node is None else node.args.get("expression")
            if node is not None and (inner is None or not inner.is_int):
                raise self.text.refused(node, f"{name.upper()} takes a whole number.", "Write 10.")
            sizes.append(None if inner is None else int(inner.name))
        return tuple(found), sizes[0], sizes[1] or 0

    def _checked(self, made: Any) -> None:
        """Public rows need no question about private ones."""


def _nothing() -> Draft:
    """No private rows, so nothing to release."""
    return Draft(None, (), (), [])  # type: ignore[arg-type]


def _plain(column: Column) -> Column:
    return Column(column.name, column.type, nullable=True, longest=column.longest)


def _rest(table: PublicTable) -> tuple[tuple[Type, ...], Sequence[tuple[Value, ...]]]:
    return table.types, table.rows


def public_table(select: Any, named: Named, text: Text) -> PublicTable:
    """The rows that a public sub-query comes to."""
    if type(select).__name__ == "Values":
        return _values(select, text)
    if type(select).__name__ != "Select" or text.read_public is None:
        raise text.refused(select, "this sub-query is not read.", "List its values, or join to it.")
    with text.inside():
        asked = PublicSelect(select, with_tables(select, named, text), text)
        after = asked.after()
    names = [column.name for column in _columns(asked)]
    rows = text.read_public(asked.base, names, after)
    shown = after.columns
    return PublicTable(tuple(n for n, _ in shown), tuple(e.type for _, e in shown), rows)


def _columns(asked: PublicSelect) -> list[Column]:
    if not isinstance(asked.base, list | tuple):
        return list(asked.base.columns)  # type: ignore[union-attr]
    return [e.expression.column for e in asked.entries if isinstance(e.expression, Ref)]


def _values(node: Any, text: Text) -> PublicTable:
    """VALUES (1, 'a'), (2, 'b'): constants row by row."""
    translate = Translator(text, lambda _: None)
    rows = []
    for line in node.expressions:
        cells = [translate.of(cell) for cell in getattr(line, "expressions", [line])]
        if not all(isinstance(cell, Literal) for cell in cells):
            raise text.refused(node, "VALUES takes constants.", "Write VALUES ('a'), ('b').")
        rows.append([cell for cell in cells if isinstance(cell, Literal)])
    if not rows or not all(rows):
        raise text.refused(node, "VALUES has a row without values.", "Write VALUES ('a'), ('b').")
    types = tuple(cell.type for cell in rows[0])
    if any(tuple(cell.type for cell in row) != types for row in rows):
        raise text.refused(node, "rows of VALUES have different types.", "Cast their constants.")
    alias = node.args.get("alias")
    given = [] if alias is None else [each.name for each in alias.args.get("columns") or []]
    names = [*given, *(f"col{at}" for at in range(len(given), len(types)))]
    return PublicTable(tuple(names), types, [tuple(cell.value for cell in row) for row in rows])


def public_scalar(select: Any, named: Named, text: Text) -> Expression:
    """A sub-query as one constant."""
    found = public_table(select, named, text)
    if len(found.names) != 1 or len(found.rows) > 1:
        raise text.refused(
            select,
            "a sub-query in an expression must be one value.",
            "Aggregate it: (SELECT MAX(x) FROM t).",
        )
    value = found.rows[0][0] if found.rows else None
    return Literal(value, found.types[0])


def public_list(operand: Expression, select: Any, named: Named, text: Text) -> Expression:
    """X IN (SELECT ...): a list of constants."""
    found = public_table(select, named, text)
    if len(found.names) != 1:
        raise text.refused(select, "IN takes a sub-query of one column.", "Select one column.")
    values = list(dict.fromkeys(row[0] for row in found.rows))
    if len(values) > MOST_VALUES:
        raise text.refused(
            select,
            f"the sub-query has {len(values)} values; at most {MOST_VALUES} are compared.",
            "Join to the public table instead.",
        )
    if not values:
        return Literal(value=False, type=BOOLEAN)
    kind = found.types[0]
    in_order = sorted((v for v in values if v is not None), key=lambda v: (str(type(v)), v))
    nulls: list[Value] = [None] if None in values else []
    return call("in", operand, *(Literal(value, kind) for value in [*in_order, *nulls]))


def public_exists(
    node: Any, of: Callable[[Any], Expression], named: Named, text: Text
) -> Expression:
    """EXISTS (SELECT 1 FROM public WHERE public.k = outer.k AND ...): whether k is in a list."""
    from sqlglot import exp  # noqa: PLC0415 - heavy

    text.only(node.this, "expressions", "from_", "from", "where", "joins", "group")
    check_items_of_exists(node.this, text)
    inner = node.this.copy()
    clause, where = inner.args.get("from_") or inner.args.get("from"), inner.args.get("where")
    if clause is None or type(clause.this).__name__ not in ("Table", "Subquery"):
        raise text.refused(
            node,
            "EXISTS looks for rows of a table.",
            "Name one: EXISTS (SELECT 1 FROM t WHERE ...), or list values: x IN ('a', 'b').",
        )
    alias = clause.this.alias or clause.this.name
    held = next((named[n] for n in named if same(clause.this.this, n)), None)
    names = {c.name.lower() for c in held.columns} if isinstance(held, Table) else set()
    parts = list(where.this.flatten()) if where and isinstance(where.this, exp.And) else []
    parts = parts or ([where.this] if where else [])

    def own(part: Any) -> bool:
        columns = list(part.find_all(exp.Column))
        return all(
            c.table.lower() == alias.lower() if c.table else c.name.lower() in names
            for c in columns
        )

    linked = [part for part in parts if not own(part)]
    sides = [linked[0].this, linked[0].expression] if len(linked) == 1 else []
    mine = [side for side in sides if isinstance(linked[0], exp.EQ) and own(side)]
    if len(mine) != 1 or inner.args.get("joins") or inner.args.get("group"):
        raise text.refused(
            node,
            "EXISTS is read with one equality between the public table and the rows.",
            "Write x IN (SELECT x FROM t WHERE ...).",
        )
    outer = sides[0] if mine[0] is sides[1] else sides[1]
    rest = [part for part in parts if part is not linked[0]]
    asked = exp.Select(expressions=[mine[0].copy()])
    asked.set("from_" if "from_" in inner.args else "from", clause.copy())
    if rest:
        asked.set("where", exp.Where(this=exp.and_(*(part.copy() for part in rest))))
    found = public_list(of(outer), asked, named, text)
    return call("coalesce", found, Literal(value=False, type=BOOLEAN))
