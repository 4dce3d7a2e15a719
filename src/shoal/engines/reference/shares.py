"""How persons spread over groups, as the obvious loops."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable

from shoal.engines.reference.relations import Key, OwnedRow
from shoal.plan import Bounded, evaluate


def shares(bounded: Bounded, rows: Iterable[OwnedRow]) -> dict[tuple[int, int], int]:
    """How many persons are in so many groups, with at most so many rows in one."""
    cells: dict[Key, Counter[Key]] = defaultdict(Counter)
    for person, row in rows:
        cells[person][tuple(evaluate(key, row) for key in bounded.keys)] += 1
    return dict(Counter((len(each), max(each.values())) for each in cells.values()))
