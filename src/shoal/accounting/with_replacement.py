"""Amplification by draws with replacement: each of m draws picks any of n rows with the same
chance, and one row changes.
"""

from __future__ import annotations

from fractions import Fraction

from flint import arb

from shoal.accounting.pricing import group_delta_up
from shoal.accounting.sampling import Curve, sampled_epsilon_up
from shoal.exact import Number, ball, closed_unit, holdable_up, non_negative, upper, whole
from shoal.measures.curve import order_above_one


def drawn_epsilon_up(epsilon: Number, *, draws: int, population: int) -> Fraction:
    """The epsilon of a pure release from draws with replacement.

    Guarantee: a release that is ε-DP is m ln(1 + (e^ε - 1) / n)-DP when computed from m draws out
        of n rows, rounded up.
        Proof: let the first j draws be from one dataset and the others from its neighbour.  From j
        - 1 to j one draw changes: given the others it is a sample of size 1, which costs ln(1 +
        (e^ε - 1) / n) (`sampled_epsilon_up`).  Averages over the others keep that, and m such steps
        lead from one dataset to the other.
    Needs: epsilon >= 0, draws >= 1, population >= 1.
    Edges: one row is drawn every time, which is a group of m.  Attained, for example by Laplace
        noise on a sum to which all rows but one add nothing.
    Reference: the proof above is complete; Balle, Barthe and Gaboardi 2018, Section 4, for the
        problem.

    >>> round(float(drawn_epsilon_up(1, draws=10, population=1000)), 6)
    0.017168
    """
    return whole(draws, "draws", at_least=1) * _one_draw(epsilon, population)


def drawn_delta_up(epsilon: Number, delta: Number, *, draws: int, population: int) -> Fraction:
    """The delta of an (epsilon, delta) release from draws with replacement, at `drawn_epsilon_up`.

    Guarantee: each of the m steps of `drawn_epsilon_up` needs δ / n; together they need what a
        group of m does (`group_delta_up`), rounded up.
    Needs: as there, and 0 <= delta <= 1.
    Reference: the proof above is complete.
    """
    each = closed_unit(delta, "delta") / whole(population, "population", at_least=1)
    return group_delta_up(_one_draw(epsilon, population), each, size=draws)


def drawn_divergence_up(
    curve: Curve, *, draws: int, population: int, order: Number
) -> Fraction | None:
    """The Rényi divergence of any release from draws with replacement, from those of groups of 1 ..
    m at this order.

    Guarantee: ln(Σ_k w_k e^((α-1) D(k))) / (α - 1) with w_k the chance that a row is drawn k times,
        binomial with m and 1 / n, and D(k) the divergence for groups of k, D(0) = 0; rounded up.
        Proof: given which draws pick the row, the release is that of two sets of draws that differ
        in k rows, and the integral of p^α q^(1-α) is jointly convex in p and q.
    Needs: order > 1.
    Edges: None where some D(k) is unknown, and for more than `MOST_DRAWS` draws.
    Reference: the proof above is complete.
    """
    alpha, count = order_above_one(order), whole(draws, "draws", at_least=1)
    known = [curve(k) for k in range(1, count + 1)] if count <= MOST_DRAWS else [None]
    found = [divergence for divergence in known if divergence is not None]
    if len(found) < count:
        return None

    def value() -> arb:
        weights = [ball(Fraction(1))] if population == 1 else _binomial(count, population)
        times = [count] if population == 1 else range(1, count + 1)
        excess = arb(0)
        for k, weight in zip(times, weights, strict=True):
            excess += weight * ball((alpha - 1) * found[k - 1]).expm1()
        return excess.log1p() / ball(alpha - 1)

    return holdable_up(upper(value))


MOST_DRAWS = 1024
"""Sums over all numbers of copies stop here."""


def _binomial(draws: int, population: int) -> list[arb]:
    """The chances that a row is drawn 1, 2, ... times, for two rows or more."""
    odds = ball(Fraction(1, population - 1))
    weight, weights = ball(Fraction(population - 1, population)) ** draws, []
    for k in range(1, draws + 1):
        weight = weight * odds * (draws - k + 1) / k
        weights.append(weight)
    return weights


def _one_draw(epsilon: Number, population: int) -> Fraction:
    rate = Fraction(1, whole(population, "population", at_least=1))
    return sampled_epsilon_up(non_negative(epsilon, "epsilon"), rate=rate)
