"""What an engine is: it finds the columns of its sources and computes rows and bounded totals,
exactly.

An engine knows nothing of privacy.  Two engines given the same rows give the same answer, to the
last bit; the order of rows means nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Protocol

from shoal.plan import Bounded, Column, Rows, Spread, Value, ValueWeights


class Engine(Protocol):
    """Reads named sources and evaluates relations over them."""

    def columns(self, table: str) -> tuple[Column, ...]:
        """The columns of a source that have a type of ours, without facts."""
        ...

    def left_out(self, table: str) -> Mapping[str, str]:
        """The columns of a source that cannot be used, each with its own type in words."""
        ...

    def check(self, relation: Rows) -> None:
        """Refuse tables that are stated otherwise than their sources have them, or whose persons
        cannot be told apart.

        No row is read: a question is checked before it is charged.
        """
        ...

    def rows(self, relation: Rows, *, persons: bool = False) -> list[tuple[Value, ...]]:
        """Every row of a relation, in no order: its columns, and with ``persons`` the person's key.

        Values are as the plan has them: exact numbers in units (`shoal.plan.written` undoes that).
        """
        ...

    def read_through(self, relation: Rows) -> None:
        """Read every value of a relation once, so that a source that is not whole is refused
        now.
        """
        ...

    def totals(
        self, bounded: Bounded, *, soon: Bounded | None = None
    ) -> dict[tuple[Value, ...], tuple[int, ...]]:
        """One whole number per term for every key that rows have; without keys, always one row.

        ``soon`` is what will be asked next: an engine may read the rows of both at once.
        """
        ...

    def parts(
        self, bounded: Bounded, *, soon: Bounded | None = None
    ) -> Iterator[dict[tuple[Value, ...], tuple[int, ...]]]:
        """`totals`, some keys at a time where there may be very many; each key comes once.

        There is at least one part, if only an empty one: groups are selected in each, whether rows
        have keys or not.
        """
        ...

    def shares(self, bounded: Bounded) -> dict[tuple[int, int], int]:
        """How many persons have rows in so many groups, and at most so many rows in one of them."""
        ...

    def weights(self, spread: Spread) -> dict[tuple[Value, ...], ValueWeights]:
        """For every key that rows have and that is wanted, the weight of each value, in units of
        the spread's fraction; points of a grid in rising order.
        """
        ...
