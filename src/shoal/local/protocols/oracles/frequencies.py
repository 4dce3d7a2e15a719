"""Shares of all values recovered from counters, with their uncertainty."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
from flint import arb
from numpy.typing import NDArray

from shoal.errors import RangeError
from shoal.exact import Number, ball, float_up, open_unit, upper
from shoal.floats import chance_of

Floats = NDArray[np.float64]
_MARGIN = 1e-9
"""Ends of exact intervals are moved outwards by this, far more than the error of the float
functions.
"""


@dataclass(frozen=True, eq=False)
class Frequencies:
    """What the reports say about the share of each value; unbiased, so possibly below 0 or above 1.

    ``speaking`` reports count ``scores[0]`` for a value and ``against`` ones ``scores[1]``; the
    rest count nothing.
    """

    people: int
    speaking: NDArray[np.int64]
    against: NDArray[np.int64]
    scores: tuple[Fraction, Fraction]

    @cached_property
    def frequencies(self) -> Floats:
        """The unbiased estimate of each value's share."""
        one, two = map(float, self.scores)
        estimated: Floats = (one * self.speaking + two * self.against) / self.people
        return estimated

    @property
    def counts(self) -> Floats:
        """The same as numbers of people."""
        counted: Floats = self.frequencies * self.people
        return counted

    def exact(self, value: int) -> Fraction:
        """The estimated share of one value, without rounding."""
        one, two = self.scores
        told = one * int(self.speaking[value]) + two * int(self.against[value])
        return told / self.people

    @cached_property
    def variances(self) -> Floats:
        """The estimated variance of each estimate, for people drawn from a population; unbiased."""
        one, two = map(float, self.scores)
        second = (one**2 * self.speaking + two**2 * self.against) / self.people
        varied: Floats = (second - self.frequencies**2) / max(1, self.people - 1)
        return varied

    @property
    def standard_errors(self) -> Floats:
        """Their roots."""
        rooted: Floats = np.sqrt(np.maximum(self.variances, 0))
        return rooted

    def interval(
        self, confidence: Number = "0.95", *, method: str = "exact", together: bool = False
    ) -> tuple[Floats, Floats]:
        """The ends of a confidence interval for the share of each value in the population.

        "exact" maps Clopper-Pearson intervals of the reports and cuts them to [0, 1]: it covers at
        least as often as it says.  "normal" is the estimate plus and minus so many standard errors.
        With ``together`` all intervals hold at once with this confidence.
        """
        risk = 1 - open_unit(confidence, "confidence")
        each = risk / len(self.speaking) if together else risk
        if method == "exact":
            return self._exact(each)
        if method == "normal":
            width = float_up(upper(lambda: ball(each).erfcinv() * arb(2).sqrt()))
            reach = width * self.standard_errors
            return self.frequencies - reach, self.frequencies + reach
        raise RangeError(
            f"method must be 'exact' or 'normal'; got {str(method)[:40]!r}.",
            remedy="Choose 'exact', which never covers too rarely, or 'normal'.",
        )

    def _exact(self, risk: Fraction) -> tuple[Floats, Floats]:
        """One share of reports where the rest is empty, else two shares, each at half the risk."""
        one, two = map(float, self.scores)
        if (self.speaking + self.against == self.people).all():
            low, high = _clopper_pearson(self.speaking, self.people, float(risk) / 2)
            ends = two + (one - two) * low, two + (one - two) * high
        else:
            low, high = _clopper_pearson(self.speaking, self.people, float(risk) / 4)
            less, more = _clopper_pearson(self.against, self.people, float(risk) / 4)
            ends = one * low + two * more, one * high + two * less
        slack = _MARGIN * max(one, -two)
        return np.clip(ends[0] - slack, 0, 1), np.clip(ends[1] + slack, 0, 1)


def _clopper_pearson(counts: NDArray[np.int64], people: int, tail: float) -> tuple[Floats, Floats]:
    left = people - counts
    low = np.where(counts == 0, 0.0, chance_of(np.maximum(counts, 1), people, tail))
    high = np.where(left == 0, 1.0, 1 - chance_of(np.maximum(left, 1), people, tail))
    return low, high
