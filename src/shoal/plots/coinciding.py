"""Which lines of a picture lie on top of each other, and dashes with which each of them stays
visible.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from shoal.plots.points import Line, Point

Place = Callable[[Point], Point]
"""From a point of the data to its place in the picture, in pixels."""

NEAR = 1.5
"""Pixels: lines that are nowhere further apart look like one."""

DASH = 14
"""Pixels of one colour before the next of those that share a line."""


@dataclass(frozen=True)
class Dashes:
    """A pattern of pixels, drawn and left out by turns, and how far into it a line begins."""

    pattern: tuple[int, int] = (1, 0)
    offset: int = 0


def coinciding(lines: Mapping[str, Line], place: Place) -> list[list[str]]:
    """The names of the lines, those together that look like one, in the order in which they are
    drawn.
    """
    placed = {name: [place(point) for point in line] for name, line in lines.items()}
    groups: list[list[str]] = []
    for name, path in placed.items():
        for group in groups:
            if all(_near(path, placed[other]) for other in group):
                group.append(name)
                break
        else:
            groups.append([name])
    return groups


def dashes(groups: Sequence[Sequence[str]]) -> dict[str, Dashes]:
    """The first of a group is drawn whole; each later one covers its own share of the length, and
    no other's.
    """
    return {
        name: Dashes((DASH, DASH * (len(group) - 1)), DASH * (len(group) - turn))
        if turn
        else Dashes()
        for group in groups
        for turn, name in enumerate(group)
    }


def _near(one: Sequence[Point], other: Sequence[Point]) -> bool:
    return _lies_along(one, other) and _lies_along(other, one)


def _lies_along(path: Sequence[Point], other: Sequence[Point]) -> bool:
    pieces = list(pairwise(other))
    return all(any(_distance(point, *piece) <= NEAR for piece in pieces) for point in path)


def _distance(point: Point, start: Point, end: Point) -> float:
    """How far a point is from a straight piece of a line."""
    along = (end[0] - start[0], end[1] - start[1])
    length = along[0] ** 2 + along[1] ** 2
    offset = (point[0] - start[0], point[1] - start[1])
    share = (offset[0] * along[0] + offset[1] * along[1]) / length if length else 0.0
    share = min(1.0, max(0.0, share))
    return math.hypot(offset[0] - share * along[0], offset[1] - share * along[1])
