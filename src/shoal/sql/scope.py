"""Which column a name means: names are the same in any case, unless they are quoted."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from shoal.plan import Column, Expression, Ref, Rows
from shoal.sql.expressions import Translator
from shoal.sql.question_text import Text, nearest


@dataclass(frozen=True)
class ScopeEntry:
    """A column as it is called in a FROM clause, and as it is called in the plan.

    ``twin`` says that USING made it one with a column of the other side: without the name of its
    table, that one is meant.
    """

    source: str
    name: str
    held: str
    twin: bool = False


@dataclass(frozen=True)
class Scope:
    """The columns a FROM clause offers.

    ``matched`` says, for sub-queries about the same person, what they come to in a row: these have
    columns of their own in the relation, which no name reaches.
    """

    rows: Rows
    entries: tuple[ScopeEntry, ...]
    matched: Mapping[int, Callable[[Rows], Expression]] = field(default_factory=dict, hash=False)

    @classmethod
    def of(cls, rows: Rows, source: str) -> Scope:
        return cls(rows, tuple(ScopeEntry(source, c.name, c.name) for c in rows.columns))

    def over(self, rows: Rows) -> Scope:
        """The same names on a relation that has the same columns."""
        return replace(self, rows=rows)

    def column(self, entry: ScopeEntry) -> Column:
        return next(column for column in self.rows.columns if column.name == entry.held)

    def find(self, node: Any) -> list[ScopeEntry]:
        """The columns that a column node may mean."""
        source, name = node.args.get("table"), node.this
        near = [
            e for e in self.entries if (not e.twin if source is None else same(source, e.source))
        ]
        exact = [e for e in near if e.name == name.name]
        return exact or ([] if name.args.get("quoted") else [e for e in near if same(name, e.name)])

    def resolve(self, node: Any, text: Text) -> Ref:
        """The one column that a column node means."""
        found = self.find(node)
        if node.args.get("db") is not None:
            raise text.refused(node, "a name has at most two parts.", "Write table.column.")
        if not found:
            name = node.this.name
            raise text.unknown(
                node,
                f"there is no column {name[:60]!r} here.",
                nearest(name, [entry.name for entry in self.entries]),
            )
        if len(found) > 1:
            raise text.refused(
                node,
                f"the column {found[0].name!r} is in several tables here.",
                f"Say which: {' or '.join(f'{e.source}.{e.name}' for e in found)}.",
            )
        return Ref(self.column(found[0]))


def translator(scope: Scope, text: Text, *, once: bool = False) -> Translator:
    """A translator of row-wise expressions over a scope; with ``once`` it remembers the nodes it
    has seen.
    """

    def resolve(node: Any) -> Expression | None:
        if id(node) in scope.matched:
            return scope.matched[id(node)](scope.rows)
        plain = type(node).__name__ == "Column" and type(node.this).__name__ == "Identifier"
        return scope.resolve(node, text) if plain else None

    return Translator(text, resolve, {} if once else None)


def same(identifier: Any, name: str) -> bool:
    """Whether an identifier means a name."""
    if identifier.args.get("quoted"):
        return bool(identifier.name == name)
    return bool(identifier.name.lower() == name.lower())


def sources_of(entries: Sequence[ScopeEntry]) -> set[str]:
    return {entry.source.lower() for entry in entries}
