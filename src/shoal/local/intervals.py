"""Confidence intervals of a mean of counted reports; what each method promises is said beside
it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import lru_cache

import numpy as np
from flint import arb

from shoal.errors import RangeError, ShapeError
from shoal.exact import (
    Number,
    at_precision,
    ball,
    float_down,
    float_up,
    open_unit,
    upper,
)
from shoal.local.martingale import always_ends
from shoal.mechanisms.estimate import share_down
from shoal.noise import uniform_below

METHODS = ("exact", "always", "wald", "wilson", "bootstrap")
"""Clopper-Pearson, mapped; a confidence sequence; the normal approximation; Wilson's score, mapped;
percentiles of resampled reports.
"""

Interval = tuple[float, float]
Groups = Sequence[tuple[Fraction, int]]
"""What a report counts, and how many counted so much; each worth once, from low to high."""

EndsOf = Callable[[int, int, Fraction], tuple[Fraction, Fraction]]

RESAMPLES = 4000


def interval_of(
    groups: Groups, *, confidence: Number = "0.95", method: str = "exact", cut: bool = True
) -> Interval:
    """An interval for the mean worth of a report in the population.

    "exact" covers at least as often as it says, whatever the truth and the number of reports:
    Clopper-Pearson for the share of each worth, at a common risk.  "always" covers at all numbers
    of reports together, so one may look at any time.  The others are approximations: "wald" is the
    estimate plus and minus normal standard errors, "wilson" maps Wilson's interval, "bootstrap"
    takes percentiles of the estimate over resampled reports.  With ``cut`` both ends are moved into
    [0, 1], which loses no share that can be true.
    """
    risk = 1 - open_unit(confidence, "confidence")
    ways = {
        "exact": _exact,
        "always": _always,
        "wald": _wald,
        "wilson": _wilson,
        "bootstrap": _bootstrap,
    }
    if method not in ways:
        raise RangeError(
            f"method must be one of {', '.join(METHODS)}; got {str(method)[:40]!r}.",
            remedy="Choose 'exact', which never covers too rarely, or one of the approximations.",
        )
    low, high = ways[method](groups, risk)
    if cut:
        low, high = (min(Fraction(1), max(Fraction(0), end)) for end in (low, high))
    return float_down(low), float_up(high)


@lru_cache(maxsize=1 << 14)
def binomial_ends(count: int, people: int, risk: Fraction) -> tuple[Fraction, Fraction]:
    """The interval of Clopper and Pearson for a share, both ends rounded outwards."""
    low = share_down(count, people, risk / 2)
    return low, 1 - share_down(people - count, people, risk / 2)


def normal_point(risk: Fraction) -> float:
    """How many standard errors a normal variable exceeds on either side with this chance, rounded
    up.
    """
    return float_up(upper(lambda: ball(risk).erfcinv() * arb(2).sqrt()))


def wilson_ends(count: int, people: int, risk: Fraction) -> tuple[Fraction, Fraction]:
    """The shares whose normal test accepts the count."""
    share, point = count / people, normal_point(risk)
    middle = share + point**2 / (2 * people)
    reach = point * math.sqrt(share * (1 - share) / people + point**2 / (4 * people**2))
    scale = 1 + point**2 / people
    low, high = max(0.0, (middle - reach) / scale), min(1.0, (middle + reach) / scale)
    return Fraction(low), Fraction(high)


def _people(groups: Groups) -> int:
    return sum(count for _, count in groups)


def _exact(groups: Groups, risk: Fraction) -> tuple[Fraction, Fraction]:
    return _joined(groups, risk, binomial_ends)


def _always(groups: Groups, risk: Fraction) -> tuple[Fraction, Fraction]:
    return _joined(groups, risk, always_ends)


def _joined(groups: Groups, risk: Fraction, ends_of: EndsOf) -> tuple[Fraction, Fraction]:
    """The ends of the mean from those of the share of each worth."""
    people = _people(groups)
    if len(groups) == 2:
        return _between(groups, ends_of(groups[1][1], people, risk))
    shared = risk / len(groups)
    ends = [ends_of(count, people, shared) for _, count in groups]
    worths = [worth for worth, _ in groups]
    return -_highest([-worth for worth in reversed(worths)], ends[::-1]), _highest(worths, ends)


def _between(groups: Groups, ends: tuple[Fraction, Fraction]) -> tuple[Fraction, Fraction]:
    """The ends of a share of the higher of two worths, as ends of the mean."""
    (least, _), (most, _) = groups
    return least + (most - least) * ends[0], least + (most - least) * ends[1]


def _highest(worths: Sequence[Fraction], ends: Sequence[tuple[Fraction, Fraction]]) -> Fraction:
    """The highest mean over all shares within their ends that add up to 1; worths go from low to
    high.
    """
    left = 1 - sum(low for low, _ in ends)
    mean = Fraction(0)
    for worth, (low, high) in zip(reversed(worths), reversed(ends), strict=True):
        more = min(left, high - low)
        mean += worth * (low + more)
        left -= more
    return mean


def _wald(groups: Groups, risk: Fraction) -> tuple[Fraction, Fraction]:
    people = _people(groups)
    if people < 2:
        raise ShapeError(
            "a standard error cannot be estimated from one report.",
            remedy="Collect at least two reports, or use the method 'exact'.",
        )
    mean = sum((worth * count for worth, count in groups), Fraction(0)) / people
    spread = sum(((worth - mean) ** 2 * count for worth, count in groups), Fraction(0))
    reach = Fraction(normal_point(risk) * math.sqrt(spread / (people * (people - 1))))
    return mean - reach, mean + reach


def _wilson(groups: Groups, risk: Fraction) -> tuple[Fraction, Fraction]:
    if len(groups) != 2:
        raise RangeError(
            "the method 'wilson' is for designs whose reports count one of two numbers.",
            remedy="Use 'exact', 'wald' or 'bootstrap'.",
        )
    return _between(groups, wilson_ends(groups[1][1], _people(groups), risk))


def _bootstrap(groups: Groups, risk: Fraction) -> tuple[Fraction, Fraction]:
    """Percentiles of the mean over samples of the reports, drawn with replacement."""
    means = np.sort(resampled([count for _, count in groups]) @ [float(w) for w, _ in groups])
    skipped = math.floor(risk / 2 * len(means))
    return Fraction(float(means[skipped])), Fraction(float(means[-1 - skipped]))


def resampled(counts: Sequence[int]) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    """The shares of the kinds in so many samples of all reports, with replacement."""
    people, kinds = sum(counts), len(counts)
    ends = np.cumsum(counts)
    found = np.empty((RESAMPLES, kinds))
    step = max(1, (1 << 22) // people)
    for start in range(0, RESAMPLES, step):
        rows = min(step, RESAMPLES - start)
        drawn = np.searchsorted(ends, uniform_below(people, people * rows), side="right")
        drawn += kinds * np.repeat(np.arange(rows), people)
        found[start : start + rows] = np.bincount(drawn, minlength=kinds * rows).reshape(rows, -1)
    return found / people


def bounded(ends: tuple[Fraction, Fraction]) -> Interval:
    """Two ends moved into [0, 1] and rounded outwards."""
    low, high = (min(Fraction(1), max(Fraction(0), end)) for end in ends)
    return float_down(low), float_up(high)


def normal_chance(point: float) -> float:
    """The chance that a standard normal variable is at most ``point``, to about the nearest
    float.
    """
    return at_precision(64, lambda: float((arb(-point) / arb(2).sqrt()).erfc() / 2))
