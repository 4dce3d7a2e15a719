"""Choices of bounded range: what the exponential mechanism costs many times over, exactly.

A release has range ε if, between any two neighbours, all its losses lie in some interval [t - ε,
t]; then 0 <= t <= ε.  Spreading e^-loss out to the ends of the interval keeps its mean, which is 1
under P, and only raises what is needed.  So the worst release of this range has two losses: t, with
probability p = (e^ε - e^t) / (e^ε - 1) under P and p e^-t under Q, and t - ε.  Only t is free.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
from flint import arb
from numpy.typing import NDArray

from shoal.exact import (
    Number,
    ball,
    closed_unit,
    holdable_up,
    non_negative,
    precision_in_force,
    upper,
    whole,
)
from shoal.floats import at_least_near
from shoal.measures.curve import order_above_one

Floats = NDArray[np.float64]

_FIRST_MARGIN = Fraction(1, 2**36)


def bounded_range_delta_up(range_epsilon: Number, *, count: int, epsilon: Number) -> Fraction:
    """The delta at an epsilon of choices that were all fixed in advance.

    Guarantee: ``count`` releases of range ε, none of which was chosen in view of the answers of
        others, are together (epsilon, result)-DP; the least such delta, rounded up.  Proof: among
        two releases with t1 + t2 fixed and all else fixed, what is needed is linear in e^-t1 +
        e^-t2, with a factor (A0 - A1) - K (A0 - 2 A1 + A2), where K = e^ε / (e^ε - 1) and A_j is
        what is needed once j of the two have the smaller loss.  Each A_j is a mean of (e^(x - jε) -
        e^epsilon)_+, for which A1 - A2 <= e^-ε (A0 - A1); so the factor is at most 0, and equal t
        are worst.  With one t, I the number of smaller losses and G_l(t) = P(I <= l) - e^epsilon
        Q(I <= l), the delta is the largest of all G_l(t); G_l rises up to t = (epsilon + (l + 1) ε)
        / (count + 1) and falls from there on.
    Needs: range_epsilon >= 0, count >= 0, epsilon >= 0.
    Edges: 0 from count times ε on.  Releases chosen one after another can need more; `account`
        prices those.
    Reference: Dong, Durfee and Rogers 2020, for the theorem; the proof above is complete.

    >>> round(float(bounded_range_delta_up(1, count=2, epsilon=1)), 6)
    0.057005
    """
    each, target = non_negative(range_epsilon, "range_epsilon"), non_negative(epsilon, "epsilon")
    copies = whole(count, "count", at_least=0)
    if each * copies <= target:
        return Fraction(0)
    return min(Fraction(1), upper(lambda: _needed(each, copies, target)))


def bounded_range_epsilon_up(range_epsilon: Number, *, count: int, delta: Number) -> Fraction:
    """The epsilon at a delta of choices that were all fixed in advance, rounded up; see
    `bounded_range_delta_up`.

    Edges: delta 0 gives count times ε, delta 1 gives 0.

    >>> round(float(bounded_range_epsilon_up("0.5", count=100, delta="1e-6")), 4)
    14.3054
    """
    each, risk = non_negative(range_epsilon, "range_epsilon"), closed_unit(delta, "delta")
    copies = whole(count, "count", at_least=0)
    most = each * copies
    if risk in (0, 1) or most == 0:
        return most * (1 - risk)

    if bounded_range_delta_up(each, count=copies, epsilon=0) <= risk:
        return Fraction(0)
    guess, margin = _approximate_epsilon(float(each), copies, float(risk)), _FIRST_MARGIN
    while (proposed := guess * (1 + margin)) < most:
        if bounded_range_delta_up(each, count=copies, epsilon=proposed) <= risk:
            return proposed
        margin *= 4
    return most


def _needed(each: Fraction, copies: int, target: Fraction) -> arb:
    """The largest of all G_l at its best t, l up to copies - target / ε; further on G_(l-1) is
    larger than G_l.

    By Chernoff G_l is at most exp(-copies KL(l / copies, ρ)), ρ the chance of a smaller loss under
    P; most l are left out for this bound.
    """
    last = min(copies - 1, math.floor(copies - target / each))
    tests = [(few, (target + (few + 1) * each) / (copies + 1)) for few in range(last + 1)]
    near = _likeliest(float(each), copies, float(target), last)
    best = _test(each, copies, target, *tests[near])
    for few, t in tests:
        if few != near and t < each and not _chernoff(each, copies, few, t) < best:
            best = best.max(_test(each, copies, target, few, t))
    return best


def _chernoff(each: Fraction, copies: int, few: int, t: Fraction) -> arb:
    chance, share = ball(t).expm1() / ball(each).expm1(), ball(Fraction(few, copies))
    if few == 0:
        return (copies * (1 - chance).log()).exp()
    if not share < chance:
        return arb(1)
    far = share * (share / chance).log() + (1 - share) * ((1 - share) / (1 - chance)).log()
    return (-copies * far).exp()


def _test(each: Fraction, copies: int, target: Fraction, few: int, t: Fraction) -> arb:
    """G_l(t), the sum over i <= l of P(I = i) (1 - e^(target - copies t + i ε)), enclosed.

    The terms' probabilities fall by P(i - 1) / P(i) = i (1 - ρ) / ((copies - i + 1) ρ), ever
    faster; once they halve and are small, what is left out is at most the last one.
    """
    chance = ball(t).expm1() / ball(each).expm1()
    odds = (1 - chance) / chance
    logs = arb(copies + 1).lgamma() - arb(few + 1).lgamma() - arb(copies - few + 1).lgamma()
    mass = (logs + few * chance.log() + (copies - few) * (1 - chance).log()).exp()
    falls, price = ball(-each).exp(), ball(target - copies * t + few * each).exp()
    total, small = arb(0), arb(2) ** -precision_in_force()
    for i in range(few, -1, -1):
        total += mass * (1 - price)
        ratio = odds * i / (copies - i + 1)
        mass, price = mass * ratio, price * falls
        if ratio < 0.5 and mass < total * small:
            return total + 2 * mass * arb(0.5, 0.5)
    return total


def _floats(each: float, copies: int, target: float, last: int) -> Floats:
    """All G_l at their best t, in floats; nothing rests on them."""
    few = np.arange(last + 1.0)
    t = np.minimum((target + (few + 1) * each) / (copies + 1), each)
    chance = np.expm1(t - each) + -np.expm1(-each)
    chance = np.clip(chance / -np.expm1(-each), 0, 1)
    other = np.clip(chance * np.exp(each - t), 0, 1)
    more = copies - few  # at most so few of the one sort are at least so many of the other
    one, two = at_least_near(more, copies, 1 - chance), at_least_near(more, copies, 1 - other)
    needed: Floats = one - np.exp(target) * two
    return needed


def _likeliest(each: float, copies: int, target: float, last: int) -> int:
    return int(np.argmax(_floats(each, copies, target, last)))


def _approximate_epsilon(each: float, copies: int, delta: float) -> Fraction:
    low, high = 0.0, each * copies
    for _ in range(50):
        middle = (low + high) / 2
        last = min(copies - 1, math.floor(copies - middle / each))
        needs = _floats(each, copies, middle, last).max()
        low, high = (middle, high) if needs > delta else (low, middle)
    return Fraction(high)


def bounded_range_divergence_up(range_epsilon: Number, *, order: Number) -> Fraction:
    """The Rényi divergence of a choice of range epsilon, rounded up; no smaller one will do.

    Guarantee: for every release of range ε, chosen in whatever way.  Proof: it is the largest over
        t of ln(p e^((α-1) t) + (1 - p) e^((α-1)(t-ε))) / (α - 1).  With u = e^t, A = e^ε -
        e^(-(α-1) ε) and B = 1 - e^(-(α-1) ε) the sum is u^(α-1) (A - u B) / (e^ε - 1), largest at u
        = (α - 1) A / (α B).
    Needs: range_epsilon >= 0, order > 1.
    Edges: never above α ε² / 8 nor above ε.
    Reference: Dong, Durfee and Rogers 2020, for the worst releases; the proof above is complete.

    >>> round(float(bounded_range_divergence_up(2, order=4)), 6)
    1.300725
    """
    each, alpha = non_negative(range_epsilon, "range_epsilon"), order_above_one(order)
    if each == 0:
        return each
    t = alpha - 1

    def value() -> arb:
        falls = -ball(-t * each).expm1()
        gain = ball(each).expm1() + falls
        best = ball(t) * gain / (ball(alpha) * falls)
        total = gain / (ball(alpha) * ball(each).expm1())
        return best.log() + total.log() / ball(t)

    return min(each, alpha * each**2 / 8, holdable_up(upper(value)))
