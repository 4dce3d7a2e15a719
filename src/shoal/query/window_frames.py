"""Windows over released rows: which rows each one looks at, and what it makes of them."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import cmp_to_key

from shoal.plan import Expression, Order, Type, Value, evaluate, number_of, value_at
from shoal.plan.facts import widest
from shoal.plan.released_steps import PLACES, SHIFTS, Frame, Summary, Window
from shoal.plan.types import REAL

Row = Mapping[str, Value]


def in_parts(rows: Sequence[Row], parts: Sequence[Expression]) -> list[list[int]]:
    """The places of the rows that agree in some expressions, in the order of their first rows."""
    found: dict[tuple[Value, ...], list[int]] = {}
    for at, row in enumerate(rows):
        found.setdefault(tuple(evaluate(each, row) for each in parts), []).append(at)
    return list(found.values())


def sorted_places(rows: Sequence[Row], places: Sequence[int], order: Sequence[Order]) -> list[int]:
    """Some rows in an order, by their places; equal ones stay as they were."""
    found = list(places)
    for each in reversed(order):
        values = {at: evaluate(each.expression, rows[at]) for at in found}
        found.sort(key=cmp_to_key(_compared(values, each)))
    return found


def _compared(values: Mapping[int, Value], order: Order) -> Callable[[int, int], int]:
    def compare(left: int, right: int) -> int:
        one, other = values[left], values[right]
        if one is None or other is None:
            first = -1 if order.nulls_first else 1
            return 0 if one is other else (first if one is None else -first)
        side = (one > other) - (one < other)  # type: ignore[operator]
        return -side if order.descending else side

    return compare


def windowed(rows: Sequence[Row], window: Window) -> tuple[list[Value], list[list[int]]]:
    """The value of a window for each row, and the rows it was made of, by their places.

    A window over places has made its value of no row's argument.
    """
    values: list[Value] = [None] * len(rows)
    seen: list[list[int]] = [[] for _ in rows]
    for part in in_parts(rows, window.parts):
        ordered = sorted_places(rows, part, window.order)
        peers = _peers(rows, ordered, window.order)
        for place, at in enumerate(ordered):
            if window.summary in PLACES:
                values[at] = _placed(window, place, peers, len(ordered))
                continue
            chosen = _chosen(window, place, peers, ordered)
            seen[at] = chosen
            values[at] = _of_rows(window, rows, chosen, rows[at])
    return values, seen


def _peers(rows: Sequence[Row], ordered: Sequence[int], order: Sequence[Order]) -> list[int]:
    """For each place in an order the number of the group of equal rows it is in."""
    found, last = list[int](), None
    for at in ordered:
        here = [evaluate(each.expression, rows[at]) for each in order]
        found.append(found[-1] + (here != last) if found else 0)
        last = here
    return found


def _placed(window: Window, place: int, peers: Sequence[int], size: int) -> Value:
    first = peers.index(peers[place])
    match window.summary:
        case Summary.RANK:
            return first + 1
        case Summary.DENSE_RANK:
            return peers[place] + 1
        case Summary.ROW_NUMBER:
            return place + 1
        case Summary.PERCENT_RANK:
            return first / (size - 1) if size > 1 else 0.0
        case Summary.CUME_DIST:
            return sum(each <= peers[place] for each in peers) / size
    small, larger = divmod(size, window.number)  # the first parts of NTILE have one row more
    ahead = larger * (small + 1)
    if place < ahead:
        return place // (small + 1) + 1
    return larger + (place - ahead) // max(1, small) + 1


def _chosen(window: Window, place: int, peers: Sequence[int], ordered: Sequence[int]) -> list[int]:
    if window.summary in SHIFTS:
        there = place + (window.number if window.summary is Summary.AFTER else -window.number)
        return [ordered[there]] if 0 <= there < len(ordered) else []
    frame = window.frame if window.order else Frame(None, None)
    first = 0 if frame.start is None else place + frame.start
    last = len(ordered) - 1 if frame.end is None else place + frame.end
    if frame.peers:  # bounds of such frames are the row itself, or none
        first = first if frame.start is None else peers.index(peers[place])
        last = last if frame.end is None else len(peers) - 1 - peers[::-1].index(peers[place])
    return list(ordered[max(0, first) : last + 1]) if last >= 0 else []


def _of_rows(window: Window, rows: Sequence[Row], chosen: Sequence[int], row: Row) -> Value:
    if window.summary in SHIFTS and not chosen:
        return None if window.otherwise is None else evaluate(window.otherwise, row)
    values = [
        None if window.argument is None else evaluate(window.argument, rows[at]) for at in chosen
    ]
    kind = REAL if window.argument is None else window.argument.type
    return summarised(window.summary, values, kind, window.number)


def summarised(summary: Summary, values: Sequence[Value], kind: Type, number: int = 1) -> Value:
    """A summary of values of one type, as SQL has it: NULL does not count."""
    known = [each for each in values if each is not None]
    match summary:
        case Summary.COUNT_ROWS:
            return len(values)
        case Summary.COUNT:
            return len(known)
        case Summary.COUNT_DISTINCT:
            return len(set(known))
        case Summary.FIRST | Summary.BEFORE | Summary.AFTER:
            return values[0] if values else None
        case Summary.LAST:
            return values[-1] if values else None
        case Summary.NTH:
            return values[number - 1] if len(values) >= number else None
    if not known:
        return None
    if summary is Summary.LEAST:
        return min(known)
    if summary is Summary.GREATEST:
        return max(known)
    numbers = [found for each in known if (found := number_of(each, kind)) is not None]
    return _of_numbers(summary, numbers, kind)


def _of_numbers(summary: Summary, numbers: Sequence[Fraction], kind: Type) -> Value:
    if summary is Summary.SUM:
        total, limits = sum(numbers, Fraction(0)), widest(kind)
        fits = limits is None or limits.lo <= total <= limits.hi
        return value_at(total, kind) if fits else None
    if summary is Summary.MEAN:
        return float(sum(numbers, Fraction(0)) / len(numbers))
    if summary is Summary.MEDIAN:
        return float(statistics.median(numbers))
    assert summary is Summary.DEVIATION
    return float(statistics.stdev(numbers)) if len(numbers) > 1 else None
