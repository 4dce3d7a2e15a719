"""What follows from released values, for free: computed columns, HAVING, ORDER BY, LIMIT."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cmp_to_key

from shoal.plan import After, Order, Value, evaluate

Row = Mapping[str, Value]


def kept(rows: Sequence[Row], after: After) -> list[int]:
    """Which rows are shown, in which order, by their places."""
    places = list(range(len(rows)))
    if after.having is not None:
        condition = after.having
        places = [at for at in places if evaluate(condition, rows[at]) is True]
    for order in reversed(after.order):
        values = {at: evaluate(order.expression, rows[at]) for at in places}
        places.sort(key=cmp_to_key(_compared(values, order)))
    end = None if after.limit is None else after.offset + after.limit
    return places[after.offset : end]


def _compared(values: Mapping[int, Value], order: Order) -> Callable[[int, int], int]:
    def compare(left: int, right: int) -> int:
        one, other = values[left], values[right]
        if one is None or other is None:
            first = -1 if order.nulls_first else 1
            return 0 if one is other else (first if one is None else -first)
        side = (one > other) - (one < other)  # type: ignore[operator]
        return -side if order.descending else side

    return compare


def shown(row: Row, after: After) -> tuple[Value, ...]:
    """The columns of a row of the answer."""
    return tuple(evaluate(expression, row) for _, expression in after.columns)
