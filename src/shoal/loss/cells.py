"""The law of a privacy loss, cut into cells of equal width, and its two twins on the grid.

Let P and Q be the output laws on two neighbours, L = ln(P / Q) the loss under P and Y = exp(-L).
What a release, or many of them, need in delta is E[(1 - e^epsilon Y)_+] over the product of their
Y: a mean of a decreasing convex function of each single Y.  So everything rests on one order
between laws of Y:

* *pessimistic* is a law under which every decreasing convex function has at least the same mean:
  any Y may be lowered, and any Y may be spread out around its mean;
* *optimistic* is one under which it has at most the same mean: any Y may be raised, and several may
  be replaced by their common mean.

A cell [x, x + h) knows its mass p under P and the place w in [0, 1] of its mean Y between e^-x (w =
0) and e^-(x + h) (w = 1).  The pessimistic twin sends p w to the right end and p (1 - w) to the
left, which keeps the mean (this is "connecting the dots" of Doroshenko and others 2022).  The
optimistic twin merges: each grid point takes a share of the cell on its left and of the cell on its
right whose common mean is not below its own Y.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.floating[Any]]
Complexes = NDArray[np.complex128]

UNIT = 2.0**-53
RELATIVE_ERROR = 2.0**-40
"""What the masses of cells may be off by, in relative terms: generous beside the float functions
they use.
"""


def dot(one: Floats, other: Floats) -> float:
    """The sum of products, added up in pairs.

    A product of vectors is handed to several cores, which costs more than it saves here and makes
    the last bits depend on the machine.
    """
    return float((one * other).sum())


ON_ONE_CORE = 1 << 18
"""Larger products of matrices run on several cores, which takes longer here and changes the last
bits.
"""


def product_of_tables(rows: Complexes, columns: Complexes) -> Complexes:
    """At (j, k) the sum of products of row j and row k, block by block on one core."""
    count, width = len(rows), len(columns)
    turned = np.concatenate([columns.real, columns.imag]).T
    parts = np.concatenate([rows.real, rows.imag])
    blocks = min(len(parts), -(-parts.size * 2 * width // ON_ONE_CORE))
    products = np.concatenate([block @ turned for block in np.array_split(parts, blocks)])
    found: Complexes = np.empty((count, width), dtype=np.complex128)
    found.real = products[:count, :width] - products[count:, width:]
    found.imag = products[:count, width:] + products[count:, :width]
    return found


@dataclass(frozen=True)
class Cells:
    """Cells of width ``step`` whose first begins at ``origin``; ``infinite`` is the mass of an
    infinite loss.

    ``above`` and ``below`` are the masses beyond the last and before the first cell; ``blur`` is
    how far a true loss can lie from where it is put.
    """

    step: float
    origin: float
    mass: Floats
    place: Floats
    infinite: float = 0.0
    above: float = 0.0
    below: float = 0.0
    blur: float = 0.0

    def pessimistic(self) -> Lattice:
        """Both ends of each cell, the mean of Y kept; what lies above counts as infinite."""
        # The place is moved to the side that moves the law up, so its rounding cannot lower
        # delta.
        place = np.minimum(1.0, self.place + self._doubt)
        weights = np.zeros(len(self.mass) + 1)
        weights[:-1] = self.mass * (1 - place)
        weights[1:] += self.mass * place
        weights[0] += self.below
        return Lattice(self.step, self.origin, weights, self.infinite + self.above, self.blur)

    def optimistic(self) -> Lattice:
        """Merged onto the grid, the mean of Y not lowered; what lies below counts as no loss at
        all.
        """
        # Moved down, for the same reason: rounding cannot raise this delta.
        place = np.maximum(0.0, self.place - self._doubt)
        left = shares_to_the_left(self.mass, place, self.step)
        weights = np.zeros(len(self.mass) + 1)
        weights[:-1] = self.mass * left
        weights[1:] += self.mass * (1 - left)
        weights[-1] += self.above
        return Lattice(self.step, self.origin, weights, self.infinite, self.blur)

    @property
    def _doubt(self) -> float:
        """How far a place can be off: the error of Q / P over the width of a cell."""
        return float(4 * RELATIVE_ERROR / -np.expm1(-self.step)) if self.place.any() else 0.0


@dataclass(frozen=True)
class Lattice:
    """A loss that is ``origin + k step`` with probability ``weights[k]``, or infinite."""

    step: float
    origin: float
    weights: Floats
    infinite: float
    blur: float = 0.0


ON_GRID = 1e-9
"""An atom this close to a grid point, in steps, is on it."""


def cells_of_atoms(losses: Floats, masses: Floats, step: float) -> Cells:
    """Cells from atoms, given from the least loss up; the first begins at the least."""
    origin = losses[0]
    index = np.floor((losses - origin) / step + ON_GRID).astype(np.int64)
    within = losses - origin - index * step
    # An atom that rounding put just above a grid point is taken as on it; `_pad` in `grid_sums`
    # pays for the shift.
    within[within < 2 * ON_GRID * step] = 0.0
    mass, mean = np.zeros(index[-1] + 1), np.zeros(index[-1] + 1)
    place = -np.expm1(-within) / -np.expm1(-step)
    # Several atoms may fall into one cell; `mass[index] += masses` would keep only the last of
    # them.
    np.add.at(mass, index, masses)
    np.add.at(mean, index, masses * place)
    with np.errstate(invalid="ignore", divide="ignore"):
        places = np.where(mass > 0, mean / mass, 0.0)
    return Cells(step, float(origin), mass, places)


def shares_to_the_left(mass: Floats, place: Floats, step: float) -> Floats:
    """For each cell the share of its mass that goes to its left end, for the optimistic twin.

    Point i takes the share a of cell i and 1 - a' of cell i - 1.  In units of e^-x, cell i can
    lower the mean of point i by a * right(i) and cell i - 1 raises it by (1 - a') * left(i - 1);
    the point's own Y must not be below the mean, so a * right(i) >= (1 - a') * left(i - 1) at every
    point.  Equality wastes nothing.
    """
    fall = np.exp(-step * np.arange(len(mass)))
    right, left = mass * place * fall, mass * (1 - place) * fall
    share = np.ones(len(mass))
    with np.errstate(divide="ignore", invalid="ignore"):
        share[1:] = np.nan_to_num(left[:-1] / (left[:-1] + right[1:]), nan=1.0)
    _settle_around_the_peak(share, left, right)
    for _ in range(4):
        missing = (1 - share[:-1]) * left[:-1] - share[1:] * right[1:]
        with np.errstate(divide="ignore", invalid="ignore"):
            # A little more than is missing, so that the condition holds after rounding, too.
            more = np.where(missing > 0, missing / right[1:] * (1 + 1e-12), 0.0)
        share[1:] = np.minimum(1.0, share[1:] + np.nan_to_num(more, nan=1.0, posinf=1.0))
    return _made_feasible(share, left, right)


_AROUND = 400


def _settle_around_the_peak(share: Floats, left: Floats, right: Floats) -> None:
    """Balance exactly where masses change fast: upwards to the peak, downwards to it from the
    right.
    """
    peak = int(np.argmax(left + right))
    first = max(0, peak - _AROUND)
    if first == 0:
        share[0] = 0.0
    for i in range(first + 1, peak + 1):
        needed = (1 - share[i - 1]) * left[i - 1]
        share[i] = needed / right[i] if right[i] > needed else 1.0
    last = min(len(share) - 1, peak + _AROUND)
    if last == len(share) - 1:
        share[-1] = 1.0
    for i in range(last, peak + 1, -1):
        given = share[i] * right[i]
        share[i - 1] = 1 - given / left[i - 1] if left[i - 1] > given else 0.0


def _made_feasible(share: Floats, left: Floats, right: Floats) -> Floats:
    """Send a whole cell to its left wherever its right neighbour cannot take its part."""
    while True:
        broken = (1 - share[:-1]) * left[:-1] > share[1:] * right[1:]
        broken &= share[:-1] < 1
        if not broken.any():
            share[-1] = 1.0
            return share
        # A whole cell on its left end always satisfies the condition (loss.md, The twins of a
        # cell), so the loop ends.
        share[:-1][broken] = 1.0
