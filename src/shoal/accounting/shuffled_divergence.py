"""The Rényi divergence of shuffled reports, by counting clones; `shuffling` has the clones.

With c clones the released pair is (a, c + 1 - a).  Against the law of a ~ Bin(c + 1, 1/2) its two
laws have the weights 1 + θu and 1 - θu, where u = 2a / (c + 1) - 1 and θ = tanh(ε0 / 2).  So the
moment of order α is M(c) = E[F(θu)] with F(x) = (1 + x)^α (1 - x)^(1-α) = (1 + x) exp(2 (α - 1)
artanh x), whose power series has no negative term; and u is the mean of c + 1 fair signs, whose odd
moments vanish and whose even ones are at most (2j - 1)!! / (c + 1)^j.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise

from flint import arb

from shoal.accounting.shuffling_clones import at_least, block_starts, clone_share, half_binomial
from shoal.exact import Number, ball, holdable_up, non_negative, precision_in_force, upper, whole
from shoal.measures import pure_divergence_up
from shoal.measures.curve import order_above_one

_FEW_CLONES = 200
"""Up to so many clones all values of a are summed."""

_MOST_TERMS = 64

HIGHEST_ORDER = 1 << 12


def shuffled_divergence_up(
    local_epsilon: Number, *, people: int, order: Number, binary: bool = False
) -> Fraction:
    """The Rényi divergence of shuffled reports, rounded up.

    Guarantee: reports of n people by an ε0-DP randomizer, in random order, have at most this
        divergence when the value of one person changes; with ``binary`` the randomizer is
        randomized response on one bit.  Proof: what is released is a function of the number of
        clones and of a, so e^((α-1) D) <= E[M(c)], by the head of this file.  One clone more is a
        random function of the pair, so M falls with c, and on a block of c it is at most its value
        at the least one.  M(c) is at most Σ_(j<=J) f_2j θ^2j (2j-1)!! / (c+1)^j, f the coefficients
        of F, and what follows J is at most (1 + θ) e^((α-1) ε0) (2J+1)!! / (c+1)^(J+1), as |u| <=
        1.
    Needs: local_epsilon >= 0, people >= 1, order > 1.
    Edges: never above the divergence of one report, and that above order 4096; no delta is used.
    Reference: Feldman, McMillan and Talwar 2021, for the clones; the proof above is complete.

    >>> round(float(shuffled_divergence_up(1, people=10_000, order=8)), 6)
    0.000932
    """
    local, n = non_negative(local_epsilon, "local_epsilon"), whole(people, "people", at_least=1)
    alpha = order_above_one(order)
    alone = pure_divergence_up(local, order=alpha)
    if local == 0 or n == 1 or alpha > HIGHEST_ORDER:
        return alone
    return min(alone, _amplified(local, n, alpha, binary=binary))


def _amplified(local: Fraction, people: int, order: Fraction, *, binary: bool) -> Fraction:
    def value() -> arb:
        weights = _clone_weights(local, people, binary, precision_in_force())
        total = sum((weight * _excess(c, local, order) for c, weight in weights), arb(0))
        return total.log1p() / ball(order - 1)

    return holdable_up(upper(value, bits=30))


@lru_cache(maxsize=1 << 8)
def _clone_weights(
    local: Fraction,
    people: int,
    binary: bool,  # noqa: FBT001 - keywords would not be told apart by the cache
    bits: int,  # noqa: ARG001 - the precision in force
) -> tuple[tuple[int, arb], ...]:
    """Numbers of clones, with the chance that there are so many, up to the next number; below all
    of them, none.
    """
    starts = block_starts(people - 1, float(math.exp(-min(local, Fraction(700)))), binary=binary)
    share = clone_share(local, binary=binary)
    reached = [arb(1), *(at_least(people - 1, start, share) for start in starts), arb(0)]
    chances = (more - less for more, less in pairwise(reached))
    return tuple(zip((0, *starts), chances, strict=True))


def _excess(clones: int, local: Fraction, order: Fraction) -> arb:
    """At least M(c) - 1."""
    if clones <= _FEW_CLONES:
        return _summed(clones, local, order)
    theta = (ball(local) / 2).tanh()
    before, here, twice = arb(1), ball(2 * order - 1), ball(2 * order - 1)
    power, total, double = theta * theta, arb(0), arb(1)
    far = (1 + theta) * ball((order - 1) * local).exp()
    for j in range(1, _MOST_TERMS + 1):
        # f_(m+1) = ((2α - 1) f_m + (m - 2) f_(m-1)) / (m + 1)
        after = (twice * here + (2 * j - 3) * before) / (2 * j)
        before, here = after, (twice * after + (2 * j - 2) * here) / (2 * j + 1)
        double = double * (2 * j - 1) / (clones + 1)
        total += before * power * double
        power = power * theta * theta
        left = far * double * (2 * j + 1) / (clones + 1)
        if left < total * arb(2) ** -min(60, precision_in_force()):
            break
    return total + left


def _summed(clones: int, local: Fraction, order: Fraction) -> arb:
    """M(c) - 1 over all values of a, without loss."""
    theta, total = (ball(local) / 2).tanh(), arb(-1)
    for a in range(clones + 2):
        x = theta * (2 * a - clones - 1) / (clones + 1)
        moment = ball(order) * x.log1p() + ball(1 - order) * (-x).log1p()
        total += half_binomial(clones + 1, a) * moment.exp()
    return total
