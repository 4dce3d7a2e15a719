"""Bounded totals of rows that fit into memory: rows are brought into the order of persons, not hashed.

The same whole numbers as `shoal.engines.sql.totals` gives, several times as fast.  Where a number might not fit
64 bits nothing is computed, and the caller goes the long way.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.plan import BY_PERSON, WHOLE, Bounded, Person, Quantity, Spread, Term
from shoal.sensitivity import Norm

Ints = NDArray[np.int64]

_SAFE = 1 << 62
"""Nothing that is computed with may reach this."""

_HALF = 20
"""Totals are added up in two parts, the lower one of this many bits."""

_BLOCK = 1 << 17
"""About so many rows are worked on at a time; the numbers of so many fit the caches of a processor."""


class Columns(NamedTuple):
    """What is needed of each row: its key and its person by number, and what it adds to each term with an argument."""

    keys: NDArray[np.int32] | None
    groups: int
    persons: NDArray[np.int32]
    people: int
    added: Sequence[NDArray[np.int32] | Ints]


class Cells(NamedTuple):
    """Some persons' cells, which hold the rows of one person in one group each; those of a person follow one another.

    ``rows`` is how many there are, ``sums`` what they add to each term, ``firsts`` the place of each person's
    first cell.
    """

    keys: NDArray[np.int32]
    rows: Ints
    sums: Sequence[Ints]
    firsts: Ints


def totals_of(bounded: Bounded, columns: Columns) -> list[list[int]] | None:
    """One total per group for each term; None if a number on the way might not fit.

    Proof that what is computed is what is meant: `plan/bounding.md`, Sorting.
    """
    sums = [_Sum(columns.groups) for _ in bounded.terms]
    for cells in _cells_of(columns):
        room = _Room(int(cells.rows.max()), len(columns.persons), bounded)
        if not all(room.holds(term) for term in bounded.terms):
            return None
        for total, values in zip(sums, _values(bounded, cells), strict=True):
            total.add(cells.keys, values)
    return [total.whole() for total in sums]


def weights_of(spread: Spread, columns: Columns, key_of: NDArray[np.int32]) -> list[int] | None:
    """The weight of each pair of a key and a value; ``key_of`` gives the key of a pair, and does not fall.

    None if a number on the way might not fit.  Proof: `plan/bounding.md`, Sorting.
    """
    total, unit = _Sum(columns.groups), spread.unit
    assert isinstance(unit, Person)
    for splits in _cells_of(columns):
        counts = splits.rows if spread.grid else np.ones_like(splits.rows)
        cells, firsts = _merged(splits, key_of[splits.keys], counts)
        held = np.minimum(cells.rows, unit.rows_per_group)
        most = int(counts.max()) * spread.fraction * int(held.max()) * WHOLE
        if max(most, int(held.max()) * len(columns.persons) * WHOLE) >= _SAFE:
            return None
        share = held * _shares(spread.bounded, unit, cells, held).cell
        inside = np.diff(firsts, append=len(counts))
        above = counts * spread.fraction * np.repeat(share, inside)
        total.add(splits.keys, above // np.repeat(cells.rows * WHOLE, inside))
    return total.whole()


def _merged(splits: Cells, keys: NDArray[np.int32], counts: Ints) -> tuple[Cells, Ints]:
    """Splits of one person and key as one cell, and the place of each cell's first split."""
    new = np.zeros(len(keys), bool)
    new[splits.firsts] = True
    of_person = new.copy()
    new[1:] |= keys[1:] != keys[:-1]
    firsts = np.flatnonzero(new)
    rows = np.add.reduceat(counts, firsts)
    return Cells(keys[firsts], rows, [], np.flatnonzero(of_person[firsts])), firsts


def _cells_of(columns: Columns) -> Iterator[Cells]:
    """All cells, those of so many persons at a time."""
    if columns.keys is None:
        yield _cells_of_persons(columns)
        return
    starts, keys, places = _by_person(columns, columns.keys)
    cuts = np.unique(np.searchsorted(starts, np.arange(0, len(keys), _BLOCK), side="left"))
    for first, last in pairwise([*cuts.tolist(), columns.people]):
        here = slice(starts[first], starts[last])
        begins = starts[first:last][starts[first:last] < starts[first + 1 : last + 1]] - here.start
        if len(begins):
            yield _cells_among(begins, keys[here], [each[places[here]] for each in columns.added])


def _cells_of_persons(columns: Columns) -> Cells:
    """Without keys a cell is a person."""
    rows = np.bincount(columns.persons, minlength=columns.people)
    there = np.flatnonzero(rows)
    sums = []
    for added in columns.added:
        total = np.zeros(columns.people, np.int64)
        np.add.at(total, columns.persons, added.astype(np.int64, copy=False))
        sums.append(total[there])
    return Cells(np.zeros(len(there), np.int32), rows[there], sums, np.arange(len(there)))


def _by_person(columns: Columns, keys: NDArray[np.int32]) -> tuple[NDArray[np.int32], ...]:
    """Rows in the order of persons and, of each, of keys: where persons start, then the keys and places of rows.

    Counting sorts, first by key and then by person, which sparse matrices have.
    """
    from scipy.sparse import coo_array  # noqa: PLC0415 - heavy

    places = np.arange(len(keys), dtype=np.int32)
    rows = coo_array((places, (keys, columns.persons)), shape=(columns.groups, columns.people))
    rows.has_canonical_format = True  # rows of one cell stay rows
    ordered = rows.tocsr().tocsc()
    return ordered.indptr, ordered.indices, ordered.data


def _cells_among(
    begins: Ints, keys: NDArray[np.int32], added: Sequence[NDArray[np.int32] | Ints]
) -> Cells:
    """The cells of rows in order; ``begins`` are the first rows of persons."""
    of_person = np.zeros(len(keys), bool)
    of_person[begins] = True
    new = of_person.copy()
    new[1:] |= keys[1:] != keys[:-1]
    firsts = np.flatnonzero(new)
    return Cells(
        keys=keys[firsts],
        rows=np.diff(firsts, append=len(keys)),
        sums=[np.add.reduceat(each, firsts, dtype=np.int64) for each in added],
        firsts=np.flatnonzero(of_person[firsts]),
    )


def _values(bounded: Bounded, cells: Cells) -> Iterator[Ints]:
    """What each cell adds to the total of each term."""
    unit, sums = bounded.unit, iter(cells.sums)
    assert isinstance(unit, Person)
    held = np.minimum(cells.rows, unit.rows_per_group)
    shares = _shares(bounded, unit, cells, held)
    for term in bounded.terms:
        below = WHOLE // bounded.fraction(term)
        if term.quantity is Quantity.DISTINCT:
            yield np.zeros(len(held), np.int64)
        elif term.quantity in BY_PERSON:
            votes = shares.person // below
            if term.quantity is Quantity.VOTES:
                votes[shares.groups > term.hi] = 0
            yield np.repeat(votes, shares.groups)
        elif term.argument is None:
            yield held * shares.cell // below
        else:
            yield _scaled(next(sums), cells.rows, held * shares.cell, below)


class _Sum:
    """The exact sum of each group: high and low parts by themselves."""

    def __init__(self, groups: int) -> None:
        self._high, self._low = np.zeros(groups, np.int64), np.zeros(groups, np.int64)

    def add(self, keys: NDArray[np.int32], values: Ints) -> None:
        np.add.at(self._high, keys, values >> _HALF)
        np.add.at(self._low, keys, values & ((1 << _HALF) - 1))

    def whole(self) -> list[int]:
        high, low = self._high.tolist(), self._low.tolist()
        return [(h << _HALF) + rest for h, rest in zip(high, low, strict=True)]


class _Room(NamedTuple):
    """How large numbers can become: by the most rows of a cell, all rows, and what is allowed."""

    most: int
    rows: int
    bounded: Bounded

    def holds(self, term: Term) -> bool:
        unit, fraction = self.bounded.unit, self.bounded.fraction(term)
        assert isinstance(unit, Person)
        size, counted = term.bound * fraction, min(self.most, unit.rows_per_group)
        product = self.most * counted * (WHOLE // fraction) * WHOLE
        squares = counted * self.rows * WHOLE
        return max(size * self.most, size * self.rows >> _HALF, product, squares) < _SAFE


class _Shares(NamedTuple):
    """Factors in 2^-20: of each cell for its rows, of each person for themselves; and the person's groups."""

    cell: Ints
    person: Ints
    groups: Ints


def _shares(bounded: Bounded, unit: Person, cells: Cells, held: Ints) -> _Shares:
    groups = np.diff(cells.firsts, append=len(cells.rows))
    first = bounded.norm is Norm.L1
    sizes = np.add.reduceat(held if first else held * held, cells.firsts)
    most = unit.groups * unit.rows_per_group ** (1 if first else 2)
    rows = _factors(sizes, most, first=first)
    return _Shares(np.repeat(rows, groups), _factors(groups, unit.groups, first=first), groups)


def _factors(sizes: Ints, most: int, *, first: bool) -> Ints:
    """The factor of each size, 2^20 up to ``most``; a root of at most 2^40 is exact in doubles once it is cut."""
    factors = np.full(len(sizes), WHOLE, np.int64)
    over = np.flatnonzero(sizes > most)
    divisors = sizes[over]
    share, rest = np.zeros_like(divisors), np.full_like(divisors, min(most, _SAFE))
    for _ in range(1 if first else 2):
        digit, rest = np.divmod(rest * WHOLE, divisors)
        share = share * WHOLE + digit
    factors[over] = share if first else np.sqrt(share.astype(np.float64)).astype(np.int64)
    return factors


def _scaled(sums: Ints, rows: Ints, weights: Ints, below: int) -> Ints:
    """Each sum times weight / (rows below), toward zero; a quotient first, so that products stay small."""
    scaled = sums * (WHOLE // below)
    cut = np.flatnonzero(weights != rows * WHOLE)
    weight, divisor = weights[cut], rows[cut] * below
    whole, rest = np.divmod(np.abs(sums[cut]), divisor)
    size = whole * weight + rest * weight // divisor
    scaled[cut] = np.where(sums[cut] < 0, -size, size)
    return scaled
