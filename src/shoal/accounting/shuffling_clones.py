"""Clones: reports of others that could as well be those of the person whose value changes.

Let a randomizer be ε0-DP for any two values of a person, and w = e^ε0 / (1 + e^ε0).  For two values
with laws R0 and R1 of the report there are laws Q0 and Q1 with R0 = w Q0 + (1 - w) Q1 and R1 = (1 -
w) Q0 + w Q1, namely Q0 = (e^ε0 R0 - R1) / (e^ε0 - 1) and its mirror image.  Any other value has a
law R >= e^-ε0 max(R0, R1) >= e^-ε0 (Q0 + Q1) / 2.  So each of the n - 1 others sends, with
probability e^-ε0, a *clone*: a report from Q0 or Q1, each with probability 1/2.  Of all reports the
order tells only how many come from each law; so whatever is released is a function of the pair (a,
c + 1 - a), with c clones, of which A ~ Bin(c, 1/2) from Q0, and a = A + 1 with probability w and A
otherwise for the first value, the other way round for the second.

Whoever answers one bit by randomized response sends a clone with probability 2 / (1 + e^ε0).
"""

from __future__ import annotations

import math
from fractions import Fraction

from flint import arb

from shoal.exact import ball

_EDGES = (-12, -10, -8, -7, *(step / 2 for step in range(-12, 13)))
"""Where the number of clones is cut into blocks, in standard deviations from its mean."""

_ALL_LISTED = 48
"""With at most so many people every number of clones is a block of its own."""


def clone_share(local: Fraction, *, binary: bool) -> arb:
    """The probability that somebody else's report is a clone."""
    e = ball(local).exp()
    return 2 / (1 + e) if binary else 1 / e


def block_starts(others: int, clone: float, *, binary: bool) -> list[int]:
    """The least number of clones of each block, rising; any choice is sound."""
    return block_edges(others, 2 * clone / (1 + clone) if binary else clone)


def block_edges(trials: int, share: float) -> list[int]:
    """Where the values of Bin(trials, share) are cut into blocks, each by its least one, rising."""
    if trials < _ALL_LISTED:
        return list(range(trials + 1))
    mean, deviation = trials * share, math.sqrt(trials * share * (1 - share))
    found = {min(trials, max(0, math.floor(mean + edge * deviation))) for edge in _EDGES}
    return sorted(found)


def at_least(trials: int, least: int, chance: arb) -> arb:
    """P(Bin(trials, chance) >= least)."""
    if least <= 0:
        return arb(1)
    if least > trials:
        return arb(0)
    return chance.beta_lower(arb(least), arb(trials - least + 1), True)


def half_binomial(trials: int, place: int) -> arb:
    """P(Bin(trials, 1/2) = place)."""
    logs = (arb(trials + 1).lgamma() - arb(place + 1).lgamma()) - arb(trials - place + 1).lgamma()
    return (logs - trials * arb(2).log()).exp()
