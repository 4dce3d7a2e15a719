"""One person's randomised answer."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

from flint import arb

from shoal.accounting.quantities import Unit
from shoal.accounting.registry import KindOfEvent, register
from shoal.accounting.release_loss import ReleaseLoss, loss_from
from shoal.events import RandomizedResponse
from shoal.exact import ball, float_up, holdable_up, upper
from shoal.loss import AtomicLoss
from shoal.measures import Approx, Pure, Renyi, ZeroConcentrated, pure_rho_up
from shoal.sensitivity import Relation


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


def response_failing(event: RandomizedResponse, unit: Unit) -> Fraction | None:  # noqa: ARG001
    """Nothing, but for a truth of 1 or 0.

    Then a report that only one of two answers can give has probability 1, or 1 / (k - 1) for a
    truth of 0 and k > 2 categories; all other reports are equally likely under both.
    """
    if _rational_odds(event) is not None or event.epsilon is not None:
        return Fraction(0)
    if event.truth == 1 or event.categories == 2:
        return None
    return Fraction(1, event.categories - 1)


def response_divergence(event: RandomizedResponse, unit: Unit) -> Fraction:
    """`response_divergence_up`, rounded up; at most epsilon."""
    epsilon, odds = response_epsilon(event, unit), _odds(event)
    if epsilon == 0:
        return epsilon
    exact = upper(lambda: response_divergence_up(odds(), event.categories, order=unit.at_order))
    return min(epsilon, holdable_up(exact))


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


def response_divergence_up(odds: arb, categories: int, *, order: Fraction) -> arb:
    """The Rényi divergence of randomized response, enclosed, from the odds truth / other of a
    report.

    Guarantee: with o = 1 / (odds + k - 1) and p = odds o it is ln(p^α o^(1-α) + o^α p^(1-α) + (k -
        2) o) / (α - 1): two reports tell the answers apart, and the k - 2 others do not.
    Needs: odds > 0, order > 1, at least two categories.
    Reference: Mironov 2017, Proposition 5, for two categories.
    """
    log_odds, t = odds.log(), ball(order - 1)
    # The sum is 1 + o (odds (odds^t - 1) + odds^-t - 1), which does not cancel near 1.
    gain = odds * (t * log_odds).expm1() + (-t * log_odds).expm1()
    return (gain / (odds + categories - 1)).log1p() / t


def response_rho_up(odds: arb, categories: int) -> arb | None:
    """The rho of randomized response, enclosed, from its odds; None where the proof does not reach.

    Guarantee: (p - o) ln(p / o).  Proof: by the head of `kinds.laplace`, with d = ln(p / o) and G =
        2 sqrt(p o) cosh(d u) + (k - 2) o.  Its zeros have cosh(d u) = -(k - 2) sqrt(o / p) / 2,
        which is in [-1, 0] and gives real u² < 0 as long as (k - 2)² <= 4 p / o.
    """
    if not (categories - 2) ** 2 <= 4 * odds:  # also where the enclosure cannot tell
        return None
    return (odds - 1) * odds.log() / (odds + categories - 1)


def response_loss(event: RandomizedResponse, size: int) -> ReleaseLoss | None:  # noqa: ARG001
    """Only the two answers that are compared matter; any other has the same chance under both.

    Edges: None where some report is impossible.  A group changes nothing: whoever else is in it did
    not answer here.
    """
    if event.truth in {0, 1}:
        return None
    others = event.categories - 1
    if event.truth is not None:
        truth = float(event.truth)
    else:
        fall = math.exp(-float_up(event.epsilon or Fraction(0)))
        truth = 1 / (1 + others * fall)
    lie = (1 - truth) / others
    loss = abs(math.log(truth / lie))
    if loss == 0:
        return loss_from()
    atoms = [(loss, max(truth, lie)), (-loss, min(truth, lie))]
    if others > 1:
        atoms.append((0.0, 1 - truth - lie))
    unit = 2 * loss if others == 1 else loss
    return loss_from(AtomicLoss(tuple(atoms), unit=unit))


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


register(
    RandomizedResponse,
    KindOfEvent(
        prices={
            Pure: response_epsilon,
            Approx: response_failing,
            ZeroConcentrated: response_rho,
            Renyi: response_divergence,
        },
        loss=response_loss,
        # any two answers are protected from each other already, so answers in between change
        # nothing
        for_group=lambda event, _size: event,
        relation=str(Relation.CHANGE),
    ),
)
