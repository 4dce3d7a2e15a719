"""Races: choose one candidate out of very many by noisy scores, exactly.

Every race is decided by cheap certified bounds for all candidates and by rigorous arithmetic for
the few that the bounds leave open; `exactness.md` has the proofs.

* `gumbel_race`: the largest of score + Gumbel noise, which is a draw with P(i) proportional to
  exp(rate * score_i); with ``places`` > 1 the first so many of the ranking.
* `exponential_race`: the largest of score + exponential noise, which is permute-and-flip.
* `laplace_race`: the largest of score + Laplace noise.
"""

from __future__ import annotations

from bisect import bisect_right
from fractions import Fraction
from itertools import accumulate
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.errors import RangeError
from shoal.exact import IntegerArray, Real, ball, float_up, short
from shoal.noise.exp_enclosures import SLACK, upper_weights
from shoal.noise.integer_samplers import floored_laplace
from shoal.noise.ladder import WORD, falls_below
from shoal.noise.source import current, one_below

Scores = IntegerArray | NDArray[np.float64]
"""Scores with an exact value each: int64, float64, or Python's integers and fractions as objects.
"""

CHUNK = 1 << 14
FIXED = 40
"""Weights are compared in units of 2^-40 of the heaviest."""
CLEARLY_ACCEPTED = (1 << 64) - (1 << 46)
"""Words below this accept every candidate whose bound is at least 2^21."""
_SLOWEST, _FASTEST = Fraction(1, 10**290), Fraction(10**290)
_LAPLACE_STEPS = 1 << 20
"""The Laplace race first draws noise in steps of 2^-20 of its scale."""


def gumbel_race(scores: Scores, rate: Fraction, *, places: int = 1) -> list[int]:
    """The first ``places`` candidates by score + Gumbel noise of scale 1 / rate, best first.

    Guarantee: each place goes to a remaining candidate with probability proportional to
        exp(rate * score), exactly.
    """
    chosen: list[int] = []
    lottery = _Lottery(scores, np.arange(len(scores)), rate)
    refused = 0
    while len(chosen) < places:
        drawn = lottery.draw()
        if drawn not in chosen:
            chosen.append(drawn)
            continue
        refused += 1
        # Where those already chosen hold most tickets, draws would be refused again and again; a
        # new lottery leaves them out, at the cost of one pass over all scores.
        if refused % 16 == 0:
            lottery = lottery.without(chosen)
    return chosen


def exponential_race(scores: Scores, rate: Fraction) -> int:
    """The winner by score + exponential noise of scale 1 / rate.

    Each candidate enters a lottery with probability exp(-rate * (best - score)), the best ones
    always; the winner is drawn uniformly from the lottery, as permute-and-flip does one by one.
    """
    best, speed = scores.max(), float_rate(rate)
    entered: list[NDArray[np.intp]] = []
    for start in range(0, len(scores), CHUNK):
        piece = scores[start : start + CHUNK]
        upper = upper_weights(gaps_below(best, piece), speed)
        upper *= 2.0**32
        draws = current().words(np.uint32, len(piece))
        places = np.flatnonzero(draws < upper)
        low, high = upper[places] * (1 - SLACK) - 1, draws[places]
        for open_place in np.flatnonzero(high >= low):
            place = int(places[open_place])
            chance = exact_weight(best, piece[place], rate)
            if not falls_below(chance, int(high[open_place]), 32, current()):
                places[open_place] = -1
        entered.append(places[places >= 0] + start)
    lottery = np.concatenate(entered)
    return int(lottery[one_below(len(lottery))])


def laplace_race(scores: Scores, rate: Fraction) -> int:
    """The winner by score + continuous Laplace noise of scale 1 / rate."""
    best, speed = scores.max(), float_rate(rate)
    # The floor of the noise decides nearly always; further digits are drawn for those who are too
    # close.
    noise = floored_laplace(Fraction(_LAPLACE_STEPS)).many(len(scores))
    heights = gaps_below(best, scores)
    with np.errstate(over="ignore"):  # minus infinity is out of the race
        heights *= -speed
        heights *= _LAPLACE_STEPS
    heights += noise.astype(np.float64)
    highest = heights.max()
    # Heights are off by less than 2^-49 of their parts, and two noises have up to a step each
    # that is not drawn yet; exactness.md proves this margin.
    unsure = (abs(highest) + float(noise.max())) * 2.0**-40 + 3
    contenders = np.flatnonzero(heights >= highest - unsure)
    if len(contenders) == 1:
        return int(contenders[0])
    return _photo_finish(
        {
            int(place): _Runner(
                _exponent(best, scores[place], rate) * _LAPLACE_STEPS, int(noise[place])
            )
            for place in contenders
        }
    )


def gaps_below(best: Any, scores: Scores) -> NDArray[np.float64]:
    """The gap, best - score, for each, within 2^-52 in relative terms, infinite beyond the floats,
    never NaN.
    """
    if scores.dtype == np.int64:
        # In unsigned arithmetic modulo 2^64 the difference of any two int64 is exact; as int64 it
        # could overflow.
        return (np.uint64(int(best) % 2**64) - scores.view(np.uint64)).astype(np.float64)
    if scores.dtype == np.float64:
        with np.errstate(over="ignore"):
            return np.asarray(best - scores, dtype=np.float64)
    return np.array([float_up(_exactly(best) - _exactly(score)) for score in scores])


class _Lottery:
    """Draws candidates with probability proportional to exp(rate * score).

    Tickets are handed out by upper bounds of the weights; the ticket's candidate is accepted with
    probability weight / bound, which lies within 2^-18 of 1 unless the weight is tiny.
    """

    def __init__(self, scores: Scores, names: NDArray[np.intp], rate: Fraction) -> None:
        self.scores, self.names, self.rate = scores, names, rate
        self.best, self.speed = scores.max(), float_rate(rate)
        self.totals = list(
            accumulate(int(self._tickets(start).sum()) for start in range(0, len(scores), CHUNK))
        )

    def draw(self) -> int:
        """The name of one candidate."""
        while True:
            ticket = one_below(self.totals[-1])
            chunk = bisect_right(self.totals, ticket)
            ticket -= self.totals[chunk - 1] if chunk else 0
            tickets = self._tickets(chunk * CHUNK)
            place = int(np.searchsorted(np.cumsum(tickets), ticket, side="right"))
            if self._accepts(chunk * CHUNK + place, int(tickets[place])):
                return int(self.names[chunk * CHUNK + place])

    def without(self, chosen: list[int]) -> _Lottery:
        """The lottery of the candidates that were not chosen."""
        left = ~np.isin(self.names, chosen)
        return _Lottery(self.scores[left], self.names[left], self.rate)

    def _accepts(self, place: int, bound: int) -> bool:
        word = int(current().words(np.uint64, 1)[0])
        # Weight over bound is within 2^-18 of 1 here, so this word accepts whatever the weight
        # is; no exponential is computed.
        if bound >> 21 and word < CLEARLY_ACCEPTED:
            return True
        weight = exact_weight(self.best, self.scores[place], self.rate)
        return falls_below(lambda: weight() * (1 << FIXED) / bound, word, WORD, current())

    def _tickets(self, start: int) -> NDArray[np.int64]:
        """Whole numbers at or above 2^40 times each weight of one chunk."""
        gaps = gaps_below(self.best, self.scores[start : start + CHUNK])
        upper = upper_weights(gaps, self.speed)
        upper *= 1 << FIXED
        tickets: NDArray[np.int64] = upper.astype(np.int64)
        # astype cuts off; one more keeps the ticket count at or above the weight.
        tickets += 1
        return tickets


def exact_weight(best: Any, score: Any, rate: Fraction) -> Real:
    """exp(-rate * (best - score)) as a real number."""
    exponent = -_exponent(best, score, rate)
    return lambda: ball(exponent).exp()


def _exponent(best: Any, score: Any, rate: Fraction) -> Fraction:
    return (_exactly(best) - _exactly(score)) * rate


def _exactly(score: Any) -> Fraction:
    return Fraction(score.item() if isinstance(score, np.generic) else score)


def float_rate(rate: Fraction) -> float:
    """The nearest float, for rates that can be drawn with."""
    if not _SLOWEST <= rate <= _FASTEST:
        raise RangeError(
            f"scores count {short(rate)} times each in this choice; 10^-290 to 10^290 can be drawn.",
            remedy="Choose an epsilon and a sensitivity nearer to each other.",
        )
    return rate.numerator / rate.denominator


class _Runner:
    """A score and its Laplace noise in steps, the noise known to more and more binary digits.

    The binary digits of the fraction of an exponential variable are independent; the one of value
    2^-j is 1 with probability 1 / (1 + exp(2^-j / scale)).
    """

    def __init__(self, behind: Fraction, floor: int) -> None:
        self.behind = behind
        self.sign = -1 if floor < 0 else 1
        self.magnitude = Fraction(~floor if floor < 0 else floor)
        self.digits = 0

    def draw_digit(self) -> None:
        self.digits += 1
        value = Fraction(1, 1 << self.digits)
        word = int(current().words(np.uint64, 1)[0])
        if falls_below(lambda: 1 / (1 + ball(value / _LAPLACE_STEPS).exp()), word, WORD, current()):
            self.magnitude += value

    def reach(self) -> tuple[Fraction, Fraction]:
        """The lowest and the highest this runner can still end."""
        ends = (self.magnitude, self.magnitude + Fraction(1, 1 << self.digits))
        heights = [self.sign * end - self.behind for end in ends]
        return min(heights), max(heights)


def _photo_finish(runners: dict[int, _Runner]) -> int:
    """Draw digits until one runner is ahead of all others."""
    while len(runners) > 1:
        ahead = max(runner.reach()[0] for runner in runners.values())
        runners = {place: runner for place, runner in runners.items() if runner.reach()[1] >= ahead}
        for runner in runners.values():
            runner.draw_digit()
    return next(iter(runners))
