"""What counts of one event on two datasets prove about a promise; `intervals.md` has the proofs.

Two ways: `joint`, one exact test of both counts together, inverted; and `clopper_pearson`, one
interval for each count.  The first proves more.  Both are one-sided: the true parameter is below
what is returned with chance at most the risk.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.auditing.claimed_curves import LARGEST, PromiseCurve
from shoal.auditing.extra import audit_module
from shoal.errors import RangeError

METHODS = ("joint", "clopper-pearson")

_ORDERING = 1.0
"""Outcomes are ordered by Wilson's bounds of so many standard errors."""
_ASIDE = 0.01
"""The share of the risk that pays for bounding the unknown chance."""
_MANY = 100_000
"""Counts of so many samples a side are worth a fine grid."""
_ROOM = 1e-6
"""Computed tails are enlarged by this share; the library's own error is far below."""
_CLOSE = 2e-4
"""Bounds are found to this share of themselves, and rounded down."""

Array = NDArray[np.float64]


class SearchGrid(NamedTuple):
    """Into how many pieces the unknown chance and the number of hits are cut; more prove a little
    more, at more cost.
    """

    cells: int
    blocks: int


COARSE, FINE = SearchGrid(64, 200), SearchGrid(256, 800)


@dataclass(frozen=True)
class Counts:
    """How often an event happened: ``hits`` of ``trials`` where it is likely, ``misses`` of
    ``others`` where it is not.
    """

    hits: int
    trials: int
    misses: int
    others: int

    def __post_init__(self) -> None:
        if not (0 <= self.hits <= self.trials and 0 <= self.misses <= self.others):
            raise RangeError(
                "an event cannot happen more often than it was tried.",
                remedy="Give counts of events and of trials.",
            )
        if not (self.trials and self.others):
            raise RangeError(
                "there are no samples to count.", remedy="Draw samples on both datasets."
            )

    @property
    def grid(self) -> SearchGrid:
        """How finely these counts deserve to be tested."""
        return FINE if min(self.trials, self.others) >= _MANY else COARSE


def tail_up(
    counts: Counts,
    curve: PromiseCurve,
    parameter: float,
    *,
    aside: float,
    grid: SearchGrid = COARSE,
) -> float:
    """How likely outcomes as extreme as these are under the promise, at most; ``aside`` is
    included.

    Guarantee: if the event's chances keep p <= reach(q, parameter), the value is at most x with
        probability at most x, for every x; it rises with the parameter.  Proof: intervals.md.
    """
    low_p = _wilson_low(np.array([counts.hits / counts.trials]), counts.trials)
    high_q = _wilson_high(np.array([counts.misses / counts.others]), counts.others)
    seen = float(curve.strength(low_p, high_q)[0])
    if seen <= 0:
        return 1.0
    region = _Region(counts, curve, seen)
    ends = binomial_ends(counts.misses, counts.others, aside)
    low = np.linspace(ends[0], ends[1], grid.cells + 1)[:-1]
    width = np.full(grid.cells, (ends[1] - ends[0]) / grid.cells)
    bounds = region.bounds(low, width, parameter, grid.blocks)
    return min(1.0, aside + float(bounds.max()) * (1 + _ROOM) + 1e-15)


@dataclass(frozen=True)
class _Region:
    """The outcomes that speak at least as loudly as those seen: for each number of hits, the most
    misses.
    """

    counts: Counts
    curve: PromiseCurve
    seen: float

    def most_misses(self, hits: Array) -> Array:
        """The most misses for which the bounds still prove what was seen; -1 where none do."""
        counts = self.counts
        low_p = _wilson_low(hits / counts.trials, counts.trials)
        allowed = np.clip(1 - self.curve.reach(1 - low_p, self.seen), 0, 1)
        least = _ORDERING**2 / (counts.others + _ORDERING**2)
        most = allowed * counts.others - _ORDERING * np.sqrt(
            counts.others * allowed * (1 - allowed)
        )
        found = np.where(allowed >= least * (1 - 1e-9), np.floor(most + 1e-6), -1.0)
        found = np.where(hits >= counts.hits, np.maximum(found, counts.misses), found)
        return np.minimum(np.maximum.accumulate(found), counts.others)

    def bounds(self, low: Array, width: Array, parameter: float, blocks: int) -> Array:
        """For each cell of q, a bound on the chance of the region: the largest p and the smallest q
        of the cell.
        """
        bdtr = audit_module("scipy.special").bdtr

        counts = self.counts
        high = np.minimum(low + width, 1)
        largest = self.curve.reach(high, parameter)
        edges = _edges(counts, float(largest.min()), float(largest.max()), blocks)
        most = self.most_misses(edges)
        below = bdtr(edges[None, :], counts.trials, largest[:, None])
        shares = np.diff(below, axis=1, prepend=0.0)
        within = np.where(
            most[None, :] < 0, 0.0, bdtr(np.maximum(most, 0)[None, :], counts.others, low[:, None])
        )
        return np.asarray((np.maximum(shares, 0) * within).sum(axis=1), dtype=np.float64)


def _edges(counts: Counts, least: float, largest: float, blocks: int) -> Array:
    """Upper ends of blocks of numbers of hits, the last of them all trials; fine where hits are
    likely.
    """
    trials = counts.trials
    spread = 8 * math.sqrt(
        trials * 0.25
        if least < 0.5 < largest
        else trials * max(least * (1 - least), largest * (1 - largest))
    )
    start, end = trials * least - spread - 30, trials * largest + spread + 30
    inner = np.unique(np.floor(np.clip(np.linspace(start, end, blocks), -1, trials)))
    return np.unique(
        np.concatenate(
            [inner[inner >= 0], [float(trials), float(counts.hits), counts.hits - 1.0]]
        ).clip(0)
    )


def _wilson_low(share: Array, trials: int) -> Array:
    return _wilson(share, trials, -1)


def _wilson_high(share: Array, trials: int) -> Array:
    return _wilson(share, trials, 1)


def _wilson(share: Array, trials: int, side: int) -> Array:
    """The end of Wilson's interval on one side; it rises with the share."""
    z = _ORDERING
    reach = z * np.sqrt(share * (1 - share) / trials + z * z / (4 * trials * trials))
    return np.clip((share + z * z / (2 * trials) + side * reach) / (1 + z * z / trials), 0, 1)


def binomial_ends(count: int, trials: int, risk: float) -> tuple[float, float]:
    """Clopper and Pearson's interval for a chance, both ends rounded outwards; each fails with half
    of the risk.
    """
    return chance_down(count, trials, risk / 2), 1 - chance_down(trials - count, trials, risk / 2)


def chance_down(count: int, trials: int, risk: float) -> float:
    """The chance at which so many events or more happen with this probability, rounded down.

    >>> round(chance_down(5, 50, 0.01), 6)
    0.02631
    """
    special = audit_module("scipy.special")
    betainc, betaincinv = special.betainc, special.betaincinv

    if count == 0:
        return 0.0
    found, slack = float(betaincinv(count, trials - count + 1, risk)), 1e-12
    while betainc(count, trials - count + 1, found * (1 - slack)) > risk * (1 - 1e-9):
        slack *= 4
    return found * (1 - slack)


def strength_down(
    counts: Counts, curve: PromiseCurve, *, risk: float, method: str = "joint"
) -> float:
    """The parameter that these counts prove, rounded down: the truth is smaller with chance at most
    ``risk``.
    """
    if method == "clopper-pearson":
        low = chance_down(counts.hits, counts.trials, risk / 2)
        high = 1 - chance_down(counts.others - counts.misses, counts.others, risk / 2)
        return _below(float(curve.strength(low, high)))
    if method != "joint":
        raise RangeError(
            f"method must be one of {', '.join(METHODS)}; got {method[:40]!r}.",
            remedy="Choose 'joint'.",
        )
    return _inverted(counts, curve, risk)


def _inverted(counts: Counts, curve: PromiseCurve, risk: float) -> float:
    """The largest parameter that the joint test rejects: what a coarse grid proves, and what a fine
    one adds to it.
    """
    guess = float(curve.strength(*_guess(counts, risk)))
    low = _rejected(counts, curve, risk, COARSE, (0.0, guess))
    if counts.grid is COARSE or low >= LARGEST:
        return _below(low)
    return _below(_rejected(counts, curve, risk, counts.grid, (low, low or guess)))


def _rejected(
    counts: Counts, curve: PromiseCurve, risk: float, grid: SearchGrid, start: tuple[float, float]
) -> float:
    """The largest parameter from a start on that is rejected; the tail rises with it, so that
    bisection finds it.

    A start above 0 was rejected by another grid, so it stands whatever this one says of it.
    """
    aside = _ASIDE * risk

    def excess(parameter: float) -> float:
        """Above 0 where the parameter is not rejected; nearly straight in it."""
        ndtri = audit_module("scipy.special").ndtri

        tail = tail_up(counts, curve, parameter, aside=aside, grid=grid)
        return float(ndtri(min(max(tail, 1e-300), 1 - 1e-9)) - ndtri(risk))

    low, below = start[0], excess(start[0])
    if below > 0:
        return low
    high, above = _bracket(excess, start[1])
    if high is None:
        return above
    for turn in range(60):
        if high - low <= _CLOSE * high:
            break
        share = min(max(-below / (above - below), 0.02), 0.98) if turn % 3 < 2 else 0.5
        middle = low + (high - low) * share
        found = excess(middle)
        if found > 0:
            high, above = middle, found
        else:
            low, below = middle, found
    return low


def _bracket(excess: Callable[[float], float], guess: float) -> tuple[float | None, float]:
    """A parameter that is not rejected, and its excess; None, and the largest tried, where all
    are.
    """
    high = max(guess, 1e-6) * 1.02
    while (found := excess(high)) <= 0:
        if high >= LARGEST:
            return None, LARGEST
        high = min(high * 1.25, LARGEST)
    return high, found


def _guess(counts: Counts, risk: float) -> tuple[float, float]:
    """Two chances as far apart as a normal approximation of the joint test allows; only a place to
    start.
    """
    ndtri = audit_module("scipy.special").ndtri

    z = -float(ndtri(risk))
    p, q = (counts.hits + 0.5) / (counts.trials + 1), (counts.misses + 0.5) / (counts.others + 1)
    first, second = (1 - p) / p / counts.trials, (1 - q) / q / counts.others
    both = math.sqrt(first + second)
    return p * math.exp(-z * first / both), min(q * math.exp(z * second / both), 1.0)


def _below(number: float) -> float:
    """A parameter with room for the roundings of its formula."""
    return max(0.0, number * (1 - 1e-9))


def p_value_up(
    counts: Counts,
    curve: PromiseCurve,
    claimed: float,
    *,
    method: str = "joint",
    risk: float = 0.01,
) -> float:
    """How surprising these counts are if the claim holds, at most; never below a hundredth of the
    risk for the joint test.
    """
    if method == "joint":
        return tail_up(counts, curve, claimed, aside=_ASIDE * risk, grid=counts.grid)
    low, high = 1e-12, 1.0
    if strength_down(counts, curve, risk=low, method=method) > claimed:
        return low
    for _ in range(40):
        middle = math.sqrt(low * high)
        over = strength_down(counts, curve, risk=middle, method=method) > claimed
        low, high = (low, middle) if over else (middle, high)
    return high
