"""Totals that are public by law or custom: told by the curator, held exactly, and not protected."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.errors import SchemaError
from shoal.exact import whole
from shoal.workloads.column_hierarchy import EachGroup
from shoal.workloads.column_queries import ColumnQuery, Floats, GroupSums
from shoal.workloads.table_domain import TableDomain

_ROUNDS = 200
_CLOSE = 1e-10


@dataclass(frozen=True, eq=False)
class KnownTotals:
    """How many there are in every cell of some columns; without columns, in all.

    Needs: public numbers.  Nothing here reads the data: a total that is taken from them is told to
        everybody as it is, and the certificate says so.
    Edges: cells that are not named have 0.
    """

    domain: TableDomain
    asked: tuple[tuple[str, ColumnQuery], ...]
    totals: NDArray[np.int64]

    @classmethod
    def of(cls, domain: TableDomain, given: Mapping[Any, Any] | int) -> KnownTotals:
        """From ``1200`` for all, ``{"region": {"north": 700, "south": 500}}`` for a column or a
        level, or ``{("region", "sex"): {("north", "f"): 340, ...}}`` for several.
        """
        if not isinstance(given, Mapping):
            return cls(domain, (), np.array(_count(given)))
        ((named, cells),) = given.items()
        names = (named,) if isinstance(named, str) else tuple(named)
        asked = domain.asked(names)
        ordered = [query.label(column) for column, query in asked]
        if len(asked) < len(names):
            raise SchemaError(
                "known totals name a column twice, or two levels of it.",
                remedy="Name the finest level alone; the totals of coarser ones follow from it.",
            )
        labels = {
            name: query.names(domain.values(column))
            for name, (column, query) in zip(ordered, asked, strict=True)
        }
        index = [{value: at for at, value in enumerate(labels[name])} for name in names]
        totals = np.zeros([len(each) for each in index], dtype=np.int64)
        for cell, count in cells.items():
            parts = cell if isinstance(cell, tuple) else (cell,)
            if len(parts) != len(names) or any(
                part not in known for part, known in zip(parts, index, strict=True)
            ):
                raise SchemaError(
                    f"a known total is of a cell that is not declared for {', '.join(names)}.",
                    remedy="Use the declared values of these columns, in the same order.",
                )
            place = tuple(known[part] for part, known in zip(parts, index, strict=True))
            totals[place] = _count(count)
        turned = np.transpose(totals, [names.index(name) for name in ordered])
        return cls(domain, tuple(asked), np.ascontiguousarray(turned))

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns or levels, in the order of the domain."""
        return tuple(query.label(column) for column, query in self.asked)

    @property
    def name(self) -> str:
        """The columns, as a table of them is called."""
        return ",".join(self.columns) or "total"

    @cached_property
    def places(self) -> NDArray[np.int64]:
        """For each cell of the whole table, to which total it belongs."""
        return places_of(self.domain, self.asked)

    def nearest(
        self, table: Floats, shares: Floats | None = None, lowered: Floats | None = None
    ) -> Floats:
        """The nearest table without negative cells that has these totals, where a cell's squared
        difference counts 1 / its share.

        In every part with a known total the cells are lowered in proportion to their shares and cut
        at 0.  By how much is the root of a falling convex function, which Newton's steps reach from
        any side; they begin at ``lowered``, and what was found is left there for the next time.
        """
        over = np.zeros(self.totals.size) if lowered is None else lowered
        cells = table.reshape(-1)
        share = np.ones(cells.size) if shares is None else shares.reshape(-1)
        left = self.lowered_cells(cells, share, over)
        return self.scaled(np.maximum(left, 0.0).reshape(table.shape))

    def lowered_cells(self, cells: Floats, share: Floats, over: Floats) -> Floats:
        """The cells, lowered so that what is above 0 has these totals; ``over`` is where to begin,
        and gets what was found.
        """
        wanted = self.wanted
        left = cells
        for _ in range(_ROUNDS):
            left = cells - over[self._place] * share
            kept = left > 0
            weight = self._sums(share * kept, 0)
            missed = self._sums(left * kept, 0) - wanted
            if (np.abs(missed) <= _CLOSE * (1 + wanted)).all():
                break
            none = weight <= 0  # lowered too far: begin again from above
            step = np.where(none, 0.0, missed / np.where(none, 1.0, weight))
            again, all_of = self._sums(cells, 0) - wanted, self._sums(share, 0)
            again = np.divide(again, all_of, out=np.zeros_like(again), where=all_of > 0)
            moved = np.where(none, again, over + step)
            if np.array_equal(moved, over):  # as near as floats come
                break
            over[:] = moved
        return left

    def missed(self, table: Floats) -> float:
        """By how much the sums of a table are off, as a share of the totals."""
        off = np.abs(self._sums(table.reshape(-1), 0) - self.wanted) / (1 + self.wanted)
        return float(off.max())

    def settled(self, table: Floats) -> Floats:
        """The table itself: its sums over `places` are whole numbers already."""
        return table

    @cached_property
    def wanted(self) -> Floats:
        """The totals in one row."""
        return self.totals.reshape(-1).astype(np.float64)

    def scaled(self, table: Floats) -> Floats:
        """A table whose parts are multiplied to have these totals; parts of 0 stay 0."""
        cells, wanted = table.reshape(-1), self.wanted
        total = self._sums(cells, 0)
        factor = np.divide(wanted, total, out=np.ones_like(wanted), where=total > 0)
        found: Floats = (cells * factor[self._place]).reshape(table.shape)
        return found

    @cached_property
    def _place(self) -> NDArray[np.int64]:
        return self.places.reshape(-1)

    @cached_property
    def _sums(self) -> GroupSums:
        """Sums over the cells of each known total."""
        return GroupSums(self._place, self.totals.size)

    @property
    def size(self) -> int:
        """How many totals there are."""
        return self.totals.size

    def to_dict(self) -> dict[str, Any]:
        """For a certificate: the columns and their totals, cell by cell in the order of declared
        values.
        """
        return {"columns": list(self.columns), "totals": self.totals.reshape(-1).tolist()}


def places_of(domain: TableDomain, asked: Sequence[tuple[str, ColumnQuery]]) -> NDArray[np.int64]:
    """For each cell of the whole table, to which cell of a table of some columns it belongs."""
    found = np.zeros((), dtype=np.int64)
    queries = dict(asked)
    for name in domain.names:
        size, query = domain.size(name), queries.get(name)
        own, count = np.zeros(size, dtype=np.int64), 1
        if query is not None:
            own, count = groups_of(query, size), query.rows(size)
        found = np.add.outer(found * count, own)
    return found


def groups_of(query: ColumnQuery, size: int) -> NDArray[np.int64]:
    """For each value of a column, which row of a query counts it."""
    return query.groups if isinstance(query, EachGroup) else np.arange(size)


def _count(given: object) -> int:
    return whole(given, "a known total", at_least=0)  # type: ignore[arg-type]
