"""One small question answered in four ways: how large is θ, if people's numbers are uniform between
0 and θ?
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.errors import RangeError
from shoal.exact import Number, finite_float, open_unit, positive, read_float_ends, short, whole
from shoal.local.protocols.numeric import OneBit
from shoal.local.protocols.statistical import StatisticalQueries, people_needed
from shoal.mechanisms import Exponential
from shoal.mechanisms.values import real_array
from shoal.noise import uniform_below

_FINE = 1 << 30
_CANDIDATES = 2048


@dataclass(frozen=True)
class ThetaEstimate:
    """One way to learn θ, what it found, and whom it lets see what."""

    name: str
    estimate: float
    seen_by: str

    def __str__(self) -> str:
        return f"{self.name:4} {self.estimate:10.5f}   {self.seen_by}"


def draw_uniform(theta: Number, *, people: int) -> NDArray[np.float64]:
    """Numbers of people, uniform between 0 and θ, for demonstrations."""
    drawn = uniform_below(_FINE, whole(people, "people", at_least=1)).astype(np.float64)
    return (drawn + 0.5) / _FINE * finite_float(positive(theta, "theta"), "theta")


def estimate_uniform(
    numbers: Any, *, largest: Number, epsilon: Number, failure: Number = "0.05"
) -> list[ThetaEstimate]:
    """θ from people's numbers, each of them 0 or more: as a learner, a curator, a pollster and an
    asker of statistics.

    *PAC* takes the largest number: off by about θ / n, and it publishes one person's number.  *DP*
    lets a trusted curator choose a place below which all but a few numbers lie, by the exponential
    mechanism: off by about θ / 256 + θ log(2048) / (n epsilon).  *LDP* doubles the mean of one-bit
    reports: off by about 2 largest / (epsilon sqrt n).  *SQ* may ask one statistical query and does
    the same through an oracle, whose tolerance these people can support.

    >>> found = estimate_uniform(draw_uniform("0.5", people=200_000), largest=1, epsilon=1)
    >>> [way.name for way in found], all(abs(way.estimate - 0.5) < 0.05 for way in found)
    (['PAC', 'DP', 'LDP', 'SQ'], True)
    """
    values = real_array(numbers, what="numbers")
    _, top = read_float_ends(0, largest, names=("0", "largest"))
    price = positive(epsilon, "epsilon")
    if values.ndim != 1 or len(values) < 2:
        raise RangeError("numbers of two people or more are needed.", remedy="Ask more people.")
    cut = np.clip(values, 0, float(top))
    tolerance = supported_tolerance(len(cut), epsilon=price, failure=failure)
    oracle = StatisticalQueries(cut, tolerance=tolerance, queries=1, failure=failure, epsilon=price)
    bit = OneBit.for_epsilon(price, low=0, high=top)
    answered = oracle.ask(lambda x: 2 * x / float(top) - 1)
    return [
        ThetaEstimate(
            "PAC", float(cut.max()), "whoever reads the answer sees the largest number itself"
        ),
        ThetaEstimate(
            "DP",
            _by_curator(cut, top, price),
            f"the curator sees all, readers epsilon {short(price)}",
        ),
        ThetaEstimate(
            "LDP",
            2 * bit.estimate(bit.report(cut)).mean,
            "nobody sees more than one random bit of a person",
        ),
        ThetaEstimate(
            "SQ",
            (answered + 1) * float(top),
            f"an oracle with tolerance {short(tolerance)}, made of such bits",
        ),
    ]


def supported_tolerance(people: int, *, epsilon: Number, failure: Number) -> Fraction:
    """The least tolerance, in steps of 1/1000 of itself, that so many people support for one
    query.
    """
    risk = open_unit(failure, "failure")
    unit = people_needed(tolerance=1, queries=1, failure=risk, epsilon=epsilon)
    tolerance = Fraction(unit, people).limit_denominator(10**9)
    root = Fraction(float(tolerance) ** 0.5).limit_denominator(10**6)
    while people_needed(tolerance=root, queries=1, failure=risk, epsilon=epsilon) > people:
        root *= Fraction(1001, 1000)
    return root


def _by_curator(cut: NDArray[np.float64], top: Fraction, epsilon: Fraction) -> float:
    """The place below which all but m numbers lie, drawn up by n / (n - m).

    Places fall by 1 in 256, so that some place leaves out m up to n / 512; m is larger, and by
    enough that no place above θ is chosen.
    """
    count = len(cut)
    sure = math.ceil(2 * math.log(20 * _CANDIDATES) / epsilon)
    left_out = min(count // 2, sure + count // 256)
    places = [float(top) * (1 - 1 / 256) ** step for step in range(_CANDIDATES)]
    below = np.searchsorted(np.sort(cut), places, side="right").tolist()
    scores = {at: -abs(held - (count - left_out)) for at, held in zip(places, below, strict=True)}
    chosen = Exponential(epsilon=epsilon, sensitivity=1).release(scores)
    return float(chosen) * count / (count - left_out)
