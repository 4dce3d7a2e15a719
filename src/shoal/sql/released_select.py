"""SELECT over released groups: what is asked of them once they are public.

The groups come from a sub-query or a common table expression that aggregates private rows.  What
the outer SELECT does with them sees released values alone, so it is free.
"""

from __future__ import annotations

from typing import Any

from shoal.plan import Expression, Literal, Order, Ref
from shoal.plan.released_steps import Keep, Regroup, SummaryColumn
from shoal.sql.aggregate_nodes import aggregates_in
from shoal.sql.expressions import Translator
from shoal.sql.functions import AGGREGATES
from shoal.sql.question_text import Text
from shoal.sql.relations import Draft, Named, grouped_source
from shoal.sql.released_scope import Drafted, ReadTail, ReleasedEntry, ReleasedScope
from shoal.sql.scope import same
from shoal.sql.stars import starred
from shoal.sql.windows import Windows, summary_of, unique, where

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
    "distinct",
)


class ReleasedSelect(ReleasedScope):
    """One SELECT over released groups."""

    def __init__(self, select: Any, named: Named, text: Text, drafted: Drafted) -> None:
        super().__init__(select, named, text, drafted)
        self.windows = Windows(text, self.taken, select.args.get("windows") or ())
        self.whole = len(self.steps)
        """So many steps make the groups that FROM names, before a join or WHERE."""
        self.keys: list[tuple[str, Expression]] | None = None
        self.summed: list[SummaryColumn] = []

    def draft(self, tail: ReadTail) -> Draft:
        """The question as a whole."""
        select, text = self.select, self.text
        text.only(select, *_CLAUSES)
        for join in self.joins:
            self._join(join)
        condition = select.args.get("where")
        if condition is not None:
            made = self._plain(condition.this)
            self._flush()
            self.steps.append(Keep(made))
        items = self._items()
        self._group(items)
        for name, node in items:
            self.columns.append((name, self.of(node)))
        names = [name for name, _ in self.columns]
        if len(set(names)) < len(names):
            raise text.refused(
                select, "two columns of the answer have one name.", "Name them with AS."
            )
        return self._finished(tail)

    def _finished(self, tail: ReadTail) -> Draft:
        select, text = self.select, self.text
        having, qualify = select.args.get("having"), select.args.get("qualify")
        kept = None if having is None else self.of(having.this)
        chosen = None if qualify is None else self.of(qualify.this)
        distinct = bool(select.args.get("distinct"))
        translate = self._only_named if distinct else self.of
        order, limit, offset = tail(select, self.columns, translate)
        if self.keys is not None:
            self.steps.append(Regroup(tuple(self.keys), tuple(self.summed)))
        self.steps += [] if kept is None else [Keep(kept)]
        self._flush()
        self.steps += [] if chosen is None else [Keep(chosen)]
        if distinct:
            self.steps.append(Regroup(tuple(self.columns), ()))
            fresh = self.steps[-1]
            assert isinstance(fresh, Regroup)
            held = {column.name: Ref(column) for column in fresh.columns}
            old = dict(self.columns)
            order = tuple(
                Order(held[next(n for n, e in old.items() if e == o.expression)], *_way(o))
                for o in order
            )
            self.columns = [(name, held[name]) for name, _ in self.columns]
        inner = self.inner
        with text.at(select):
            made = Draft(
                inner.rows, inner.keys, inner.aggregates, self.columns, self.steps, None, order,
                limit, offset,
            )  # fmt: skip
            self._checked(made)
        return made

    def _checked(self, made: Draft) -> None:
        made.query()

    def _flush(self) -> None:
        self.steps += self.windows.steps
        self.windows.steps = []

    # expressions

    def _plain(self, node: Any) -> Expression:
        """An expression of one released row."""

        def resolve(part: Any) -> Expression | None:
            kind = type(part).__name__
            if kind == "Column" and type(part.this).__name__ == "Identifier":
                return self._column(part)
            return self._scalar(part) if kind == "Subquery" else None

        return Translator(self.text, resolve, released=True).of(node)

    def of(self, node: Any) -> Expression:
        """An expression of SELECT, HAVING, QUALIFY or ORDER BY."""

        def resolve(part: Any) -> Expression | None:
            kind = type(part).__name__
            if kind == "Window":
                return self.windows.of(part, self.of)
            if kind == "Subquery":
                return self._scalar(part)
            if kind in AGGREGATES and self.keys is not None:
                return self._aggregate(part)
            if self.keys is None:
                plain = kind == "Column" and type(part.this).__name__ == "Identifier"
                return self._column(part) if plain else None
            return self._key(part)

        return Translator(self.text, resolve, released=True).of(node)

    def _aggregate(self, node: Any) -> Expression:
        with self.text.at(node):
            summary, argument = summary_of(node, self._plain, self.text)
        for known in self.summed:
            if (known.summary, known.argument) == (summary, argument):
                return Ref(known.column)
        name = unique(node.sql(dialect="duckdb").lower()[:200], self.taken)
        self.summed.append(SummaryColumn(name, summary, argument))
        return Ref(self.summed[-1].column)

    def _key(self, node: Any) -> Expression | None:
        assert self.keys is not None
        kinds = {type(part).__name__ for part in node.walk()}
        if kinds & AGGREGATES or "Window" in kinds or type(node).__name__ == "Literal":
            return None
        columns = [part for part in node.walk() if type(part).__name__ == "Column"]
        if columns and all(self.find(part) for part in columns):
            made = self._plain(node)
            for column, (_, key) in zip(
                Regroup(tuple(self.keys), ()).columns, self.keys, strict=True
            ):
                if key == made:
                    return Ref(column)
        if type(node).__name__ != "Column":
            return None
        alias = self._alias(node)
        if alias is None:
            self._column(node)
            raise self.text.refused(
                node,
                f"the column {node.this.name!r} is neither grouped by nor aggregated.",
                "Add it to GROUP BY, or aggregate it.",
            )
        return alias

    def _scalar(self, node: Any) -> Expression | None:
        """A sub-query of one number over the same groups: a window over all of them."""
        inner = node.this
        if type(inner).__name__ != "Select" or self.keys is not None:
            return None
        clause = inner.args.get("from_") or inner.args.get("from")
        held = None if clause is None else grouped_source(clause.this, self.named)
        if held is None or held.select is not self.held.select:
            return None
        self.text.only(inner, "expressions", "from_", "from", "where")
        if len(inner.expressions) != 1:
            raise self.text.refused(
                node, "a sub-query is one number here.", "Write (SELECT AVG(n) FROM t)."
            )
        asked, condition = inner.expressions[0].unalias(), inner.args.get("where")
        alias = clause.this.alias or clause.this.name
        groups = [ReleasedEntry(alias, each.name, each.expression) for each in self.groups]
        filtered = None if condition is None else self._of_groups(condition.this, groups)

        def resolve(part: Any) -> Expression | None:
            kind = type(part).__name__
            if kind in AGGREGATES:
                return self._over_all(part, filtered, groups)
            if kind == "Column":
                raise self.text.refused(
                    part, "a sub-query is one number here.", "Write (SELECT AVG(n) FROM t)."
                )
            return None

        return Translator(self.text, resolve, released=True).of(asked)

    def _of_groups(self, node: Any, groups: list[ReleasedEntry]) -> Expression:
        """An expression of one group as FROM names it; nothing else is known to a sub-query."""
        known, shown = self.entries, self.columns
        self.entries, self.columns = groups, []
        try:
            return self._plain(node)
        finally:
            self.entries, self.columns = known, shown

    def _over_all(
        self, node: Any, condition: Expression | None, groups: list[ReleasedEntry]
    ) -> Expression:
        """An aggregate of all groups: a step before those of joins and WHERE."""
        from sqlglot import exp  # noqa: PLC0415 - heavy

        def translate(part: Any) -> Expression:
            made = self._of_groups(part, groups)
            return made if condition is None else where(made, condition)

        if type(node).__name__ == "Count" and condition is not None:
            raise self.text.refused(
                node, "a count with a condition is not read here.", "Write COUNT(*) FILTER (...)."
            )
        over = exp.Window(this=node.copy(), over="OVER")
        totals = Windows(self.text, self.taken)
        made = totals.of(over, translate)
        self.steps[self.whole : self.whole] = totals.steps
        self.whole += len(totals.steps)
        return made

    # clauses

    def _items(self) -> list[tuple[str, Any]]:
        from sqlglot import exp  # noqa: PLC0415 - heavy

        found: list[tuple[str, Any]] = []
        for item in self.select.expressions:
            stars = starred(item, self.text, self.entries, self.entries)
            if stars is not None:
                found += [
                    (e.name, exp.column(exp.to_identifier(e.name, quoted=True), table=e.source))
                    for e in stars
                ]
            elif type(item).__name__ == "Alias":
                found.append((item.alias, item.this))
            elif type(item).__name__ == "Column":
                found.append((item.name, item))
            else:
                found.append((item.sql(dialect="duckdb").lower(), item))
        return found

    def _group(self, items: list[tuple[str, Any]]) -> None:
        group, having = self.select.args.get("group"), self.select.args.get("having")
        asked = [node for _, node in items] + ([] if having is None else [having.this])
        if group is None:
            self.keys = [] if any(map(aggregates_in, asked)) else None
            return
        self.text.only(group, "expressions", "all")
        nodes = [node for _, node in items if not aggregates_in(node)]
        nodes = nodes if group.args.get("all") else []
        nodes += [self._grouped(node, items) for node in group.expressions]
        self.keys = []
        for node in nodes:
            made = self._plain(node)
            if isinstance(made, Literal):
                raise self.text.refused(node, "a constant is no key.", "Group by a column.")
            if all(made != known for _, known in self.keys):
                name = next((n for n, inner in items if inner is node), node.sql().lower())
                self.keys.append((unique(f"by {name}", self.taken), made))
        return

    def _grouped(self, node: Any, items: list[tuple[str, Any]]) -> Any:
        if type(node).__name__ == "Literal" and not node.is_string:
            at = int(node.name) if node.name.isdigit() and len(node.name) < 6 else 0
            if not 1 <= at <= len(items):
                raise self.text.refused(node, "there is no such column in SELECT.", "Count from 1.")
            return items[at - 1][1]
        if type(node).__name__ == "Column" and not self.find(node):
            return next((inner for name, inner in items if same(node.this, name)), node)
        return node


def _way(order: Order) -> tuple[bool, bool]:
    return order.descending, order.nulls_first
