"""Bounded weights by key and value, as the obvious loops."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable

from shoal.engines.reference.relations import Key, OwnedRow
from shoal.plan import WHOLE, Person, Spread, Value, ValueWeights, evaluate, factor_for_rows
from shoal.sensitivity import Norm

Weights = dict[Key, ValueWeights]


def weights(spread: Spread, rows: Iterable[OwnedRow]) -> Weights:
    """For every key that rows have, the weight of each of its values."""
    cells: dict[tuple[Key, Key], Counter[Value]] = defaultdict(Counter)
    for person, row in rows:
        value = evaluate(spread.value, row)
        if value is None:
            continue
        key = tuple(evaluate(expression, row) for expression in spread.keys)
        point = spread.grid.steps(value) if spread.grid else value
        cells[person if isinstance(spread.unit, Person) else (), key][point] += 1
    if spread.grid is None and isinstance(spread.unit, Person):
        cells = {at: Counter(list(cell)) for at, cell in cells.items()}
    found: dict[Key, dict[Value, int]] = defaultdict(lambda: defaultdict(int))
    factors = _factors(spread, cells)
    for (person, key), cell in cells.items():
        for value, count in cell.items():
            found[key][value] += _weight(spread, count, cell.total(), factors.get(person, WHOLE))
    points = spread.grid is not None
    return {key: ValueWeights.of(values, points=points) for key, values in found.items()}


def distinct(spread: Spread, rows: Iterable[OwnedRow]) -> dict[Key, int]:
    """For every key, the number of its values, each for at most one whole."""
    return {
        key: sum(min(spread.fraction, weight) for weight in values.weights.tolist())
        for key, values in weights(spread, rows).items()
    }


def _factors(spread: Spread, cells: dict[tuple[Key, Key], Counter[Value]]) -> dict[Key, int]:
    unit, sizes = spread.unit, defaultdict[Key, int](int)
    if not isinstance(unit, Person):
        return {}
    for (person, _), cell in cells.items():
        rows = min(cell.total(), unit.rows_per_group)
        sizes[person] += rows if spread.norm is Norm.L1 else rows * rows
    return {person: factor_for_rows(unit, spread.norm, size) for person, size in sizes.items()}


def _weight(spread: Spread, count: int, rows: int, factor: int) -> int:
    unit = spread.unit
    if not isinstance(unit, Person):
        return count
    share = spread.fraction * count * min(rows, unit.rows_per_group) * factor
    return share // (rows * WHOLE)
