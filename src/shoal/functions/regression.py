"""Regression curves with a pure guarantee: Nadaraya-Watson and Priestley-Chao from kernel sums in
integers.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from shoal.errors import RangeError
from shoal.exact import Number, read_float_ends, whole
from shoal.functions.bernstein import Function, looked_at
from shoal.functions.degree_choice import DEGREES, ORDERS
from shoal.functions.kernel_sums import Integers, KernelTable, read_points, read_steps
from shoal.functions.operator import Operator, Reals
from shoal.functions.ratio import ReleasedRatio
from shoal.functions.released import Domain, ReleasedFunction, read_domain
from shoal.functions.summed_release import Summed, apart_up
from shoal.measures import Measure
from shoal.sensitivity import Norm, Relation

STEPS = 1 << 16
"""A value between its public ends is rounded to one of so many steps."""


@dataclass(frozen=True, init=False, repr=False)
class _Curve(Summed):
    """A kernel table, the public ends of the values, and the operator of the released function."""

    needs_rows: ClassVar[bool] = False
    """Whether the number of rows must be public."""

    table: KernelTable
    low: Fraction
    high: Fraction
    order: int
    domain: Domain

    def __init__(
        self,
        *,
        budget: Measure,
        relation: Relation | str,
        low: Number,
        high: Number,
        degree: int,
        order: int = 1,
        dims: int = 1,
        kernel: str = "triangular",
        bandwidth: Number | None = None,
        domain: Sequence[Sequence[float]] | None = None,
    ) -> None:
        ends = read_float_ends(low, high)
        if self.needs_rows and Relation.read(relation, "relation") is not Relation.CHANGE:
            raise RangeError(
                "relation must be 'change' for a sum over a public number of rows; got 'add_remove'.",
                remedy="Use KernelRegression, which needs no number of rows.",
            )
        table = KernelTable(degree, dims=dims, kernel=kernel, bandwidth=bandwidth)
        self._keep(
            budget,
            relation,
            table=table,
            low=ends[0],
            high=ends[1],
            order=Operator(degree, order=order).order,
            domain=read_domain(domain, table.dims),
        )

    @property
    def operator(self) -> Operator:
        return Operator(self.table.degree, dims=self.table.dims, order=self.order)

    def _cells_and_steps(self, x: Any, y: Any) -> tuple[Integers, Integers]:
        cells = self.table.cells_of(read_points(x, self.domain))
        return cells, read_steps(y, (float(self.low), float(self.high)), STEPS, rows=len(cells))


@dataclass(frozen=True, init=False, repr=False)
class KernelRegression(_Curve):
    """The mean of y by x, Nadaraya and Watson's: a kernel sum of y over a kernel count of rows.

    Guarantee: the budget's, for rows (x, y) clamped to the public box and ends.  Each row shares a
        weight of 1 between two sums, (1 + t) / 2 and (1 - t) / 2 with t its y from -1 to 1; so both
        sums together move by what their kernel weighs, and no budget is divided.  All sums are
        exact integers.
    Needs: public ends of y and a public box for x, fixed before the data are seen.
    Edges: data outside are moved to the edge; what is no number counts as the low end.  Where there
        are fewer rows than noise the curve leans to the middle of the ends.
    Reference: Nadaraya 1964; Watson 1964; Aldà and Rubinstein 2017.  Proof: kernel_sums.md.

    >>> import numpy as np
    >>> x = np.linspace(0, 1, 2000)
    >>> curve = KernelRegression.for_epsilon(1, relation="change", low=-1, high=1, degree=12, order=3)
    >>> print(curve.cost, "|", curve.size, "integers")
    epsilon 1 | 26 integers
    >>> released = curve.release(x, x * np.sin(10 * x))
    >>> abs(released(0.8) - 0.79) < 0.5
    True
    """

    @classmethod
    def tuned(
        cls,
        budget: Measure,
        *,
        curves: Function | Sequence[Function],
        rows: int,
        degrees: Iterable[int] = DEGREES,
        orders: Iterable[int] = ORDERS,
        **options: Any,
    ) -> Self:
        """The degree and order with the least `expected_error` for curves one could imagine; all of
        it public.
        """
        imagined = [curves] if callable(curves) else list(curves)
        tried = (
            cls(budget=budget, degree=degree, order=order, **options)
            for degree in degrees
            for order in orders
        )
        return min(
            tried,
            key=lambda made: sum(made.expected_error(each, rows=rows) ** 2 for each in imagined),
        )

    @property
    def size(self) -> int:
        return 2 * self.table.size

    def _moved_up(self, norm: Norm) -> Fraction:
        longest = STEPS * self.table.longest_up(norm)
        return apart_up(longest, self.relation, norm, signed=False)

    def release(self, x: NDArray[Any], y: NDArray[Any]) -> ReleasedRatio:
        """The curve; x has a row for each person (a column per dimension), y a number."""
        noisy = self._noisy(self.sums(x, y)).reshape(2, -1)
        unit = float(self.table.unit) / STEPS
        part, over = (
            ReleasedFunction(
                operator=self.operator,
                coefficients=tuple((values * unit).tolist()),
                domain=self.domain,
                deviation=math.sqrt(2) * self._deviation(unit),
                event=self.event,
            )
            for values in (noisy[0] - noisy[1], noisy[0] + noisy[1])
        )
        return ReleasedRatio(part, over, float(self.low), float(self.high))

    def sums(self, x: Any, y: Any) -> NDArray[Any]:
        """The integers before their noise; they are private."""
        cells, up = self._cells_and_steps(x, y)
        both = [self.table.sums(cells, each, largest=STEPS) for each in (up, STEPS - up)]
        return np.concatenate(both)

    def expected_error(self, curve: Function, *, rows: int) -> float:
        """About the root mean square of the released curve's error, were ``curve`` the truth and x
        spread evenly.

        The approximation's bias, and the first-order deviation of the noise in a quotient, nowhere
        counted as more than the width of the ends.  ``curve`` takes points of the box; it and
        ``rows`` are public.
        """
        count = whole(rows, "rows", at_least=1)
        width = float(self.high - self.low) / 2
        centre = float(self.low + self.high) / 2
        points = looked_at(self.table.dims)
        truth = (self._asked(curve, points) - centre) / width
        middle = self._asked(curve, self._centres())
        shares = np.clip((middle - centre) / width, -1, 1)
        part, over = (
            self.operator.evaluate(_contracted(self.table, spread), points)
            for spread in (shares, np.ones_like(shares))
        )
        each = math.sqrt(2) * self._deviation(float(self.table.unit) / STEPS)
        noise = each * self.operator.deviations(points) / count
        over = np.maximum(over, np.maximum(noise, 1e-300))
        squared = (np.clip(part / over, -1, 1) - truth) ** 2
        squared += np.minimum((noise / over) ** 2 * (1 + truth**2), 1.0)
        return width * math.sqrt(float(np.minimum(squared, 4.0).mean()))

    def _centres(self) -> Reals:
        steps = (np.arange(self.table.cells) + 0.5) / self.table.cells
        axes = np.meshgrid(*[steps] * self.table.dims, indexing="ij")
        return np.stack([axis.reshape(-1) for axis in axes], axis=1)

    def _asked(self, curve: Function, cube: Reals) -> Reals:
        low, high = np.array(self.domain).T
        places = low + cube * (high - low)
        found = curve(places[:, 0] if self.table.dims == 1 else places)
        return np.asarray(found, dtype=np.float64)


def _contracted(table: KernelTable, shares: Reals) -> Reals:
    """The kernel sums of one row in all, spread evenly over the cells, with these values."""
    found = shares.reshape((table.cells,) * table.dims) / shares.size
    lines = table.lines * float(table.unit) ** (1 / table.dims)
    for _ in range(table.dims):
        found = np.tensordot(found, lines, axes=(0, 0))
    return np.asarray(found.reshape(-1))


@dataclass(frozen=True, init=False, repr=False)
class PriestleyChao(_Curve):
    """The mean of y by x where x is known to be spread evenly over its box: one kernel sum, no
    quotient.

    Guarantee: the budget's, for rows (x, y) clamped to the public box and ends, of which there is a
        public number.
    Needs: relation "change".  The spacings of the data are not used: each row stands for 1 / rows
        of the box, so that one row moves the curve by at most its kernel times the width of the
        ends over the rows.  With data-dependent spacings one row can move the curve by its whole
        height, however many rows there are (kernel_sums.md).
    Edges: as `KernelRegression`; where x is not spread evenly the curve is off by its density, so
        use that one.
    Reference: Priestley and Chao 1972.  Proof: kernel_sums.md.

    >>> import numpy as np
    >>> x = np.linspace(0, 1, 2000)
    >>> curve = PriestleyChao.for_epsilon(1, relation="change", low=-1, high=1, degree=12, order=3)
    >>> abs(curve.release(x, x * np.sin(10 * x))(0.8) - 0.79) < 0.5
    True
    """

    needs_rows = True

    @property
    def size(self) -> int:
        return self.table.size

    def _moved_up(self, norm: Norm) -> Fraction:
        return apart_up(STEPS // 2 * self.table.longest_up(norm), self.relation, norm, signed=True)

    def release(self, x: NDArray[Any], y: NDArray[Any]) -> ReleasedFunction:
        """The curve; x has a row for each person (a column per dimension), y a number."""
        noisy = self._noisy(self.sums(x, y))
        rows = max(1, len(y))
        factor = (
            float(self.high - self.low) * float(self.table.unit) / STEPS / rows / self.table.mass
        )
        values = float(self.low + self.high) / 2 + noisy * factor
        return ReleasedFunction(
            operator=self.operator,
            coefficients=tuple(values.tolist()),
            domain=self.domain,
            deviation=tuple((self._deviation(1.0) * factor).tolist()),
            event=self.event,
        )

    def sums(self, x: Any, y: Any) -> NDArray[Any]:
        """The integers before their noise; they are private."""
        cells, up = self._cells_and_steps(x, y)
        return self.table.sums(cells, up - STEPS // 2, largest=STEPS)
