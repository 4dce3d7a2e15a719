"""What is drawn of each group of a question: totals with their noise, or counts that were measured
together with others.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.engines.engine import Engine
from shoal.plan import Bounded
from shoal.query.answer import Answer
from shoal.query.estimates import Noisy
from shoal.query.joint_noise import JointNoised
from shoal.query.keys import Group
from shoal.query.paired_noise import PairedNoise
from shoal.query.pricing import Priced
from shoal.workloads.column_queries import Floats

_BATCH = 1 << 16
"""So many groups get their noise at a time: each has noise of its own, and arrays stay small."""


@dataclass(frozen=True)
class DrawnGroups:
    """What was drawn of each group."""

    groups: list[Group]
    noisy: list[Noisy]
    counts: tuple[int, int] | None = None
    whole: list[int] | None = None

    def answer(self, made: Priced, certificate: Mapping[str, Any], level: Fraction) -> Answer:
        """The answer that follows from it."""
        return Answer(made, self.groups, self.noisy, certificate, level, self.counts, self.whole)


def drawn_together(
    joint: JointNoised, cells: Floats, whole: NDArray[np.int64], groups: list[Group]
) -> DrawnGroups:
    """The groups of one question, of cells that were measured for all of them."""
    term, counts = joint.bounded.terms[0], joint.counts
    noisy: list[Noisy] = [
        {term: Fraction(value)} for value in counts.of_groups(cells, joint.own, groups)
    ]
    return DrawnGroups(
        groups, noisy, None, list(map(int, counts.of_groups(whole, joint.own, groups)))
    )


def noisy_groups(made: Priced, engine: Engine, groups: list[Group]) -> list[Noisy]:
    """The totals of every group with their noise: one vector per term, empty groups as 0."""
    bounded = made.noised.bounded
    vectors = _vectors(bounded, engine, groups)
    released: list[dict[Any, Fraction]] = [{} for _ in groups]
    named = list(zip(bounded.terms, made.noised.mechanisms, vectors, strict=True))
    for pair in made.noised.pairs:
        _add_pair(released, bounded, pair, [v for _, mechanism, v in named if mechanism is pair])
    for term, mechanism, vector in named:
        if isinstance(mechanism, PairedNoise):
            continue
        worth = bounded.worth(term)
        for start in range(0, len(groups), _BATCH):
            some = np.array(vector[start : start + _BATCH], dtype=object)
            drawn = some if mechanism is None else mechanism.release(some)
            for row, value in zip(released[start : start + _BATCH], drawn, strict=True):
                row[term] = int(value) * worth
    for placed in made.places:
        for row, value in zip(released, placed.release(engine, groups), strict=True):
            row[placed.place] = value
    for tree in made.trees:
        for row, found in zip(released, tree.release(engine, groups), strict=True):
            row.update(found)
    return list(released)


def _add_pair(
    released: list[dict[Any, Fraction]],
    bounded: Bounded,
    pair: PairedNoise,
    vectors: list[list[int]],
) -> None:
    """Both totals of a pair for every group, drawn together."""
    in_order = sorted(pair.pair.terms, key=bounded.terms.index)
    first, second = (vectors[in_order.index(term)] for term in pair.pair.terms)
    for start in range(0, len(released), _BATCH):
        some = slice(start, start + _BATCH)
        drawn = pair.release(first[some], second[some])
        for term, values in zip(pair.pair.terms, drawn, strict=True):
            worth = bounded.worth(term)
            for row, value in zip(released[some], values, strict=True):
                row[term] = value * worth


def _vectors(bounded: Bounded, engine: Engine, groups: list[Group]) -> list[list[int]]:
    """For each term the totals of these groups; those of others are let go as they come."""
    vectors = [[0] * len(groups) for _ in bounded.terms]
    if not (bounded.terms and groups):
        return vectors
    places = {group: at for at, group in enumerate(groups)}
    for part in engine.parts(bounded):
        for key, row in part.items():
            at = places.get(key)
            if at is not None:
                for vector, total in zip(vectors, row, strict=True):
                    vector[at] = total
    return vectors
