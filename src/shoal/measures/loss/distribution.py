"""A loss distribution: what one or many releases cost, as a bracket that holds the truth."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from shoal.exact import Number, closed_unit, float_down, float_up, non_negative, whole
from shoal.measures.loss.bracket import Bracket
from shoal.measures.loss.grid import TOLERANCE
from shoal.measures.loss.side import Side, merged
from shoal.measures.loss.sources import LossSource, Sources


@dataclass(frozen=True)
class LossDistribution:
    """The losses of releases that are made one after another, in both directions.

    ``removed`` compares a dataset with the one that lacks (or changed) a person, ``added`` the other way
    round; every release is looked at in the same direction.

    Guarantee: `epsilon` and `delta` enclose what the composition of all losses needs, up to the accuracy of
        float functions and transforms that `cells`, `transform`, `waves` and `contour` state and pay for.
    Reference: Sommer, Meiser and Mohammadi 2019; Doroshenko and others 2022; Zhu, Dong and Wang 2022.
        Proof: loss.md.
    """

    removed: Sources = ()
    added: Sources = ()

    @classmethod
    def of(cls, removed: LossSource, added: LossSource | None = None) -> LossDistribution:
        """One release; with one source it is the same in both directions."""
        return cls(((removed, 1),), ((removed if added is None else added, 1),))

    def times(self, count: int) -> LossDistribution:
        """So many independent copies, one after another."""
        copies = whole(count, "count", at_least=0)
        return LossDistribution(
            tuple((source, copies * each) for source, each in self.removed if copies),
            tuple((source, copies * each) for source, each in self.added if copies),
        )

    def compose(self, *others: LossDistribution) -> LossDistribution:
        """These releases and those, one after another."""
        removed = [one for other in others for one in other.removed]
        added = [one for other in others for one in other.added]
        if "_sides" not in vars(self):
            return LossDistribution(
                merged((*self.removed, *removed)), merged((*self.added, *added))
            )
        there, away = self._sides
        same = there is away and removed == added
        sides = (more := there.plus(removed)), more if same else away.plus(added)
        both = LossDistribution(sides[0].sources, sides[1].sources)
        both.__dict__["_sides"] = sides  # what was worked out so far goes on to serve
        return both

    @cached_property
    def _sides(self) -> tuple[Side, Side]:
        """Both directions; the same object twice where they are alike."""
        there = Side(merged(self.removed))
        return there, there if self.added == self.removed else Side(merged(self.added))

    def epsilon(self, *, delta: Number, tolerance: float = TOLERANCE) -> Bracket:
        """The epsilon that is needed at this delta."""
        exact = closed_unit(delta, "delta")
        there, away = self._sides
        if exact == 1:
            return Bracket(0.0, 0.0)
        if exact == 0:
            return there.largest().joined(away.largest())
        target = float_down(exact)
        found = there.epsilon(target, tolerance)
        if there is away:
            return found
        return found.joined(away.epsilon(target, tolerance, floor=found.high))

    def quick_epsilon(self, *, delta: Number) -> Bracket | None:
        """`epsilon` where a closed form or a contour tells it within milliseconds, else None."""
        target = float_down(closed_unit(delta, "delta"))
        if not 0 < target < 1:
            return None
        there, away = self._sides
        found = there.quick_epsilon(target)
        if found is None or there is away:
            return found
        other = away.quick_epsilon(target)
        return other and found.joined(other)

    def delta(self, *, epsilon: Number) -> Bracket:
        """The delta that is needed at this epsilon."""
        exact = non_negative(epsilon, "epsilon")
        there, away = self._sides
        found = there.delta(float_down(exact), float_up(exact))
        if there is away:
            return found
        return found.joined(away.delta(float_down(exact), float_up(exact)))

    def quick_delta(self, *, epsilon: Number) -> Bracket | None:
        """`delta` where a closed form or a contour tells it within milliseconds, else None."""
        exact = non_negative(epsilon, "epsilon")
        there, away = self._sides
        found = there.quick_delta(float_down(exact), float_up(exact))
        if found is None or there is away:
            return found
        other = away.quick_delta(float_down(exact), float_up(exact))
        return other and found.joined(other)
