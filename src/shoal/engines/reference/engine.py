"""Rows of dictionaries, and the relations over them, one row at a time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from shoal.engines.reference.relations import OwnedRow, evaluated
from shoal.engines.reference.shares import shares
from shoal.engines.reference.spread import distinct, weights
from shoal.engines.reference.totals import totals
from shoal.errors import SourceError
from shoal.plan import Bounded, Column, Quantity, Rows, Spread, Value, ValueWeights


class Reference:
    """Tables as lists of dictionaries.

    >>> from shoal.plan import INTEGER, Literal, Project, Ref, Row, Scan, Table, call, column
    >>> people = Scan(Table("people", (column("age", INTEGER),), protects=Row()))
    >>> older = Project(people, (("older", call("add", Ref(people.columns[0]), Literal(1, INTEGER))),))
    >>> Reference({"people": [{"age": 41}, {"age": None}]}).rows(older)
    [(42,), (None,)]
    """

    def __init__(
        self,
        tables: Mapping[str, Sequence[Mapping[str, Any]]],
        columns: Mapping[str, tuple[Column, ...]] | None = None,
    ) -> None:
        self._tables = tables
        self._columns = columns or {}

    def columns(self, table: str) -> tuple[Column, ...]:
        if table not in self._columns:
            raise SourceError(
                f"the columns of table {table!r} are not known: lists of dictionaries have no types.",
                remedy="Give them when making the engine: Reference(tables, columns={...}).",
            )
        return self._columns[table]

    def left_out(self, table: str) -> Mapping[str, str]:
        del table
        return {}

    def check(self, relation: Rows) -> None:
        """Lists of dictionaries have no types that could be others."""

    def rows(self, relation: Rows, *, persons: bool = False) -> list[tuple[Value, ...]]:
        names = [column.name for column in relation.columns]
        return [
            (*(owned.row[name] for name in names), *(owned.person if persons else ()))
            for owned in self.owned(relation)
        ]

    def read_through(self, relation: Rows) -> None:
        self.owned(relation)

    def totals(
        self, bounded: Bounded, *, soon: Bounded | None = None
    ) -> dict[tuple[Value, ...], tuple[int, ...]]:
        del soon  # each by itself, so that there is something to compare with
        rows = self.owned(bounded.relation)
        found = {key: list(row) for key, row in totals(bounded, rows).items()}
        for at, term in enumerate(bounded.terms):
            if term.quantity is Quantity.DISTINCT:
                for key, count in distinct(bounded.values(term), rows).items():
                    found[key][at] = count
        return {key: tuple(row) for key, row in found.items()}

    def parts(
        self, bounded: Bounded, *, soon: Bounded | None = None
    ) -> Iterator[dict[tuple[Value, ...], tuple[int, ...]]]:
        yield self.totals(bounded, soon=soon)

    def shares(self, bounded: Bounded) -> dict[tuple[int, int], int]:
        return shares(bounded, self.owned(bounded.relation))

    def weights(self, spread: Spread) -> dict[tuple[Value, ...], ValueWeights]:
        return spread.wanted(weights(spread, self.owned(spread.relation)))

    def owned(self, relation: Rows) -> list[OwnedRow]:
        """The rows with the persons they belong to."""
        return evaluated(relation, self._tables)
