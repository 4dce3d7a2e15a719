"""What other shares of a person would cost: rows that are clipped against noise, by noisy votes.

The estimate uses released votes only, so looking at it is free.  It takes the number of groups of a
person and the rows in them for independent, and every vote for the upper end of its bucket.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import hypot, sqrt

from shoal.errors import RangeError

Voted = Mapping[int, int]
"""Persons by the number of groups, or of rows in a group, as noisy votes."""


@dataclass(frozen=True)
class ShareChoice:
    """One pair of shares: the part of all rows that would count, and the errors of a count by group
    at one epsilon.
    """

    groups: int
    rows_per_group: int
    kept: float
    clipped: float
    noise: float

    @property
    def error(self) -> float:
        """Clipped rows and noise together, as a root of squares."""
        return hypot(self.clipped, self.noise)


@dataclass(frozen=True, repr=False)
class ShareCurve:
    """For each number of groups the rows in them with the least error, and the best of all."""

    choices: tuple[ShareChoice, ...]
    epsilon: float

    @property
    def best(self) -> ShareChoice:
        return min(self.choices, key=lambda each: each.error)

    def __str__(self) -> str:
        lines = [
            f"{'groups':>7}  {'rows':>5}  {'kept':>6}  {'clipped':>9}  {'noise':>9}  {'error':>9}"
        ]
        lines += [
            f"{each.groups:7,}  {each.rows_per_group:5,}  {each.kept:6.1%}  {each.clipped:9,.1f}  "
            f"{each.noise:9,.1f}  {each.error:9,.1f}{'  least' if each is self.best else ''}"
            for each in self.choices
        ]
        return "\n".join([*lines, f"(estimates for a count by group at epsilon {self.epsilon:g})"])

    __repr__ = __str__


def share_curve(
    groups: Voted, rows: Voted, *, cells: int, epsilon: float, edges: Sequence[int]
) -> ShareCurve:
    """For each number of groups the best number of rows, of the ``edges`` of the votes.

    Guarantee: a function of noisy votes and of public numbers.
    Needs: votes that stand out of the noise, and the number of groups of the questions.
    Edges: without votes there is no curve.
    Reference: `Votes` has what the votes cost; the estimate is explained above.
    """
    if not groups or not rows:
        raise RangeError(
            "there are no votes to estimate errors from.",
            remedy="Ask suggest_groups again, with a larger epsilon.",
        )
    total = sum(groups.values()) * _mean(groups) * _mean(rows)
    made = []
    for most_groups in _up_to(edges, groups):
        pairs = [
            _choice(groups, rows, total / cells, epsilon, (most_groups, most_rows))
            for most_rows in _up_to(edges, rows)
        ]
        made.append(min(pairs, key=lambda each: each.error))
    return ShareCurve(tuple(made), epsilon)


def _up_to(edges: Sequence[int], votes: Voted) -> list[int]:
    return [edge for edge in edges if edge <= max(votes)]


def _choice(
    groups: Voted, rows: Voted, each: float, epsilon: float, most: tuple[int, int]
) -> ShareChoice:
    """What one pair of shares keeps of the ``each`` rows of a group, and the noise it needs."""
    kept = _kept(groups, most[0]) * _kept(rows, most[1])
    return ShareChoice(*most, kept, each * (1 - kept), sqrt(2) * most[0] * most[1] / epsilon)


def _mean(votes: Voted) -> float:
    return sum(number * persons for number, persons in votes.items()) / sum(votes.values())


def _kept(votes: Voted, most: int) -> float:
    """The part of all that remains if nobody counts for more than ``most``."""
    held = sum(min(number, most) * persons for number, persons in votes.items())
    return held / sum(number * persons for number, persons in votes.items())


def voted_in(votes: Sequence[int], edges: Sequence[int], error: float) -> dict[int, int]:
    """The buckets that stand out of the noise, by their upper ends."""
    return {edge: vote for edge, vote in zip(edges, votes, strict=True) if vote > error}
