"""Levels above a column, as a file of `shoal publish` states them: in TOML, or as a table in CSV."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from shoal.errors import SchemaError
from shoal.workloads import Hierarchy


def hierarchy_of(column: str, given: Any, folder: Path) -> Hierarchy:
    """One [hierarchies.COLUMN] of the file: levels with their groups, or ``file = "parents.csv"``."""
    if not isinstance(given, Mapping) or not given:
        raise SchemaError(
            f"[hierarchies.{column}] states no levels.",
            remedy=f'Write [hierarchies.{column}.region] and below it north = ["n1", "n2"].',
        )
    if "file" in given and not isinstance(given["file"], Mapping):
        return _from_csv(column, folder / str(given["file"]))
    levels = {level: _groups(level, groups) for level, groups in given.items()}
    return Hierarchy(column, **levels)


def _groups(level: str, groups: Any) -> Mapping[Any, Any]:
    """Groups with their members; ``{from = 0, to = 17}`` stands for whole numbers in a row."""
    if not isinstance(groups, Mapping):
        raise SchemaError(
            f"level {level[:40]!r} must name its groups.",
            remedy='Write north = ["n1", "n2"] or young = {from = 0, to = 17} below it.',
        )
    return {group: _members(members) for group, members in groups.items()}


def _members(members: Any) -> Any:
    if not isinstance(members, Mapping):
        return members
    ends = [members.get("from"), members.get("to")]
    if set(members) != {"from", "to"} or not all(type(end) is int for end in ends):
        raise SchemaError(
            "a group of whole numbers has from and to.",
            remedy="Write young = {from = 0, to = 17}.",
        )
    return range(members["from"], members["to"] + 1)


def _from_csv(column: str, path: Path) -> Hierarchy:
    """A public table: the column first, then its levels, the finest first, with names above."""
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            names, *rows = list(csv.reader(file))
    except (OSError, UnicodeDecodeError, ValueError, csv.Error):
        raise SchemaError(
            f"{str(path)!r} cannot be read as a table of levels.",
            remedy=f"Give a CSV file with the columns {column} and its levels, the finest first.",
        ) from None
    if names[0] != column or len(names) < 2 or any(len(row) != len(names) for row in rows):
        raise SchemaError(
            f"{str(path)!r} must have the column {column!r} first, then one column for each level.",
            remedy=f"Begin the file with the line {column},region,country.",
        )
    levels: dict[str, dict[str, str]] = {}
    for at, level in enumerate(names[1:]):
        parents: dict[str, str] = {}
        for row in rows:
            if parents.setdefault(row[at], row[at + 1]) != row[at + 1]:
                raise SchemaError(
                    f"in {str(path)!r} {row[at][:40]!r} is in two groups of {level[:40]!r}.",
                    remedy="Put every value into one group of each level.",
                )
        levels[level] = parents
    return Hierarchy(column, **levels)
