"""Shuffled reports of a randomizer whose total variation is known: fewer of them differ, and more
hide them.

Let a randomizer have the largest ratio E of the chances of a report under two values, and let two
values have laws R0 and R1 with total variation β0.  Put a = β0 / (E - 1), Q0 = (R0 - R1)_+ / β0 and
Q1 = (R1 - R0)_+ / β0.  Then R0 = E a Q0 + a Q1 + (1 - (E + 1) a) Q2 and R1 = a Q0 + E a Q1 + (1 -
(E + 1) a) Q2 with one law Q2: where R0 > R1, R0 - E (R0 - R1) / (E - 1) = (E R1 - R0) / (E - 1) >=
0, and on the other side likewise.  Any law R of the randomizer is at least max(R0, R1) / E, which
is a Q0 + a Q1 + r Q2 with r = 1 / E - a (E + 1) / E >= 1 / E - 2a.  So each of the n - 1 others
sends, with chance 1 / E, a report from E a Q0 + E a Q1 + (1 - 2 E a) Q2.

It is not enough to count the reports from Q0 and Q1, as if the others sent none from Q2: given
these two counts the chance that the person's own report is among them depends on the value, and the
remaining reports tell something of it.  (Four-ary response with odds 3 and three people needs a
delta of 5/108 at e^epsilon = 2; by those two counts it would be 7/216.)  So the reports from Q2 are
counted as well.

Let β >= β0 bound the total variation of every two laws and α = β / (E - 1), with 2 E α < 1.  Call
each report from Q0 or Q1 one from Q2 with chance 1 - a / α: the counts for α turn into those for a.
So the pair for α stands above all of them: M ~ Bin(n - 1, 1 / E) others and the person send N = M +
1 reports of kinds 0, 1 and 2, the others with chances E α, E α and 1 - 2 E α, the person with E α,
α and 1 - (E + 1) α, or with the first two exchanged.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction

import numpy as np
from flint import arb

from shoal.accounting.shuffling import shuffled_delta_up, shuffled_epsilon_up
from shoal.accounting.shuffling_clones import at_least, block_edges, half_binomial
from shoal.errors import RangeError
from shoal.exact import (
    Number,
    ball,
    lower,
    non_negative,
    open_unit,
    rational,
    upper,
    whole,
)
from shoal.floats import at_least_near, binomial_mass

_FIRST_MARGIN = Fraction(1, 2**10)
_FAR = 9
_POINTS = 400
_STEPS = 22


def shuffled_variation_delta_up(
    odds: Number, *, variation: Number, people: int, epsilon: Number
) -> Fraction:
    """The delta of shuffled reports at an epsilon, from the largest ratio and the largest total
    variation of their laws.

    Guarantee: reports of n people, in random order, are together (epsilon, result)-DP for a person
        whose value changes, if no report is more than ``odds`` times as likely under one value as
        under another, and no two laws differ by more than ``variation``.  Proof: by the head of
        this file delta is at most the mean over M of the mean of ((1 - g / E) n0 - (g - 1 / E) n1 -
        (g - 1) τ n2)_+ / N, for N reports with the chances of the others, g = e^epsilon and τ = (1
        - (E + 1) α) / (1 - 2 E α).  One report more is a random function of the others, so this
        falls with M, and on a block of M is at most its value at the least one.  Given n0 + n1 the
        mean is one of tails of a fair binomial law.  What lies far from the mean of n0 + n1 is
        bounded by its probability.  g is rounded down, which raises delta.
    Needs: odds above 1, 0 < variation <= (odds - 1) / (odds + 1), people >= 1, epsilon >= 0.
    Edges: 0 from the logarithm of the odds on; where 2 E α >= 1, the count of clones.
    Reference: Feldman, McMillan and Talwar 2021, for the clones; the proof above is complete.  The
        variation-ratio bound of Wang, Peng, Li, Wen et al.  2024 counts two kinds only and is false
        for four-ary response.

    >>> round(float(shuffled_variation_delta_up(3, variation="1/6", people=1000, epsilon="0.05")), 6)
    0.000279
    """
    pair = _Pair.read(odds, variation, people)
    target = non_negative(epsilon, "epsilon")
    if pair.kinds_are_too_few:
        return shuffled_delta_up(pair.local, people=pair.people, epsilon=target)
    return pair.delta_up(lower(lambda: ball(target).exp()))


def shuffled_variation_epsilon_up(
    odds: Number, *, variation: Number, people: int, delta: Number
) -> Fraction:
    """The epsilon of shuffled reports at a delta; see `shuffled_variation_delta_up`.

    Guarantee: as there; an approximate search proposes the result, which is then decided by
        enclosures.
    Needs: as there, and 0 < delta < 1.
    Edges: never above the logarithm of the odds.
    Reference: as there.

    >>> round(float(shuffled_variation_epsilon_up(3, variation="1/6", people=10_000, delta="1e-6")), 4)
    0.0272
    """
    pair, risk = _Pair.read(odds, variation, people), open_unit(delta, "delta")
    if pair.kinds_are_too_few:
        return shuffled_epsilon_up(pair.local, people=pair.people, delta=risk)
    guess, margin = pair.approximate_epsilon(float(risk)), _FIRST_MARGIN
    while (proposed := guess * (1 + margin)) < pair.local:
        if pair.delta_up(lower(lambda: ball(proposed).exp())) <= risk:
            return proposed
        margin *= 2
    return pair.local


class _Pair:
    """The two laws of the head of this file, by E, α and n."""

    def __init__(self, odds: Fraction, variation: Fraction, people: int) -> None:
        self.odds, self.people = odds, people
        self.alpha = variation / (odds - 1)
        self.share = 2 * odds * self.alpha
        """The chance that a report of the others' kinds is 0 or 1."""

    @classmethod
    def read(cls, odds: Number, variation: Number, people: int) -> _Pair:
        ratio, largest = rational(odds, "odds"), rational(variation, "variation")
        if ratio <= 1 or not 0 < largest <= (ratio - 1) / (ratio + 1):
            raise RangeError(
                "odds must be above 1, and variation above 0 and at most (odds - 1) / (odds + 1).",
                remedy="Give the largest ratio and the largest total variation of the reports of two values.",
            )
        return cls(ratio, largest, whole(people, "people", at_least=1))

    @property
    def local(self) -> Fraction:
        return upper(lambda: ball(self.odds).log())

    @property
    def kinds_are_too_few(self) -> bool:
        return self.share >= 1

    def line(self, gain: Fraction, reports: int) -> tuple[Fraction, Fraction]:
        """Slope and start, over s = n0 + n1, of the line that (1 + g) n0 must exceed.

        E / (E - 1) times the payoff is (1 + g) n0 - g s - c (s + E τ (N - s)) with c = (g - 1) / (E
        - 1).
        """
        c = (gain - 1) / (self.odds - 1)
        weight = self.odds * (1 - (self.odds + 1) * self.alpha) / (1 - self.share)
        return gain + c * (1 - weight), c * weight * reports

    def delta_up(self, gain: Fraction) -> Fraction:
        if gain >= self.odds:
            return Fraction(0)
        starts = block_edges(self.people - 1, float(1 / self.odds))

        def delta() -> arb:
            chance, others = ball(1 / self.odds), self.people - 1
            reached = [*(at_least(others, start, chance) for start in starts), arb(0)]
            total = 1 - reached[0]
            for place, start in enumerate(starts):
                total += (reached[place] - reached[place + 1]) * self._needed(start + 1, gain)
            return total

        return min(Fraction(1), upper(delta, bits=20))

    def _needed(self, reports: int, gain: Fraction) -> arb:
        """The delta at N reports, at least."""
        first, last = self._window(reports)
        slope, start = self.line(gain, reports)
        pair, total = ball(self.share), arb(0)
        rise, begin, both = ball(slope), ball(start), ball((1 + gain) / 2)
        for s, f, weight, one, more in self._tails(reports, gain, first, last):
            # E[n0; n0 >= f] = (s T + f b) / 2
            total += weight * (both * (s * more + f * one) - (rise * s + begin) * more)
        beyond = at_least(reports, last + 1, pair) + 1 - at_least(reports, first, pair)
        return total * ball((self.odds - 1) / (self.odds * reports)) + beyond

    def _window(self, reports: int) -> tuple[int, int]:
        share = float(self.share)
        reach = _FAR * math.sqrt(reports * share * (1 - share)) + _FAR**2 / 2
        mean = reports * share
        return max(0, math.floor(mean - reach)), min(reports, math.ceil(mean + reach))

    def _tails(
        self, reports: int, gain: Fraction, first: int, last: int
    ) -> Iterator[tuple[int, int, arb, arb, arb]]:
        """For each s: s, the least n0 that counts, P(s), and the chances of that n0 and of it or
        more.
        """
        slope, start = (each / (1 + gain) for each in self.line(gain, reports))
        common = math.lcm(slope.denominator, start.denominator)
        rise, begin = int(slope * common), int(start * common)
        f, one, more = -1, arb(0), arb(0)  # -1: no n0 counts
        weight, ratio = self._weight(reports, first), ball(self.share / (1 - self.share))
        for s in range(first, last + 1):
            least = max(0, (rise * s + begin) // common + 1)
            if least > s:
                f = -1
            elif f < 0:
                f, one, more = least, half_binomial(s, least), at_least(s, least, arb(1) / 2)
            else:
                # from s - 1 to s, then along n0
                more = more + one * f / (2 * (s - f))
                one = one * s / (2 * (s - f))
                while f < least:
                    more, one, f = more - one, one * (s - f) / (f + 1), f + 1
                while f > least:
                    one = one * f / (s - f + 1)
                    more, f = more + one, f - 1
            if f >= 0:
                yield s, f, weight, one, more
            weight = weight * ratio * (reports - s) / (s + 1)

    def _weight(self, reports: int, s: int) -> arb:
        chance = ball(self.share)
        logs = arb(reports + 1).lgamma() - arb(s + 1).lgamma() - arb(reports - s + 1).lgamma()
        return (logs + s * chance.log() + (reports - s) * (1 - chance).log()).exp()

    def approximate_epsilon(self, delta: float) -> Fraction:
        """Where the delta is about the one wanted, in floats, from some of all M and s; nothing
        rests on it.
        """
        starts = np.array(block_edges(self.people - 1, float(1 / self.odds)))
        reached = np.append(
            at_least_near(starts, max(1, self.people - 1), float(1 / self.odds)), 0.0
        )
        reached[0] = 1.0 if starts[0] == 0 else reached[0]
        blocks = [
            (chance, int(m) + 1)
            for chance, m in zip(reached[:-1] - reached[1:], starts, strict=True)
            if chance > delta * 1e-3
        ]

        def delta_at(epsilon: float) -> float:
            gain, total = Fraction(math.exp(epsilon)), 1 - float(reached[0])
            for chance, reports in blocks:
                s = np.unique(np.linspace(*self._window(reports), _POINTS).astype(np.int64))
                weight = binomial_mass(s, reports, float(self.share))
                slope, start = (float(each) for each in self.line(gain, reports))
                line, grown = slope * s + start, 1 + float(gain)
                f = np.maximum(0, np.floor(line / grown) + 1)
                more, one = at_least_near(f, s, 0.5), binomial_mass(f, s, 0.5)
                paid = np.clip(grown / 2 * (s * more + f * one) - line * more, 0, None)
                scale = (float(self.odds) - 1) / (float(self.odds) * reports)
                total += chance * scale * float(weight @ paid) / max(float(weight.sum()), 1e-300)
            return total

        low, high = 0.0, math.log(self.odds)
        for _ in range(_STEPS):
            middle = (low + high) / 2
            low, high = (middle, high) if delta_at(middle) > delta else (low, middle)
        return Fraction(high)
