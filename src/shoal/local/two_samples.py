"""The unrelated question whose own share is not known: two samples with different chances."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

from shoal.errors import RangeError
from shoal.exact import Number, closed_unit, open_unit, out_of_range, shown
from shoal.local.design import Design
from shoal.local.indices import Counts, read_counts
from shoal.local.intervals import Interval, binomial_ends, bounded, normal_point, resampled
from shoal.local.survey_designs import unrelated


@dataclass(frozen=True, init=False)
class TwoSamples:
    """The unrelated question with unknown share: one sample answers the sensitive one with
    ``first``, the other with ``second``.

    Guarantee: that of `unrelated` at the share the harmless question really has; see
        `for_prevalence`.  Where nobody or everybody says "yes" to it, the reply of whoever is asked
        it gives the answer away.
    Needs: two different chances.
    Reference: Greenberg, Abul-Ela, Simmons and Horvitz 1969.

    >>> design = TwoSamples("3/4", "1/4")
    >>> print(design.estimate_from_counts([70, 30], [40, 60]))
    sensitive: 0.150 [0.000, 0.380], harmless: 0.75 at 95% confidence
    """

    first: Fraction
    second: Fraction

    def __init__(self, first: Number = "3/4", second: Number = "1/4") -> None:
        chances = open_unit(first, "first"), open_unit(second, "second")
        if chances[0] == chances[1]:
            raise out_of_range("second", chances[1], "another chance than first")
        for name, chance in zip(("first", "second"), chances, strict=True):
            object.__setattr__(self, name, chance)

    def for_prevalence(self, prevalence: Number) -> tuple[Design, Design]:
        """The two designs, if the harmless question has this share of "yes"; the dearer one is the
        price.
        """
        known = closed_unit(prevalence, "prevalence")
        return unrelated(self.first, prevalence=known), unrelated(self.second, prevalence=known)

    def estimate_from_counts(
        self, first: tuple[int, int] | list[int], second: tuple[int, int] | list[int]
    ) -> TwoSampleShare:
        """Both shares from how many said "no" and "yes" in each sample."""
        return TwoSampleShare(self, read_counts(first, 2), read_counts(second, 2))

    def variance(
        self, prevalence: Number, *, harmless: Number, first: int, second: int
    ) -> Fraction:
        """The variance of the estimated share with so many people in each sample, exactly."""
        designs = self.for_prevalence(harmless)
        share = closed_unit(prevalence, "prevalence")
        told = [design.floor + design.lean * share for design in designs]
        (to_first, to_second) = self._factors
        return (
            to_first**2 * told[0] * (1 - told[0]) / first
            + to_second**2 * told[1] * (1 - told[1]) / second
        )

    @property
    def _factors(self) -> tuple[Fraction, Fraction]:
        """By what the share of "yes" in each sample counts for the sensitive question."""
        gap = self.first - self.second
        return (1 - self.second) / gap, -(1 - self.first) / gap


@dataclass(frozen=True)
class TwoSampleShare:
    """The estimated share of the sensitive answer, and that of the harmless one."""

    design: TwoSamples
    first: Counts
    second: Counts

    @property
    def _told(self) -> tuple[Fraction, Fraction]:
        return Fraction(self.first[1], sum(self.first)), Fraction(self.second[1], sum(self.second))

    @property
    def value(self) -> Fraction:
        """The unbiased estimate for the sensitive question."""
        return _combined(self.design._factors, self._told)  # noqa: SLF001 - its own design

    @property
    def harmless(self) -> Fraction:
        """The unbiased estimate for the harmless question."""
        gap = self.design.first - self.design.second
        return _combined((-self.design.second / gap, self.design.first / gap), self._told)

    @property
    def variance(self) -> Fraction:
        """The estimated variance of the value, itself unbiased."""
        factors = self.design._factors  # noqa: SLF001 - its own design
        parts = zip(factors, (self.first, self.second), strict=True)
        return sum(
            (f**2 * Fraction(a * b, (a + b) ** 2 * max(1, a + b - 1)) for f, (a, b) in parts),
            Fraction(0),
        )

    @property
    def error(self) -> float:
        """The estimated standard error of the value."""
        return math.sqrt(self.variance)

    def interval(self, confidence: Number = "0.95", *, method: str = "exact") -> Interval:
        """An interval for the sensitive share, cut to [0, 1].

        "exact" joins the intervals of Clopper and Pearson of the two samples, each at half of the
        risk, so it covers at least as often as it says; "wald" and "bootstrap" are approximations.
        """
        risk = 1 - open_unit(confidence, "confidence")
        factors = self.design._factors  # noqa: SLF001 - its own design
        if method == "exact":
            ends = [
                binomial_ends(counts[1], sum(counts), risk / 2)
                for counts in (self.first, self.second)
            ]
            rising = [
                sorted(factor * end for end in pair)
                for factor, pair in zip(factors, ends, strict=True)
            ]
            return bounded((rising[0][0] + rising[1][0], rising[0][1] + rising[1][1]))
        if method == "wald":
            reach = Fraction(normal_point(risk) * self.error)
            return bounded((self.value - reach, self.value + reach))
        if method == "bootstrap":
            told = [resampled(counts)[:, 1] for counts in (self.first, self.second)]
            drawn = sorted((float(factors[0]) * told[0] + float(factors[1]) * told[1]).tolist())
            skipped = math.floor(risk / 2 * len(drawn))
            return bounded((Fraction(drawn[skipped]), Fraction(drawn[-1 - skipped])))
        raise RangeError(
            f"method must be 'exact', 'wald' or 'bootstrap'; got {str(method)[:40]!r}.",
            remedy="Choose 'exact', which never covers too rarely, or an approximation.",
        )

    def __str__(self) -> str:
        text = shown(self.value, *self.interval())
        return f"sensitive: {text.value} {text.bracket}, harmless: {float(self.harmless):.6g} at 95% confidence"


def _combined(factors: tuple[Fraction, Fraction], told: tuple[Fraction, Fraction]) -> Fraction:
    return factors[0] * told[0] + factors[1] * told[1]
