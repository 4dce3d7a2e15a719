"""A loss distribution: what one or many releases cost, as a bracket that holds the truth."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

from shoal.exact import Number, closed_unit, float_down, float_up, non_negative, whole
from shoal.loss.bracket import Bracket
from shoal.loss.delta_levels import TOLERANCE
from shoal.loss.direction import Direction, merged
from shoal.loss.loss_sources import LossSource, Sources

Case = tuple[tuple[int, int], ...]
"""For each size of group, how many of its rows are in the first dataset only; the others are in the
second only.
"""


_FIRST_PAD, _PAD_GROWTH, _PADS = 2.0**-48, 16.0, 9


@dataclass(frozen=True)
class LossDistribution:
    """The losses of releases that are made one after another, in every case that two neighbours can
    be.

    One person can be in the first dataset only, ``removed``, or in the second only, ``added``; of a
    group of k rows 0 to k can be in the first.  Every release that a group of this size sees is
    looked at in the same case.  Releases whose losses are the same in all cases have one, the empty
    one.

    Guarantee: `epsilon` and `delta` enclose what the composition of all losses needs in the worst
        case, up to the accuracy of float functions and transforms that `cells`, `fourier_sum`,
        `characteristic_functions` and `saddle_point` state and pay for.
    Edges: groups of different sizes need not be made of the same people, so all their cases are
        combined.
    Reference: Sommer, Meiser and Mohammadi 2019; Doroshenko and others 2022; Zhu, Dong and Wang
        2022.
        Proof: loss.md.
    """

    cases: tuple[tuple[Case, Sources], ...] = (((), ()),)

    @classmethod
    def of(cls, removed: LossSource, added: LossSource | None = None) -> LossDistribution:
        """One release; with one source it is the same in both directions."""
        return cls.of_group(removed if added is None else added, removed)

    @classmethod
    def of_group(cls, *sources: LossSource) -> LossDistribution:
        """One release seen by a group: its loss with 0, 1, 2, ... rows of the group in the first
        dataset, the others in the second.
        """
        if all(source == sources[0] for source in sources):
            return cls((((), ((sources[0], 1),)),))
        size = len(sources) - 1
        # most present first: that case is mostly the dearest, and then the others are told apart
        # coarsely
        present = range(size, -1, -1)
        return cls(tuple((((size, count),), ((sources[count], 1),)) for count in present))

    @property
    def sizes(self) -> set[int]:
        """The sizes of group that are told apart by how many of their rows are in the first
        dataset.
        """
        return {size for case, _ in self.cases for size, _ in case}

    @property
    def directions(self) -> tuple[Sources, Sources] | None:
        """What one person loses who is in the first dataset only, and in the second only; None for
        losses of larger groups.
        """
        if not self.sizes:
            [(_, sources)] = self.cases
            return sources, sources
        if self.sizes != {1}:
            return None
        by_count = {case[0][1]: sources for case, sources in self.cases}
        return by_count[1], by_count[0]

    def times(self, count: int) -> LossDistribution:
        """So many independent copies, one after another."""
        copies = whole(count, "count", at_least=0)
        if not copies:
            return LossDistribution()
        return LossDistribution(
            tuple(
                (case, tuple((source, copies * each) for source, each in sources))
                for case, sources in self.cases
            )
        )

    def compose(self, *others: LossDistribution) -> LossDistribution:
        """These releases and those, one after another."""
        found = [_Combined(case, number, []) for number, (case, _) in enumerate(self.cases)]
        for other in others:
            found = [each for one in found for each in one.with_cases(other.cases)]
        if "_sides" not in vars(self):
            return LossDistribution(
                tuple((one.case, merged((*self.cases[one.of][1], *one.more))) for one in found)
            )
        sides = tuple(self._sides[one.of].plus(one.more) for one in found)
        both = LossDistribution(
            tuple((one.case, side.sources) for one, side in zip(found, sides, strict=True))
        )
        both.__dict__["_sides"] = sides  # what was worked out so far goes on to serve
        return both

    @cached_property
    def _sides(self) -> tuple[Direction, ...]:
        """The composition in each case."""
        return tuple(Direction(merged(sources)) for _, sources in self.cases)

    def epsilon(self, *, delta: Number, tolerance: float = TOLERANCE) -> Bracket:
        """The epsilon that is needed at this delta; `delta` at its upper end is not above this
        delta.
        """
        exact = closed_unit(delta, "delta")
        if exact == 1:
            return Bracket(0.0, 0.0)
        if exact == 0:
            return _largest([side.largest() for side in self._sides])
        target = float_down(exact)
        found = self._sides[0].epsilon(target, tolerance)
        for side in self._sides[1:]:
            found = found.joined(side.epsilon(target, tolerance, floor=found.high))
        if all(side.needs_nothing(target) for side in self._sides):
            return found  # and `delta` at 0 is at most what all releases need there
        return _asked_back(found, target, self.delta) or found

    def quick_epsilon(self, *, delta: Number) -> Bracket | None:
        """`epsilon` where a closed form or a contour tells it within milliseconds, else None."""
        target = float_down(closed_unit(delta, "delta"))
        if not 0 < target < 1:
            return None
        found = []
        for side in self._sides:
            if (one := side.quick_epsilon(target)) is None:
                return None
            found.append(one)
        return _asked_back(_largest(found), target, self.quick_delta)

    def delta(self, *, epsilon: Number) -> Bracket:
        """The delta that is needed at this epsilon."""
        exact = non_negative(epsilon, "epsilon")
        low, high = float_down(exact), float_up(exact)
        found = self._sides[0].delta(low, high)
        for side in self._sides[1:]:
            found = found.joined(side.delta(low, high, floor=found.high))
        return found

    def quick_delta(self, *, epsilon: Number) -> Bracket | None:
        """`delta` where a closed form or a contour tells it within milliseconds, else None."""
        exact = non_negative(epsilon, "epsilon")
        low, high, found = float_down(exact), float_up(exact), Bracket(0.0, 0.0)
        for side in self._sides:
            if (one := side.quick_delta(low, high, floor=found.high)) is None:
                return None
            found = found.joined(one)
        return found


class _DeltaAt(Protocol):
    def __call__(self, *, epsilon: Number) -> Bracket | None:
        """Delta at an epsilon; None where it is not known."""


def _asked_back(found: Bracket, target: float, delta_at: _DeltaAt) -> Bracket | None:
    """The bracket with an upper end at which delta was asked for and is within the target; None
    where it is not known.

    Lines are chosen in view of the number that is asked about, so another line may serve on the way
    back and add its own round-off: the upper end gives way until the answer fits.
    """
    high, pad = found.high, _FIRST_PAD * max(1.0, found.high)
    for _ in range(_PADS):
        if math.isinf(high):
            return found
        there = delta_at(epsilon=high)
        if there is None:
            return None
        if there.high <= target:
            return Bracket(found.low, high)
        high, pad = found.high + pad, _PAD_GROWTH * pad
    return None


def _largest(brackets: Sequence[Bracket]) -> Bracket:
    """The bracket of the largest of several numbers."""
    found = Bracket(-math.inf, -math.inf)
    for one in brackets:
        found = found.joined(one)
    return found


@dataclass
class _Combined:
    """A case of a composition: the number of the case that it began with, and the losses added
    since.
    """

    case: Case
    of: int
    more: list[tuple[LossSource, int]]

    def with_cases(self, cases: Sequence[tuple[Case, Sources]]) -> list[_Combined]:
        """With the losses of more releases, in every case of theirs that agrees with this one."""
        mine = dict(self.case)
        fitting = [
            (case, sources)
            for case, sources in cases
            if all(mine.get(size, count) == count for size, count in case)
        ]
        if len(fitting) == 1 and all(size in mine for size, _ in fitting[0][0]):
            self.more.extend(fitting[0][1])
            return [self]
        return [
            _Combined(tuple(sorted({*self.case, *case})), self.of, [*self.more, *sources])
            for case, sources in fitting
        ]
