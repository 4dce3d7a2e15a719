"""Prices of one person's randomised answer."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from flint import arb

from shoal.accounting.curves import response_divergence_up, response_rho_up
from shoal.accounting.registry import prices
from shoal.accounting.unit import Unit
from shoal.events import RandomizedResponse
from shoal.exact import ball, upper
from shoal.measures import Approx, Pure, Renyi, ZeroConcentrated, pure_rho_up
from shoal.measures.numbers import holdable_up


@prices(RandomizedResponse, by=Pure)
def response_epsilon(event: RandomizedResponse, unit: Unit) -> Fraction:  # noqa: ARG001
    """|ln(truth / other)|, rounded up; stated epsilon exactly.

    Edges: a truth of 1 or 0 makes some report impossible; that is a failing mass, not an epsilon.
    Reference: Warner 1965; Kairouz, Bonawitz and Ramage 2016.
    """
    if event.epsilon is not None:
        return event.epsilon
    odds = _rational_odds(event)
    if odds in (None, 1):
        return Fraction(0)
    assert odds is not None
    return upper(lambda: abs(ball(odds).log()))


@prices(RandomizedResponse, by=Approx)
def response_failing(event: RandomizedResponse, unit: Unit) -> Fraction | None:  # noqa: ARG001
    """Nothing, but for a truth of 1 or 0.

    Then a report that only one of two answers can give has probability 1, or 1 / (k - 1) for a truth of
    0 and k > 2 categories; all other reports are equally likely under both.
    """
    if _rational_odds(event) is not None or event.epsilon is not None:
        return Fraction(0)
    if event.truth == 1 or event.categories == 2:
        return None
    return Fraction(1, event.categories - 1)


@prices(RandomizedResponse, by=Renyi)
def response_divergence(event: RandomizedResponse, unit: Unit) -> Fraction:
    """`response_divergence_up`, rounded up; at most epsilon."""
    epsilon, odds = response_epsilon(event, unit), _odds(event)
    if epsilon == 0:
        return epsilon
    exact = upper(lambda: response_divergence_up(odds(), event.categories, order=unit.at_order))
    return min(epsilon, holdable_up(exact))


@prices(RandomizedResponse, by=ZeroConcentrated)
def response_rho(event: RandomizedResponse, unit: Unit) -> Fraction:
    """`response_rho_up` where it holds, rounded up, else what epsilon implies."""
    epsilon, odds = response_epsilon(event, unit), _odds(event)
    if epsilon == 0:
        return epsilon
    bound = pure_rho_up(epsilon)

    def rho() -> arb:
        exact = response_rho_up(odds(), event.categories)
        return ball(bound) if exact is None else exact

    return min(bound, holdable_up(upper(rho)))


def _rational_odds(event: RandomizedResponse) -> Fraction | None:
    """Truth over the probability of each other answer, where truth is stated and neither is 0."""
    if event.truth in (None, 0, 1):
        return None
    assert event.truth is not None
    return event.truth * (event.categories - 1) / (1 - event.truth)


def _odds(event: RandomizedResponse) -> Callable[[], arb]:
    odds = _rational_odds(event)
    if odds is not None:
        return lambda: ball(odds)
    epsilon = event.epsilon or Fraction(0)
    return lambda: ball(epsilon).exp()
