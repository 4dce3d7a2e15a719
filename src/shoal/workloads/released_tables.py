"""Published tables: estimates that agree with each other, with the standard error and an interval
for each cell.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from pathlib import Path
from statistics import NormalDist
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from shoal.errors import SchemaError
from shoal.events import Composed
from shoal.exact import IntegerArray, Number
from shoal.loading import from_extra
from shoal.workloads.column_names import key_name
from shoal.workloads.column_queries import Floats
from shoal.workloads.table_queries import TableQuery

if TYPE_CHECKING:
    from fractions import Fraction

    from shoal.workloads.joint_totals import HeldTotals
    from shoal.workloads.publication_plan import PublicationPlan
    from shoal.workloads.whole_tables import WholeTables


def normal_quantile(confidence: Fraction) -> float:
    """Within how many standard errors a normal number lies with this probability."""
    return NormalDist().inv_cdf((1 + float(confidence)) / 2)


@dataclass(frozen=True, eq=False)
class ReleasedTable:
    """One table: an array of estimates with one axis for each column.

    Estimates are real numbers and can be negative; sums of them agree with every other table of the
    release.
    """

    plan: PublicationPlan
    query: TableQuery
    values: Floats

    @property
    def name(self) -> str:
        """The columns and what is asked of them."""
        return self.query.name

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns or levels, one for each axis."""
        pairs = zip(self.query.columns, self.query.queries, strict=True)
        return tuple(column if query.word else query.label(column) for column, query in pairs)

    @cached_property
    def labels(self) -> tuple[list[Any], ...]:
        """What stands along each axis: values, or the first and last value of a range."""
        domain = self.plan.workload.domain
        pairs = zip(self.query.queries, self.query.columns, strict=True)
        return tuple(query.names(domain.values(column)) for query, column in pairs)

    @cached_property
    def standard_errors(self) -> Floats:
        """The standard error of each cell, in the shape of ``values``."""
        return self.plan.standard_errors(self.name)

    def intervals(self, *, confidence: Number = "0.95") -> tuple[Floats, Floats]:
        """The lower and upper ends of an interval for each cell, each at this confidence.

        Edges: the ends are those of normal noise.  The noise is a sum of discrete or rounded normal
            numbers on a lattice that is much finer than their spread, so the difference is far
            below what can be seen; it covers noise, not the sampling of people.
        """
        half = self.half_widths(confidence)
        return self.values - half, self.values + half

    def half_widths(self, confidence: Number = "0.95") -> Floats:
        """Half the length of the interval of each cell."""
        return self.plan.half_widths(self.standard_errors, confidence)

    def rows(self) -> Iterator[tuple[Any, ...]]:
        """Every cell as a row: its labels, the estimate and the standard error."""
        numbers = zip(self.values.reshape(-1), self.standard_errors.reshape(-1), strict=True)
        for cell, (value, error) in zip(product(*self.labels), numbers, strict=True):
            yield (*cell, value.item(), float(error))

    def to_columns(self, *, confidence: Number = "0.95") -> dict[str, list[Any]]:
        """One entry for each cell: its labels, the count, the ends of its interval and its standard
        error, by name.

        A column of which ranges are asked has two: the first and the last value.  A column that is
        called like a number, such as ``count``, gets a ``_`` behind its name.
        """
        low, high = self.intervals(confidence=confidence)
        numbers = {"count": self.values, "count_low": low, "count_high": high}
        numbers["standard_error"] = self.standard_errors
        shape, columns = self.values.shape, dict[str, list[Any]]()
        asked = zip(self.columns, self.query.queries, strict=True)
        ends = {f"{name}_{end}" for name, each in asked if each.word for end in ("from", "to")}
        for axis, (column, labels) in enumerate(zip(self.columns, self.labels, strict=True)):
            place = np.broadcast_to(_along_axis(len(labels), axis, len(shape)), shape).reshape(-1)
            if self.query.queries[axis].word:
                columns[f"{column}_from"] = [labels[at][0] for at in place]
                columns[f"{column}_to"] = [labels[at][1] for at in place]
            else:
                columns[key_name(column, ends | numbers.keys())] = [labels[at] for at in place]
        for name, held in numbers.items():
            columns[name] = np.asarray(held).reshape(-1).tolist()
        return columns

    def to_arrow(self, *, confidence: Number = "0.95") -> Any:
        """An Arrow table; see `to_columns`.  It needs the extra `frames`, as `to_pandas` does."""
        pa = from_extra("pyarrow", needed_by="An Arrow table", extra="frames")
        return pa.table(self.to_columns(confidence=confidence))

    def to_pandas(self, *, confidence: Number = "0.95") -> Any:
        """A pandas frame; see `to_columns`."""
        return self.to_arrow(confidence=confidence).to_pandas()

    def to_csv(self, path: str | Path, *, confidence: Number = "0.95") -> None:
        """A CSV file; see `to_columns`."""
        columns = self.to_columns(confidence=confidence)
        with Path(path).open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(columns)
            writer.writerows(zip(*columns.values(), strict=True))

    def __getitem__(self, cell: Any) -> float:
        """The estimate of one cell, by its labels."""
        given = (cell,) if len(self.columns) == 1 else cell
        place = tuple(a.index(v) for a, v in zip(self.labels, given, strict=True))
        value: float = self.values[place].item()
        return value


def _along_axis(size: int, axis: int, dimensions: int) -> NDArray[np.int64]:
    """0, 1, 2, ... along one axis."""
    shape = [1] * dimensions
    shape[axis] = size
    return np.arange(size, dtype=np.int64).reshape(shape)


@dataclass(frozen=True, eq=False)
class ReleasedTables:
    """All tables of a release, the event that says what was drawn, and the certificate where a
    budget was charged.
    """

    plan: PublicationPlan
    arrays: tuple[Floats, ...]
    event: Composed
    answers: tuple[IntegerArray, ...]
    """What was measured, with noise: everything else follows from it."""
    certificate: Mapping[str, Any] | None = None
    known: HeldTotals | None = None
    judged: bool = False
    """Whether a search accepted them as they are: no other form of them was judged."""

    def whole_numbers(self) -> WholeTables:
        """The same tables as whole numbers, none negative, which add up exactly and keep the known
        totals.

        It costs nothing: only what was released is used.
        """
        if self.judged:
            raise SchemaError(
                "these tables were accepted as they are; as whole numbers they were not judged.",
                remedy="Search with accept(..., whole_numbers=True), or take what was not judged: "
                "found.released.whole_numbers().",
            )
        from shoal.workloads.whole_tables import WholeTables  # noqa: PLC0415 - it is made of this

        return WholeTables.of(self.plan, self.answers, self.known)

    def __getitem__(self, columns: str | tuple[str, ...]) -> ReleasedTable:
        """A table by its columns: ``tables["region", "sex"]``, ``tables["prefix(age)"]``,
        ``tables["total"]``.
        """
        given = (columns,) if isinstance(columns, str) else columns
        wanted = self.plan.table(*given)
        at = self.plan.workload.tables.index(wanted)
        return ReleasedTable(self.plan, wanted, self.arrays[at])

    def __iter__(self) -> Iterator[ReleasedTable]:
        pairs = zip(self.plan.workload.tables, self.arrays, strict=True)
        return (ReleasedTable(self.plan, table, array) for table, array in pairs)

    def __len__(self) -> int:
        return len(self.arrays)

    def measurements(self) -> tuple[dict[str, Any], dict[str, list[int]]]:
        """What was measured, for those who would rather estimate in their own way: a description
        of every measurement, and all noisy numbers as columns.

        Numbers of measurement k are the product of its matrices, applied to the counts by its
        columns in units of ``unit``, with independent noise of the stated variance.
        """
        strategy, domain = self.plan.strategy, self.plan.workload.domain
        described = [
            {
                "measurement": at,
                "columns": list(each.columns),
                "matrices": [factor.described() for factor in each.factors],
                "noise": str(noise),
                "variance": variance,
            }
            for at, (each, noise, variance) in enumerate(
                zip(
                    strategy.measurements,
                    self.plan.mechanisms,
                    self.plan.noise_variances,
                    strict=True,
                )
            )
        ]
        head = {
            "unit": str(self.plan.unit),
            "values": {name: list(map(str, domain.values(name))) for name in domain.names},
            "measurements": described,
        }
        numbers: dict[str, list[int]] = {"measurement": [], "place": [], "value": []}
        for at, answer in enumerate(self.answers):
            flat = [int(each) for each in answer.reshape(-1)]
            numbers["measurement"] += [at] * len(flat)
            numbers["place"] += range(len(flat))
            numbers["value"] += flat
        return head, numbers

    def to_dict(self) -> dict[str, list[tuple[Any, ...]]]:
        """Every table by name, as rows of labels, estimate and standard error."""
        return {table.name: list(table.rows()) for table in self}

    def __repr__(self) -> str:
        cells = sum(int(np.size(array)) for array in self.arrays)
        return f"<{len(self)} tables, {cells} cells, costing {self.plan.price_words}>"
