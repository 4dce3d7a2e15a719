"""Shuffled answers to a question with several categories: those who answered at random are a
blanket.

In randomized response on k categories with odds E = e^ε0 everybody answers, with probability γ = k
/ (E + k - 1), uniformly at random, and otherwise truthfully.  Let it be told of all others who was
truthful, and what they said; the M others of the blanket and the one person whose value is a or b
then sent N = M + 1 reports, in random order.  Compared with N uniform ones, of which n_a say a and
n_b say b, their counts have the weight k ((E - 1) n_a + N) / (N (E + k - 1)) if the person's value
is a, and the same with n_b if it is b: the report of the person is each of the N with the same
chance.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction

import numpy as np
from flint import arb
from numpy.typing import NDArray

from shoal.accounting.shuffling_clones import at_least, block_edges, half_binomial
from shoal.exact import Number, ball, lower, non_negative, open_unit, upper, whole
from shoal.floats import at_least_near

Floats = NDArray[np.float64]

_FAR = 11
"""How many standard deviations of n_a + n_b are summed; what is beyond is bounded by its
probability.
"""
_STEPS, _CLOSE = 24, 2.0**-8
_FIRST_MARGIN = Fraction(1, 2**10)


def shuffled_response_delta_up(
    local_epsilon: Number, *, categories: int, people: int, epsilon: Number
) -> Fraction:
    """The delta of shuffled answers to a question with three or more categories, at an epsilon.

    Guarantee: answers of n people by randomized response with ε0 on k categories, in random order,
        are together (epsilon, result)-DP for a person whose value changes.  Proof: by the head of
        this file delta is at most the mean over M ~ Bin(n - 1, γ) of k / (N (E + k - 1)) times the
        mean of ((E - 1)(n_a - e^epsilon n_b) - (e^epsilon - 1) N)_+ for uniform reports.  One
        report more is a random function of the others, so this falls with M, and on a block of M is
        at most its value at the least one.  E is rounded up and e^epsilon down to rationals, which
        raises delta.
    Needs: local_epsilon >= 0, categories >= 3, people >= 1, epsilon >= 0.
    Edges: 0 from the local epsilon on.
    Reference: Balle, Bell, Gascón and Nissim 2019, for the blanket; the proof above is complete.

    >>> round(float(shuffled_response_delta_up(1, categories=10, people=1000, epsilon="0.05")), 5)
    0.0001
    """
    local, target = non_negative(local_epsilon, "local_epsilon"), non_negative(epsilon, "epsilon")
    k, n = whole(categories, "categories", at_least=3), whole(people, "people", at_least=1)
    if target >= local:
        return Fraction(0)
    odds, gain = upper(lambda: ball(local).exp()), lower(lambda: ball(target).exp())
    chance = k / (odds + k - 1)
    starts = block_edges(n - 1, float(chance))

    def delta() -> arb:
        reached = [at_least(n - 1, start, ball(chance)) for start in starts] + [arb(0)]
        total = 1 - reached[0]
        for place, start in enumerate(starts):
            total += (reached[place] - reached[place + 1]) * _needed(start + 1, k, odds, gain)
        return total

    return min(Fraction(1), upper(delta, bits=20))


def shuffled_response_epsilon_up(
    local_epsilon: Number, *, categories: int, people: int, delta: Number
) -> Fraction:
    """The epsilon of shuffled answers to a question with three or more categories, at a delta.

    Guarantee: as `shuffled_response_delta_up`; an approximate search proposes the result, which is
        then decided by enclosures.
    Needs: local_epsilon >= 0, categories >= 3, people >= 1, 0 < delta < 1.
    Edges: never above the local epsilon.  Takes some seconds for a hundred thousand people.
    Reference: as there.

    >>> round(float(shuffled_response_epsilon_up(1, categories=100, people=1000, delta="1e-6")), 3)
    0.026
    """
    local, risk = non_negative(local_epsilon, "local_epsilon"), open_unit(delta, "delta")
    k, n = whole(categories, "categories", at_least=3), whole(people, "people", at_least=1)
    if local == 0:
        return local
    margin = _FIRST_MARGIN
    guess = _approximate_epsilon(float(local), k, n, float(risk)) or margin
    while (proposed := guess * (1 + margin)) < local:
        found = shuffled_response_delta_up(local, categories=k, people=n, epsilon=proposed)
        if found <= risk:
            return proposed
        margin *= 2
    return local


def _needed(reports: int, k: int, odds: Fraction, gain: Fraction) -> arb:
    """The delta at N reports, at least.

    Given s = n_a + n_b, n_a ~ Bin(s, 1/2), and the payoff is positive from n_a = f on, f = floor((τ
    + gain s) / (1 + gain)) + 1 with τ = (gain - 1) N / (E - 1).  With T the chance of f or more and
    b that of f its mean is (E - 1) times (1 + gain) f b / 2 - ((gain - 1) s / 2 + τ) T.
    """
    first, last = _range(reports, 2 / k)
    threshold = (gain - 1) * reports / (odds - 1)
    total = arb(0)
    low, half = ball(threshold), ball((gain - 1) / 2)
    for s, f, weight, one, more in _sums(reports, k, (first, last), threshold, gain):
        total += weight * (ball((1 + gain) / 2) * f * one - (half * s + low) * more)
    share = ball(Fraction(k) / (odds + k - 1))
    inside = share * ball(odds - 1) / reports * total
    pair = ball(Fraction(2, k))
    beyond = at_least(reports, last + 1, pair) + 1 - at_least(reports, first, pair)
    return inside + share * ball(odds) * beyond


def _sums(
    reports: int, k: int, bounds: tuple[int, int], threshold: Fraction, gain: Fraction
) -> Iterator[tuple[int, int, arb, arb, arb]]:
    """For each s in turn: s, f, the chance of s, and b and T, each from the one before."""
    s, last = bounds
    while s <= last and _begin(s, threshold, gain) > s:
        s += 1
    if s > last:
        return
    f = _begin(s, threshold, gain)
    weight, one, more = _weight(reports, k, s), half_binomial(s, f), at_least(s, f, arb(1) / 2)
    odds = ball(Fraction(2, k - 2))
    while True:
        yield s, f, weight, one, more
        if s == last:
            return
        more = more + one * f / (2 * (s - f + 1))
        one = one * (s + 1) / (2 * (s + 1 - f))
        weight = weight * odds * (reports - s) / (s + 1)
        s += 1
        if _begin(s, threshold, gain) > f:
            more, one, f = more - one, one * (s - f) / (f + 1), f + 1


def _begin(s: int, threshold: Fraction, gain: Fraction) -> int:
    return math.floor((threshold + gain * s) / (1 + gain)) + 1


def _weight(reports: int, k: int, s: int) -> arb:
    """P(n_a + n_b = s)."""
    logs = arb(reports + 1).lgamma() - arb(s + 1).lgamma() - arb(reports - s + 1).lgamma()
    pair = ball(Fraction(2, k))
    return (logs + s * pair.log() + (reports - s) * (1 - pair).log()).exp()


def _range(reports: int, share: float) -> tuple[int, int]:
    mean, deviation = reports * share, math.sqrt(reports * share * (1 - share))
    reach = _FAR * deviation + _FAR
    return max(0, math.floor(mean - reach)), min(reports, math.ceil(mean + reach))


def _approximate_epsilon(local: float, k: int, people: int, delta: float) -> Fraction:
    """Where the delta is about the one wanted, in floats; nothing rests on it."""
    odds = math.exp(min(local, 700))
    chance = k / (odds + k - 1)
    starts = np.array(block_edges(people - 1, chance))
    reached = np.append(at_least_near(starts, people - 1, chance), 0.0)
    reached[0] = 1.0 if starts[0] == 0 else reached[0]

    def delta_at(epsilon: float) -> float:
        found = [_floats(int(m) + 1, k, odds, math.exp(epsilon)) for m in starts]
        return float(1 - reached[0] + (reached[:-1] - reached[1:]) @ np.array(found))

    # ln(delta) falls nearly like the square of epsilon: a chord in these finds the place in a few
    # steps
    low, high = 0.0, local
    above, below = math.log(max(delta_at(low), 1e-300) / delta), -800.0
    if above <= 0:
        return Fraction(0)
    for step in range(_STEPS):
        part = above / (above - below) if step % 3 else 0.25
        middle = math.sqrt(low**2 + part * (high**2 - low**2))
        found = math.log(max(delta_at(middle), 1e-300) / delta)
        if abs(found) < _CLOSE:
            return Fraction(middle)
        low, above, high, below = (
            (middle, found, high, below) if found > 0 else (low, above, middle, found)
        )
    return Fraction(high)


def _floats(reports: int, k: int, odds: float, gain: float) -> float:
    """`_needed` in floats."""
    first, last = _range(reports, 2 / k)
    s = np.arange(first, last + 1.0)
    tails = at_least_near(s, reports, 2 / k)
    tails[s == 0] = 1.0
    weight = tails - np.append(tails[1:], 0.0)
    threshold = (gain - 1) * reports / (odds - 1)
    f = np.floor((threshold + gain * s) / (1 + gain)) + 1
    tosses = np.maximum(s, 1).astype(np.int64)
    more = np.where(f > s, 0.0, at_least_near(f, tosses, 0.5))
    after = np.where(f + 1 > s, 0.0, at_least_near(f + 1, tosses, 0.5))
    payoff = (1 + gain) * f * (more - after) / 2 - ((gain - 1) * s / 2 + threshold) * more
    kept = np.clip(np.nan_to_num(payoff), 0, None)
    return float(k * (odds - 1) / (reports * (odds + k - 1)) * (weight @ kept))
