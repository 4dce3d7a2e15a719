"""Optimal composition: the least (epsilon, delta) that promises of releases alone imply together.

A release that is (ε, δ)-DP is a function of one that, for neighbours b = 0 and 1, tells b with
probability δ and otherwise answers b by randomized response with ε (Kairouz, Oh and Viswanath 2015,
Theorem 3.1; Murtagh and Vadhan 2016, Lemma 3.2).  So the composition of many, also adaptive, is a
function of all these together, and is worst when it is exactly that: with probability Π(1 - δ_i)
nothing was told, and the loss is then a sum of independent ±ε_i.  With A(e) and B(e) the
probabilities, under b = 0 and b = 1, that the sum exceeds e, the delta needed at e is A(e) - e^e
B(e).  `pure_loss_sums` holds the law of the sum.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from fractions import Fraction

from shoal.accounting.failure_probability import some_fails_up
from shoal.accounting.pure_loss_sums import TwoPointLosses
from shoal.errors import ConversionError
from shoal.exact import Number, closed_unit, non_negative, short, upper, whole
from shoal.exact.real import ball, is_below
from shoal.exact.search import turning_point
from shoal.measures import Approx, Pure

Promises = Mapping[Approx | Pure, int] | Iterable[Approx | Pure]
"""Promises one by one, or each with how often it was made."""


def optimal_delta_up(promises: Promises, *, epsilon: Number) -> Approx:
    """The delta at which promises together promise an epsilon.

    Guarantee: releases that keep the promises, chosen adaptively, are together (epsilon, delta)-DP
        at the delta returned; the least such delta, rounded up, for at most two different epsilons
        or few releases, and close to it otherwise: then epsilons are first rounded up to a grid.
    Needs: epsilon >= 0.
    Edges: no promises need delta 0.
    Reference: Kairouz, Oh and Viswanath 2015, Theorem 3.3; Murtagh and Vadhan 2016, Theorem 1.5.

    >>> two = optimal_delta_up([Pure(1), Pure(1)], epsilon=1)
    >>> round(float(two.delta), 6)  # P(both truthful) - e P(both lies)
    0.337835
    """
    target, (epsilons, lost) = non_negative(epsilon, "epsilon"), _read(promises)
    delta = lost + (1 - lost) * pure_losses_delta_up(epsilons, target)
    return Approx(target, min(Fraction(1), upper(lambda: ball(delta))))


def optimal_epsilon_up(promises: Promises, *, delta: Number) -> Approx:
    """The epsilon that promises together promise at a delta.

    Guarantee: as `optimal_delta_up`; the epsilon is rounded up.
    Needs: delta at least 1 - Π(1 - δ_i), the probability that some release tells everything.
    Edges: delta 0 gives the sum of the epsilons; delta 1 gives 0.
    Reference: as `optimal_delta_up`.

    >>> print(optimal_epsilon_up({Pure("0.1"): 500}, delta="1e-6"))
    epsilon 12.5179, delta 1e-6
    """
    target, (epsilons, lost) = closed_unit(delta, "delta"), _read(promises)
    if target == 1:
        return Approx(0, 1)
    if lost > target:
        raise ConversionError(
            f"with probability {short(lost)} a release may tell everything, more than delta {short(target)}.",
            remedy="Ask with a larger delta.",
        )
    return Approx(pure_losses_epsilon_up(epsilons, (target - lost) / (1 - lost)), target)


def pure_losses_delta_up(epsilons: Mapping[Fraction, int], target: Fraction) -> Fraction:
    """The delta at an epsilon of so many pure releases of each epsilon; see `optimal_delta_up`."""
    if sum(epsilon * count for epsilon, count in epsilons.items()) <= target:
        return Fraction(0)
    losses = TwoPointLosses.of(epsilons)
    if losses.largest <= target:
        return Fraction(0)
    return min(Fraction(1), upper(lambda: losses.delta(target)))


def pure_losses_epsilon_up(epsilons: Mapping[Fraction, int], delta: Fraction) -> Fraction:
    """The epsilon at a delta of so many pure releases of each epsilon; see `optimal_epsilon_up`.

    The law of the sum proposes an epsilon on one of the straight pieces of A - e^e B; that the
    delta it needs is below the one given is then decided anew, by enclosures.
    """
    whole_sum = sum((epsilon * count for epsilon, count in epsilons.items()), Fraction(0))
    if delta == 0 or whole_sum == 0:
        return whole_sum
    losses = TwoPointLosses.of(epsilons)

    def fits(epsilon: Fraction) -> bool:
        if epsilon >= losses.largest:
            return True
        return is_below(lambda: losses.delta(epsilon), lambda: ball(delta))

    if fits(Fraction(0)):
        return Fraction(0)
    proposed = losses.proposal(delta)
    if proposed is None or not fits(proposed):
        _, proposed = turning_point(lambda epsilon: not fits(epsilon), start=whole_sum)
    return min(whole_sum, proposed)


def _read(promises: Promises) -> tuple[Counter[Fraction], Fraction]:
    """How often each epsilon was promised, and the probability that some release tells
    everything.
    """
    given = promises.items() if isinstance(promises, Mapping) else ((one, 1) for one in promises)
    epsilons: Counter[Fraction] = Counter()
    deltas: Counter[Fraction] = Counter()
    for promise, times in given:
        count = whole(times, "count", at_least=0)
        epsilons[promise.epsilon] += count
        deltas[promise.delta if isinstance(promise, Approx) else Fraction(0)] += count
    return epsilons, some_fails_up({delta: n for delta, n in deltas.items() if delta and n})
