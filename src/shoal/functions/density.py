"""Densities and distribution functions: from kernel counts, and from a histogram."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from shoal.errors import ShapeError
from shoal.events import Event
from shoal.exact import Number, open_unit, whole
from shoal.functions.kernel_sums import KernelTable, read_points
from shoal.functions.operator import Operator, Reals
from shoal.functions.released import (
    Domain,
    ReleasedFunction,
    into_cube,
    read_domain,
    read_object,
    unreadable,
)
from shoal.functions.summed_release import Summed, apart_up
from shoal.measures import Measure
from shoal.plots import Picture
from shoal.sensitivity import Norm, Relation

KIND, VERSION = "released_distribution", 1


@dataclass(frozen=True, init=False, repr=False)
class KernelDensity(Summed):
    """The density of x, by kernel counts on the lattice.

    Guarantee: the budget's, for rows clamped to the public box; all counts are exact integers.
    Needs: a public box.  Under "change" the number of rows is public and the density is per row;
        under "add_remove" it is not, and the density is scaled to integrate to 1.
    Edges: at the edges of the box each kernel is scaled to its part inside.  Noise can make the
        density negative; cut it off if that disturbs.  A row that is no number counts as the low
        end of the box.
    Reference: Parzen 1962; Hall, Rinaldo and Wasserman 2013 release densities too.
    Proof: kernel_sums.md.

    >>> import numpy as np
    >>> density = KernelDensity.for_epsilon(1, relation="change", degree=10, order=2, domain=[(0, 5)])
    >>> found = density.release(np.linspace(0, 5, 4000))
    >>> abs(found(2.5) - 0.2) < 0.1
    True
    """

    table: KernelTable
    order: int
    domain: Domain

    def __init__(
        self,
        *,
        budget: Measure,
        relation: Relation | str,
        degree: int,
        order: int = 1,
        dims: int = 1,
        kernel: str = "triangular",
        bandwidth: Number | None = None,
        domain: Sequence[Sequence[float]] | None = None,
    ) -> None:
        table = KernelTable(degree, dims=dims, kernel=kernel, bandwidth=bandwidth)
        order = Operator(degree, order=order).order
        self._keep(
            budget, relation, table=table, order=order, domain=read_domain(domain, table.dims)
        )

    @property
    def operator(self) -> Operator:
        return Operator(self.table.degree, dims=self.table.dims, order=self.order)

    @property
    def size(self) -> int:
        return self.table.size

    def _moved_up(self, norm: Norm) -> Fraction:
        return apart_up(self.table.longest_up(norm), self.relation, norm, signed=False)

    def release(self, x: NDArray[Any]) -> ReleasedFunction:
        """The density; x has a row for each person, and a column per dimension."""
        noisy = self._noisy(self.sums(x))
        factor = float(self.table.unit) / self.table.mass
        total = float(max(1, len(x)))
        if (
            self.relation is Relation.ADD_REMOVE
        ):  # the integral of a Bernstein polynomial is the mean of its values
            total = max(1.0, float(self.operator.sharpened(noisy * factor).mean()))
        low, high = np.array(self.domain).T
        factor = factor / total / float(np.prod(high - low))
        return ReleasedFunction(
            operator=self.operator,
            coefficients=tuple((noisy * factor).tolist()),
            domain=self.domain,
            deviation=tuple((self._deviation(1.0) * factor).tolist()),
            event=self.event,
        )

    def sums(self, x: Any) -> NDArray[Any]:
        """The integers before their noise; they are private."""
        cells = self.table.cells_of(read_points(x, self.domain))
        return self.table.sums(cells, np.ones(len(cells), dtype=np.int64), largest=1)


@dataclass(frozen=True, init=False, repr=False)
class Distribution(Summed):
    """The distribution function of one number per row, its density and its quantiles, from a noisy
    histogram.

    Guarantee: the budget's, for rows clamped to the public ends.  A row lies in one cell, so all
        cells together move by 1 in L1 when it comes or goes, and by 2 when it changes.
    Needs: public ends and a public number of cells.
    Edges: the distribution function rises from 0 to 1 whatever the noise; a row that is no number
        counts as the low end.
    Reference: Dwork, McSherry, Nissim and Smith 2006; Barlow and others 1972 for the monotone fit.
        Proof: kernel_sums.md.

    >>> import numpy as np
    >>> found = Distribution.for_epsilon(1, relation="change", cells=50, low=0, high=5).release(np.linspace(0, 5, 4000))
    >>> abs(found(2.5) - 0.5) < 0.05, abs(found.quantile(0.25) - 1.25) < 0.3
    (True, True)
    """

    cells: int
    low: float
    high: float

    def __init__(
        self, *, budget: Measure, relation: Relation | str, cells: int, low: float, high: float
    ) -> None:
        ((low, high),) = read_domain([(low, high)], 1)
        self._keep(budget, relation, cells=whole(cells, "cells", at_least=1), low=low, high=high)

    @property
    def size(self) -> int:
        return self.cells

    def _moved_up(self, norm: Norm) -> Fraction:
        return apart_up(Fraction(1), self.relation, norm, signed=False)

    def release(self, x: NDArray[Any]) -> ReleasedDistribution:
        """The distribution of x, one number per row."""
        noisy = self._noisy(self.sums(x))
        rows = float(len(x)) if self.relation is Relation.CHANGE else None
        return ReleasedDistribution(
            counts=tuple(noisy.tolist()),
            rows=rows,
            low=self.low,
            high=self.high,
            deviation=self._deviation(1.0),
            event=self.event,
        )

    def sums(self, x: Any) -> NDArray[np.int64]:
        """The counts before their noise; they are private."""
        places = read_points(x, ((self.low, self.high),))[:, 0]
        at = np.clip(np.floor(places * self.cells), 0, self.cells - 1).astype(np.int64)
        return np.bincount(at, minlength=self.cells).astype(np.int64)


@dataclass(frozen=True)
class ReleasedDistribution:
    """Noisy counts of equal cells, and the distribution function that fits them best; no data.

    ``rows`` is the number of rows where it is public.
    """

    counts: tuple[float, ...]
    rows: float | None
    low: float
    high: float
    deviation: float
    event: Event

    def __post_init__(self) -> None:
        rows = 1.0 if self.rows is None else self.rows
        numbers = (*self.counts, rows, self.deviation, self.low, self.high)
        if not self.counts or not np.isfinite(numbers).all() or not self.low < self.high:
            raise ShapeError(
                "a distribution has finite counts, and a low end below its high one.",
                remedy="Let Distribution make it, or read it from text that it wrote.",
            )

    def __call__(self, points: ArrayLike) -> Any:
        """The share of rows at or below each point, rising from 0 to 1."""
        places = np.asarray(points, dtype=np.float64)
        cube = into_cube(places.reshape(-1, 1), ((self.low, self.high),))[:, 0]
        rising = rising_shares(np.array(self.counts), self.rows)
        found = np.interp(cube, np.linspace(0, 1, len(rising)), rising).reshape(places.shape)
        return float(found) if not places.shape else found

    def density(self, points: ArrayLike) -> Any:
        """The slope of the distribution function: a histogram that integrates to 1 and is nowhere
        negative.
        """
        places = np.asarray(points, dtype=np.float64)
        cube = into_cube(places.reshape(-1, 1), ((self.low, self.high),))[:, 0]
        rising = rising_shares(np.array(self.counts), self.rows)
        cells = len(self.counts)
        at = np.minimum((cube * cells).astype(np.int64), cells - 1)
        found = (np.diff(rising) * cells / (self.high - self.low))[at].reshape(places.shape)
        return float(found) if not places.shape else found

    def quantile(self, share: Number) -> float:
        """The least point at which the distribution function reaches a share."""
        wanted = float(open_unit(share, "share"))
        rising = rising_shares(np.array(self.counts), self.rows)
        at = int(np.searchsorted(rising, wanted, side="left"))
        below, above = rising[at - 1], rising[at]
        step = (self.high - self.low) / len(self.counts)
        return float(self.low + step * (at - 1 + (wanted - below) / (above - below)))

    def to_json(self) -> str:
        """The distribution as text; `from_json` reads an equal one."""
        written = {name: getattr(self, name) for name in ("rows", "low", "high", "deviation")}
        written |= {"counts": list(self.counts), "event": self.event.to_dict()}
        return json.dumps({"kind": KIND, "version": VERSION, **written}, allow_nan=False)

    @classmethod
    def from_json(cls, written: str) -> ReleasedDistribution:
        """The distribution that `to_json` wrote; anything else is refused."""
        data = read_object(written, "a released distribution")
        try:
            if data["kind"] != KIND or data["version"] != VERSION:
                raise unreadable("a released distribution")
            return cls(
                counts=tuple(map(float, data["counts"])),
                rows=None if data["rows"] is None else float(data["rows"]),
                low=float(data["low"]),
                high=float(data["high"]),
                deviation=float(data["deviation"]),
                event=Event.from_dict(data["event"]),
            )
        except (KeyError, TypeError):
            raise unreadable("a released distribution") from None

    def plot(self) -> Picture:
        """A picture of the distribution function."""
        from shoal.plots import curve  # noqa: PLC0415 - loaded with the first picture

        points = np.linspace(self.low, self.high, 401)
        return curve(points, self(points), y="share at or below")


def rising_shares(counts: Reals, rows: float | None) -> Reals:
    """The rising shares, from 0 to 1, that fit noisy counts: one for each edge of the cells.

    A public number of rows is shared out over the cells' excess; then the sums are made monotone by
    least squares.
    """
    if rows is not None:
        counts = counts + (rows - counts.sum()) / len(counts)
    total = max(1.0, float(counts.sum()))
    inner = np.clip(_monotone(np.cumsum(counts)[:-1]) / total, 0.0, 1.0)
    return np.concatenate([[0.0], inner, [1.0]])


def _monotone(values: Reals) -> Reals:
    """The rising sequence nearest to another: neighbours that fall are pooled into their mean."""
    means: list[float] = []
    sizes: list[int] = []
    for value in values.tolist():
        mean, size = value, 1
        while means and means[-1] > mean:
            mean = (means[-1] * sizes[-1] + mean * size) / (sizes[-1] + size)
            size += sizes.pop()
            means.pop()
        means.append(mean)
        sizes.append(size)
    return np.repeat(np.array(means), sizes) if means else np.zeros(0)
