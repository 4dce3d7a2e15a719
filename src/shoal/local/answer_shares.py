"""Shares of answers recovered from reports, with their uncertainty."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING

from shoal.errors import RangeError, ShapeError
from shoal.exact import Number, open_unit, shown
from shoal.local.intervals import Groups, Interval, interval_of
from shoal.local.odds import EvenOdds

if TYPE_CHECKING:
    from shoal.local.transition import TransitionMatrix


@dataclass(frozen=True)
class Share:
    """The estimated share of one answer: the mean of what each report counts for it.

    >>> share = Share("yes", groups=((Fraction(-1, 2), 60), (Fraction(3, 2), 40)))
    >>> print(share)
    yes: 0.300 [0.106, 0.506] at 95% confidence
    """

    answer: str
    groups: Groups

    @property
    def people(self) -> int:
        """How many people reported."""
        return sum(count for _, count in self.groups)

    @cached_property
    def value(self) -> Fraction:
        """The unbiased estimate, exactly; possibly below 0 or above 1."""
        return sum((worth * count for worth, count in self.groups), Fraction(0)) / self.people

    @cached_property
    def variance(self) -> Fraction:
        """The estimated variance of the value, itself unbiased: that of what reports count, over n
        - 1.
        """
        if self.people < 2:
            raise ShapeError(
                "a variance cannot be estimated from one report.",
                remedy="Collect at least two reports, or ask the matrix for its exact variances.",
            )
        away = ((worth - self.value) ** 2 * count for worth, count in self.groups)
        return sum(away, Fraction(0)) / (self.people * (self.people - 1))

    @property
    def error(self) -> float:
        """The estimated standard error of the value."""
        return math.sqrt(self.variance)

    def interval(
        self, confidence: Number = "0.95", *, method: str = "exact", cut: bool = True
    ) -> Interval:
        """A confidence interval for the share in the population; see `shoal.local.interval_of`."""
        return interval_of(self.groups, confidence=confidence, method=method, cut=cut)

    def __str__(self) -> str:
        text = shown(self.value, *self.interval())
        return f"{self.answer}: {text.value} {text.bracket} at 95% confidence"


@dataclass(frozen=True)
class Shares:
    """What the reports say about the shares of the answers; unbiased, so possibly below 0 or above
    1.

    >>> from shoal.local import TransitionMatrix
    >>> found = TransitionMatrix.for_truth("3/4", answers=("no", "yes")).estimate_from_counts([60, 40])
    >>> print(found["yes"])
    yes: 0.300 [0.106, 0.506] at 95% confidence
    """

    matrix: TransitionMatrix
    counts: tuple[int, ...]

    @cached_property
    def people(self) -> int:
        """How many people reported."""
        return sum(self.counts)

    def __getitem__(self, answer: str) -> Share:
        if answer not in self.matrix.answers:
            raise RangeError(
                f"there is no answer {str(answer)[:40]!r}.",
                remedy=f"The answers are: {', '.join(self.matrix.answers[:20])}.",
            )
        return self._share(self.matrix.answers.index(answer))

    def __iter__(self) -> Iterator[Share]:
        return (self._share(place) for place in range(len(self.matrix.answers)))

    def __len__(self) -> int:
        return len(self.matrix.answers)

    def _share(self, place: int) -> Share:
        name, odds = self.matrix.answers[place], self.matrix.odds
        if isinstance(odds, EvenOdds):
            same, other = odds.undone_weights()
            pairs = [(other, self.people - self.counts[place]), (same, self.counts[place])]
            return Share(name, tuple(sorted(pairs)))
        tally: dict[Fraction, int] = {}
        for worths, count in zip(self.matrix.estimator, self.counts, strict=True):
            tally[worths[place]] = tally.get(worths[place], 0) + count
        return Share(name, tuple(sorted(tally.items())))

    @cached_property
    def frequencies(self) -> tuple[Fraction, ...]:
        """The unbiased estimate of each answer's share, exactly."""
        odds = self.matrix.odds
        if isinstance(odds, EvenOdds):  # one division each, where there may be very many
            same, other = odds.undone_weights()
            step = (same - other) / self.people
            return tuple(other + count * step for count in self.counts)
        return tuple(share.value for share in self)

    @cached_property
    def variances(self) -> tuple[Fraction, ...]:
        """The estimated variance of each of them, itself unbiased."""
        return tuple(share.variance for share in self)

    def interval(
        self,
        confidence: Number = "0.95",
        *,
        method: str = "exact",
        cut: bool = True,
        together: bool = False,
    ) -> tuple[Interval, ...]:
        """A confidence interval for each share by itself, or with ``together`` for all of them at
        once.

        See `shoal.local.interval_of`.  All at once share the risk equally (two answers have one
        share, and nothing to divide).
        """
        risk = 1 - open_unit(confidence, "confidence")
        parts = len(self) if together and len(self) > 2 else 1
        sure = 1 - risk / parts
        return tuple(share.interval(sure, method=method, cut=cut) for share in self)
