"""Bounded totals of rows that fit into memory: rows are brought into the order of persons, not
hashed.

The same whole numbers as `shoal.engines.sql.totals` gives, several times as fast.  Where a number
might not fit 64 bits nothing is computed, and the caller goes the long way.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.loading import loading
from shoal.plan import BY_PERSON, WHOLE, Bounded, Person, Quantity, Spread, Term
from shoal.sensitivity import Norm

Ints = NDArray[np.int64]

_SAFE = 1 << 62
"""Nothing that is computed with may reach this."""

_HALF = 20
"""Totals are added up in two parts, the lower one of this many bits."""

_CARRIED = 8
"""So many bytes of a row are moved with it when rows are sorted."""

_BLOCK = 1 << 17
"""About so many rows are worked on at a time; the numbers of so many fit the caches of a processor.
"""


_BITS = 63
"""A number that is sorted has so many bits, and no sign."""

_FEW = 1 << 16
"""Up to so many rows are sorted before scipy would be loaded."""


class Columns:
    """Rows with keys: the key and the person of each by number, and what it adds to each term with
    an argument.

    What is added is carried along while rows are sorted, where 8 bytes hold it; otherwise the place
    of a row is.
    """

    def __init__(self, groups: int, rows: int, people: int, sizes: Sequence[Any]) -> None:
        self.groups, self.rows, self.people = groups, rows, people
        self.keys, self.persons = np.empty(rows, np.int32), np.empty(rows, np.int32)
        self._carries = 0 < sum(size.itemsize for size in sizes) <= _CARRIED
        kinds = [(f"t{at}", size) for at, size in enumerate(sizes)]
        self._added: list[NDArray[Any]]
        if self._carries:
            self._carried = np.empty(rows, kinds)
            self._added = [self._carried[name] for name, _ in kinds]
        else:
            self._added = [np.empty(rows, size) for size in sizes]
        self._full = 0

    def take(
        self, persons: NDArray[Any], keys: NDArray[Any] | None, added: Sequence[NDArray[Any]]
    ) -> None:
        """Some rows more."""
        assert keys is not None
        here = slice(self._full, self._full + len(persons))
        self.persons[here], self.keys[here] = persons, keys
        for column, values in zip(self._added, added, strict=True):
            column[here] = values
        self._full = here.stop

    def blocks(self) -> Iterator[PersonCells]:
        """All cells, those of so many persons at a time."""
        starts, keys, data = self._by_person()
        cuts = np.unique(np.searchsorted(starts, np.arange(0, len(keys), _BLOCK), side="left"))
        for first, last in pairwise([*cuts.tolist(), self.people]):
            here = slice(starts[first], starts[last])
            begins = starts[first:last][starts[first:last] < starts[first + 1 : last + 1]]
            if len(begins):
                yield _cells_among(begins - here.start, keys[here], self._values(data[here]))

    def _values(self, data: NDArray[Any]) -> list[NDArray[Any]]:
        """What rows add, given what was carried along."""
        if not self._carries:
            return [each[data] for each in self._added]
        kind = self._carried.dtype
        return [data.view(kind)[name] for name in kind.names or ()]

    def _by_person(self) -> tuple[NDArray[Any], ...]:
        """Rows in the order of persons and, of each, of keys: where persons start, then keys and
        what is carried.
        """
        if self._carries:
            data = self._carried.view(np.dtype(f"i{self._carried.itemsize}"))
        else:  # places, if there is something to be found by them
            data = (
                np.arange(self.rows, dtype=np.int32)
                if self._added
                else np.zeros(self.rows, np.int8)
            )
        # sparse matrices have counting sorts: 0.3 s for ten million rows, where numpy's sort takes
        # 1.1 s
        ordered = counted if self.rows > _FEW and _has_scipy() else compared
        return ordered(self.keys, self.persons, data, (self.groups, self.people))


def _has_scipy() -> bool:
    """Whether scipy is there, which the core does without; it is loaded then."""
    try:
        with loading():
            import scipy.sparse  # noqa: F401, PLC0415 - heavy
    except ImportError:
        return False
    return True


def counted(
    keys: NDArray[np.int32], persons: NDArray[np.int32], data: NDArray[Any], shape: tuple[int, int]
) -> tuple[NDArray[Any], ...]:
    """Where persons start, and keys and data in the order of persons and keys: counting sorts by
    key, then by person.
    """
    from scipy.sparse import coo_array  # noqa: PLC0415 - heavy, and not always there

    rows = coo_array((data, (keys, persons)), shape=shape)
    rows.has_canonical_format = True  # rows of one cell stay rows
    ordered = rows.tocsr().tocsc()
    return ordered.indptr, ordered.indices, ordered.data


def compared(
    keys: NDArray[np.int32], persons: NDArray[np.int32], data: NDArray[Any], shape: tuple[int, int]
) -> tuple[NDArray[Any], ...]:
    """The same without scipy: one sort of numbers that hold person, key and place of a row, where
    63 bits hold them.
    """
    groups, people = shape
    starts = np.zeros(people + 1, np.int64)
    np.cumsum(np.bincount(persons, minlength=people), out=starts[1:])
    for_key, for_place = (groups - 1).bit_length(), (len(keys) - 1).bit_length()
    if (people - 1).bit_length() + for_key + for_place > _BITS:
        order = np.lexsort((keys, persons))
        return starts, keys[order], data[order]
    packed = persons.astype(np.int64)
    packed <<= for_key
    packed |= keys
    packed <<= for_place
    packed |= np.arange(len(keys))
    packed.sort()
    places = packed & ((1 << for_place) - 1)
    packed >>= for_place
    packed &= (1 << for_key) - 1
    return starts, packed.astype(np.int32), data[places]


class PersonTotals:
    """Rows without keys, which are added up by person as they come: a cell is a person."""

    def __init__(self, people: int, terms: int) -> None:
        self.rows, self.people, self.groups = 0, people, 1
        self._counts = np.zeros(people, np.int64)
        self._sums = [np.zeros(people, np.int64) for _ in range(terms)]

    def take(
        self, persons: NDArray[Any], keys: NDArray[Any] | None, added: Sequence[NDArray[Any]]
    ) -> None:
        """Some rows more."""
        assert keys is None
        self.rows += len(persons)
        for first in range(0, len(persons), _BLOCK):
            here = slice(first, first + _BLOCK)
            np.add.at(self._counts, persons[here], 1)
            for total, values in zip(self._sums, added, strict=True):
                np.add.at(total, persons[here], values[here].astype(np.int64, copy=False))

    def blocks(self) -> Iterator[PersonCells]:
        """The cells of all persons who have rows, those of so many at a time."""
        for first in range(0, self.people, _BLOCK):
            here = slice(first, first + _BLOCK)
            there = np.flatnonzero(self._counts[here])
            if len(there):
                rows, keys = self._counts[here][there], np.zeros(len(there), np.int32)
                sums = [each[here][there] for each in self._sums]
                yield PersonCells(keys, rows, sums, np.arange(len(there)))


class PersonCells(NamedTuple):
    """Some persons' cells, which hold the rows of one person in one group each; those of a person
    follow one another.

    ``rows`` is how many there are, ``sums`` what they add to each term, ``firsts`` the place of
    each person's first cell.
    """

    keys: NDArray[np.int32]
    rows: Ints
    sums: Sequence[Ints]
    firsts: Ints


def totals_of(
    wanted: Sequence[Bounded], rows: Columns | PersonTotals
) -> list[list[list[int]] | None]:
    """For each bounded plan one total per group for each term; None if a number on the way might
    not fit.

    The plans have the rows and keys in common, and rows add what all their terms need, in that
    order.  Proof that what is computed is what is meant: `plan/bounding.md`, Sorting.
    """
    added = added_by(wanted)
    sums: list[list[_Sum] | None] = [[_Sum(rows.groups) for _ in each.terms] for each in wanted]
    for cells in rows.blocks():
        most = int(cells.rows.max())
        for at, (bounded, totals) in enumerate(zip(wanted, sums, strict=True)):
            room = _Room(most, rows.rows, bounded)
            if totals is None or not all(room.holds(term) for term in bounded.terms):
                sums[at] = None
                continue
            for total, values in zip(totals, _values(bounded, cells, added), strict=True):
                total.add(cells.keys, values)
    return [None if each is None else [total.whole() for total in each] for each in sums]


def added_by(wanted: Sequence[Bounded]) -> list[Term]:
    """The terms of some plans for which each row adds a number of its own, each once."""
    terms = dict.fromkeys(term for bounded in wanted for term in bounded.terms)
    return [term for term in terms if term.argument and term.quantity is not Quantity.DISTINCT]


def weights_of(spread: Spread, rows: Columns, key_of: NDArray[np.int32]) -> Ints | None:
    """The weight of each pair of a key and a value; ``key_of`` gives the key of a pair, and does
    not fall.

    None if a number on the way might not fit.  Proof: `plan/bounding.md`, Sorting.
    """
    total, unit = _Sum(rows.groups), spread.unit
    assert isinstance(unit, Person)
    for splits in rows.blocks():
        counts = splits.rows if spread.grid else np.ones_like(splits.rows)
        cells, firsts = _merged(splits, key_of[splits.keys], counts)
        held = np.minimum(cells.rows, unit.rows_per_group)
        most = int(counts.max()) * spread.fraction * int(held.max()) * WHOLE
        if max(most, int(held.max()) * rows.rows * WHOLE) >= _SAFE:
            return None
        share = held * _shares(spread.bounded, unit, cells, held).cell
        inside = np.diff(firsts, append=len(counts))
        above = counts * spread.fraction * np.repeat(share, inside)
        total.add(splits.keys, above // np.repeat(cells.rows * WHOLE, inside))
    return total.narrow()


def _merged(splits: PersonCells, keys: NDArray[np.int32], counts: Ints) -> tuple[PersonCells, Ints]:
    """Splits of one person and key as one cell, and the place of each cell's first split."""
    new = np.zeros(len(keys), bool)
    new[splits.firsts] = True
    of_person = new.copy()
    new[1:] |= keys[1:] != keys[:-1]
    firsts = np.flatnonzero(new)
    rows = np.add.reduceat(counts, firsts)
    return PersonCells(keys[firsts], rows, [], np.flatnonzero(of_person[firsts])), firsts


def _cells_among(
    begins: NDArray[Any], keys: NDArray[np.int32], added: Sequence[NDArray[Any]]
) -> PersonCells:
    """The cells of rows in order; ``begins`` are the first rows of persons."""
    of_person = np.zeros(len(keys), bool)
    of_person[begins] = True
    new = of_person.copy()
    new[1:] |= keys[1:] != keys[:-1]
    firsts = np.flatnonzero(new)
    return PersonCells(
        keys=keys[firsts],
        rows=np.diff(firsts, append=len(keys)),
        sums=[np.add.reduceat(each, firsts, dtype=np.int64) for each in added],
        firsts=np.flatnonzero(of_person[firsts]),
    )


def _values(bounded: Bounded, cells: PersonCells, added: Sequence[Term]) -> Iterator[Ints]:
    """What each cell adds to the total of each term; ``added`` are the terms of the sums."""
    unit = bounded.unit
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
            yield _scaled(cells.sums[added.index(term)], cells.rows, held * shares.cell, below)


class _Sum:
    """The exact sum of each group: high and low parts by themselves."""

    def __init__(self, groups: int) -> None:
        self._high, self._low = np.zeros(groups, np.int64), np.zeros(groups, np.int64)

    def add(self, keys: NDArray[np.int32], values: Ints) -> None:
        np.add.at(self._high, keys, values >> _HALF)
        np.add.at(self._low, keys, values & ((1 << _HALF) - 1))

    def narrow(self) -> Ints | None:
        """The sums in 64 bits; None if one does not fit."""
        self._high += self._low >> _HALF
        self._low &= (1 << _HALF) - 1
        if len(self._high) and int(np.abs(self._high).max()) >= _SAFE >> _HALF:
            return None
        return (self._high << _HALF) + self._low

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
    """Factors in 2^-20: of each cell for its rows, of each person for themselves; and the person's
    groups.
    """

    cell: Ints
    person: Ints
    groups: Ints


def _shares(bounded: Bounded, unit: Person, cells: PersonCells, held: Ints) -> _Shares:
    groups = np.diff(cells.firsts, append=len(cells.rows))
    first = bounded.norm is Norm.L1
    sizes = np.add.reduceat(held if first else held * held, cells.firsts)
    most = unit.groups * unit.rows_per_group ** (1 if first else 2)
    rows = _factors(sizes, most, first=first)
    return _Shares(np.repeat(rows, groups), _factors(groups, unit.groups, first=first), groups)


def _factors(sizes: Ints, most: int, *, first: bool) -> Ints:
    """The factor of each size, 2^20 up to ``most``; a root of at most 2^40 is exact in doubles once
    it is cut.
    """
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
    """Each sum times weight / (rows below), toward zero; a quotient first, so that products stay
    small.
    """
    scaled = sums * (WHOLE // below)
    cut = np.flatnonzero(weights != rows * WHOLE)
    weight, divisor = weights[cut], rows[cut] * below
    whole, rest = np.divmod(np.abs(sums[cut]), divisor)
    size = whole * weight + rest * weight // divisor
    scaled[cut] = np.where(sums[cut] < 0, -size, size)
    return scaled
