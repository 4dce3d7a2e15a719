"""Bounded totals as the obvious loops: rows into cells, cells into persons, persons into totals."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from shoal.engines.reference.relations import Key, OwnedRow
from shoal.plan import (
    BY_PERSON,
    WHOLE,
    Bounded,
    Person,
    Quantity,
    Term,
    evaluate,
    factor_for_groups,
    factor_for_rows,
)
from shoal.sensitivity import Norm

Totals = dict[Key, tuple[int, ...]]


class _Cell:
    """The rows of one person in one group: how many, and the sum of each term."""

    def __init__(self, terms: int) -> None:
        self.rows = 0
        self.sums = [0] * terms


def totals(bounded: Bounded, rows: Iterable[OwnedRow]) -> Totals:
    """One whole number per term for every key there is; without keys, always one row."""
    cells: dict[tuple[Key, Key], _Cell] = defaultdict(lambda: _Cell(len(bounded.terms)))
    unit = bounded.unit
    for person, row in rows:
        key = tuple(evaluate(expression, row) for expression in bounded.keys)
        cell = cells[person if isinstance(unit, Person) else (), key]
        cell.rows += 1
        for at, term in enumerate(bounded.terms):
            value = None if term.argument is None else evaluate(term.argument, row)
            cell.sums[at] += 0 if term.quantity is Quantity.DISTINCT else term.of(value)
    found: dict[Key, list[int]] = defaultdict(lambda: [0] * len(bounded.terms))
    if not bounded.keys:
        found[()] = [0] * len(bounded.terms)
    shares = _shares(bounded, cells) if isinstance(unit, Person) else {}
    for (person, key), cell in cells.items():
        for at, term in enumerate(bounded.terms):
            total = cell.sums[at]
            if isinstance(unit, Person):
                total = _scaled(bounded, term, cell.rows, total, shares[person])
            found[key][at] += total
    return {key: tuple(sums) for key, sums in found.items()}


def _shares(bounded: Bounded, cells: dict[tuple[Key, Key], _Cell]) -> dict[Key, tuple[int, int]]:
    """For each person: the factor of their rows, and the number of their groups."""
    unit, power = bounded.unit, 1 if bounded.norm is Norm.L1 else 2
    assert isinstance(unit, Person)
    sizes: dict[Key, int] = defaultdict(int)
    groups: dict[Key, int] = defaultdict(int)
    for (person, _), cell in cells.items():
        sizes[person] += min(cell.rows, unit.rows_per_group) ** power
        groups[person] += 1
    return {
        person: (
            factor_for_rows(unit, bounded.norm, sizes[person]),
            groups[person],
        )
        for person in sizes
    }


def _scaled(bounded: Bounded, term: Term, rows: int, total: int, share: tuple[int, int]) -> int:
    factor, groups = share
    unit, fraction = bounded.unit, bounded.fraction(term)
    assert isinstance(unit, Person)
    if term.quantity in BY_PERSON:
        silent = term.quantity is Quantity.VOTES and groups > term.hi
        return 0 if silent else fraction * factor_for_groups(unit, bounded.norm, groups) // WHOLE
    size = fraction * abs(total) * min(rows, unit.rows_per_group) * factor // (rows * WHOLE)
    return size if total >= 0 else -size
