"""Totals of two tables that are public by law: both are held exactly, and neither is protected."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.errors import SchemaError
from shoal.workloads.column_queries import ColumnQuery, Floats, GroupSums, summed
from shoal.workloads.known_totals import KnownTotals, groups_of
from shoal.workloads.table_domain import TableDomain
from shoal.workloads.whole_transport import whole_transport

_SWEEPS = 200
_CLOSE = 1e-7
Asked = Sequence[tuple[str, ColumnQuery]]


@dataclass(frozen=True, eq=False)
class JointTotals:
    """Known totals of two tables, neither of which tells the other.

    Guarantee: what `settled` gives has both tables of totals exactly once it is rounded by parts.
    Needs: tables that agree where they overlap; `known_totals` checks it.
    Proof: workloads.md, *Two known tables*.
    """

    first: KnownTotals
    second: KnownTotals

    @property
    def domain(self) -> TableDomain:
        """The columns of all tables."""
        return self.first.domain

    @property
    def asked(self) -> tuple[tuple[str, ColumnQuery], ...]:
        """The columns of either table, with what is asked of them."""
        return (*self.first.asked, *self.second.asked)

    @property
    def name(self) -> str:
        """The tables, as a reader is told of them."""
        return f"{self.first.name} and by {self.second.name}"

    @property
    def size(self) -> int:
        """How many totals there are."""
        return self.first.size + self.second.size

    @cached_property
    def _pairs(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The pairs of totals that have cells in common, and for each cell the place of its pair."""
        pairs = self.first.places * self.second.size + self.second.places
        held, place = np.unique(pairs, return_inverse=True)
        return held, place.reshape(pairs.shape)

    @property
    def places(self) -> NDArray[np.int64]:
        """For each cell of the whole table, to which pair of totals it belongs."""
        return self._pairs[1]

    @cached_property
    def _open(self) -> NDArray[np.bool_]:
        """For each cell, whether both of its totals are above 0."""
        both = (self.first, self.second)
        one, two = (each.wanted[each.places.reshape(-1)] > 0 for each in both)
        return one & two

    def nearest(
        self, table: Floats, shares: Floats | None = None, lowered: Floats | None = None
    ) -> Floats:
        """The nearest table without negative cells that has the totals of both, where a cell's
        squared difference counts 1 / its share.

        Each cell is lowered by what belongs to its total in the one table and in the other, times
        its share, and cut at 0.  What belongs to one table is found while that of the other is
        held, in turns: each turn raises the concave dual function.  Cells under a total of 0 are 0
        and take no part: one turn would lower them and the next one raise them again.
        """
        cells = np.where(self._open, table.reshape(-1), 0.0)
        share = np.where(self._open, 1.0 if shares is None else shares.reshape(-1), 0.0)
        over = np.zeros(self.size) if lowered is None else lowered
        one, two = over[: self.first.size], over[self.first.size :]
        left = cells
        for _ in range(_SWEEPS):
            before = over.copy()
            held = cells - two[self.second.places.reshape(-1)] * share
            self.first.lowered_cells(held, share, one)
            held = cells - one[self.first.places.reshape(-1)] * share
            left = np.maximum(self.second.lowered_cells(held, share, two), 0.0)
            if self.first.missed(left) <= _CLOSE or np.array_equal(over, before):
                break
        return left.reshape(table.shape)

    def scaled(self, table: Floats) -> Floats:
        """A table whose parts are multiplied to have the totals of one table, then of the other."""
        return self.second.scaled(self.first.scaled(table))

    def settled(self, table: Floats) -> Floats:
        """A table near this one whose sums over `places` are whole numbers that have the totals of
        both tables; what is 0 stays 0 unless no other cell can hold a total.
        """
        held, place = self._pairs
        sums = GroupSums(place.reshape(-1), held.size)
        cells = np.maximum(table.reshape(-1), 0.0)
        total = sums(cells, 0)
        ends = np.divmod(held, self.second.size)
        wanted = whole_transport(
            total, ends, (self.first.totals.reshape(-1), self.second.totals.reshape(-1))
        )
        empty = (total <= 0) & (wanted > 0)
        cells = np.where(empty[place.reshape(-1)], 1.0, cells)
        total = sums(cells, 0)
        factor = np.divide(wanted, total, out=np.zeros_like(total), where=total > 0)
        found: Floats = (cells * factor[place.reshape(-1)]).reshape(table.shape)
        return found

    def to_dict(self) -> dict[str, Any]:
        """For a certificate: each table with its totals."""
        return {"tables": [self.first.to_dict(), self.second.to_dict()]}


HeldTotals = KnownTotals | JointTotals


def known_totals(domain: TableDomain, given: Mapping[Any, Any] | int) -> HeldTotals:
    """What is known, from the totals of one table or of several, as `KnownTotals.of` takes them;
    ``"total"`` may name the number of all.

    Needs: tables that agree where they overlap.  A table that another one tells is checked, and
        follows from that one; of the others there are at most two, because whole numbers with the
        totals of three tables need not exist.
    """
    if not isinstance(given, Mapping):
        return KnownTotals.of(domain, given)
    listed = [_listed(domain, named, cells) for named, cells in given.items()]
    for at, one in enumerate(listed):
        for other in listed[at + 1 :]:
            _check_agreement(one, other)
    kept: list[KnownTotals] = []
    for each in listed:
        if not any(_tells(other, each) for other in kept):
            kept = [*(other for other in kept if not _tells(each, other)), each]
    if not kept or len(kept) > 2:
        raise SchemaError(
            "known totals are those of one table or of two, and of tables that follow from them.",
            remedy='Give {"region": {"north": 700, "south": 500}}, or the totals of two tables.',
        )
    return kept[0] if len(kept) == 1 else JointTotals(*kept)


def _listed(domain: TableDomain, named: Any, cells: Any) -> KnownTotals:
    """One known table; a number alone is that of all, and stands under ``"total"``."""
    if isinstance(cells, Mapping):
        return KnownTotals.of(domain, {named: cells})
    if named == "total":
        return KnownTotals.of(domain, cells)
    raise SchemaError(
        f"the known totals under {str(named)[:40]!r} name no values.",
        remedy='Give a total for each value, such as {"region": {"north": 700, "south": 500}}, or '
        '{"total": 1200} for the number of all.',
    )


def _tells(one: KnownTotals, other: KnownTotals) -> bool:
    """Whether the totals of one table follow from those of another."""
    sizes = {column: query.rows(one.domain.size(column)) for column, query in one.asked}
    return all(
        sizes.get(column, 0) >= query.rows(one.domain.size(column)) for column, query in other.asked
    )


def _check_agreement(one: KnownTotals, other: KnownTotals) -> None:
    """Refuses tables that tell different sums of the same people."""
    if not sums_agree(one, other):
        shared = _shared(one, other)
        names = ", ".join(query.label(column) for column, query in shared) or "all"
        raise SchemaError(
            f"the known totals by {one.name} and by {other.name} contradict each other: "
            f"their sums by {names} differ.",
            remedy="Correct the totals so that both tables have the same sums.",
        )


def sums_agree(one: KnownTotals, other: KnownTotals) -> bool:
    """Whether two tables tell the same sums of the same people, at the coarser of their levels."""
    shared = _shared(one, other)
    return np.array_equal(_coarse(one, shared), _coarse(other, shared))


def _shared(one: KnownTotals, other: KnownTotals) -> Asked:
    """The columns that stand in both tables, each at the coarser of its two levels."""
    theirs = dict(other.asked)
    return [
        (column, min(query, theirs[column], key=lambda q: q.rows(one.domain.size(column))))
        for column, query in one.asked
        if column in theirs
    ]


def _coarse(known: KnownTotals, shared: Asked) -> NDArray[np.int64]:
    """Sums of the totals by fewer columns, or by coarser levels of them."""
    kept = dict(shared)
    found, axis = known.totals, 0
    for column, query in known.asked:
        size = known.domain.size(column)
        if column not in kept:
            found = found.sum(axis=axis)
            continue
        own, coarse = groups_of(query, size), groups_of(kept[column], size)
        above = np.zeros(query.rows(size), dtype=np.int64)
        above[own] = coarse
        found = summed(found, axis, above, kept[column].rows(size))
        axis += 1
    return found
