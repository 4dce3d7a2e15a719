"""A report that is sent only sometimes.

Whoever sees it knows whether there was an answer, and a coin decided that, with the same chance for
every value.  So with probability q the loss is that of the report inside, otherwise 0: delta is q
times the delta inside at every epsilon.  Where the report inside may fail with a probability δ, the
whole fails with q δ, and given that it does not there was an answer with probability q (1 - δ) / (1
- q δ), at most q.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from flint import arb

from shoal.accounting.kinds.sampled import loss_as_one
from shoal.accounting.pricing import bill, total
from shoal.accounting.quantities import FAILING, Unit, told
from shoal.accounting.registry import KindOfEvent, register
from shoal.accounting.release_loss import ReleaseLoss, loss_from
from shoal.events import SometimesAnswered
from shoal.exact import ball, float_up, holdable_up, upper
from shoal.loss import LossDistribution, answered_loss
from shoal.measures import Approx, GaussianDP, Pure, Renyi, ZeroConcentrated
from shoal.sensitivity import Relation

_CHANGE = str(Relation.CHANGE)


def answered_failing(event: SometimesAnswered, unit: Unit) -> Fraction | None:
    """The rate times the delta inside."""
    mass = event.rate * told(total(event.event, _CHANGE, unit))
    return None if mass == 1 else mass


def answered_price(event: SometimesAnswered, unit: Unit) -> Fraction | None:
    """That of the report inside, for epsilon, rho and mu²: it is the price of an answer, and
    silence has none.

    No smaller epsilon and no smaller mu holds, as the coin is seen.
    """
    if _rate_otherwise(event, unit) == 0:
        return Fraction(0)
    return total(event.event, _CHANGE, unit)


def answered_divergence(event: SometimesAnswered, unit: Unit) -> Fraction | None:
    """ln(1 - q + q e^((α-1) D)) / (α - 1), rounded up: the mean of e^((α-1) L) over the coin."""
    inside, rate = answered_price(event, unit), _rate_otherwise(event, unit)
    if inside is None or inside == 0 or rate == 1:
        return inside
    t = unit.at_order - 1

    def value() -> arb:
        # with (α-1) D taken out, so that nothing overflows
        raised = ball(t * inside)
        return ball(inside) + (ball(1 - rate) * (-raised).expm1()).log1p() / ball(t)

    return min(inside, holdable_up(upper(value)))


def answered_report_loss(event: SometimesAnswered, size: int) -> ReleaseLoss | None:  # noqa: ARG001
    """The loss inside with probability q, else 0; attained where the one inside is.

    Edges: a group changes nothing: whoever else is in it did not answer here.
    """
    rate = _rate_otherwise(event, FAILING)
    if rate == 0:
        return loss_from()
    whole = loss_as_one(bill(event.event, _CHANGE))
    if whole is None or rate == 1:
        return whole
    source = whole.only_source
    if source is None:
        nothing = whole.distribution.directions == ((), ())
        return loss_from(attained=whole.attained) if nothing else None
    share = float_up(rate)  # a larger chance of an answer is above a smaller one
    if share == 1:
        return replace(whole, attained=False)
    found = answered_loss(source, share)
    if found is None:
        return None
    return ReleaseLoss(LossDistribution.of(found), attained=whole.attained)


def _rate_otherwise(event: SometimesAnswered, unit: Unit) -> Fraction:
    """The probability of an answer, given that not everything is told."""
    fails, rate = told(total(event.event, _CHANGE, unit.at(Approx))), event.rate
    return Fraction(0) if rate == 0 or fails == 1 else rate * (1 - fails) / (1 - rate * fails)


register(
    SometimesAnswered,
    KindOfEvent(
        prices={
            Pure: answered_price,
            Approx: answered_failing,
            ZeroConcentrated: answered_price,
            GaussianDP: answered_price,
            Renyi: answered_divergence,
        },
        loss=answered_report_loss,
        # one person answers here
        largest_group=lambda _event: 1,
        relation=_CHANGE,
    ),
)
