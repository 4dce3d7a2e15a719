"""The crosswise design with an anchor: a second question, whose true share is 0, shows how many do
not attend.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from shoal.errors import CalibrationError, RangeError, ShapeError
from shoal.exact import Number, open_unit, out_of_range, shown
from shoal.local.design import Design
from shoal.local.intervals import Interval, binomial_ends, bounded, normal_point, resampled
from shoal.local.survey_designs import crosswise
from shoal.mechanisms.values import array_of

_HALF = Fraction(1, 2)


@dataclass(frozen=True, init=False)
class AnchoredCrosswise:
    """The crosswise design, and an anchor asked of the same people in the same way.

    Nobody has the trait of the anchor.  A share of the people attends; the others say "same" and
    "different" equally often.  Then "same" comes with 1/2 + attention (1 - 2 probability) (1/2 -
    share) to the question, and likewise, with share 0, to the anchor.

    Guarantee: both replies of one person together cost what `crosswise` costs, since the second
        does not depend on the sensitive answer.
    Needs: two chances other than 1/2; nobody with the anchor's trait; and a harmless question of
        its own for the anchor. With the same one the anchor would give the harmless answer away,
        and with it the sensitive one.
    Reference: Atsusaka and Stevenson 2023.

    >>> design = AnchoredCrosswise("1/4")
    >>> found = design.estimate_from_counts([[140, 200], [160, 500]])   # rows: the question; columns: the anchor
    >>> print(found)
    share 0.100 [0.000, 0.231], attention 0.8, uncorrected 0.18
    """

    probability: Fraction
    anchor_probability: Fraction

    def __init__(
        self, probability: Number = "1/4", *, anchor_probability: Number | None = None
    ) -> None:
        main = open_unit(probability, "probability")
        other = (
            main
            if anchor_probability is None
            else open_unit(anchor_probability, "anchor_probability")
        )
        for name, chance in (("probability", main), ("anchor_probability", other)):
            if chance == _HALF:
                raise out_of_range(
                    name, chance, "another chance than 1/2, at which replies tell nothing"
                )
            object.__setattr__(self, name, chance)

    @property
    def design(self) -> Design:
        """The design of the question alone, for people who all attend."""
        return crosswise(self.probability)

    def estimate_from_counts(self, counts: Any) -> AnchoredShare:
        """From a table of two rows and two columns: replies "different", "same" to the question by
        those to the anchor.
        """
        table = array_of(counts, what="counts")
        if (
            table.shape != (2, 2)
            or table.dtype.kind not in "iu"
            or (table < 0).any()
            or not table.sum()
        ):
            raise ShapeError(
                "a table of two rows and two columns of whole numbers is needed, not all 0.",
                remedy="Count the replies 'different' and 'same' to the question by those to the anchor.",
            )
        (a, b), (c, d) = table.tolist()
        return AnchoredShare(self, (a, b, c, d))


@dataclass(frozen=True)
class AnchoredShare:
    """The share of the sensitive answer, corrected for people who do not attend."""

    design: AnchoredCrosswise
    counts: tuple[int, int, int, int]

    @property
    def people(self) -> int:
        """How many people replied."""
        return sum(self.counts)

    @property
    def _same(self) -> int:
        return self.counts[2] + self.counts[3]

    @property
    def _anchor_same(self) -> int:
        return self.counts[1] + self.counts[3]

    def _lean(self, told: Fraction) -> Fraction:
        """Attention times (1/2 - share), where "same" came to the question this often."""
        return (told - _HALF) / (1 - 2 * self.design.probability)

    def _attention(self, told: Fraction) -> Fraction:
        """Attention, where "same" came to the anchor this often."""
        return (told - _HALF) / (_HALF - self.design.anchor_probability)

    @property
    def attention(self) -> Fraction:
        """The unbiased estimate of the share of people who attend."""
        return self._attention(Fraction(self._anchor_same, self.people))

    @property
    def uncorrected(self) -> Fraction:
        """The estimate if everyone attended."""
        return _HALF - self._lean(Fraction(self._same, self.people))

    @property
    def value(self) -> Fraction:
        """The corrected estimate: consistent, as a ratio of unbiased estimates is."""
        if self.attention <= 0:
            raise CalibrationError(
                "by the anchor nobody attends, so the replies estimate nothing.",
                remedy="Report the interval, which is then all of [0, 1], or collect more replies.",
            )
        return _HALF - self._lean(Fraction(self._same, self.people)) / self.attention

    @property
    def error(self) -> float:
        """The standard error of the value by linearisation, from the joint counts."""
        slope = 1 / ((1 - 2 * self.design.probability) * self.attention)
        other = (self.value - _HALF) / ((_HALF - self.design.anchor_probability) * self.attention)
        worths = [-slope * same - other * anchor for same in (0, 1) for anchor in (0, 1)]
        pairs = list(zip(self.counts, worths, strict=True))
        mean = sum(count * worth for count, worth in pairs) / self.people
        spread = sum(count * (worth - mean) ** 2 for count, worth in pairs)
        return math.sqrt(spread / (self.people * max(1, self.people - 1)))

    def interval(self, confidence: Number = "0.95", *, method: str = "exact") -> Interval:
        """An interval for the share, cut to [0, 1].

        "exact" joins the intervals of Clopper and Pearson of the two questions, each at half of the
        risk, and covers at least as often as it says however the two replies of a person hang
        together.  "wald" and "bootstrap" are approximations.
        """
        risk = 1 - open_unit(confidence, "confidence")
        if method == "exact":
            return bounded(self._exact(risk))
        if method == "wald":
            reach = Fraction(normal_point(risk) * self.error)
            return bounded((self.value - reach, self.value + reach))
        if method == "bootstrap":
            return self._bootstrap(risk)
        raise RangeError(
            f"method must be 'exact', 'wald' or 'bootstrap'; got {str(method)[:40]!r}.",
            remedy="Choose 'exact', which never covers too rarely, or an approximation.",
        )

    def _exact(self, risk: Fraction) -> tuple[Fraction, Fraction]:
        people = self.people
        leans = sorted(map(self._lean, binomial_ends(self._same, people, risk / 2)))
        found = sorted(map(self._attention, binomial_ends(self._anchor_same, people, risk / 2)))
        least, most = (min(Fraction(1), max(Fraction(0), end)) for end in found)
        return _HALF - _highest(leans[1], least, most), _HALF + _highest(-leans[0], least, most)

    def _bootstrap(self, risk: Fraction) -> Interval:
        told = resampled(self.counts)
        lean = (told[:, 2] + told[:, 3] - 0.5) / float(1 - 2 * self.design.probability)
        attends = (told[:, 1] + told[:, 3] - 0.5) / float(_HALF - self.design.anchor_probability)
        drawn = np.sort(0.5 - lean / np.maximum(attends, 1e-9))
        skipped = math.floor(risk / 2 * len(drawn))
        return bounded((Fraction(float(drawn[skipped])), Fraction(float(drawn[-1 - skipped]))))

    def __str__(self) -> str:
        text = shown(self.value, *self.interval())
        return (
            f"share {text.value} {text.bracket}, "
            f"attention {float(self.attention):.6g}, uncorrected {float(self.uncorrected):.6g}"
        )


def _highest(lean: Fraction, least: Fraction, most: Fraction) -> Fraction:
    """The highest value of a lean over an attention between the two; 1/2 at most, since no share is
    below 0.
    """
    divisor = least if lean > 0 else most
    if divisor == 0:
        return _HALF if lean > 0 else -_HALF
    return min(_HALF, lean / divisor)
