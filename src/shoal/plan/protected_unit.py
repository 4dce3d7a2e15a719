"""Who is protected: every row by itself, or every person with all their rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from shoal.errors import SchemaError
from shoal.exact import whole
from shoal.plan.values import is_broken
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
