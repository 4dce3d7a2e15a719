"""A secret number of runs, of which only the best is released, and how many are done to hide it."""

from __future__ import annotations

import math

from shoal.noise.source import one_below

_RARE = 2.0**-40


def drawn_runs(mean: int) -> int:
    """A Poisson number with a whole mean, exactly: the sum of so many of mean 1.

    Each is proposed as k with probability 2^-(k + 1), and kept with probability 2^k / (2 k!), which
    is at most 1: what is kept has probability in proportion to 1 / k!.
    """
    total = 0
    for _ in range(mean):
        while True:
            proposed = 0
            while one_below(2):
                proposed += 1
            if one_below(2 * math.factorial(proposed)) < 2**proposed:
                break
        total += proposed
    return total


def work_of(mean: int) -> int:
    """How many runs are done whatever was drawn: nearly always more than that.  So how long a search
    takes tells nothing of the number.
    """
    chance, below, at = math.exp(-mean), math.exp(-mean), 0
    while 1 - below > _RARE and at < 20 * mean + 100:
        at += 1
        chance *= mean / at
        below += chance
    return at
