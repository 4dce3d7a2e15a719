"""All datasets of a small domain, their neighbours, and local sensitivities by looking at all of
them.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from typing import Any

Graph = frozenset[tuple[int, int]]
Values = Mapping[Any, Fraction]
Neighbours = Callable[[Any], Iterable[Any]]


def rows(size: int, values: int) -> list[tuple[int, ...]]:
    """Every multiset of ``size`` rows with values 0, 1, ..., as a sorted tuple."""
    return list(itertools.combinations_with_replacement(range(values), size))


def changed(values: int) -> Neighbours:
    """The datasets in which one row takes another value."""

    def neighbours(data: tuple[int, ...]) -> Iterable[tuple[int, ...]]:
        for place in range(len(data)):
            for value in range(values):
                yield tuple(sorted((*data[:place], value, *data[place + 1 :])))

    return neighbours


def graphs(nodes: int) -> list[Graph]:
    edges = list(itertools.combinations(range(nodes), 2))
    return [
        frozenset(itertools.compress(edges, kept))
        for kept in itertools.product((False, True), repeat=len(edges))
    ]


def one_edge(nodes: int) -> Neighbours:
    edges = list(itertools.combinations(range(nodes), 2))
    return lambda graph: (graph ^ {edge} for edge in edges)


def local(values: Values, neighbours: Neighbours, distances: int) -> list[dict[Any, Fraction]]:
    """The local sensitivity at distance 0, 1, ... of every dataset, by definition."""
    near = {data: list(neighbours(data)) for data in values}
    found = [
        {data: max(abs(values[data] - values[other]) for other in near[data]) for data in values}
    ]
    for _ in range(distances):
        last = found[-1]
        found.append(
            {data: max(last[data], *(last[other] for other in near[data])) for data in values}
        )
    return found
