"""What is declared of a table: who is protected, every row by itself or every person with all their
rows; its columns, and how often keys repeat.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from shoal.errors import SchemaError
from shoal.exact import whole
from shoal.plan.facts import Column, check_text
from shoal.plan.id_spaces import ONE_SPACE, IdSpace
from shoal.plan.types import Kind, is_broken
from shoal.sensitivity import Relation


@dataclass(frozen=True)
class Row:
    """Each row is one person's, and nobody has two.

    >>> print(Row())
    each row
    """

    relation: Relation = Relation.ADD_REMOVE

    def __post_init__(self) -> None:
        object.__setattr__(self, "relation", Relation.read(self.relation, "relation"))

    def __str__(self) -> str:
        return "each row"


@dataclass(frozen=True, init=False)
class Person:
    """Rows with the same key belong to one person, who is protected with all of them.

    ``groups`` is how many keys of a GROUP BY one person may count in, ``rows_per_group`` how many
    rows of theirs may count in each; what is more is scaled down, never an error.  ``nulls`` says
    what a missing key is: rows to ``"drop"``, or the rows of ``"one"`` person.

    >>> print(Person("user_id", groups=5, rows_per_group=3))
    each person by user_id (5 groups, 3 rows per group)
    """

    columns: tuple[str, ...]
    groups: int
    rows_per_group: int
    nulls: Literal["drop", "one"]
    relation: Relation

    def __init__(
        self,
        columns: str | Sequence[str],
        *,
        groups: int = 1,
        rows_per_group: int = 1,
        nulls: Literal["drop", "one"] = "drop",
        relation: Relation | str = Relation.ADD_REMOVE,
    ) -> None:
        names = (columns,) if isinstance(columns, str) else tuple(columns)
        if not names or len(set(names)) < len(names) or not all(isinstance(n, str) for n in names):
            raise SchemaError(
                "a Person needs the name of the column that says whose row it is.",
                remedy='Give Person("user_id"), or several different names for a key of several columns.',
            )
        if any(map(is_broken, names)):
            raise SchemaError(
                "the name of a person's column holds a character that no table can: NUL or half of a surrogate pair.",
                remedy="Leave the character out.",
            )
        if nulls not in ("drop", "one"):
            raise SchemaError(
                "nulls must be 'drop' or 'one'.",
                remedy="Choose 'drop' to leave out rows without a person, 'one' to count them as one person's.",
            )
        assign = object.__setattr__
        assign(self, "columns", names)
        assign(self, "groups", whole(groups, "groups", at_least=1))
        assign(self, "rows_per_group", whole(rows_per_group, "rows_per_group", at_least=1))
        assign(self, "nulls", nulls)
        assign(self, "relation", Relation.read(relation, "relation"))

    def with_shares(self, groups: int, rows_per_group: int) -> Person:
        """The same person with other shares."""
        return Person(
            self.columns,
            groups=groups,
            rows_per_group=rows_per_group,
            nulls=self.nulls,
            relation=self.relation,
        )

    def __str__(self) -> str:
        groups = f"{self.groups} group{'s' if self.groups > 1 else ''}"
        rows = f"{self.rows_per_group} row{'s' if self.rows_per_group > 1 else ''} per group"
        return f"each person by {', '.join(self.columns)} ({groups}, {rows})"


Unit = Row | Person
"""Who is protected."""


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
