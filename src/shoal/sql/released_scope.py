"""The names that a SELECT over released groups may use: columns of the groups, of other groups of
the same rows, and of public tables beside them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from shoal.plan import Column, Expression, Order, Ref, Table
from shoal.plan.released_steps import LookUp
from shoal.sql.merged_aggregates import together
from shoal.sql.question_text import Text, nearest
from shoal.sql.relations import Draft, GroupedSelect, Named, grouped_source, table_of
from shoal.sql.scope import same
from shoal.sql.windows import unique

Drafted = Callable[[Any, Named], Draft]
"""How a SELECT that aggregates private rows is read."""
Tail = tuple[tuple[Order, ...], int | None, int]
"""ORDER BY, LIMIT and OFFSET."""
ReadTail = Callable[[Any, list[tuple[str, Expression]], Callable[[Any], Expression]], Tail]


@dataclass(frozen=True)
class ReleasedEntry:
    source: str
    name: str
    expression: Expression


class ReleasedScope(ABC):
    """What FROM and JOIN of a SELECT over released groups offer."""

    def __init__(self, select: Any, named: Named, text: Text, drafted: Drafted) -> None:
        self.select, self.named, self.text = select, named, text
        clause = select.args.get("from_") or select.args.get("from")
        held = grouped_source(clause.this, named)
        assert held is not None
        self.held = held
        _check_named(clause.this, text)
        alias = clause.this.alias or getattr(clause.this, "name", "") or "a sub-query"
        self.joins = list(select.args.get("joins") or [])
        both = self._beside()
        inner = drafted(held.select if both is None else both[0], held.named)
        self.inner = inner
        self.steps = inner.all_steps()
        self.taken = inner.taken
        count = len(inner.columns) if both is None else len(held.select.expressions)
        own = held.renamed(inner.columns[:count])
        self.groups = [ReleasedEntry(alias, name, made) for name, made in own]
        self.entries = list(self.groups)
        if both is not None:
            _, other, name = both
            shown = [
                (item.alias_or_name, made)
                for item, (_, made) in zip(
                    other.select.expressions, inner.columns[count:], strict=True
                )
            ]
            self.entries += [ReleasedEntry(name, each, made) for each, made in other.renamed(shown)]
            self._on_keys(self.joins.pop(0), alias, name)
        self.columns: list[tuple[str, Expression]] = []

    @abstractmethod
    def _plain(self, node: Any) -> Expression:
        """An expression of one released row."""

    def find(self, node: Any) -> list[ReleasedEntry]:
        source, name = node.args.get("table"), node.this
        near = [e for e in self.entries if source is None or same(source, e.source)]
        exact = [e for e in near if e.name == name.name]
        return exact or ([] if name.args.get("quoted") else [e for e in near if same(name, e.name)])

    def _column(self, node: Any) -> Expression:
        found = self.find(node)
        if len(found) == 1 or (found and len({e.expression for e in found}) == 1):
            return found[0].expression
        if found:
            raise self.text.refused(
                node, "this name is in several tables here.", "Write table.column."
            )
        alias = self._alias(node)
        if alias is not None:
            return alias
        name = node.this.name
        raise self.text.unknown(
            node,
            f"there is no column {name[:60]!r} here.",
            nearest(name, [entry.name for entry in self.entries]),
        )

    def _alias(self, node: Any) -> Expression | None:
        if node.args.get("table"):
            return None
        return next((made for name, made in self.columns if same(node.this, name)), None)

    def _only_named(self, node: Any) -> Expression:
        found = self._alias(node) if type(node).__name__ == "Column" else None
        if found is None:
            raise self.text.refused(
                node, "DISTINCT rows are ordered by what is shown.", "Name a column of SELECT."
            )
        return found

    def _beside(self) -> tuple[Any, GroupedSelect, str] | None:
        """The first join, where it is with other groups of the same rows, as one SELECT."""
        join = self.joins[0] if self.joins else None
        other = None if join is None else grouped_source(join.this, self.named)
        if join is None or other is None:
            return None
        _check_named(join.this, self.text)
        made = None
        if _mean_the_same(self.held, other):
            made = together(self.held.select, other.select, self.text)
        if made is None:
            raise self.text.refused(
                join.this,
                "these groups are not of the same rows and the same keys.",
                "Ask two questions, and join their answers.",
            )
        return made, other, join.this.alias or join.this.name

    def _on_keys(self, join: Any, first: str, second: str) -> None:
        """Check that two tables of groups are joined on all their keys."""
        from sqlglot import exp  # noqa: PLC0415 - heavy

        self.text.only(join, "this", "side", "kind", "on", "using")
        on = join.args.get("on")
        parts = [] if on is None else list(on.flatten() if isinstance(on, exp.And) else [on])
        pairs = [
            (exp.column(name.name, first), exp.column(name.name, second))
            for name in join.args.get("using") or []
        ]
        pairs += [(p.this, p.expression) for p in parts if isinstance(p, exp.EQ)]
        agree = len(pairs) == max(len(parts), len(pairs)) and all(
            isinstance(node, exp.Column) for pair in pairs for node in pair
        )
        made = [(self._column(a), self._column(b)) for a, b in pairs] if agree else []
        keys = {Ref(key.column) for key in self.inner.keys}
        if not made or any(a != b for a, b in made) or {a for a, _ in made} != keys:
            raise self.text.refused(
                join.this,
                "two tables of groups are joined on all their keys.",
                "Write ON a.key = b.key for each key.",
            )

    def _join(self, join: Any) -> None:
        """A public table beside the released rows."""
        text = self.text
        text.only(join, "this", "side", "kind", "on", "using")
        side, kind = (join.args.get("side") or "").upper(), (join.args.get("kind") or "").upper()
        table = self._public(join.this)
        if table is None or side not in ("", "LEFT") or kind not in ("", "INNER", "OUTER"):
            raise text.refused(
                join.this,
                "released groups are joined with public tables only, by JOIN or LEFT JOIN.",
                "Compute both numbers in one GROUP BY, with FILTER (WHERE ...).",
            )
        alias = join.this.alias or table.name
        using = {name.name.lower() for name in join.args.get("using") or []}
        new = [(column.name, unique(column.name, self.taken), column) for column in table.columns]
        columns = tuple(_plain_column(column, held) for _, held, column in new)
        pairs = self._pairs(join, alias, table)
        sources = tuple(column.name for column in table.columns)
        outer = side == "LEFT"
        self.steps.append(LookUp(table.name, tuple(pairs), columns, sources, outer))
        self.entries += [
            ReleasedEntry(alias, name, Ref(column))
            for (name, _, _), column in zip(new, columns, strict=True)
            if name.lower() not in using
        ]

    def _public(self, item: Any) -> Table | None:
        if type(item).__name__ != "Table" or type(item.this).__name__ != "Identifier":
            return None
        found = next((self.named[name] for name in self.named if same(item.this, name)), None)
        return found if isinstance(found, Table) and found.protects is None else None

    def _pairs(self, join: Any, alias: str, table: Table) -> list[tuple[Expression, str]]:
        from sqlglot import exp  # noqa: PLC0415 - heavy

        names: Mapping[str, str] = {column.name.lower(): column.name for column in table.columns}
        pairs: list[tuple[Any, str]] = [
            (exp.column(name.name), names.get(name.name.lower(), ""))
            for name in join.args.get("using") or []
        ]
        on = join.args.get("on")
        for part in [] if on is None else list(on.flatten() if isinstance(on, exp.And) else [on]):
            sides = [part.this, part.expression] if isinstance(part, exp.EQ) else []
            own = [
                each
                for each in sides
                if isinstance(each, exp.Column)
                and each.name.lower() in names
                and (each.table.lower() == alias.lower() if each.table else not self.find(each))
            ]
            if len(own) != 1:
                raise self.text.refused(
                    part,
                    "ON takes equalities with columns of the public table.",
                    "Write ON a.k = b.k.",
                )
            other = sides[0] if own[0] is sides[1] else sides[1]
            pairs.append((other, names[own[0].name.lower()]))
        if not pairs or any(not name for _, name in pairs):
            raise self.text.refused(join.this, "a join needs ON.", "Write ON a.k = b.k.")
        return [(self._plain(node), name) for node, name in pairs]


def _check_named(item: Any, text: Text) -> None:
    """Refuse what is said of groups in FROM beside their name, as TABLESAMPLE."""
    text.only(item, "this", "alias")
    alias = item.args.get("alias")
    if alias is not None and type(item).__name__ == "Table":
        text.only(alias, "this")


def _mean_the_same(first: GroupedSelect, second: GroupedSelect) -> bool:
    """Whether every name of a table in two SELECTs stands for one thing in both."""
    names = [
        part.this
        for each in (first, second)
        for part in each.select.walk()
        if type(part).__name__ == "Table" and type(part.this).__name__ == "Identifier"
    ]
    one, other = ([table_of(name, each.named) for name in names] for each in (first, second))
    return all(mine is theirs for mine, theirs in zip(one, other, strict=True))


def _plain_column(column: Column, name: str) -> Column:
    return Column(name, column.type, nullable=True, longest=column.longest)
