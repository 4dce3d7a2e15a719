"""Sample and aggregate: any function at all, computed on disjoint blocks of the rows, and a private
middle of the results.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Protocol

from shoal.events import Event
from shoal.exact import Number, rational
from shoal.functions.smooth import Smooth, TrimmedMean
from shoal.measures import Measure
from shoal.mechanisms.mechanism import Mechanism
from shoal.mechanisms.total_functions import apart, called, each_row, exact_number
from shoal.noise import uniform_below
from shoal.sensitivity import Relation


class Aggregator(Protocol):
    """A private middle of ``size`` numbers, for one of them changed: `InverseSensitivity`, or
    `Smoothed`.
    """

    @property
    def size(self) -> int: ...
    @property
    def cost(self) -> Measure: ...
    @property
    def event(self) -> Event: ...
    def release(self, data: Iterable[Any]) -> float: ...


@dataclass(frozen=True)
class Smoothed:
    """A smooth mechanism bound to a mean between ranks, as an aggregator."""

    mechanism: Smooth
    statistic: TrimmedMean

    @property
    def size(self) -> int:
        return self.statistic.rows.size

    @property
    def cost(self) -> Measure:
        return self.mechanism.cost

    @property
    def event(self) -> Event:
        return self.mechanism.event_for(self.statistic)

    def release(self, data: Iterable[Any]) -> float:
        return self.mechanism.release(self.statistic, data)


@dataclass(frozen=True, init=False, repr=False)
class SampleAndAggregate(Mechanism):
    """Deal the rows into blocks at random, compute the function on each, and release a private
    middle.

    Guarantee: what the aggregator costs, whatever the function does with its rows, for a row that
        changes or one that comes or goes, as ``relation`` says.
    Needs: the function returns one number and keeps nothing; what it prints, writes or how long it
        takes is not hidden.  The range of the aggregator is public.
    Edges: a block on which the function raises anything or returns no finite number counts as
        ``otherwise``, a public number.  Blocks may be empty.
    Reference: Nissim, Raskhodnikova and Smith 2007, Section 4; Smith 2011.  Proof: sample_and_aggregate.md,
        mechanisms/total_functions.md.

    >>> from shoal.functions import InverseSensitivity
    >>> middle = InverseSensitivity.median(epsilon=1, size=50, low=0, high=10, points=101)
    >>> mechanism = SampleAndAggregate(aggregator=middle, otherwise=5)
    >>> answer = mechanism.release(lambda rows: sum(rows) / len(rows), [3.0, 4.0, 5.0] * 500)
    """

    aggregator: Aggregator
    otherwise: Fraction
    relation: Relation

    def __init__(
        self,
        *,
        aggregator: Aggregator,
        otherwise: Number,
        relation: Relation | str = Relation.ADD_REMOVE,
    ) -> None:
        put = object.__setattr__
        put(self, "aggregator", aggregator)
        put(self, "otherwise", rational(otherwise, "otherwise"))
        put(self, "relation", Relation.read(relation, "relation"))

    @property
    def blocks(self) -> int:
        return self.aggregator.size

    @property
    def cost(self) -> Measure:
        """What one release costs."""
        return self.aggregator.cost

    @property
    def event(self) -> Event:
        """The description of one release: that of the aggregator, for these neighbours."""
        return replace(self.aggregator.event, relation=self.relation)

    def release(self, function: Callable[[list[Any]], Any], rows: Sequence[Any]) -> float:
        """A private middle of the function's values on the blocks."""
        listed = [apart(row) for row in each_row(rows)]
        blocks: list[list[Any]] = [[] for _ in range(self.blocks)]
        for row, block in zip(listed, uniform_below(self.blocks, len(listed)), strict=True):
            blocks[int(block)].append(row)
        values = called(function, blocks, read=exact_number, otherwise=self.otherwise)
        return self.aggregator.release(values)
