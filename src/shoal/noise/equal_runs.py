"""One candidate out of very many that come in runs of equal score, drawn exactly.

A run of m candidates with the same score weighs m exp(rate * score).  A run is drawn by its weight,
then a candidate inside it, each equally likely: so every candidate is drawn with probability
proportional to exp(rate * score), as in `gumbel_race`, in time that grows with the number of runs
and not with that of candidates.  Proof: exactness.md, Runs.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable
from fractions import Fraction
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from shoal.errors import InternalError
from shoal.exact import ball
from shoal.noise import candidate_race
from shoal.noise.candidate_race import (
    CLEARLY_ACCEPTED,
    FIXED,
    Scores,
    exact_weight,
    float_rate,
    gaps_below,
)
from shoal.noise.exp_enclosures import upper_weights
from shoal.noise.ladder import WORD, falls_below
from shoal.noise.source import current, one_below

MOST_CANDIDATES = 1 << 42
"""So many candidates at most: a run of more could be taken for one whose weight is known well."""


Behind = Callable[[int, int], int]
"""How far the score of a candidate, by its run and its place inside, lies below that of its run."""


def run_race(
    scores: Scores,
    lengths: NDArray[np.int64],
    rate: Fraction,
    *,
    behind: Behind | None = None,
) -> tuple[int, int]:
    """The run and the place inside it of one candidate.

    Guarantee: each candidate of each run has a probability proportional to exp(rate * score),
        exactly; with ``behind`` the score of a run is the best of its candidates, and each has
        that score less what it lies behind.
    Needs: ``lengths`` of 1 or more, at most 2^42 together.
    """
    if not len(lengths) or int(lengths.min()) < 1 or int(lengths.sum()) > MOST_CANDIDATES:
        raise InternalError(
            "runs to choose from must hold 1 to 2^42 candidates.",
            remedy="Please report it with the range of the column that was asked for.",
        )
    lottery = _RunLottery(scores, lengths, rate)
    while True:
        run = lottery.draw()
        place = one_below(int(lengths[run]))
        if behind is None or _keeps(behind(run, place) * rate):
            return run, place


def _keeps(exponent: Fraction) -> bool:
    """Whether a candidate stays, with probability e to the minus ``exponent``."""
    word = int(current().words(np.uint64, 1)[0])
    return exponent == 0 or falls_below(lambda: ball(-exponent).exp(), word, WORD, current())


class _RunLottery:
    """Draws a run with probability proportional to length * exp(rate * score).

    Tickets are handed out by upper bounds of the weights, in units of 2^-40 of a power of two that
    is at or above the heaviest bound; the ticket's run is accepted with probability weight / bound.
    """

    def __init__(self, scores: Scores, lengths: NDArray[np.int64], rate: Fraction) -> None:
        self.scores, self.lengths, self.rate = scores, lengths, rate
        self.best, self.speed = scores.max(), float_rate(rate)
        self._last: tuple[int, NDArray[np.float64]] | None = None
        self._starts = range(0, len(scores), candidate_race.CHUNK)
        heaviest = max(float(self._bounds(start).max()) for start in self._starts)
        # A power of two, so that scaling by it is exact in floats.
        self.shift = FIXED - math.frexp(heaviest)[1]
        self.totals = list(accumulate(int(self.tickets(start).sum()) for start in self._starts))

    def draw(self) -> int:
        """The place of one run."""
        while True:
            ticket = one_below(self.totals[-1])
            chunk = bisect_right(self.totals, ticket)
            ticket -= self.totals[chunk - 1] if chunk else 0
            tickets = self.tickets(self._starts[chunk])
            place = int(np.searchsorted(np.cumsum(tickets), ticket, side="right"))
            if self.accepts(self._starts[chunk] + place, int(tickets[place])):
                return self._starts[chunk] + place

    def accepts(self, place: int, bound: int) -> bool:
        """Whether a ticket of a run that holds ``bound`` of them counts."""
        word = int(current().words(np.uint64, 1)[0])
        if bound >> 21 and word < CLEARLY_ACCEPTED:
            return True
        weight = exact_weight(self.best, self.scores[place], self.rate)
        share = Fraction(int(self.lengths[place])) * Fraction(2) ** self.shift / bound
        return falls_below(
            lambda: weight() * share.numerator / share.denominator, word, WORD, current()
        )

    def tickets(self, start: int) -> NDArray[np.int64]:
        """Whole numbers above 2^shift times each weight of one chunk."""
        tickets: NDArray[np.int64] = np.ldexp(self._bounds(start), self.shift).astype(np.int64)
        # astype cuts off; one more keeps the ticket count at or above the weight.
        tickets += 1
        return tickets

    def _bounds(self, start: int) -> NDArray[np.float64]:
        """Upper bounds of the weights of one chunk; those of the last one are kept, which is all
        there is where runs are few.
        """
        if self._last is None or self._last[0] != start:
            here = slice(start, start + candidate_race.CHUNK)
            bounds = upper_weights(gaps_below(self.best, self.scores[here]), self.speed)
            bounds *= self.lengths[here]
            self._last = start, bounds
        return self._last[1]
