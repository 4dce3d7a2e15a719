"""Counts and histograms: the noise they need, and the tables they make."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from shoal import events
from shoal.errors import CandidatesError, ShapeError
from shoal.exact import IntegerArray, Number, positive, whole
from shoal.measures import Measure, Pure
from shoal.mechanisms.laplace import Geometric
from shoal.mechanisms.mechanism import Mechanism
from shoal.mechanisms.total_functions import called, each_row, is_plain, unwrapped
from shoal.sensitivity import Norm, Relation, counts, histogram


def counting(
    epsilon: Number, *, queries: int = 1, relation: Relation | str = Relation.ADD_REMOVE
) -> Geometric:
    """The mechanism for one or several counting queries that may overlap, all for this epsilon
    together.

    >>> print(counting(1, queries=4).scale)
    4
    """
    return Geometric.for_epsilon(
        epsilon, sensitivity=counts(queries, relation=relation, norm=Norm.L1)
    )


@dataclass(frozen=True, init=False, repr=False)
class Histogram(Mechanism):
    """Count rows by category, with geometric noise in every cell, empty ones included.

    Guarantee: epsilon-DP, exactly, for all cells together.
    Needs: categories fixed before the data are seen; a row lies in at most one of them.
    Edges: under add/remove the cells share one unit of sensitivity, under change two; rows outside
        the categories are not counted, and neither are rows that are no plain value and no object
        of a category's own type, or that fail to be looked up: nothing that a row raises comes out.
    Reference: Dwork, McSherry, Nissim and Smith 2006, Section 3.  Proof: additive.md, total_functions.md.

    >>> table = Histogram.for_epsilon(1).release(["tea", "tea", "milk"], categories=["tea", "milk", "rum"])
    >>> list(table)
    ['tea', 'milk', 'rum']
    """

    geometric: Geometric

    def __init__(self, *, scale: Number, relation: Relation | str = Relation.ADD_REMOVE) -> None:
        moved = histogram(relation, norm=Norm.L1)
        object.__setattr__(self, "geometric", Geometric(scale=scale, sensitivity=moved))

    @classmethod
    def for_epsilon(
        cls, epsilon: Number, *, relation: Relation | str = Relation.ADD_REMOVE
    ) -> Self:
        """The histogram that costs exactly this epsilon."""
        return cls.for_budget(Pure(positive(epsilon, "epsilon")), relation=relation)

    @classmethod
    def for_budget(cls, budget: Measure, *, relation: Relation | str = Relation.ADD_REMOVE) -> Self:
        """The histogram with the least noise that a budget allows, in any measure it can meet."""
        moved = histogram(relation, norm=Norm.L1)
        return cls(scale=Geometric.for_budget(budget, sensitivity=moved).scale, relation=relation)

    @classmethod
    def for_error(
        cls,
        error: Number,
        *,
        confidence: Number,
        cells: int = 1,
        relation: Relation | str = Relation.ADD_REMOVE,
    ) -> Self:
        """The most private histogram whose cells are all within the target at this confidence."""
        moved = histogram(relation, norm=Norm.L1)
        plain = Geometric.for_error(error, confidence=confidence, sensitivity=moved, size=cells)
        return cls(scale=plain.scale, relation=relation)

    def release(
        self, rows: Iterable[Hashable], *, categories: Sequence[Hashable]
    ) -> dict[Hashable, int]:
        """A noisy count for each category, in the order given.

        Needs: ``rows`` is a list, a one-dimensional array or another collection with one item per
        row.
        """
        places = _places(categories)
        tally = [0] * len(places)
        for place in _places_of(_rows(rows), places):
            if place is not None:
                tally[place] += 1
        noisy = self.release_counts(np.array(tally, dtype=np.int64))
        return dict(zip(places, noisy.tolist(), strict=True))

    def release_counts(self, tally: NDArray[np.integer[Any]]) -> IntegerArray:
        """Noise added to counts of disjoint cells that were made elsewhere."""
        return self.geometric.release(tally)

    def error(self, confidence: Number, *, cells: int = 1) -> float:
        """How far the cells can be off: with at least this probability, all of so many are
        within.
        """
        return self.geometric.error(confidence, size=whole(cells, "cells", at_least=1))

    def _shown(self) -> Iterator[tuple[str, Any]]:
        yield from (("scale", self.scale), ("relation", str(self.geometric.sensitivity.relation)))

    @property
    def scale(self) -> Fraction:
        return self.geometric.scale

    @property
    def cost(self) -> Pure:
        """What one histogram costs, whatever the number of its cells."""
        return self.geometric.cost

    def event_for(self, *, cells: int) -> events.Event:
        """The description of a histogram of so many cells."""
        return self.geometric.event_for(size=cells)


def _rows(rows: Iterable[Hashable]) -> Iterable[Hashable]:
    """One item per row; what would be read as something else is refused."""
    if getattr(rows, "ndim", 1) != 1:
        raise ShapeError(
            f"rows must be a list or a one-dimensional array; got {type(rows).__name__}.",
            remedy="Give one item per row; counts made elsewhere go to release_counts.",
        )
    return each_row(rows, of="item", flat=True)


def _places(categories: Sequence[Hashable]) -> dict[Hashable, int]:
    """The place of each category."""
    try:
        listed = list(categories)
        places = {category: place for place, category in enumerate(listed)}
    except TypeError:
        raise CandidatesError(
            "categories must be a list of names that can be keys of a dict.",
            remedy="List every category that could occur, as texts, numbers or tuples.",
        ) from None
    if len(places) != len(listed) or not places:
        raise CandidatesError(
            "categories must be given once each, and at least one.",
            remedy="List every category that could occur, once.",
        )
    return places


def _places_of(rows: Iterable[Any], places: dict[Hashable, int]) -> list[int | None]:
    """The place of each row; one that cannot be looked up is in no category, rather than an error
    of its own.
    """
    kinds = frozenset(map(type, places)) - {tuple}
    common = kinds & {str, int, float, bool}

    def place(row: Any) -> int | None:
        if type(row) in common:  # the usual case, and the fastest
            return places.get(row)
        value = unwrapped(row)
        return places.get(value) if is_plain(value, kinds) else None

    return called(place, rows, otherwise=None)
