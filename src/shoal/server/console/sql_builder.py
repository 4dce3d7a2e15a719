"""A question from choices, for those who know no SQL: what to count or measure, by which groups, of
which rows.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from shoal.errors import SchemaError, UnknownNameError
from shoal.server.console.forms import SentForm

MEASURES = {
    "count": "number of rows",
    "sum": "sum of",
    "avg": "mean of",
    "median": "median of",
}
COMPARISONS = {
    "=": "is",
    "<>": "is not",
    "<": "is less than",
    "<=": "is at most",
    ">": "is more than",
    ">=": "is at least",
}
_NUMBERS = {"integer", "real", "decimal"}
_PLAIN = re.compile(r"[a-z_][a-z0-9_]*")
_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d{1,3})?")


@dataclass(frozen=True)
class BuiltQuestion:
    """What was chosen of one dataset, by the names of its columns."""

    dataset: str = ""
    measure: str = "count"
    column: str = ""
    group: str = ""
    where: str = ""
    comparison: str = "="
    value: str = ""

    @classmethod
    def of(cls, sent: SentForm) -> BuiltQuestion:
        """The choices in a form."""
        names = ("dataset", "measure", "column", "group", "where", "comparison", "value")
        return cls(**{name: sent.text(f"build_{name}", most=200) for name in names})

    def sql(self, columns: Mapping[str, str]) -> str:
        """The question in SQL; ``columns`` are those of the dataset with their types.

        >>> BuiltQuestion("visits", "avg", "spend", "kind", "town", "=", "O'Hara").sql(
        ...     {"kind": "text", "spend": "real", "town": "text"}).splitlines()
        ['SELECT kind, AVG(spend) AS mean_spend', 'FROM visits', "WHERE town = 'O''Hara'", 'GROUP BY kind']
        """
        group = _known(self.group, columns) if self.group else ""
        shown = f"{group}, {self._measured(columns)}" if group else self._measured(columns)
        lines = [f"SELECT {shown}", f"FROM {quoted(self.dataset)}"]
        if self.where:
            lines.append(f"WHERE {self._condition(columns)}")
        if group:
            lines.append(f"GROUP BY {group}")
        return "\n".join(lines)

    def _measured(self, columns: Mapping[str, str]) -> str:
        if self.measure not in MEASURES:
            raise _choose("what to measure")
        if self.measure == "count":
            return "COUNT(*) AS n"
        if not self.column:
            raise _choose("the column to measure")
        of = _known(self.column, columns)
        name = {"sum": "sum", "avg": "mean", "median": "median"}[self.measure]
        return f"{self.measure.upper()}({of}) AS {quoted(f'{name}_{self.column}')}"

    def _condition(self, columns: Mapping[str, str]) -> str:
        column = _known(self.where, columns)
        if self.comparison not in COMPARISONS:
            raise _choose("how to compare")
        return f"{column} {self.comparison} {_literal(self.value, columns[self.where])}"


def types_in(stated: Mapping[str, Any]) -> dict[str, str]:
    """The columns of a dataset with their types, from what is public about it."""
    return {each["name"]: each["type"].partition("(")[0] for each in stated["columns"]}


def quoted(name: str) -> str:
    """A name as SQL has it: as it is if it is plain, or between double quotes."""
    return name if _PLAIN.fullmatch(name) else '"' + name.replace('"', '""') + '"'


def _literal(value: str, kind: str) -> str:
    if kind in _NUMBERS:
        if not _NUMBER.fullmatch(value):
            raise SchemaError(
                "this column has numbers, and the value to compare with is not one.",
                remedy="Type a number, such as 100 or 2.5.",
            )
        return value
    if kind == "boolean":
        return "TRUE" if value.lower() in {"true", "yes", "1"} else "FALSE"
    text = "'" + value.replace("'", "''") + "'"
    return f"{kind.upper()} {text}" if kind in {"date", "timestamp"} else text


def _known(name: str, columns: Mapping[str, str]) -> str:
    if name not in columns:
        raise UnknownNameError(
            f"there is no column {name[:40]!r} here.",
            remedy=f"The columns are: {', '.join(columns)}.",
        )
    return quoted(name)


def _choose(what: str) -> SchemaError:
    return SchemaError(f"{what} is not chosen.", remedy="Choose it in the list.")
