"""What tables must keep to be published: criteria that are judged with noise, as everything is.

A criterion compares a released table with the counts it was made of, and sums up over the cells how
far they are off.  Everything between counts and noise is in whole numbers.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field, fields
from fractions import Fraction
from typing import Any

import numpy as np

from shoal.errors import RangeError
from shoal.exact import IntegerArray, Number, non_negative, open_unit, positive, short
from shoal.workloads.column_queries import Floats

_HALF = Fraction(1, 2)


@dataclass(frozen=True)
class AcceptanceCriterion(ABC):
    """A limit on the errors of one table, or of every table where none is named.

    Guarantee: `total` is a whole number that moves by no more than the counts do, in L1; if it is
        not above `limit`, the table keeps the criterion.
    Proof: acceptance.md.
    """

    table: str | None
    within: Fraction

    @abstractmethod
    def total(self, released: Floats, counts: IntegerArray, unit: Fraction) -> int:
        """How bad a table is, in units of counts."""

    @abstractmethod
    def limit(self, cells: int, unit: Fraction) -> int:
        """What `total` may be at most."""

    @abstractmethod
    def words(self) -> str:
        """What is wanted of a table, in rounded numbers."""

    def identity(self) -> dict[str, str]:
        """What tells it from every other criterion for the same table: its class, and its numbers
        without rounding.
        """
        exact = {each.name: str(getattr(self, each.name)) for each in fields(self)}
        del exact["table"]
        return {"criterion": type(self).__name__, **exact}


@dataclass(frozen=True)
class CellsWithin(AcceptanceCriterion):
    """At least a ``share`` of a table's cells are off by less than ``within``, or by less than the
    part ``relative`` of their released count where that is more.

    Edges: cells that are off by half of that count partly, so a table is accepted if it is somewhat
        better than wanted.  One person then moves the result by little.

    >>> CellsWithin("region,sex", 20, share="0.95").words()
    'at least 95 % of the cells within 20'
    """

    share: Fraction = field(default=Fraction(95, 100))
    relative: Fraction = field(default=Fraction(0))

    def __init__(
        self,
        table: str | None,
        within: Number,
        *,
        share: Number = "0.95",
        relative: Number = 0,
    ) -> None:
        object.__setattr__(self, "table", table)
        object.__setattr__(self, "within", positive(within, "within"))
        object.__setattr__(self, "share", open_unit(share, "share"))
        object.__setattr__(self, "relative", non_negative(relative, "relative"))

    def _steps(self, unit: Fraction) -> int:
        """How many counts lie between a cell that is good enough and one that is not."""
        steps = int(self.within / unit - _HALF) // 2
        if steps < 1:
            raise RangeError(
                f"within {short(self.within)} is too small to be judged.",
                remedy=f"Give {short(Fraction(5, 2) * unit)} or more.",
            )
        return steps

    def total(self, released: Floats, counts: IntegerArray, unit: Fraction) -> int:
        """For each cell from 0, where it is good enough, to `_steps`, where it is not."""
        steps = self._steps(unit)
        relative = float(self.relative / unit) * np.maximum(released, 0.0)
        wide = np.floor(np.maximum(float(self.within / unit), relative) - 0.5)
        far: Any = np.maximum(wide.astype(np.int64), 2 * steps).astype(object)
        ramp = far // 2
        off = abs(_in_units(released, unit) - counts.astype(object))
        beyond = np.minimum(np.maximum(off - (far - ramp), 0), ramp)
        return int((beyond * steps // ramp).sum())

    def limit(self, cells: int, unit: Fraction) -> int:
        return self._steps(unit) * int((1 - self.share) * cells)

    def words(self) -> str:
        more = f" or {short(100 * self.relative)} % of their count" if self.relative else ""
        part = f"at least {short(100 * self.share)} % of the cells"
        return f"{part} within {short(self.within)}{more}"


@dataclass(frozen=True)
class MeanWithin(AcceptanceCriterion):
    """The cells of a table are off by ``within`` on average, or by less.

    >>> MeanWithin("age", 5).words()
    'cells within 5 on average'
    """

    def __init__(self, table: str | None, within: Number) -> None:
        object.__setattr__(self, "table", table)
        object.__setattr__(self, "within", positive(within, "within"))

    def total(self, released: Floats, counts: IntegerArray, unit: Fraction) -> int:
        """How far the cells are off, all together."""
        return int(abs(_in_units(released, unit) - counts.astype(object)).sum())

    def limit(self, cells: int, unit: Fraction) -> int:
        room = self.within / unit - _HALF
        if room <= 0:
            raise RangeError(
                f"within {short(self.within)} is too small to be judged.",
                remedy=f"Give more than {short(unit / 2)}.",
            )
        return int(room * cells)

    def words(self) -> str:
        return f"cells within {short(self.within)} on average"


def _in_units(released: Floats, unit: Fraction) -> Any:
    """Released numbers as whole numbers of counts."""
    steps = np.rint(np.asarray(released, dtype=np.float64) / float(unit))
    return np.array([int(each) for each in steps.reshape(-1)], dtype=object).reshape(steps.shape)
