"""Neighbours by their definition, pair by pair: a second road to every sensitivity, slow and
plain.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import product
from typing import Any


def hamming(left: Sequence[Any], right: Sequence[Any]) -> int:
    return sum(a != b for a, b in zip(left, right, strict=True))


def is_subsequence(shorter: Sequence[Any], longer: Sequence[Any]) -> bool:
    rest = iter(longer)
    return all(any(row == other for other in rest) for row in shorter)


def are_neighbours(
    left: Sequence[Any], right: Sequence[Any], *, relation: str, rows: int = 1
) -> bool:
    if relation == "change":
        return len(left) == len(right) and hamming(left, right) <= rows
    return 0 <= len(right) - len(left) <= rows and is_subsequence(left, right)


def movements(
    function: Callable[[tuple[Any, ...]], Sequence[Any]],
    *,
    domain: Sequence[Any],
    size: int,
    relation: str,
    rows: int = 1,
    smallest: int | None = None,
) -> list[list[Fraction]]:
    """How each number moves, for each ordered pair of neighbours."""
    least = (size if relation == "change" else 0) if smallest is None else smallest
    datasets = [
        rows_ for length in range(least, size + 1) for rows_ in product(domain, repeat=length)
    ]
    return [
        [Fraction(a) - Fraction(b) for a, b in zip(function(left), function(right), strict=True)]
        for left in datasets
        for right in datasets
        if are_neighbours(left, right, relation=relation, rows=rows)
    ]


def largest(moved: list[list[Fraction]], norm: str) -> Fraction:
    """The largest movement in L1 or LINF, and for L2 its square."""
    measures: dict[str, Callable[[list[Fraction]], Fraction]] = {
        "l1": lambda parts: sum(map(abs, parts), Fraction(0)),
        "l2": lambda parts: sum((part**2 for part in parts), Fraction(0)),
        "linf": lambda parts: max(map(abs, parts), default=Fraction(0)),
    }
    return max(measures[norm](parts) for parts in moved)
