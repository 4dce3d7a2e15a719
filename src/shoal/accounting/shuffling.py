"""Amplification by shuffling: what the reports of many people cost in random order; `shuffling_clones` has
the argument.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
from flint import arb

from shoal.accounting.shuffling_clones import at_least, block_starts, clone_share, half_binomial
from shoal.exact import (
    Number,
    ball,
    is_below,
    non_negative,
    open_unit,
    upper,
    whole,
)
from shoal.floats import at_least_near

_FIRST_MARGIN, _MARGINS = Fraction(1, 2**12), 12


def shuffled_closed_epsilon_up(epsilon: Number, *, people: int, delta: Number) -> Fraction | None:
    """The epsilon of shuffled reports in closed form; None outside the range of the theorem.

    Guarantee: reports of n people by an ε0-DP randomizer, in random order, are together (result,
        δ)-DP for a person whose value changes: ln(1 + (e^ε0 - 1) / (e^ε0 + 1) (8 sqrt(e^ε0 ln(4/δ)
        / n) + 8 e^ε0 / n)), rounded up.
    Needs: epsilon >= 0, people >= 1, 0 < delta < 1; it holds for ε0 <= ln(n / (16 ln(2/δ))).
    Reference: Feldman, McMillan and Talwar 2021, Theorem 3.1.
    """
    local, n = non_negative(epsilon, "epsilon"), whole(people, "people", at_least=1)
    risk = open_unit(delta, "delta")
    if not is_below(lambda: ball(local).exp() * 16 * ball(2 / risk).log(), lambda: arb(n)):
        return None
    if local == 0:
        return local

    def amplified() -> arb:
        e = ball(local).exp()
        root = (e * ball(4 / risk).log() / n).sqrt()
        return ((ball(local) / 2).tanh() * (8 * root + 8 * e / n)).log1p()

    return min(local, upper(amplified))


def shuffled_delta_up(
    local_epsilon: Number, *, people: int, epsilon: Number, binary: bool = False
) -> Fraction:
    """The delta of shuffled reports at an epsilon, by counting clones.

    Guarantee: reports of n people by an ε0-DP randomizer, in random order, are together (epsilon,
        result)-DP for a person whose value changes; with ``binary`` the randomizer is randomized
        response on one bit.  Proof: by the head of `shuffling_clones` it is enough to bound E[d(c)], c ~
        Bin(n - 1, share) clones and d(c) the delta of the pair of laws of a.  Their ratio rises
        with a, so d(c) is a difference of two tails.  One clone more is a random function of the
        pair, so d falls with c; hence on a block of c it is at most its value at the block's least
        c, and below all blocks at most 1.
    Needs: local_epsilon >= 0, people >= 1, epsilon >= 0.
    Edges: 0 from the local epsilon on.
    Reference: Feldman, McMillan and Talwar 2021, Theorem 3.2; the proof above is complete.
    """
    local, target = non_negative(local_epsilon, "local_epsilon"), non_negative(epsilon, "epsilon")
    others = whole(people, "people", at_least=1) - 1
    if target >= local:
        return Fraction(0)
    starts = block_starts(others, float(math.exp(-min(local, Fraction(700)))), binary=binary)

    def delta() -> arb:
        share = clone_share(local, binary=binary)
        reached = [at_least(others, start, share) for start in starts] + [arb(0)]
        total = 1 - reached[0]
        for place, start in enumerate(starts):
            total += (reached[place] - reached[place + 1]) * _between_clones(local, target, start)
        return total

    return min(Fraction(1), upper(delta, bits=20))


def shuffled_epsilon_up(
    local_epsilon: Number, *, people: int, delta: Number, binary: bool = False
) -> Fraction:
    """The epsilon of shuffled reports at a delta: the least that is proved, by counting or closed
    form.

    Guarantee: as `shuffled_delta_up` and `shuffled_closed_epsilon_up`.  An approximate search
        proposes the result; that its delta is small enough is then decided by enclosures.
    Needs: local_epsilon >= 0, people >= 1, 0 < delta < 1.
    Edges: never above the local epsilon.  Within about 1 % of the least that counting clones gives.
    Reference: as there.

    >>> round(float(shuffled_epsilon_up(1, people=10_000, delta="1e-6")), 3)
    0.053
    """
    local, risk = non_negative(local_epsilon, "local_epsilon"), open_unit(delta, "delta")
    n = whole(people, "people", at_least=1)
    if local == 0:
        return local
    closed = shuffled_closed_epsilon_up(local, people=n, delta=risk)
    best = local if closed is None else closed
    guess = _approximate_epsilon(float(local), n, float(risk), binary=binary)
    margin = _FIRST_MARGIN
    for _ in range(_MARGINS):
        proposed = guess * (1 + margin)
        if proposed >= best:
            return best
        if shuffled_delta_up(local, people=n, epsilon=proposed, binary=binary) <= risk:
            return proposed
        margin *= 2
    return best


def _between_clones(local: Fraction, target: Fraction, clones: int) -> arb:
    """d(c) = Σ_a (P(a) - e^target Q(a))_+, enclosed.

    P(a) = w b(a - 1) + (1 - w) b(a) and Q(a) = (1 - w) b(a - 1) + w b(a) with b the law of Bin(c,
    1/2).  With b(a - 1) / b(a) = a / (c - a + 1), P exceeds e^target Q from a = first on, and the
    sum over a >= first is (w - e^target (1 - w)) b(first - 1) + (1 - e^target) P(Bin >= first).
    """
    gain, e = ball(target).exp(), ball(local).exp()
    turn = (gain * e - 1) / ((e - 1) * (gain + 1)) * (clones + 1)
    low, high = turn.lower().floor().unique_fmpz(), turn.upper().floor().unique_fmpz()
    if low is None or high is None:
        return arb(0, 1)
    best = arb(0)
    for first in range(int(low) + 1, min(int(high) + 1, clones + 1) + 1):
        told = (e - gain) / (1 + e) * half_binomial(clones, first - 1)
        best = best.max(told + (1 - gain) * at_least(clones, first, arb(1) / 2))
    return best


def _approximate_epsilon(local: float, people: int, delta: float, *, binary: bool) -> Fraction:
    """Where the delta is about the one wanted, in floats; nothing rests on it."""
    starts = np.array(block_starts(people - 1, math.exp(-min(local, 700)), binary=binary))
    share = 2 / (1 + math.exp(min(local, 700))) if binary else math.exp(-min(local, 700))
    reached = np.append(at_least_near(starts, people - 1, share), 0.0)
    reached[0] = 1.0 if starts[0] == 0 else reached[0]
    weights = reached[:-1] - reached[1:]
    w = 1 / (1 + math.exp(-local))

    def delta_at(epsilon: float) -> float:
        gain = math.exp(epsilon)
        turn = (gain * w - (1 - w)) / ((2 * w - 1) * (gain + 1)) * (starts + 1)
        first = np.floor(turn) + 1
        tails = np.where(first > starts, 0.0, at_least_near(first, np.maximum(starts, 1), 0.5))
        before = np.where(first <= 1, 1.0, at_least_near(first - 1, np.maximum(starts, 1), 0.5))
        terms = (w - gain * (1 - w)) * (before - tails) + (1 - gain) * tails
        return float(1 - reached[0] + weights @ np.clip(np.nan_to_num(terms), 0, 1))

    low, high = 0.0, local
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (middle, high) if delta_at(middle) > delta else (low, middle)
    return Fraction(high)
