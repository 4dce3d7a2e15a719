"""Shuffled reports of a randomizer whose total variation is known: fewer of them differ, and more hide them.

Let a randomizer have the largest ratio E of the chances of a report under two values, and let β be the largest total variation between
two of its laws.  For two values with laws R0 and R1 put α = β / (E - 1) (for a smaller total variation a larger α is sound as well),
Q0 = (R0 - R1)_+ / β and Q1 = (R1 - R0)_+ / β.  Then R0 = Eα Q0 + α Q1 + (1 - (E + 1) α) Q2 and R1 = α Q0 + Eα Q1 + (1 - (E + 1) α) Q2 with one
law Q2: where R0 > R1, R0 - E (R0 - R1) / (E - 1) = (E R1 - R0) / (E - 1) >= 0, and on the other side likewise.  Any law R of the randomizer is at least
R0 / E >= α Q0 where Q0 lives and at least α Q1 where Q1 lives, so each of the n - 1 others sends a report from (Q0 + Q1) / 2 with
probability 2α.  Of all reports the order tells only how many come from each law.  With C ~ Bin(n - 1, 2α) such others, A ~ Bin(C, 1/2) of them from
Q0, whatever is released is a function of the pair (A + D0, C - A + D1), where (D0, D1) is (1, 0), (0, 1) or (0, 0) with chances Eα, α and the
rest for the first value, and with the first two exchanged for the second.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction

import numpy as np
from flint import arb

from shoal.accounting.clones import at_least, half_binomial
from shoal.errors import RangeError
from shoal.exact import (
    Number,
    ball,
    is_below,
    lower,
    non_negative,
    open_unit,
    rational,
    upper,
    whole,
)

_FIRST_MARGIN = Fraction(1, 2**10)
_POINTS = 1200
_STEPS = 22


def shuffled_variation_delta_up(
    odds: Number, *, variation: Number, people: int, epsilon: Number
) -> Fraction:
    """The delta of shuffled reports at an epsilon, from the largest ratio and the largest total variation of their laws.

    Guarantee: reports of n people, in random order, are together (epsilon, result)-DP for a person whose value changes, if no report is more
        than ``odds`` times as likely under one value as under another, and no two laws differ by more than ``variation``.  Proof: the head
        of this file bounds delta by that of a pair of laws on (m, a), all reports from Q0 or Q1 and those from Q0.  Compared with C = m, A = a the first law has the weight
        κ (E a + m - a) + 1 - (E + 1) α with κ = (1 - 2α) / (n - m), and the second the same with m - a for a.  So the first exceeds e^epsilon times the
        second from some a on, and for each m the sum is one of tails of Bin(m, 1/2), which are computed from those of m - 1.  What
        lies far from the mean of m is bounded by its probability.  e^epsilon is rounded down, which raises delta.
    Needs: odds above 1, 0 < variation <= (odds - 1) / (odds + 1), people >= 1, epsilon >= 0.
    Edges: 0 from the logarithm of the odds on.
    Reference: Wang, Peng, Li, Wen et al. 2024, for the bound; Feldman, McMillan and Talwar 2023; the proof above is complete.

    >>> round(float(shuffled_variation_delta_up(3, variation="1/2", people=1000, epsilon="0.1")), 6)
    0.000208
    """
    pair = _Pair.read(odds, variation, people)
    target = non_negative(epsilon, "epsilon")
    gain = lower(lambda: ball(target).exp())
    return pair.delta_up(gain, far=9.0)


def shuffled_variation_epsilon_up(
    odds: Number, *, variation: Number, people: int, delta: Number
) -> Fraction:
    """The epsilon of shuffled reports at a delta; see `shuffled_variation_delta_up`.

    Guarantee: as there; an approximate search proposes the result, which is then decided by enclosures.
    Needs: as there, and 0 < delta < 1.
    Edges: never above the logarithm of the odds.  Within about 0.1 % of the least that this bound gives.
    Reference: as there.

    >>> round(float(shuffled_variation_epsilon_up(3, variation="1/2", people=100_000, delta="1e-6")), 4)
    0.0141
    """
    pair, risk = _Pair.read(odds, variation, people), open_unit(delta, "delta")
    local = upper(lambda: ball(pair.odds).log())
    far = math.sqrt(2 * (9 - math.log(risk))) if risk > Fraction(1, 10**300) else 40.0
    guess, margin = pair.approximate_epsilon(float(risk)), _FIRST_MARGIN
    while (proposed := guess * (1 + margin)) < local:
        if pair.delta_up(lower(lambda: ball(proposed).exp()), far=far) <= risk:
            return proposed
        margin *= 2
    return local


def shuffled_stronger_epsilon_up(epsilon: Number, *, people: int, delta: Number) -> Fraction | None:
    """The epsilon of shuffled reports in the closed form of 2023; None outside the range of the theorem.

    Guarantee: reports of n people by an ε0-DP randomizer, in random order, are together (result, δ)-DP for a person whose value changes:
        ln(1 + (e^ε0 - 1) (4 sqrt(2 ln(4/δ) / ((e^ε0 + 1) n)) + 4 / n)), rounded up.
    Needs: epsilon >= 0, people >= 1, 0 < delta < 1; it holds for ε0 <= ln(n / (8 ln(2/δ)) - 1).
    Reference: Feldman, McMillan and Talwar 2023, Theorem 3.2.
    """
    local, n = non_negative(epsilon, "epsilon"), whole(people, "people", at_least=1)
    risk = open_unit(delta, "delta")
    if not is_below(lambda: (ball(local).exp() + 1) * 8 * ball(2 / risk).log(), lambda: arb(n)):
        return None
    if local == 0:
        return local

    def amplified() -> arb:
        e = ball(local).exp()
        root = (2 * ball(4 / risk).log() / ((e + 1) * n)).sqrt()
        return ((e - 1) * (4 * root + arb(4) / n)).log1p()

    return min(local, upper(amplified))


class _Pair:
    """The two laws of the head of this file, by E, α and n."""

    def __init__(self, odds: Fraction, variation: Fraction, people: int) -> None:
        self.odds, self.people = odds, people
        self.alpha = variation / (odds - 1)
        self.clone, self.rest = 2 * self.alpha, 1 - (odds + 1) * self.alpha

    @classmethod
    def read(cls, odds: Number, variation: Number, people: int) -> _Pair:
        ratio, largest = rational(odds, "odds"), rational(variation, "variation")
        if ratio <= 1 or not 0 < largest <= (ratio - 1) / (ratio + 1):
            raise RangeError(
                "odds must be above 1, and variation above 0 and at most (odds - 1) / (odds + 1).",
                remedy="Give the largest ratio and the largest total variation of the reports of two values.",
            )
        return cls(ratio, largest, whole(people, "people", at_least=1))

    def window(self, far: float) -> tuple[int, int]:
        """The numbers of reports from Q0 and Q1 that are summed."""
        mean = (self.people - 1) * float(self.clone)
        reach = far * math.sqrt(mean * float(1 - self.clone)) + far**2 / 2
        return max(0, math.floor(mean - reach)), min(self.people - 1, math.ceil(mean + reach))

    def turns(self, gain: Fraction) -> tuple[Fraction, Fraction]:
        """Slope and start of the line above which a must lie, over m."""
        below = (self.odds - 1) * (1 + gain)
        lifted = self.rest * (gain - 1) / ((1 - self.clone) * below)
        return (gain * self.odds - 1) / below - lifted, lifted * self.people

    def delta_up(self, gain: Fraction, *, far: float) -> Fraction:
        if gain >= self.odds:
            return Fraction(0)
        first, last = self.window(far)

        def delta() -> arb:
            chance = ball(self.clone)
            total = 1 - at_least(self.people - 1, first, chance)
            beyond = at_least(self.people - 1, last, chance)
            total += beyond * ball(self._last_share(gain)) if last == self.people - 1 else beyond
            grown, against = (ball(each) for each in self._payoff(gain))
            constant = ball(self.rest * (1 - gain))
            for m, f, weight, one, more in self._tails(first, last, gain):
                bend = weight / (self.people - m)
                total += bend * (grown * (m * more + f * one) - against * m * more)
                total += weight * constant * more
            return total

        return min(Fraction(1), upper(delta, bits=20))

    def _last_share(self, gain: Fraction) -> Fraction:
        """With all others from Q0 or Q1: the person must be, too, and pays at most this."""
        return (self.odds + 1) * self.alpha * (1 - gain / self.odds)

    def _payoff(self, gain: Fraction) -> tuple[Fraction, Fraction]:
        """κ (n - m) times (E - 1)(1 + gain) / 2, and times gain E - 1."""
        share = 1 - self.clone
        return share * (self.odds - 1) * (1 + gain) / 2, share * (gain * self.odds - 1)

    def _tails(
        self, first: int, last: int, gain: Fraction
    ) -> Iterator[tuple[int, int, arb, arb, arb]]:
        """For each m: m, the least a that counts, P(C = m), and the chances of that a and of it or more."""
        slope, start = self.turns(gain)
        common = math.lcm(slope.denominator, start.denominator)
        rise, begin = int(slope * common), int(start * common)
        m = first
        while m <= last and (rise * m + begin) // common + 1 > m:
            m += 1
        if m > last:
            return
        f = (rise * m + begin) // common + 1
        weight, ratio = self._weight(m), ball(self.clone / (1 - self.clone))
        one, more = half_binomial(m, f), at_least(m, f, arb(1) / 2)
        while True:
            yield m, f, weight, one, more
            if m == last:
                return
            more = more + one * f / (2 * (m - f + 1))
            one = one * (m + 1) / (2 * (m + 1 - f))
            weight = weight * ratio * (self.people - 1 - m) / (m + 1)
            m += 1
            if (rise * m + begin) // common + 1 > f:
                more, one, f = more - one, one * (m - f) / (f + 1), f + 1

    def _weight(self, m: int) -> arb:
        trials, chance = self.people - 1, ball(self.clone)
        logs = arb(trials + 1).lgamma() - arb(m + 1).lgamma() - arb(trials - m + 1).lgamma()
        return (logs + m * chance.log() + (trials - m) * (1 - chance).log()).exp()

    def approximate_epsilon(self, delta: float) -> Fraction:
        """Where the delta is about the one wanted, in floats, from some of all m; nothing rests on it."""
        from scipy.special import bdtrc, gammaln  # noqa: PLC0415 - slow to load, and needed here only

        first, last = self.window(8.0)
        m = np.unique(np.linspace(first, last, _POINTS).astype(np.int64))
        trials, chance = self.people - 1, float(self.clone)
        logs = gammaln(trials + 1) - gammaln(m + 1) - gammaln(trials - m + 1)
        weight = np.exp(logs + m * math.log(chance) + (trials - m) * math.log1p(-chance))
        weight /= weight.sum()
        bend, tosses = 1 / (self.people - m), np.maximum(m, 1)

        def delta_at(epsilon: float) -> float:
            gain = Fraction(math.exp(epsilon))
            slope, start = (float(each) for each in self.turns(gain))
            grown, against = (float(each) for each in self._payoff(gain))
            f = np.floor(slope * m + start) + 1
            more = np.where(f > m, 0.0, bdtrc(f - 1, tosses, 0.5))
            before = bdtrc(np.maximum(f - 2, 0), np.maximum(m - 1, 1), 0.5)
            before = np.where(f > m, 0.0, np.where(f <= 1, 1.0, before))
            paid = bend * m * (grown * before - against * more)
            paid += float(self.rest * (1 - gain)) * more
            return float(weight @ np.clip(np.nan_to_num(paid), 0, None))

        low, high = 0.0, math.log(self.odds)
        for _ in range(_STEPS):
            middle = (low + high) / 2
            low, high = (middle, high) if delta_at(middle) > delta else (low, middle)
        return Fraction(high)
