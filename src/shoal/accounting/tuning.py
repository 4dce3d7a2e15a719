"""What the best of a secret number of runs costs, from what one run costs.

If f(x) = E x^K for the number K of runs, and F is the probability that a run is worse than an
output, the best run is that output with probability f(F + p) - f(F) = p times the mean of f'(F + s
p) over s between 0 and 1, where p is its probability in one run.  F + s p is the probability of an
event of one run that a coin may help to decide.  So everything rests on p and on f' at two
probabilities that the run's own promise relates.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction

from flint import arb

from shoal.exact import Number, ball, holdable_up, non_negative, positive, upper
from shoal.measures.curve import order_above_one

ORDERS = tuple(
    Fraction(order) for order in ("1.5", 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 256, 512)
)
"""The second orders that are tried."""

Divergence = Callable[[Fraction], Fraction | None]
"""A Rényi divergence at any order above 1."""


def best_of_epsilon_up(epsilon: Number, *, eta: Fraction, gamma: Fraction) -> Fraction:
    """The epsilon of the best of a truncated negative binomial number of ε-DP runs.

    Guarantee: ε + (1 + η) ln((e^ε + γ) / (1 + γ e^ε)), rounded up; it is below (2 + η) ε.
        Proof: here f'(x) is proportional to (γ + (1 - γ)(1 - x))^-(1 + η).  Let a and b be the
        probabilities, in one run on two neighbours, that a run is not worse than an output, a coin
        deciding between equal ones.  Then b <= e^ε a and 1 - a <= e^ε (1 - b), and under both (γ +
        (1 - γ) b) / (γ + (1 - γ) a) is largest where both are equalities, a = 1 / (e^ε + 1): it
        rises with a along the first and falls along the second.  There it is (e^ε + γ) / (1 + γ
        e^ε).
    Needs: epsilon >= 0, eta > -1, 0 < gamma < 1.
    Edges: gamma near 1 is one run, gamma near 0 gives (2 + η) ε.
    Reference: the proof above is complete; Papernot and Steinke 2022, Corollary 3, for (2 + η) ε.

    >>> round(float(best_of_epsilon_up(1, eta=Fraction(1), gamma=Fraction(1, 100))), 4)
    2.9537
    """
    each = non_negative(epsilon, "epsilon")
    if each == 0:
        return each
    more = (1 + eta) * holdable_up(upper(lambda: _log_ratio(ball(each), gamma)))
    return each + min(more, (1 + eta) * each)


def _log_ratio(epsilon: arb, gamma: Fraction) -> arb:
    """ln((e^ε + γ) / (1 + γ e^ε)), without overflow."""
    falls = (-epsilon).exp()
    return (ball(gamma) * falls).log1p() - (falls + ball(gamma)).log()


def best_of_divergence_up(
    curve: Divergence, *, epsilon: Fraction | None, eta: Fraction, gamma: Fraction, order: Number
) -> Fraction | None:
    """The Rényi divergence of the best of a truncated negative binomial number of runs.

    Guarantee: D(α) + c + ln E[K] / (α - 1), rounded up, where c is the least of (1 + η)((1 - 1/β)
        D(β) + ln(1/γ) / β) over some orders β, of (1 + η) ln(1/γ), and for ε-DP runs of (1 + η)
        ln((e^ε + γ) / (1 + γ e^ε)); and the least of that over some orders above, as divergences
        grow with the order.
    Needs: order > 1, eta > -1, 0 < gamma < 1; epsilon None for runs that are not pure.
    Edges: None where D is unknown at every order that is tried.
    Reference: Papernot and Steinke 2022, Theorem 2 with Definition 1; for ε-DP runs its Lemma 7
        with the bound on f' in `best_of_epsilon_up`.
    """
    alpha = order_above_one(order)
    rare = upper(lambda: -ball(gamma).log())
    asides = [holdable_up((1 + eta) * rare)]
    for other in ORDERS:
        known = curve(other)
        if known is not None:
            asides.append(holdable_up((1 + eta) * ((1 - 1 / other) * known + rare / other)))
    if epsilon is not None:
        asides.append(best_of_epsilon_up(epsilon, eta=eta, gamma=gamma) - epsilon)
    aside, mean = min(asides), max(Fraction(0), upper(lambda: _mean(eta, gamma).log()))

    def at(one: Fraction) -> Fraction | None:
        known = curve(one)
        return None if known is None else holdable_up(known + aside + mean / (one - 1))

    return _least(at(one) for one in (alpha, *(other for other in ORDERS if other > alpha)))


def _mean(eta: Fraction, gamma: Fraction) -> arb:
    """The mean number of runs: η (1 - γ) / (γ (1 - γ^η)), for η = 0 its limit (1 - γ) / (γ
    ln(1/γ)).
    """
    most = ball((1 - gamma) / gamma)
    if eta == 0:
        return most / -ball(gamma).log()
    return most * ball(eta) / -(ball(eta) * ball(gamma).log()).expm1()


def best_of_poisson_epsilon_up(epsilon: Number, *, mean: Number) -> Fraction:
    """The epsilon of the best of a Poisson number of ε-DP runs.

    Guarantee: ε + μ tanh(ε / 2), rounded up.  Proof: f'(x) is proportional to e^(μ x), and
        probabilities of one event in one run on two neighbours differ by at most the variation
        distance, tanh(ε / 2) for ε-DP runs.  No run at all has the same chance.
    Needs: epsilon >= 0, mean > 0.
    Reference: the proof above is complete.
    """
    each, runs = non_negative(epsilon, "epsilon"), positive(mean, "mean")
    if each == 0:
        return each
    return holdable_up(each + runs * upper(lambda: ball(each / 2).tanh()))


def best_of_poisson_divergence_up(
    curve: Divergence, delta_at: Divergence, *, mean: Number, order: Number
) -> Fraction | None:
    """The Rényi divergence of the best of a Poisson number of runs.

    Guarantee: D(α) + μ δ + ln(μ) / (α - 1), rounded up, if one run is (ln(α / (α - 1)), δ)-DP;
        ln(μ) counts as 0 for μ < 1.
    Needs: order > 1, mean > 0; ``delta_at`` gives a delta at any epsilon, and is asked below the
        epsilon above.
    Edges: None where D or delta is unknown.
    Reference: Papernot and Steinke 2022, Theorem 6.
    """
    alpha, runs = order_above_one(order), positive(mean, "mean")
    known = curve(alpha)
    near = -upper(lambda: (ball((alpha - 1) / alpha)).log())  # rounded down
    delta = None if known is None else delta_at(max(Fraction(0), near))
    if known is None or delta is None:
        return None
    logarithm = Fraction(0) if runs <= 1 else upper(lambda: ball(runs).log())
    return holdable_up(known + runs * delta + logarithm / (alpha - 1))


def _least(prices: Iterable[Fraction | None]) -> Fraction | None:
    return min((price for price in prices if price is not None), default=None)
