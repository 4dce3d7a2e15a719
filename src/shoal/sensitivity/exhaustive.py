"""The sensitivity of a function on a small domain, by trying all neighbours: the truth to check
claims by.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, combinations_with_replacement, product
from typing import Any, Generic, TypeVar

import numpy as np

from shoal.errors import NumberError, RangeError, ShapeError
from shoal.exact import whole
from shoal.sensitivity.sensitivity import Norm, Relation

Row = TypeVar("Row")
_Places = tuple[int, ...]  # a dataset, as places of its rows in the domain
_Answer = tuple[Fraction, ...]


@dataclass(frozen=True)
class Witness(Generic[Row]):
    """How far a function moves between any two neighbours of a small domain, and a pair that shows
    it.

    Guarantee: ``value`` is the largest movement on that domain, exact for L1 and LINF and rounded
        up for L2.  For a larger domain or more rows it is a lower bound only.
    Edges: ``pair`` is None when there are no neighbours.  ``monotone`` says that no pair moves one
        number up and another down.
    """

    value: Fraction
    norm: Norm
    relation: Relation
    pair: tuple[tuple[Row, ...], tuple[Row, ...]] | None
    monotone: bool


def of(
    function: Callable[[tuple[Row, ...]], Any],
    *,
    domain: Sequence[Row],
    size: int,
    relation: Relation | str,
    norm: Norm | str = Norm.L1,
    rows: int = 1,
    smallest: int | None = None,
    ordered: bool = True,
    limit: int = 1_000_000,
) -> Witness[Row]:
    """The exact sensitivity of a function whose rows come from a small domain.

    Guarantee: the supremum of ||f(x) - f(x')|| over all neighbours with rows in ``domain``: under
        CHANGE all datasets of ``size`` rows that differ in at most ``rows`` of them, under
        ADD_REMOVE all of up to ``size`` rows and what is left when up to ``rows`` of them go.
    Needs: ``function`` takes a tuple of rows and always returns the same for the same tuple: a
        number, or a list, tuple or array of as many numbers each time.  Floats count as their exact
        binary value.
    Edges: ``smallest`` is the smallest number of rows tried: 0 under ADD_REMOVE (pass 1 if the
        function is not defined without rows) and ``size`` under CHANGE.  ``ordered=False`` tries
        each multiset of rows once, right for functions that ignore the order of rows.  More than
        ``limit`` evaluations and comparisons are refused before the first.
    Proof: nothing is left out.

    >>> of(max, domain=[0, 5, 9], size=2, relation="change").pair
    ((0, 0), (9, 0))
    """
    search = _NeighbourSearch(
        relation=Relation.read(relation, "relation"),
        values=len(domain),
        size=whole(size, "size", at_least=0),
        rows=whole(rows, "rows", at_least=1),
        smallest=smallest,
        ordered=ordered,
    )
    search.check(whole(limit, "limit", at_least=1))
    chosen = Norm.read(norm, "norm")

    def rows_of(places: _Places) -> tuple[Row, ...]:
        return tuple(domain[place] for place in places)

    answers = {places: _numbers(function(rows_of(places))) for places in search.datasets()}
    if len({len(answer) for answer in answers.values()}) > 1:
        raise ShapeError(
            "function must return as many numbers for every dataset.",
            remedy="Give it a fixed, public number of outputs.",
        )
    largest, pair, monotone = Fraction(0), None, True
    for places, answer in answers.items():
        for other in search.neighbours(places):
            moved = [a - b for a, b in zip(answers[other], answer, strict=True)]
            monotone = monotone and (min(moved, default=0) >= 0 or max(moved, default=0) <= 0)
            measured = chosen.measure(moved)
            if pair is None or measured > largest:
                largest, pair = measured, (rows_of(places), rows_of(other))
    return Witness(chosen.undo_up(largest), chosen, search.relation, pair, monotone)


class _NeighbourSearch:
    """All datasets of a small domain and all pairs of neighbours among them."""

    def __init__(
        self,
        *,
        relation: Relation,
        values: int,
        size: int,
        rows: int,
        smallest: int | None,
        ordered: bool,
    ) -> None:
        self.relation, self.values, self.size = relation, values, size
        self.rows, self.ordered = rows, ordered
        usual = size if relation is Relation.CHANGE else 0
        self.smallest = usual if smallest is None else whole(smallest, "smallest", at_least=0)
        if values < 1:
            raise ShapeError(
                "domain must hold at least one row.", remedy="List the possible rows in domain."
            )
        if self.smallest > size:
            raise RangeError(
                "smallest must not be above size.", remedy="Choose smallest from 0 to size."
            )

    def check(self, limit: int) -> None:
        """Refuse a search of more than ``limit`` evaluations and comparisons, before it starts."""
        total = 0
        for size in range(self.smallest, self.size + 1):
            total += self._work(size, limit)
            if total > limit:
                raise RangeError(
                    f"size must be smaller: {self.values} possible rows and {self.size} of them need"
                    f" more than limit, {limit}, evaluations.",
                    remedy="Choose a smaller size or domain, ordered=False, or a larger limit.",
                )

    def _work(self, size: int, limit: int) -> int:
        """How many evaluations and comparisons datasets of one size need, or limit + 1 if more."""
        bits, taken = limit.bit_length(), min(self.rows, size)
        free = size * (self.values.bit_length() - 1) if self.ordered else min(size, self.values - 1)
        if size > limit or max(free, min(taken, size // 2)) > bits:
            return limit + 1  # there are more than 2^bits, too many even to count
        if self.ordered:
            datasets = int(self.values**size)
        else:
            datasets = math.comb(self.values + size - 1, size)
        if self.relation is Relation.CHANGE:
            pairs = math.comb(size, taken) * int(self.values**taken)
        else:
            pairs = sum(math.comb(size, gone) for gone in range(1, taken + 1))
        return datasets * (1 + pairs)

    def datasets(self) -> Iterator[_Places]:
        for size in range(self.smallest, self.size + 1):
            if self.ordered:
                yield from product(range(self.values), repeat=size)
            else:
                yield from combinations_with_replacement(range(self.values), size)

    def neighbours(self, places: _Places) -> Iterator[_Places]:
        """The neighbours of a dataset, each pair from one side only."""
        if self.relation is Relation.CHANGE:
            return (other for other in self._changed(places) if other > places)
        return self._reduced(places)

    def _changed(self, places: _Places) -> Iterator[_Places]:
        size, taken = len(places), min(self.rows, len(places))
        for changed in combinations(range(size), taken):
            for values in product(range(self.values), repeat=taken):
                other = list(places)
                for place, value in zip(changed, values, strict=True):
                    other[place] = value
                yield tuple(other if self.ordered else sorted(other))

    def _reduced(self, places: _Places) -> Iterator[_Places]:
        for gone in range(1, min(self.rows, len(places) - self.smallest) + 1):
            yield from combinations(places, len(places) - gone)


def _numbers(answer: Any) -> _Answer:
    if isinstance(answer, np.ndarray):
        answer = answer.ravel().tolist() if answer.dtype != object else list(answer.ravel())
    parts = answer if isinstance(answer, list | tuple) else [answer]
    return tuple(_exactly(part) for part in parts)


def _exactly(part: Any) -> Fraction:
    if isinstance(part, Fraction | int | np.integer) and not isinstance(part, bool):
        return Fraction(int(part.numerator), int(part.denominator))
    if isinstance(part, float | np.floating) and np.isfinite(part):
        return Fraction(*part.as_integer_ratio())
    raise NumberError(
        f"function must return finite numbers; got {type(part).__name__}"
        f"{' that is not finite' if isinstance(part, float | np.floating) else ''}.",
        remedy="Return ints, Fractions or floats, or a list, tuple or array of them.",
    )
