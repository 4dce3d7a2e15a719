"""Small tables over given rows, and all their neighbours."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations_with_replacement, islice, product
from typing import Any

from shoal.errors import RangeError, ShapeError
from shoal.exact import whole
from shoal.sensitivity import Relation

Rows = tuple[Any, ...]
_OWN = 0
"""The number of the person who comes, goes or changes; others are numbered from 1."""


@dataclass(frozen=True)
class Neighbours:
    """Two tables that differ in one protected unit: the rows of the others, and those of the unit
    on either side.

    The unit's rows stand together, before the row of the others in place ``at``.
    """

    others: Rows
    first: Rows
    second: Rows
    at: int = 0

    @property
    def pair(self) -> tuple[list[Any], list[Any]]:
        """The two tables."""
        return self._table(self.first), self._table(self.second)

    def _table(self, own: Rows) -> list[Any]:
        return [*self.others[: self.at], *own, *self.others[self.at :]]


@dataclass(frozen=True)
class Domain:
    """All tables of up to ``size`` rows of others, and one unit with up to ``unit`` rows.

    ``rows`` are the rows there can be: any values, or dicts.  With ``person`` the rows are dicts,
    and that column is filled in: with 0 for the person who comes, goes or changes, and with numbers
    from 1 to ``people`` for the others.  Under add/remove one side has none of the unit's rows,
    under change both sides have some.

    >>> len(list(every_pair(Domain(rows=(0, 1), size=1, relation=Relation.CHANGE))))
    5
    """

    rows: Rows
    size: int
    relation: Relation = Relation.ADD_REMOVE
    unit: int = 1
    person: str | None = None
    people: int = 2

    def __post_init__(self) -> None:
        object.__setattr__(self, "rows", tuple(self.rows))
        object.__setattr__(self, "relation", Relation.read(self.relation, "relation"))
        for name, least in (("size", 0), ("unit", 1), ("people", 1)):
            whole(getattr(self, name), name, at_least=least)
        if not self.rows:
            raise ShapeError(
                "a domain needs at least one row.", remedy="List the rows there can be."
            )
        if self.person is not None and not all(isinstance(row, Mapping) for row in self.rows):
            raise ShapeError(
                "rows of persons are dicts by column.", remedy="Give dicts, or Domain.of_cells."
            )
        if self.person is None and self.unit > 1:
            raise RangeError(
                "a unit of several rows is a person.", remedy="Say which column names the person."
            )

    @classmethod
    def of_cells(cls, cells: Mapping[str, Sequence[Any]], **options: Any) -> Domain:
        """All rows whose cells are among those given by column.

        >>> Domain.of_cells({"age": [0, 120], "kind": ["a", None]}, size=2).rows[0]
        {'age': 0, 'kind': 'a'}
        """
        rows = tuple(dict(zip(cells, values, strict=True)) for values in product(*cells.values()))
        return cls(rows=rows, **options)

    def owned(self, row: Any, person: int) -> Any:
        """A row with its person filled in, where there are persons."""
        return row if self.person is None else {self.person: person, **row}

    @property
    def others(self) -> list[Any]:
        """The rows that others can have."""
        owners = range(1, self.people + 1) if self.person is not None else range(1)
        return [self.owned(row, who) for who in owners for row in self.rows]

    @property
    def own(self) -> list[Any]:
        """The rows that the unit can have."""
        return [self.owned(row, _OWN) for row in self.rows]


def every_pair(domain: Domain) -> Iterator[Neighbours]:
    """All neighbours of a domain, each multiset of rows in one order and with the unit's rows first
    and last.

    Edges: their number grows fast; count them with ``itertools.islice`` before going through all.
    """
    units = [
        unit
        for count in range(1, domain.unit + 1)
        for unit in combinations_with_replacement(domain.own, count)
    ]
    sides: list[tuple[Rows, Rows]] = [(unit, ()) for unit in units]
    if domain.relation is Relation.CHANGE:
        sides = [(one, two) for place, one in enumerate(units) for two in units[place + 1 :]]
    for count in range(domain.size + 1):
        for others in combinations_with_replacement(domain.others, count):
            for first, second in sides:
                for at in sorted({0, count}):
                    yield Neighbours(others, first, second, at)


def at_most(domain: Domain, limit: int) -> bool:
    """Whether a domain has no more pairs than that."""
    return next(islice(every_pair(domain), limit, None), None) is None
