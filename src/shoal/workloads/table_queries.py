"""The tables that are wanted: marginals, totals, prefix sums and ranges, each with a weight."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from math import prod

from shoal.errors import SchemaError
from shoal.exact import Number, positive, whole
from shoal.workloads.column_queries import (
    EACH_PREFIX,
    EACH_RANGE,
    ColumnQuery,
)
from shoal.workloads.table_domain import TableDomain


@dataclass(frozen=True)
class TableQuery:
    """One table: its columns in the order of the domain, and what it asks of each of them.

    ``weight`` is what the squared error of one of its cells counts beside a cell of another table,
    and ``within`` the error that is wanted for each of its cells, if one is.
    """

    columns: tuple[str, ...]
    queries: tuple[ColumnQuery, ...]
    weight: Fraction = Fraction(1)
    within: Fraction | None = None

    @property
    def name(self) -> str:
        """The columns and what is asked of them, such as ``sex,prefix(age)``; ``total`` without
        columns.
        """
        pairs = zip(self.queries, self.columns, strict=True)
        return ",".join(query.label(column) for query, column in pairs) or "total"

    def asks_the_same_as(self, other: TableQuery) -> bool:
        """Whether both are the same table, whatever they weigh."""
        return (self.columns, self.queries) == (other.columns, other.queries)

    def shape(self, domain: TableDomain) -> tuple[int, ...]:
        """How many rows each column has in the table."""
        pairs = zip(self.queries, self.columns, strict=True)
        return tuple(query.rows(domain.size(column)) for query, column in pairs)

    def cells(self, domain: TableDomain) -> int:
        """How many numbers the table has."""
        return prod(self.shape(domain))


class WantedTables(ABC):
    """One line of a workload, which stands for one or several tables."""

    @property
    @abstractmethod
    def named(self) -> tuple[str, ...]:
        """The columns and levels that it names."""

    @abstractmethod
    def tables(self, domain: TableDomain) -> Iterator[TableQuery]:
        """The tables it stands for."""


@dataclass(frozen=True, init=False, repr=False)
class Marginals(WantedTables):
    """Counts by every combination of some of these columns.

    ``up_to`` is how many columns a table has at most, and ``of`` how many it has exactly; without
    either there is one table, of all columns.  With ``up_to`` the total is among the tables.

    >>> [table.name for table in Marginals(["a", "b"], up_to=2).tables(TableDomain.of({"a": 2, "b": 2}))]
    ['total', 'a', 'b', 'a,b']
    """

    columns: tuple[str, ...]
    orders: tuple[int, ...]
    weight: Fraction
    within: Fraction | None

    def __init__(
        self,
        columns: Sequence[str],
        *,
        up_to: int | None = None,
        of: int | None = None,
        weight: Number = 1,
        within: Number | None = None,
    ) -> None:
        names = _names(columns)
        if up_to is not None and of is not None:
            raise SchemaError(
                "up_to and of were both given.",
                remedy="Give up_to=2 for tables of 0, 1 and 2 columns, or of=2 for those of 2 alone.",
            )
        orders: Iterable[int] = (len(names),)
        if of is not None:
            orders = (_order(of, "of", len(names)),)
        elif up_to is not None:
            orders = range(_order(up_to, "up_to", len(names)) + 1)
        keep = object.__setattr__
        keep(self, "columns", names)
        keep(self, "orders", tuple(orders))
        keep(self, "weight", positive(weight, "weight"))
        keep(self, "within", _within(within))

    def __repr__(self) -> str:
        orders = f"of={self.orders[0]}" if len(self.orders) == 1 else f"up_to={self.orders[-1]}"
        return f"Marginals({list(self.columns)}, {orders}{_wishes(self.weight, self.within)})"

    @property
    def named(self) -> tuple[str, ...]:
        return self.columns

    def tables(self, domain: TableDomain) -> Iterator[TableQuery]:
        names = domain.in_order_with_levels(self.columns)
        seen = set()
        for order in self.orders:
            for chosen in combinations(names, order):
                asked = domain.asked(chosen)
                table = _table(asked, self.weight, self.within)
                if table not in seen:  # a region beside its district tells nothing more
                    yield table
                seen.add(table)


@dataclass(frozen=True, init=False, repr=False)
class Total(WantedTables):
    """The number of all."""

    weight: Fraction
    within: Fraction | None

    def __init__(self, *, weight: Number = 1, within: Number | None = None) -> None:
        object.__setattr__(self, "weight", positive(weight, "weight"))
        object.__setattr__(self, "within", _within(within))

    def __repr__(self) -> str:
        return f"Total({_wishes(self.weight, self.within)[2:]})"

    @property
    def named(self) -> tuple[str, ...]:
        return ()

    def tables(self, domain: TableDomain) -> Iterator[TableQuery]:  # noqa: ARG002 - of no column
        yield TableQuery((), (), self.weight, self.within)


@dataclass(frozen=True, init=False, repr=False)
class _Ordered(WantedTables):
    """A column whose declared values are in order, and columns by which its counts are told
    apart.
    """

    column: str
    by: tuple[str, ...]
    weight: Fraction
    within: Fraction | None

    def __init__(
        self,
        column: str,
        *,
        by: Sequence[str] = (),
        weight: Number = 1,
        within: Number | None = None,
    ) -> None:
        keep = object.__setattr__
        keep(self, "column", _names([column])[0])
        keep(self, "by", _names(by))
        keep(self, "weight", positive(weight, "weight"))
        keep(self, "within", _within(within))
        if self.column in self.by:
            raise SchemaError(
                f"column {self.column[:40]!r} is asked for and stands in by, too.",
                remedy="Leave it out of by.",
            )

    def __repr__(self) -> str:
        by = f", by={list(self.by)}" if self.by else ""
        return f"{type(self).__name__}({self.column!r}{by}{_wishes(self.weight, self.within)})"

    @property
    @abstractmethod
    def _query(self) -> ColumnQuery:
        """What is asked of the column."""

    @property
    def named(self) -> tuple[str, ...]:
        return (self.column, *self.by)

    def tables(self, domain: TableDomain) -> Iterator[TableQuery]:
        domain.values(self.column)
        asked = dict(domain.asked((self.column, *self.by)))
        if len(domain.asked(self.by)) == len(asked):
            raise SchemaError(
                f"a level of column {self.column[:40]!r} stands in by.",
                remedy="Leave it out of by.",
            )
        asked[self.column] = self._query
        yield _table(list(asked.items()), self.weight, self.within)


class PrefixSums(_Ordered):
    """How many have this value of a column or an earlier one, for each value: a cumulative
    table.
    """

    @property
    def _query(self) -> ColumnQuery:
        return EACH_PREFIX


class AllRanges(_Ordered):
    """How many have a value from a first to a last one, for every first and last one."""

    @property
    def _query(self) -> ColumnQuery:
        return EACH_RANGE


def _table(
    asked: Sequence[tuple[str, ColumnQuery]], weight: Fraction, within: Fraction | None
) -> TableQuery:
    columns = tuple(column for column, _ in asked)
    return TableQuery(columns, tuple(query for _, query in asked), weight, within)


def _within(given: Number | None) -> Fraction | None:
    return None if given is None else positive(given, "within")


def _wishes(weight: Fraction, within: Fraction | None) -> str:
    """The weight and the wanted error as they would be typed, where there are any."""
    told = "" if weight == 1 else f", weight='{weight}'"
    return told if within is None else f"{told}, within='{within}'"


def _names(columns: Sequence[str]) -> tuple[str, ...]:
    if isinstance(columns, str) or not all(isinstance(name, str) for name in columns):
        raise SchemaError(
            "columns must be a list of names.", remedy="Give a list such as ['region', 'sex']."
        )
    if len(set(columns)) < len(columns):
        raise SchemaError("a column is named twice.", remedy="Name each column once.")
    return tuple(columns)


def _order(given: int, name: str, columns: int) -> int:
    order = whole(given, name, at_least=0)
    if order > columns:
        raise SchemaError(
            f"{name} is {order}, and there are {columns} columns.",
            remedy=f"Choose {name} from 0 to {columns}.",
        )
    return order
