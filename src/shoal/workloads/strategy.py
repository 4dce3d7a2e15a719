"""What a strategy is: measurements, and how every table is made of their answers by least
squares.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain, combinations
from typing import Protocol

from shoal.workloads.column_queries import Floats
from shoal.workloads.measurement import Measurement
from shoal.workloads.table_queries import TableQuery


class Strategy(Protocol):
    """Measurements, chosen by public facts alone."""

    @property
    def measurements(self) -> tuple[Measurement, ...]:
        """What gets noise."""

    @property
    def pulls(self) -> tuple[float, ...]:
        """For each measurement, the weighted sum of variances over all tables if its noise alone
        had variance 1.
        """

    @property
    def bound(self) -> float | None:
        """No strategy has a weighted sum of variances below this, where rho is 1/2 and one unit is
        one count.

        None where no bound is known.
        """

    def estimates(self, tables: Sequence[TableQuery], answers: Sequence[Floats]) -> list[Floats]:
        """Every table, from the answers of all measurements."""

    def variances(self, table: TableQuery, noise: Sequence[float]) -> Floats:
        """The variance of each cell of a table, from the variance of each measurement's noise."""


class LaplaceStrategy(Strategy, Protocol):
    """A strategy for Laplace noise, which also says how epsilon is divided."""

    @property
    def shares(self) -> tuple[float, ...]:
        """The share of epsilon of every measurement."""


def subsets(columns: Sequence[str]) -> Iterable[tuple[str, ...]]:
    """Every choice of some of the columns, the smallest first."""
    orders = range(len(columns) + 1)
    return chain.from_iterable(combinations(columns, order) for order in orders)
