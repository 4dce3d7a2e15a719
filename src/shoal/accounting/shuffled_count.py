"""Shuffled answers to one bit: all that is released is how many ones there are; `shuffled_count.md`
has the proofs.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from shoal.accounting.count_profile import CountProfile
from shoal.exact import (
    Number,
    ball,
    float_down,
    float_up,
    lower,
    non_negative,
    open_unit,
    upper,
    whole,
)

Ones = NDArray[np.int64]

_MOST_BLOCKS = 1 << 13
"""Up to so many people every m has its own delta; above, numbers m share the delta of fewer people.
"""

MOST_PEOPLE = 10**9
HIGHEST_EPSILON = 60
_MARGIN = 2.0**-20
_ROUNDS = 12


def shuffled_binary_delta_up(local_epsilon: Number, *, people: int, epsilon: Number) -> Fraction:
    """The delta of shuffled answers to one bit, at an epsilon.

    Guarantee: answers of n people by randomized response on one bit with ε0, in random order, are
        together (epsilon, result)-DP for a person whose value changes: the largest delta over the
        number m of the others who hold a one.  Proof in `shuffled_count.md`.
    Needs: local_epsilon >= 0, people >= 1, epsilon >= 0.
    Edges: 0 from the local epsilon on.  Up to 8192 people it is the least delta but for a share of
        about 10^-6; above, it is that of 1/8192 fewer people.  More than 10^9 people are counted as
        10^9, and a local epsilon above 60 is not amplified.
    Reference: the proof is complete; Darroch 1964 for the place of the mode.

    >>> round(float(shuffled_binary_delta_up(1, people=1000, epsilon="0.13")), 9)
    6.74e-07
    """
    local, target = non_negative(local_epsilon, "local_epsilon"), non_negative(epsilon, "epsilon")
    n = min(whole(people, "people", at_least=1), MOST_PEOPLE)
    if target >= local:
        return Fraction(0)
    if local > HIGHEST_EPSILON:
        return Fraction(1)
    profile = _profile_above(local, target)
    return Fraction(1) if profile is None else Fraction(worst_delta(profile, n))


def shuffled_binary_delta_down(local_epsilon: Number, *, people: int, epsilon: Number) -> Fraction:
    """What delta shuffled answers to one bit need at an epsilon, at least: that of one instance.

    Guarantee: with all the others holding a one, or all but a few, no smaller delta is true at this
        epsilon.
    Needs: local_epsilon >= 0, people >= 1, epsilon >= 0.
    Edges: 0 from the local epsilon on, and for a local epsilon above 60.
    Reference: `shuffled_count.md`.
    """
    local, target = non_negative(local_epsilon, "local_epsilon"), non_negative(epsilon, "epsilon")
    n = whole(people, "people", at_least=1)
    profile = _profile_below(local, target)
    if profile is None or n > MOST_PEOPLE:
        return Fraction(0)
    return Fraction(profile.deltas(n - 1, _last(n))[0].max())


def shuffled_binary_epsilon_up(local_epsilon: Number, *, people: int, delta: Number) -> Fraction:
    """The epsilon of shuffled answers to one bit, at a delta.

    Guarantee: as `shuffled_binary_delta_up`; a search proposes the result, whose delta is then
        bounded for every m.
    Needs: local_epsilon >= 0, people >= 1, 0 < delta < 1.
    Edges: never above the local epsilon.  Within 10^-5 of the least epsilon up to 8192 people;
        above, 10^-4 was measured for a local epsilon up to 4 and 3 * 10^-4 for one of 8.
    Reference: as there.

    >>> round(float(shuffled_binary_epsilon_up(1, people=10_000, delta="1e-6")), 5)
    0.03566
    """
    local, risk = non_negative(local_epsilon, "local_epsilon"), open_unit(delta, "delta")
    n = min(whole(people, "people", at_least=1), MOST_PEOPLE)
    if local == 0 or local > HIGHEST_EPSILON:
        return local
    size, starts = _blocks(n, _MOST_BLOCKS)
    worst, margin = starts[-1:], _MARGIN
    for _ in range(_ROUNDS):
        guess = _least_epsilon(local, n - size, worst, float(risk))
        proposed = Fraction(guess * (1 + margin) + 2.0**-60)
        profile = None if proposed >= local else _profile_above(local, proposed)
        if profile is None:
            break
        deltas = profile.deltas(n - size, starts)[1]
        if Fraction(deltas.max()) <= risk:
            return proposed
        worst, margin = np.unique([*worst, starts[deltas.argmax()]]), 2 * margin
    return local


def shuffled_binary_epsilon_down(local_epsilon: Number, *, people: int, delta: Number) -> Fraction:
    """An epsilon below which shuffled answers to one bit need more than this delta.

    Guarantee: as `shuffled_binary_delta_down`.
    Needs: local_epsilon >= 0, people >= 1, 0 < delta < 1.
    Edges: 0 where nothing is shown.
    Reference: as there.
    """
    local, risk = non_negative(local_epsilon, "local_epsilon"), open_unit(delta, "delta")
    n = whole(people, "people", at_least=1)
    if not 0 < local <= HIGHEST_EPSILON or n > MOST_PEOPLE:
        return Fraction(0)
    guess = _least_epsilon(local, n - 1, _last(n), float(risk))
    proposed = Fraction(guess * (1 - _MARGIN))
    shown = shuffled_binary_delta_down(local, people=n, epsilon=proposed)
    return proposed if shown > risk else Fraction(0)


def worst_delta(profile: CountProfile, people: int, *, most_blocks: int | None = None) -> float:
    """At least the largest delta over all m."""
    size, starts = _blocks(people, most_blocks or _MOST_BLOCKS)
    return float(profile.deltas(people - size, starts)[1].max())


def _blocks(people: int, most: int) -> tuple[int, Ones]:
    """How many m share one delta, and the least m of each block among so many fewer others."""
    size = -(-people // most)
    starts = np.arange(people - size, -size, -size, dtype=np.int64)[::-1]
    return size, np.maximum(starts, 0)


def _last(people: int) -> Ones:
    return np.arange(max(0, people - 64), people, dtype=np.int64)


def _profile_above(local: Fraction, epsilon: Fraction) -> CountProfile | None:
    """Odds rounded up and the epsilon down, so that each delta is at least the true one; None where
    they meet.
    """
    odds = Fraction(float_up(upper(lambda: ball(local).exp())))
    gain = max(Fraction(1), lower(lambda: ball(epsilon).exp()))
    return None if gain >= odds else profile_for(odds, gain)


def profile_for(odds: Fraction, gain: Fraction) -> CountProfile:
    """The profile at odds that are a float and at e^epsilon, from 1 up to below them, or a little
    less.
    """
    return CountProfile(float(odds), float_down((gain * odds - 1) / (odds - gain)))


def _profile_below(local: Fraction, epsilon: Fraction) -> CountProfile | None:
    """Odds rounded down and the epsilon up, so that each delta is at most the true one; None where
    it is zero.
    """
    if local > HIGHEST_EPSILON:
        return None
    odds = Fraction(float_down(lower(lambda: ball(local).exp())))
    gain = upper(lambda: ball(epsilon).exp())
    if gain >= odds:
        return None
    return CountProfile(float(odds), float_up((gain * odds - 1) / (odds - gain)))


def _least_epsilon(local: Fraction, others: int, ones: Ones, delta: float) -> float:
    """About where the largest delta of these m is the one wanted; nothing rests on it."""
    odds, low, high = math.exp(local), 0.0, float(local)
    for _ in range(50):
        middle = (low + high) / 2
        gain = math.exp(middle)
        tilt = max(1.0, (gain * odds - 1) / (odds - gain)) if gain < odds else math.inf
        if tilt < 1e100 and CountProfile(odds, tilt).deltas(others, ones)[1].max() > delta:
            low = middle
        else:
            high = middle
    return high
