"""What nobody can exceed: how often a guess can be right after a release, by the promise alone."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from fractions import Fraction
from functools import cache

from shoal.auditing.attacks.attack import EPSILON, Score
from shoal.exact import float_up
from shoal.interpret import Promise, guess_up
from shoal.measures import Pure
from shoal.page import PagePicture
from shoal.plots.lines import lines

HALF = Fraction(1, 2)
SHOAL, BARE, CEILING = "with Shoal", "without Shoal", "ceiling"
"""The names of the lines in every picture."""

_FINE = 16
"""Points of a ceiling in each power of ten."""


def coin_up(promise: Promise) -> float:
    """How often anyone can be right about a fair coin of one person's after such a release.

    Guarantee: for a pure promise e^ε / (1 + e^ε), for any other (1 + δ(0)) / 2; rounded up.  It
        holds for whatever is computed from the release, by someone who knows everything but the
        coin.
    Reference: `shoal.interpret.guess_up` has the proof.

    >>> from shoal.measures import Pure
    >>> round(coin_up(Pure("0.1")), 4)
    0.525
    """
    return float_up(guess_up(promise, HALF))


@cache
def pure_coin_up(epsilon: float) -> float:
    """`coin_up` for a pure promise, kept, since pictures ask often."""
    return coin_up(Pure(epsilon))


def by_epsilon(
    scores: Mapping[Fraction, Score],
    *,
    without: float,
    caption: str,
    y: str = "guesses that are right",
    ceiling: Callable[[float], float] = pure_coin_up,
) -> PagePicture:
    """What was measured at each epsilon, with two standard errors, under the line that nobody can
    cross.
    """
    low, high = float(min(scores)), float(max(scores))
    steps = max(2, math.ceil(_FINE * math.log10(high / low)))
    at = [float(f"{low * (high / low) ** (step / steps):.3g}") for step in range(steps + 1)]
    return lines(
        {
            SHOAL: [],
            BARE: [(low, without), (high, without)],
            CEILING: [(epsilon, ceiling(epsilon)) for epsilon in at],
        },
        x="epsilon, for everything the attacker sees",
        y=y,
        caption=caption,
        scales=("log", "linear"),
        marks={SHOAL: [(float(epsilon), score.rate) for epsilon, score in scores.items()]},
        spans={
            SHOAL: [
                (float(epsilon), score.rate - 2 * score.error, score.rate + 2 * score.error)
                for epsilon, score in scores.items()
            ]
        },
        dashed=(CEILING,),
        shares=True,
    )


def epsilons(*others: int | str) -> list[Fraction]:
    """The epsilon of the figures that are compared, and others for the picture, in order."""
    return sorted({EPSILON, *map(Fraction, others)})
