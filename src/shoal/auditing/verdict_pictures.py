"""One telling picture for the page of every kind of test; verdicts keep what it needs, and it is
drawn when a page is made.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.auditing.guess_bound import one_run_p_value
from shoal.errors import ExtraError
from shoal.page import Heading, PagePicture, Part, Words
from shoal.plots.bars import Bar, two_histograms
from shoal.plots.lines import Points, lines

_MOST_POINTS = 200


@dataclass(frozen=True)
class Drawing:
    """A picture to be drawn: by what, and from what."""

    draw: Callable[..., PagePicture]
    given: tuple[Any, ...]


def drawn(drawings: Sequence[Drawing]) -> list[Part]:
    """The pictures, under a heading of their own; words in their place where nothing can be
    drawn.
    """
    try:
        made = [each.draw(*each.given) for each in drawings]
    except ExtraError as missing:
        return [Words(f"The pictures are left out. {missing.remedy}")]
    return [Heading("Picture" if len(made) == 1 else "Pictures"), *made] if made else []


# floats


def low_bits(first: NDArray[np.int64], second: NDArray[np.int64]) -> Drawing:
    """Which power of two is the lowest bit of each answer, on both datasets; what has none is not
    listed.

    The arrays have one number per answer; those of answers without a lowest bit lie far below all
    others.
    """
    shares = [_powers(each) for each in (first, second)]
    listed = sorted({power for each in shares for power in each})
    return Drawing(
        _low_bits, (tuple((power, *(each.get(power, 0.0) for each in shares)) for power in listed),)
    )


def _powers(cells: NDArray[np.int64]) -> dict[int, float]:
    powers, counts = np.unique(cells[np.abs(cells) < 1 << 16] - 1, return_counts=True)
    return dict(zip(powers.tolist(), (counts / cells.size).tolist(), strict=True))


def _low_bits(shares: Sequence[tuple[int, float, float]]) -> PagePicture:
    bars = [Bar("", (power - 0.5, power + 0.5), one, two, (1.0, 1.0)) for power, one, two in shares]
    return PagePicture(
        two_histograms(bars, x="lowest bit that is set, as a power of 2", y="share of answers"),
        "Where the last bit of the answers lies, on d0 and on d1. Noise that is made on one grid gives both the same shape; noise in floating point leaves the mark of the number it was added to.",
    )


# time


def shares_of_time(name: str, one: NDArray[np.float64], two: NDArray[np.float64]) -> Drawing:
    """Which share of runs had ended by when, of two kinds of runs; times in nanoseconds."""
    kinds = ("on d1", "on d0") if name == "slower dataset" else ("larger noise", "smaller noise")
    steps = np.linspace(0.005, 0.995, 100)
    points = [
        tuple(zip((np.quantile(each, steps) / 1000).tolist(), steps.tolist(), strict=True))
        for each in (one, two)
    ]
    return Drawing(_shares_of_time, (name, kinds, points))


def _shares_of_time(name: str, kinds: tuple[str, str], points: Sequence[Points]) -> PagePicture:
    series = dict(zip(kinds, points, strict=True))
    told = (
        "the two datasets"
        if kinds[0] == "on d1"
        else f"runs with larger and with smaller noise ({name})"
    )
    return lines(
        {kind: series[kind] for kind in reversed(kinds)},
        x="microseconds",
        y="share of runs that had ended",
        shares=True,
        caption=f"How long runs took: {told}, of all questions the one that time says most about. Lines that lie on each other tell nothing.",
    )


# seeds


def differences_of_noise(where: str, differences: Sequence[float]) -> Drawing:
    """The difference of the two answers at every draw."""
    points = tuple(enumerate(differences[:_MOST_POINTS], start=1))
    return Drawing(_differences_of_noise, (where, points))


def _differences_of_noise(where: str, points: Points) -> PagePicture:
    return lines(
        {},
        marks={where: points},
        x="draw",
        y="second answer less first",
        caption=f"Answers of two lists, held against each other draw by draw ({where}). Fresh noise scatters; noise that is drawn twice cancels, and leaves one level.",
    )


# learners


def guesses_against_claim(
    tried: Sequence[tuple[int, int]],
    canaries: int,
    epsilon: Fraction,
    delta: Fraction,
    risk: Fraction,
) -> Drawing:
    """Shares of right guesses, and the least that would refute an epsilon, at every number of
    guesses that was tried.
    """
    return Drawing(_guesses_against_claim, (tuple(tried), canaries, epsilon, delta, risk))


def _guesses_against_claim(
    tried: Sequence[tuple[int, int]],
    canaries: int,
    epsilon: Fraction,
    delta: Fraction,
    risk: Fraction,
) -> PagePicture:
    needed = [(r, _refuting(canaries, r, epsilon, delta, risk)) for r, _ in sorted(tried)]
    named = "epsilon 0" if not epsilon else f"epsilon {float(epsilon):g}"
    seen, bound = "guessed right", f"needed to refute {named}"
    shares = [(r, v / r) for r, v in sorted(tried)]
    return lines(
        {bound: [(r, v / r) for r, v in needed if v is not None]},
        marks={seen: shares, bound: [(r, v / r) for r, v in needed if v is not None]},
        dashed=(bound,),
        shares=True,
        scales=("log" if len(tried) > 1 else "linear", "linear"),
        x="guesses",
        y="share of right guesses",
        caption=f"Right guesses against what {named} allows: a point on or above the dashed line refutes {named}. A coin guesses half of them.",
    )


def _refuting(
    canaries: int, guesses: int, epsilon: Fraction, delta: Fraction, risk: Fraction
) -> int | None:
    """The fewest right guesses that refute; None where even all of them do not."""

    def refutes(right: int) -> bool:
        return (
            one_run_p_value(
                canaries=canaries, guesses=guesses, right=right, epsilon=epsilon, delta=delta
            )
            <= risk
        )

    low, high = 0, guesses  # none refutes, all may
    if not refutes(high):
        return None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if refutes(middle) else (middle, high)
    return high


# laws


def curve_against_claim(
    found: Callable[[Fraction], float],
    claimed: Callable[[Fraction], float],
    places: Sequence[Fraction],
    names: tuple[str, str],
) -> Drawing:
    """A curve of the laws, and what the claim allows, at the same places; both rounded up.
    ``names`` are those of the axes.
    """
    return Drawing(_curve_against_claim, (found, claimed, tuple(places), names))


def _curve_against_claim(
    found: Callable[[Fraction], float],
    claimed: Callable[[Fraction], float],
    places: Sequence[Fraction],
    names: tuple[str, str],
) -> PagePicture:
    x, y = names
    seen, allowed = (
        [(float(place), value) for place in places if math.isfinite(value := of(place))]
        for of in (found, claimed)
    )
    bound = "what the claim allows"
    return lines(
        {"of these laws, at most": seen, bound: allowed},
        dashed=(bound,),
        x=x,
        y=y,
        caption=f"The {y} of the laws at every {x}, the largest of all pairs, beside what follows from the claim. Where the line lies above the dashed one, the claim is not proven here.",
    )
