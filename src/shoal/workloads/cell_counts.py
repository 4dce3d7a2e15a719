"""Where the counts come from: a list of cells, a whole array, or the marginals that are
measured.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from shoal.errors import DataError, ShapeError
from shoal.exact import IntegerArray
from shoal.workloads.table_domain import TableDomain

_FITS = 1 << 62


class CellCounts(Protocol):
    """Exact counts over a domain."""

    def marginal(self, columns: tuple[str, ...]) -> IntegerArray:
        """The counts by some columns, as an array with one axis for each; without columns the
        total.
        """


@dataclass(frozen=True, eq=False)
class ListedCells:
    """The cells that are not empty, by the place of each value in its column, and their counts."""

    domain: TableDomain
    places: NDArray[np.int64]
    counts: IntegerArray

    @classmethod
    def of(
        cls, domain: TableDomain, cells: Mapping[Any, int], columns: Sequence[str] | None = None
    ) -> ListedCells:
        """From a mapping of cells, each a tuple of values in the order of ``columns``, to whole
        numbers.

        Edges: a cell outside the domain is refused; a domain of one column may have plain values as
        cells.
        """
        names = tuple(columns or domain.names)
        index = [{value: at for at, value in enumerate(domain.values(name))} for name in names]
        places = np.zeros((len(names), len(cells)), dtype=np.int64)
        for at, cell in enumerate(cells):
            given = cell if isinstance(cell, tuple) else (cell,)
            if len(given) != len(names) or any(
                v not in i for v, i in zip(given, index, strict=True)
            ):
                raise DataError(
                    "a cell is not in the declared domain.",
                    remedy=f"Give cells as tuples of declared values of: {', '.join(names)}.",
                )
            for row, (value, known) in enumerate(zip(given, index, strict=True)):
                places[row, at] = known[value]
        order = [names.index(name) for name in domain.names]
        return cls(domain, places[order], whole_counts(list(cells.values())))

    @cached_property
    def _is_small(self) -> bool:
        """Whether no sum of counts can leave 64 bits."""
        return largest(self.counts) * len(self.counts) < _FITS

    def marginal(self, columns: tuple[str, ...]) -> IntegerArray:
        shape = self.domain.shape(columns)
        rows = [self.domain.names.index(name) for name in columns]
        small = self._is_small
        found: IntegerArray = np.zeros(int(np.prod(shape)), dtype=np.int64 if small else object)
        flat = np.zeros(len(self.counts), dtype=np.int64)
        for row, size in zip(rows, shape, strict=True):
            flat = flat * size + self.places[row]
        np.add.at(found, flat, self.counts if small else self.counts.astype(object))
        return found.reshape(shape)


@dataclass(frozen=True, eq=False)
class WholeArray:
    """Every cell of the domain, as an array with one axis for each column."""

    domain: TableDomain
    counts: IntegerArray

    def marginal(self, columns: tuple[str, ...]) -> IntegerArray:
        axes = tuple(at for at, name in enumerate(self.domain.names) if name not in columns)
        counts = self.counts
        if largest(counts) * counts.size >= _FITS:
            counts = counts.astype(object)
        return np.asarray(counts.sum(axis=axes))


@dataclass(frozen=True, eq=False)
class GivenMarginals:
    """The measured marginals, each counted by itself, such as by one GROUP BY of any engine."""

    domain: TableDomain
    arrays: Mapping[frozenset[str], tuple[tuple[str, ...], IntegerArray]]

    @classmethod
    def of(cls, domain: TableDomain, given: Mapping[tuple[str, ...], Any]) -> GivenMarginals:
        """From arrays by the tuple of their columns, in which order the axes are."""
        held = {}
        for columns, array in given.items():
            found = whole_counts(array)
            if found.shape != domain.shape(columns):
                raise ShapeError(
                    f"the marginal of {', '.join(columns) or 'no column'} must have the shape {domain.shape(columns)}.",
                    remedy="Give one axis for each column, as long as its list of declared values.",
                )
            held[frozenset(columns)] = (tuple(columns), found)
        return cls(domain, held)

    def marginal(self, columns: tuple[str, ...]) -> IntegerArray:
        found = self.arrays.get(frozenset(columns))
        if found is None:
            raise ShapeError(
                f"the marginal of {', '.join(columns) or 'no column'} is measured, and was not given.",
                remedy="Give the marginals of all sets that plan.measured lists, () for the total.",
            )
        names, array = found
        turned: Any = np.transpose(array, [names.index(column) for column in columns])
        counts: IntegerArray = turned
        return counts


def counts_of(domain: TableDomain, given: Any) -> CellCounts:
    """What a caller gave as counts: a mapping of cells, an array of the whole domain, or something
    with `marginal`.
    """
    if isinstance(given, Mapping):
        return ListedCells.of(domain, given)
    if hasattr(given, "marginal"):
        counts: CellCounts = given
        return counts
    array = whole_counts(given)
    if array.shape != domain.shape(domain.names):
        raise ShapeError(
            f"counts must be an array of shape {domain.shape(domain.names)}, or a mapping of cells to counts.",
            remedy="Give one axis for each column, in the order of the domain.",
        )
    return WholeArray(domain, array)


def largest(counts: IntegerArray) -> int:
    """The largest size of a count."""
    return max(abs(int(counts.max(initial=0))), abs(int(counts.min(initial=0))))


def whole_counts(given: Iterable[Any] | NDArray[Any]) -> IntegerArray:
    """Whole numbers as an array of 64-bit or of Python's own integers; nothing of them is
    quoted.
    """
    array = given if isinstance(given, np.ndarray) else np.array(given, dtype=object)
    if array.dtype.kind in "iu":
        fits = array.dtype != np.uint64
        return array.astype(np.int64) if fits else array.astype(object)
    if array.dtype.kind == "O":
        found = [int(each) for each in array.flat if _is_whole(each)]
        if len(found) == array.size:
            small = all(abs(each) < _FITS for each in found)
            made = np.array(found, dtype=np.int64 if small else object)
            return made.reshape(array.shape)
    raise DataError("counts must be whole numbers.", remedy="Give integers, such as 0, 1 or 250.")


def _is_whole(given: Any) -> bool:
    return isinstance(given, int | np.integer) and not isinstance(given, bool)
