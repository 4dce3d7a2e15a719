"""What a noise is told about its input: how far neighbours may move it, in a form that two runs can
be held to.

Every mechanism hides a movement, and only that much of it.  A claim says which movement, and
`check` compares the inputs of two runs with it, exactly.  Nothing is drawn here and no release
depends on it: claims are made for auditors.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from shoal.exact import root_up
from shoal.sensitivity.sensitivity import Norm, Relation, Sensitivity


@dataclass(frozen=True)
class Movement:
    """How far an input moved between two runs, and how far it may: exactly, but for L2, where
    ``far`` is rounded up.
    """

    what: str
    far: Fraction
    allowed: Fraction
    within: bool

    @property
    def share(self) -> Fraction:
        """How much of what is allowed was used; above 1 for a violation."""
        if self.allowed:
            return self.far / self.allowed
        return Fraction(0) if self.within else 1 + self.far


class Claim(ABC):
    """What a noise relies on."""

    relation: Relation | None

    @abstractmethod
    def check(
        self, before: Any, after: Any, *, other: Any, output: Any, times: int
    ) -> Iterator[Movement]:
        """Every movement that the claim bounds.

        ``other`` is the claim of the second run, ``output`` what was released, and ``times`` how
        many neighbours lie between the two runs.
        """


@dataclass(frozen=True)
class Moves(Claim):
    """Numbers that move by at most a sensitivity, in steps of a grid.

    ``block`` numbers stand together and count by the largest movement among them; ``monotone`` says
    that all move the same way, in all claims of one ``run``.
    """

    sensitivity: Sensitivity
    steps: Fraction
    spacing: Fraction = Fraction(1)
    block: int = 1
    monotone: bool = False
    run: int | None = None

    @classmethod
    def of(cls, sensitivity: Sensitivity, **options: Any) -> Moves:
        """For inputs that are whole steps of 1."""
        return cls(sensitivity, sensitivity.value, **options)

    @property
    def relation(self) -> Relation | None:  # type: ignore[override]
        return self.sensitivity.relation

    def check(
        self, before: Any, after: Any, *, other: Any, output: Any, times: int
    ) -> Iterator[Movement]:
        del other, output
        mine, theirs = numbers(before), numbers(after)
        if len(mine) != len(theirs):
            yield _unlike("how many numbers", len(mine), len(theirs))
            return
        moved = [a - b for a, b in zip(theirs, mine, strict=True)]
        block = max(1, self.block)
        blocks = [
            max(abs(each) for each in moved[start : start + block])
            for start in range(0, len(moved), block)
        ]
        yield movement(self.sensitivity.norm, blocks, self.steps * times, self.spacing)
        if self.monotone and min(moved, default=0) < 0 < max(moved, default=0):
            yield Movement("against the common direction", -min(moved), Fraction(0), within=False)


@dataclass(frozen=True)
class Tells(Claim):
    """Totals by key, of which those are told that reach a threshold with noise; keys with nothing
    are not there.

    ``alone`` covers what one person can bring alone: for some pair, at most so many keys of at most
    such a total each.
    """

    sensitivity: Sensitivity
    alone: tuple[tuple[int, int], ...]

    @property
    def relation(self) -> Relation | None:  # type: ignore[override]
        return self.sensitivity.relation

    def check(
        self,
        before: Mapping[Any, int],
        after: Mapping[Any, int],
        *,
        other: Any,
        output: Any,
        times: int,
    ) -> Iterator[Movement]:
        del other, output
        keys = before.keys() | after.keys()
        moved = [Fraction(int(after.get(key, 0)) - int(before.get(key, 0))) for key in keys]
        yield movement(self.sensitivity.norm, moved, self.sensitivity.value * times)
        for mine, theirs in ((before, after), (after, before)):
            own = [int(mine[key]) for key in mine.keys() - theirs.keys()]
            yield self._alone(own, times)

    def _alone(self, own: list[int], times: int) -> Movement:
        """The heaviest key that one side has alone, against the heaviest allowed for so many
        keys.
        """
        fitting = [weight * times for groups, weight in self.alone if len(own) <= groups * times]
        allowed, heaviest = max(fitting, default=0), max(own, default=0)
        return Movement(
            f"{len(own)} keys on one side alone",
            Fraction(heaviest),
            Fraction(allowed),
            within=heaviest <= allowed,
        )


@dataclass(frozen=True)
class Follows(Claim):
    """A value with noise as wide as the data at hand: it moves by at most the width, and the width
    keeps a share of itself.
    """

    width: Fraction
    keep: Fraction
    relation: Relation | None = None

    def check(
        self, before: Any, after: Any, *, other: Follows, output: Any, times: int
    ) -> Iterator[Movement]:
        del output
        far = abs(numbers(after)[0] - numbers(before)[0])
        narrow, wide = sorted((self.width, other.width))
        allowed = narrow if times == 1 else wide * times
        yield Movement("the value", far, allowed, within=far <= allowed)
        least = wide * self.keep**times
        yield Movement("the width", wide, narrow / self.keep**times, within=narrow >= least)


@dataclass(frozen=True)
class Stands(Claim):
    """A number of changes that leave an answer as it is, which one change moves by 1, and the
    answer.

    Wherever the number is at least 1 on either side, the answers are alike, or at most ``apart``
    apart.
    """

    answer: Any
    apart: Fraction | None = None
    relation: Relation | None = None

    def check(
        self, before: Any, after: Any, *, other: Stands, output: Any, times: int
    ) -> Iterator[Movement]:
        del output
        mine, theirs = numbers(before)[0], numbers(after)[0]
        far = abs(mine - theirs)
        yield Movement("changes to go", far, Fraction(times), within=far <= times)
        if max(mine, theirs) < times:
            return
        if self.apart is None:
            alike = self.answer == other.answer
            yield Movement("the answer", Fraction(not alike), Fraction(0), within=alike)
        else:
            far = abs(numbers(self.answer)[0] - numbers(other.answer)[0])
            yield Movement("the answer", far, self.apart * times, within=far <= self.apart * times)


@dataclass(frozen=True)
class Answers(Claim):
    """The answers of people, each randomised by itself, so that any may take the place of any
    other.

    Where the chance of a report is known, no two answers may differ in it by more than the
    ``odds``.
    """

    odds: Fraction | None = None
    chance: Callable[[Any, Any], Fraction] | None = None
    relation: Relation | None = Relation.CHANGE

    def check(
        self, before: Any, after: Any, *, other: Any, output: Any, times: int
    ) -> Iterator[Movement]:
        del other, times
        mine, theirs = _each(before), _each(after)
        if len(mine) != len(theirs):
            yield _unlike("how many answers", len(mine), len(theirs))
            return
        if self.chance is None or self.odds is None:
            return
        for one, two, report in zip(mine, theirs, _each(output), strict=True):
            if np.array_equal(one, two):
                continue
            chances = sorted((self.chance(one, report), self.chance(two, report)))
            ratio = chances[1] / chances[0] if chances[0] else chances[1] * 10**30
            yield Movement("the chance of a report", ratio, self.odds, within=ratio <= self.odds)


def movement(
    norm: Norm, moved: Sequence[Fraction], allowed: Fraction, spacing: Fraction = Fraction(1)
) -> Movement:
    """The length of a movement against what is allowed, compared exactly."""
    measured, limit = norm.measure(moved), norm.measure([allowed])
    far = root_up(measured) if norm is Norm.L2 else measured
    if norm is Norm.L2 and measured <= limit:
        far = min(far, allowed)
    return Movement(f"the input in {norm}", far * spacing, allowed * spacing, measured <= limit)


def numbers(given: Any) -> list[Fraction]:
    """An input as exact numbers, whatever its shape; floats count as their binary value."""
    if isinstance(given, np.ndarray):
        return [_exactly(each) for each in given.reshape(-1).tolist()]
    if isinstance(given, list | tuple):
        return [_exactly(each) for each in given]
    return [_exactly(given.item() if isinstance(given, np.generic) else given)]


def _each(given: Any) -> list[Any]:
    """The entries one by one: Python's own numbers, or rows of them."""
    if isinstance(given, np.ndarray) and given.ndim == 1:
        entries: list[Any] = given.tolist()
        return entries
    return list(given)


def _exactly(number: Any) -> Fraction:
    return Fraction(int(number)) if isinstance(number, bool) else Fraction(number)


def _unlike(what: str, one: int, two: int) -> Movement:
    return Movement(what, Fraction(abs(one - two)), Fraction(0), within=False)
