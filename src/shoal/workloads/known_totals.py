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
from shoal.workloads.column_queries import Floats
from shoal.workloads.table_domain import TableDomain


@dataclass(frozen=True, eq=False)
class KnownTotals:
    """How many there are in every cell of some columns; without columns, in all.

    Needs: public numbers.  Nothing here reads the data: a total that is taken from them is told to
        everybody as it is, and the certificate says so.
    Edges: cells that are not named have 0.
    """

    domain: TableDomain
    columns: tuple[str, ...]
    totals: NDArray[np.int64]

    @classmethod
    def of(cls, domain: TableDomain, given: Mapping[Any, Any] | int) -> KnownTotals:
        """From ``1200`` for all, ``{"region": {"north": 700, "south": 500}}`` for a column, or
        ``{("region", "sex"): {("north", "f"): 340, ...}}`` for several.
        """
        if isinstance(given, int):
            return cls(domain, (), np.array(_count(given)))
        if len(given) != 1:
            raise SchemaError(
                "known totals are those of one table.",
                remedy="Give the finest table alone; the totals of coarser ones follow from it.",
            )
        ((named, cells),) = given.items()
        names = (named,) if isinstance(named, str) else tuple(named)
        columns = domain.in_order(names)
        index = [{value: at for at, value in enumerate(domain.values(name))} for name in names]
        totals = np.zeros(domain.shape(names), dtype=np.int64)
        for cell, count in cells.items():
            labels = cell if isinstance(cell, tuple) else (cell,)
            if len(labels) != len(names) or any(
                label not in known for label, known in zip(labels, index, strict=True)
            ):
                raise SchemaError(
                    f"a known total is of a cell that is not declared for {', '.join(names)}.",
                    remedy="Use the declared values of these columns, in the same order.",
                )
            place = tuple(known[label] for label, known in zip(labels, index, strict=True))
            totals[place] = _count(count)
        turned = np.transpose(totals, [names.index(name) for name in columns])
        return cls(domain, columns, np.ascontiguousarray(turned))

    @property
    def name(self) -> str:
        """The columns, as a table of them is called."""
        return ",".join(self.columns) or "total"

    @cached_property
    def _axes(self) -> list[int]:
        """The axes of the whole table, those of the known columns first."""
        names = self.domain.names
        first = [names.index(name) for name in self.columns]
        return first + [at for at in range(len(names)) if at not in first]

    def grouped(self, table: Floats, order: Sequence[int] | None = None) -> Floats:
        """The whole table as one row of cells for each known total."""
        turned = np.transpose(table, self._axes if order is None else order)
        return turned.reshape(self.totals.size, -1)

    def nearest(self, table: Floats) -> Floats:
        """The nearest table without negative cells that has these totals.

        Each row of cells is lowered by one number and cut at 0; the number is found among the
        sorted cells (projection onto a simplex).
        """
        rows = self.grouped(table)
        wanted = self.totals.reshape(-1, 1).astype(np.float64)
        falling = -np.sort(-rows, axis=1)
        over = (np.cumsum(falling, axis=1) - wanted) / np.arange(1, rows.shape[1] + 1)
        last = np.maximum((falling > over).sum(axis=1), 1) - 1
        lowered = np.maximum(rows - over[np.arange(len(rows)), last][:, None], 0.0)
        shape = [self.domain.shape(self.domain.names)[axis] for axis in self._axes]
        return np.transpose(lowered.reshape(shape), np.argsort(self._axes))

    def to_dict(self) -> dict[str, Any]:
        """For a certificate: the columns and their totals, cell by cell in the order of declared
        values.
        """
        return {"columns": list(self.columns), "totals": self.totals.reshape(-1).tolist()}


def _count(given: object) -> int:
    return whole(given, "a known total", at_least=0)  # type: ignore[arg-type]
