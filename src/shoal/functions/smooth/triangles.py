"""How many triangles a small graph has, where what is protected is one edge."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from fractions import Fraction
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.exact import out_of_range, whole
from shoal.functions.smooth.statistic import Reading, SmoothStatistic
from shoal.mechanisms.total_functions import each_row, number_of
from shoal.sensitivity import Relation

MOST_NODES = 4096


@dataclass(frozen=True, init=False)
class TriangleCount(SmoothStatistic):
    """The number of triangles of a graph on ``nodes`` public nodes, 0 to nodes - 1; its edges are
    the rows.

    Guarantee: A_k = max over pairs i, j of min(a + floor((k + min(k, b)) / 2), nodes - 2), exactly,
        where a nodes are joined to both and b to exactly one of i and j.
    Needs: neighbours under ADD_REMOVE: one edge comes or goes.  A person with many edges is not one
        row.
    Edges: an edge given twice counts once; one that joins a node to itself or leaves the graph does
        not count, and neither does a row that is no pair of whole numbers, whatever it is.
    Reference: Nissim, Raskhodnikova and Smith 2007, Section 3.2.  Proof: smooth.md.

    >>> TriangleCount(nodes=4).value([(0, 1), (1, 2), (0, 2), (2, 3)])
    Fraction(1, 1)
    """

    nodes: int

    def __init__(self, *, nodes: int) -> None:
        count = whole(nodes, "nodes", at_least=3)
        if count > MOST_NODES:
            raise out_of_range("nodes", Fraction(count), f"at most {MOST_NODES}")
        object.__setattr__(self, "nodes", count)

    @property
    def relation(self) -> Relation:
        return Relation.ADD_REMOVE

    @property
    def spacing(self) -> Fraction:
        return Fraction(1)

    @property
    def bounds(self) -> tuple[int, int]:
        return 0, comb(self.nodes, 3)

    def reading(self, data: Iterable[Any]) -> Reading:
        joined = self._joined(data)
        both = np.rint(joined @ joined).astype(np.int64)
        present = joined.astype(np.int64)
        degree = present.sum(axis=1)
        one = degree[:, None] + degree[None, :] - 2 * both - 2 * present
        pairs = np.triu_indices(self.nodes, 1)
        kinds = np.unique(np.stack([both[pairs], one[pairs]]), axis=1)
        most = self.nodes - 2

        def span(distance: int) -> int:
            gained = (distance + np.minimum(distance, kinds[1])) // 2
            return int(np.minimum(kinds[0] + gained, most).max())

        return Reading(int((both * present).sum()) // 6, span, 2 * most)

    def _joined(self, edges: Iterable[Any]) -> NDArray[np.float64]:
        """The matrix of edges; products of it are whole numbers far below 2^53, so floats hold them
        exactly.
        """
        joined = np.zeros((self.nodes, self.nodes))
        for edge in each_row(edges, of="edge", among=(Sequence, AbstractSet)):
            ends = _ends(edge, self.nodes)
            if ends is not None:
                joined[ends] = joined[ends[::-1]] = 1
        return joined


def _ends(edge: Any, nodes: int) -> tuple[int, int] | None:
    """The two nodes of an edge, or None for a row that is none: its own fault must not show."""
    ends = edge.tolist() if type(edge) is np.ndarray else edge
    if type(ends) not in (list, tuple) or len(ends) != 2:
        return None
    one, other = (_node(end, nodes) for end in ends)
    return None if one is None or other is None or one == other else (one, other)


def _node(end: Any, nodes: int) -> int | None:
    """A whole number from 0 to nodes - 1; None for anything else."""
    number = number_of(end)
    if number is None or not 0 <= number < nodes or number != int(number):
        return None
    return int(number)
