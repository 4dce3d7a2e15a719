"""Kernel sums in integers: what a row adds to every lattice value stands in a public table.

A row falls into a cell of a public grid, and the cell's line in the table says, in whole numbers,
how much it adds to each lattice value.  So sums are exact whatever their order, no float is
computed from data but the number of its cell, and how far one row can move the whole vector is read
off the table: a maximum over all of its lines.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.errors import RangeError, ShapeError
from shoal.exact import Number, positive, root_up
from shoal.functions.operator import Operator, Reals
from shoal.mechanisms.total_functions import floats_of
from shoal.mechanisms.values import plain
from shoal.sensitivity import Norm

Integers = NDArray[np.int64]
KERNELS = ("triangular", "epanechnikov", "gaussian")
_CELLS = {1: 1 << 12, 2: 1 << 8, 3: 1 << 5}
_BITS = {1: 16, 2: 12, 3: 8}


@dataclass(frozen=True, init=False)
class KernelTable:
    """How much a point of the unit cube adds to each lattice value: a kernel around it, in steps of
    `unit`.

    ``bandwidth`` is in units of the cube; without it, the spacing of the lattice, for which
    triangular kernels share every point among its neighbours and add up to 1.
    Needs: at most three dimensions; the table is made of the parameters alone.
    """

    degree: int
    dims: int
    kernel: str
    bandwidth: Fraction

    def __init__(
        self,
        degree: int,
        *,
        dims: int = 1,
        kernel: str = "triangular",
        bandwidth: Number | None = None,
    ) -> None:
        operator = Operator(degree, dims=dims)
        keep = object.__setattr__
        keep(self, "degree", operator.degree)
        keep(self, "dims", operator.dims)
        if kernel not in KERNELS:
            raise RangeError(
                f"kernel must be one of {', '.join(KERNELS)}; got {str(kernel)[:40]!r}.",
                remedy="Choose 'triangular', which shares every row among its neighbours on the lattice.",
            )
        if operator.dims not in _CELLS:
            raise RangeError(
                f"kernel sums are made in 1 to {len(_CELLS)} dimensions; got {operator.dims}.",
                remedy="Choose fewer dimensions: in more, a lattice has more values than data have rows.",
            )
        keep(self, "kernel", kernel)
        width = (
            Fraction(1, operator.degree) if bandwidth is None else positive(bandwidth, "bandwidth")
        )
        keep(self, "bandwidth", width)

    def __getstate__(self) -> dict[str, Any]:
        """The parameters; the table is made anew where a copy is used."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    @property
    def cells(self) -> int:
        """How many cells there are along an axis."""
        return _CELLS[self.dims]

    @property
    def size(self) -> int:
        return int((self.degree + 1) ** self.dims)

    @property
    def unit(self) -> Fraction:
        """What a step stands for; the kernel is 1 at its centre."""
        return Fraction(1, 1 << _BITS[self.dims] * self.dims)

    @cached_property
    def lines(self) -> Integers:
        """The table along one axis: a line per cell, a column per lattice value."""
        centres = (np.arange(self.cells) + 0.5) / self.cells
        far = np.abs(centres[:, None] - np.arange(self.degree + 1) / self.degree) / float(
            self.bandwidth
        )
        found = {
            "triangular": lambda: np.maximum(0.0, 1 - far),
            "epanechnikov": lambda: np.maximum(0.0, 1 - far**2),
            "gaussian": lambda: np.exp(-(far**2) / 2),
        }[self.kernel]()
        return np.asarray(np.rint(found * (1 << _BITS[self.dims])), dtype=np.int64)

    @cached_property
    def mass(self) -> Reals:
        """The integral over the cube of each lattice value's kernel, one number per lattice
        value.
        """
        one = self.lines.mean(axis=0) / (1 << _BITS[self.dims])
        found = np.ones(1)
        for _ in range(self.dims):
            found = (found[:, None] * one[None, :]).reshape(-1)
        return found

    def longest_up(self, norm: Norm) -> Fraction:
        """The largest norm of what one point adds, in steps: exact, for L2 rounded up.

        Proof: what a point adds is the outer product of one line per axis, whose norm, L1 or L2, is
            the product of theirs; its cells along the axes are any cells.
        """
        if norm is Norm.L1:
            return Fraction(self._longest_line**self.dims)
        return root_up(Fraction(int((self.lines**2).sum(axis=1).max()) ** self.dims))

    @cached_property
    def _longest_line(self) -> int:
        return int(self.lines.sum(axis=1).max())

    def cells_of(self, cube: Reals) -> Integers:
        """The cell of each point of the cube, as one number; points outside go to the nearest
        cell.
        """
        along = np.clip(np.floor(cube * self.cells), 0, self.cells - 1).astype(np.int64)
        found = along[:, 0]
        for axis in range(1, self.dims):
            found = found * self.cells + along[:, axis]
        return found

    def sums(self, cells: Integers, weights: Integers, *, largest: int) -> NDArray[Any]:
        """The sum over rows of weight times what their cell adds, exactly; no weight is larger than
        ``largest``.
        """
        shape = (self.cells,) * self.dims
        each = np.bincount(
            cells, weights=weights.astype(np.float64), minlength=self.cells**self.dims
        )
        found: NDArray[Any] = each.astype(np.int64).reshape(shape)
        lines: NDArray[Any] = self.lines
        if len(cells) * largest * self._longest_line**self.dims >= 1 << 62:
            found, lines = found.astype(object), lines.astype(object)
        for _ in range(self.dims):  # each round takes the first axis and puts its sums last
            found = np.tensordot(found, lines, axes=(0, 0))
        return found.reshape(-1)


def read_points(values: Any, domain: tuple[tuple[float, float], ...]) -> Reals:
    """Rows of data as points of the unit cube; what lies outside the public box is moved to its
    edge.

    Every row goes through the same elementwise arithmetic, wherever it stands among how many
    others.  An infinity lies outside; what is no number (NaN, None, a text) counts as the low end.
    """
    places = _array(values)
    if places.dtype.kind == "O":
        places = floats_of(places, len(domain))
    if places.dtype.kind not in "iuf":
        raise ShapeError(
            f"data must be an array of numbers; got one of {places.dtype}.",
            remedy="Give a numpy array of integers, floats or objects, one row per person: numpy.array(rows, dtype=object) takes any row.",
        )
    if places.ndim == 1 and len(domain) == 1:
        places = places[:, None]
    if places.ndim != 2 or places.shape[1] != len(domain):
        raise ShapeError(
            f"data need {len(domain)} columns; got an array with {_columns(places)}.",
            remedy="Give one row per person, and one column per dimension.",
        )
    with np.errstate(over="ignore"):
        places = places.astype(np.float64)
    low, high = np.array(domain).T
    missing = np.isnan(places)
    if missing.any():
        places = np.where(missing, low, places)
    return np.asarray((np.clip(places, low, high) - low) / (high - low))


def _array(values: Any) -> NDArray[Any]:
    """An array as it is; of a list numpy would choose the type by what is in it, and one row could
    decide for all.
    """
    if not isinstance(values, np.ndarray) and not hasattr(values, "__array__"):
        raise ShapeError(
            f"data must be an array; got {type(values).__name__}.",
            remedy="Give numpy.asarray(rows, dtype=float), one row per person.",
        )
    return plain(np.asarray(values) if not isinstance(values, np.ndarray) else values)


def _columns(places: NDArray[Any]) -> str:
    """How many columns an array has; how many rows is not said, since it can be private."""
    return str(places.shape[1]) if places.ndim == 2 else f"{places.ndim} dimensions"


def read_steps(values: Any, ends: tuple[float, float], steps: int, *, rows: int) -> Integers:
    """One number per row, clamped to public ends, as a whole number from 0 to ``steps``."""
    cube = read_points(values, (ends,))
    if len(cube) != rows:
        raise ShapeError(
            "there are not as many values as rows.", remedy="Give one value for each row."
        )
    return np.floor(cube[:, 0] * steps + 0.5).astype(np.int64)
