"""Levels above the values of a column, such as regions above districts: public facts that a curator
states.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.errors import SchemaError
from shoal.workloads.column_queries import ColumnQuery, Floats, summed

_SHOWN = 3


class EachGroup(ColumnQuery):
    """One row for each group of values: a level of a hierarchy, such as every region.

    Groups stand in the order in which the values of the column first belong to them.
    """

    word = ""

    def __init__(
        self, level: str, groups: Sequence[int] | NDArray[np.int64], labels: Sequence[Any]
    ) -> None:
        self.level = level
        self.groups: NDArray[np.int64] = np.asarray(groups, dtype=np.int64)
        self.labels = tuple(labels)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, EachGroup)
            and (self.level, self.labels) == (other.level, other.labels)
            and np.array_equal(self.groups, other.groups)
        )

    def __hash__(self) -> int:
        return hash((self.level, len(self.labels), len(self.groups)))

    def label(self, column: str) -> str:  # noqa: ARG002 - a level has a name of its own
        return self.level

    def rows(self, size: int) -> int:  # noqa: ARG002 - its own
        return len(self.labels)

    def names(self, values: Sequence[Any]) -> list[Any]:  # noqa: ARG002 - its own
        return list(self.labels)

    def row_sums(self, size: int) -> Floats:  # noqa: ARG002 - its own
        return np.bincount(self.groups, minlength=len(self.labels)).astype(np.float64)

    def gram(self, size: int) -> Floats:  # noqa: ARG002 - its own
        return np.equal.outer(self.groups, self.groups).astype(np.float64)

    def apply(self, counts: Floats, axis: int) -> Floats:
        found: Floats = summed(counts, axis, self.groups, len(self.labels))
        return found

    def variances(self, covariance: Floats) -> Floats:
        rows = summed(covariance, 0, self.groups, len(self.labels))
        found: Floats = np.zeros(len(self.labels))
        np.add.at(found, self.groups, rows[self.groups, np.arange(len(self.groups))])
        return found


class Hierarchy:
    """A column and the levels above it, the finest first; each level puts the values of the one
    before into groups.

    A level is a mapping of groups to their members, ``{"north": ["n1", "n2"]}``, or of members to
    their group, ``{"n1": "north", "n2": "north"}``.  Tables then name levels as they name columns.

    Needs: public facts, such as a list of districts with their regions.  Every declared value is in
        one group of every level, and no others are named.
    Edges: a missing value (NULL) without a group of its own is a group of its own.  A level with
        the name of another column of the data stands for the groups; that column is not read.

    >>> Hierarchy("age", band={"young": range(0, 30), "old": range(30, 100)})
    Hierarchy('age', 'band')
    >>> Hierarchy("district", region={"n1": "north", "s1": "south"}, country={"all": ["north", "south"]})
    Hierarchy('district', 'region', 'country')
    """

    def __init__(self, column: str, /, **levels: Mapping[Any, Any]) -> None:
        if not isinstance(column, str) or not levels or column in levels:
            raise SchemaError(
                "a hierarchy is a column and at least one level above it, each with a name of its own.",
                remedy="Write Hierarchy('district', region={'north': ['n1', 'n2'], 'south': ['s1']}).",
            )
        self.column = column
        self._groups = {name: _members(name, given) for name, given in levels.items()}

    @property
    def levels(self) -> tuple[str, ...]:
        """The names of the levels, the finest first."""
        return tuple(self._groups)

    def over(self, values: Sequence[Any]) -> tuple[EachGroup, ...]:
        """The levels over the declared values of the column, the finest first."""
        found = []
        labels: Sequence[Any] = values
        place = np.arange(len(values), dtype=np.int64)
        for name, members in self._groups.items():
            groups, labels = _grouped(name, members, labels)
            place = groups[place]
            found.append(EachGroup(name, place, labels))
        return tuple(found)

    def __repr__(self) -> str:
        return f"Hierarchy({', '.join(map(repr, (self.column, *self.levels)))})"


def _members(level: str, given: Mapping[Any, Any]) -> dict[Any, Any]:
    """Each member with its group."""
    if not isinstance(given, Mapping) or not given:
        raise SchemaError(
            f"level {level[:40]!r} must map groups to their members.",
            remedy=f"Write {level[:40]}={{'north': ['n1', 'n2'], 'south': ['s1']}}.",
        )
    listed = [isinstance(held, Iterable) and not isinstance(held, str) for held in given.values()]
    if not any(listed):
        return dict(given)
    if not all(listed):
        raise SchemaError(
            f"level {level[:40]!r} lists the members of some groups and not of others.",
            remedy="Give a list of members for every group.",
        )
    found: dict[Any, Any] = {}
    for group, members in given.items():
        for member in members:
            if member in found:
                raise SchemaError(
                    f"{str(member)[:40]!r} is in two groups of level {level[:40]!r}.",
                    remedy="Put every value into one group.",
                )
            found[member] = group
    return found


def _grouped(
    level: str, members: Mapping[Any, Any], values: Sequence[Any]
) -> tuple[NDArray[np.int64], list[Any]]:
    """The place of each value's group, and the groups in the order in which they come."""
    places: dict[Any, int] = {}
    groups, lost, used = [], [], set()
    for value in values:
        key = value if value in members else str(value)
        used.add(key)
        if value is not None and key not in members:
            lost.append(str(value)[:40])
            continue
        group = members.get(key) if value is not None or key in members else None
        groups.append(places.setdefault(group, len(places)))
    more = [str(each)[:40] for each in members if each not in used]
    if lost or more:
        wrong = f"has no group for {', '.join(lost[:_SHOWN])}" if lost else ""
        wrong = wrong or f"names {', '.join(more[:_SHOWN])}, which the level below does not have"
        raise SchemaError(
            f"level {level[:40]!r} {wrong}.",
            remedy="Put every declared value into one group, and no others.",
        )
    return np.array(groups, dtype=np.int64), list(places)
