"""A table by name: its columns, whom it protects, and how often keys repeat."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from shoal.errors import SchemaError
from shoal.exact import whole
from shoal.plan.facts import Column, check_text
from shoal.plan.id_spaces import ONE_SPACE, IdSpace
from shoal.plan.protected_unit import Person, Unit
from shoal.plan.types import Kind


@dataclass(frozen=True)
class Table:
    """A table by name: its columns, whom it protects (None: it is public), and how often keys
    repeat.

    ``keys`` maps columns to the greatest number of rows that agree in them (within one person, in a
    private table).  It is held, not trusted: rows beyond the number are never joined, and nobody has
    a larger share of a table than the rows that are stated for one person.  ``ids`` is
    what is declared of the ids of its persons.  ``space``, where a question reads tables whose ids
    mean different people, is a part of every person's key.
    """

    name: str
    columns: tuple[Column, ...]
    protects: Unit | None = None
    keys: Mapping[tuple[str, ...], int] = field(default_factory=dict, hash=False)
    ids: IdSpace = ONE_SPACE
    space: str | None = None

    def __post_init__(self) -> None:
        names = [column.name for column in self.columns]
        if not names or len(set(names)) < len(names):
            raise SchemaError(
                f"table {self.name!r} needs columns of different names.",
                remedy="Name each column once.",
            )
        for name in (self.name, *names):
            check_text(name, "the name of a table or a column")
        person = self.protects.columns if isinstance(self.protects, Person) else ()
        for name in (*person, *(name for key in self.keys for name in key)):
            if name not in names:
                raise SchemaError(
                    f"table {self.name!r} has no column {name!r} to be a key.",
                    remedy=f"Its columns are: {', '.join(names)}.",
                )
        for key, count in self.keys.items():
            whole(count, f"the number of rows per {', '.join(key)}", at_least=1)
        object.__setattr__(self, "protects", self._shared())
        object.__setattr__(self, "columns", tuple(self._marked(c, person) for c in self.columns))

    def _shared(self) -> Unit | None:
        """Whom it protects: where a person is stated to have few rows here, with no larger a share."""
        unit = self.protects
        if not isinstance(unit, Person):
            return unit
        own = set(unit.columns)
        most = min((n for key, n in self.keys.items() if own.issuperset(key)), default=None)
        if most is None or most >= max(unit.groups, unit.rows_per_group):
            return unit
        return unit.with_shares(min(unit.groups, most), min(unit.rows_per_group, most))

    def _marked(self, column: Column, person: tuple[str, ...]) -> Column:
        if column.name in person:
            if column.type.kind is Kind.REAL:
                raise SchemaError(
                    f"the person column {column.name!r} is a real; persons need an exact key.",
                    remedy="Use an integer, text or date column.",
                )
            return replace(column, person=person.index(column.name))
        origin = None if self.protects else (self.name, column.name)
        return replace(column, origin=origin)

    def column(self, name: str) -> Column:
        return next(column for column in self.columns if column.name == name)
