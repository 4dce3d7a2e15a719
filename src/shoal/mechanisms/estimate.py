"""Frequencies recovered from randomised answers, with their uncertainty."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from flint import arb

from shoal.errors import RangeError, ShapeError
from shoal.exact import (
    Number,
    at_precision,
    ball,
    dyadic,
    float_down,
    float_up,
    is_below,
    open_unit,
    precision_in_force,
    upper,
)


@dataclass(frozen=True, slots=True)
class Estimate:
    """What the reports say about the true frequencies.

    Each category is named with probability floor + lean * (its true frequency), so subtracting the
    floor and dividing by the lean is unbiased; the result may fall outside [0, 1], and is left
    there.
    """

    counts: tuple[int, ...]
    lean: float
    floor: float

    def __post_init__(self) -> None:
        if not all(type(count) is int and count >= 0 for count in self.counts) or not self.answers:
            raise ShapeError(
                "counts must be whole numbers, and at least one report is needed.",
                remedy="Collect at least one report, and count how many named each category.",
            )
        if not 0 < abs(self.lean) <= 1 or not 0 <= self.floor <= 1:
            raise RangeError(
                "lean must be above 0 or below, and floor a probability.",
                remedy="Let RandomizedResponse make the estimate; it knows both.",
            )

    @property
    def answers(self) -> int:
        """How many people reported."""
        return sum(self.counts)

    @property
    def frequencies(self) -> tuple[float, ...]:
        """The unbiased estimate for each category."""
        return tuple((count / self.answers - self.floor) / self.lean for count in self.counts)

    @property
    def variances(self) -> tuple[float, ...]:
        """The estimated variance of each estimate: z (1 - z) / (n lean^2), z the share of
        reports.
        """
        shares = (count / self.answers for count in self.counts)
        return tuple(share * (1 - share) / self.answers / self.lean**2 for share in shares)

    def interval(
        self, confidence: Number = "0.95", *, method: str = "exact"
    ) -> tuple[tuple[float, float], ...]:
        """A confidence interval for each category's frequency in the population.

        "exact" maps the Clopper-Pearson interval of the share of reports and cuts it to [0, 1]; it
        covers at least as often as it says.  "normal" is the estimate plus and minus so many
        standard errors.
        """
        risk = 1 - open_unit(confidence, "confidence")
        if method == "exact":
            return tuple(self._exact(count, risk / 2) for count in self.counts)
        if method == "normal":
            width = float_up(upper(lambda: ball(risk).erfcinv() * arb(2).sqrt()))
            return tuple(
                (estimate - width * math.sqrt(variance), estimate + width * math.sqrt(variance))
                for estimate, variance in zip(self.frequencies, self.variances, strict=True)
            )
        raise RangeError(
            f"method must be 'exact' or 'normal'; got {str(method)[:40]!r}.",
            remedy="Choose 'exact', which never covers too rarely, or 'normal'.",
        )

    def _exact(self, count: int, tail: Fraction) -> tuple[float, float]:
        ends = (
            share_down(count, self.answers, tail),
            1 - share_down(self.answers - count, self.answers, tail),
        )
        low, high = sorted((end - Fraction(self.floor)) / Fraction(self.lean) for end in ends)
        return _cut(low, float_down), _cut(high, float_up)


def _cut(end: Fraction, rounded: Callable[[Fraction], float]) -> float:
    return rounded(min(Fraction(1), max(Fraction(0), end)))


@lru_cache(maxsize=256)
def share_down(count: int, answers: int, tail: Fraction) -> Fraction:
    """The share at which so many reports or more have this chance, rounded down: Clopper-Pearson's
    lower end.

    Guarantee: at the share returned the chance is at most ``tail``, and at 1 + 2^-38 times it is
        above.
    Proof: the logarithm of the chance is a concave function of the logarithm of the share, so that
        from anywhere one step of Newton's lands at or below the root, and further ones approach it
        from there; the last word has a rigorous comparison.
    """
    if count == 0:
        return Fraction(0)
    share, slack = _newton(count, answers, tail), Fraction(1, 1 << 40)
    while not _is_rare(share * (1 - slack), count, answers, tail):
        slack *= 2
    return share * (1 - slack)


def _chance(share: arb, count: int, answers: int) -> arb:
    """The chance of so many reports or more: added up from the first where each is rarer than the
    one before.
    """
    odds = share / (1 - share)
    if not odds * (answers - count) < count + 1:
        return share.beta_lower(arb(count), arb(answers - count + 1), regularized=True)
    first = arb(answers + 1).lgamma() - arb(count + 1).lgamma() - arb(answers - count + 1).lgamma()
    first += count * share.log() + (answers - count) * (-share).log1p()
    return first.exp() * _falling_sum(odds, count, answers)


def _falling_sum(odds: arb, count: int, answers: int) -> arb:
    """All later chances over the first one; what is left out is below a geometric series."""
    added = term = arb(1)
    least = arb(2) ** -precision_in_force()
    for many in range(count, answers):
        ratio = odds * (answers - many) / (many + 1)
        term *= ratio
        added += term
        if term < least:
            rest = (term * ratio / (1 - ratio)).upper()
            return added + arb(rest / 2, rest / 2)
    return added


def _is_rare(share: Fraction, count: int, answers: int, tail: Fraction) -> bool:
    return is_below(lambda: _chance(ball(share), count, answers), lambda: ball(tail))


def _newton(count: int, answers: int, tail: Fraction) -> Fraction:
    """The root by Newton's steps in the logarithm of the share, from a place that normal tails
    suggest.
    """

    def root() -> Fraction:
        others, target = answers - count, ball(tail).log()
        gamma = arb(answers + 1).lgamma() - arb(count).lgamma() - arb(others + 1).lgamma()
        first = ball(Fraction(count, answers + 1))
        place = (first.log() - (-2 * target * (1 - first) / count).sqrt()).mid()
        for _ in range(_MOST_STEPS):
            share = place.exp()
            chance = _chance(share, count, answers).mid()
            density = (gamma + count * place + others * (-share).log1p()).exp()
            step = ((target - chance.log()) * chance / density).mid()
            place = (place + step).mid()
            if abs(step) < arb(2) ** -44:
                break
        return dyadic(place.exp().mid())

    return at_precision(128, root)


_MOST_STEPS = 60
