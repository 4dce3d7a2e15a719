"""The loss distribution of a bill: each line by its own loss where that is known, else by its pure price.

A line that is only known to be epsilon-DP is dominated by randomized response with that epsilon.  Masses that may
fail are taken out of delta before a way is asked, so a line's loss is the one it has when it does not fail.
"""

from __future__ import annotations

from shoal.accounting.pricing import Bill, Line, line_price
from shoal.accounting.registry import kind_of
from shoal.accounting.release_loss import ReleaseLoss, pure_loss
from shoal.accounting.unit import PURE
from shoal.measures.loss import LossDistribution
from shoal.sensitivity import Relation


def bill_loss(lines: Bill) -> ReleaseLoss | None:
    """The loss of all releases of a bill; None where a line has neither a loss of its own nor a pure price, or there are too many cases."""
    found = []
    for line, times in lines.items():
        one = line_loss(line)
        if one is None:
            return None
        found.append(one.times(times))
    return ReleaseLoss(LossDistribution()).compose(*found)


def line_loss(line: Line) -> ReleaseLoss | None:
    """The loss of one release."""
    known = _own_loss(line)
    if known is not None:
        return known
    epsilon = line_price(line, PURE)
    return None if epsilon is None else pure_loss(epsilon, attained=False)


def has_own_loss(line: Line) -> bool:
    """Whether more is known of the loss of a release than its pure price."""
    return _own_loss(line) is not None


def _own_loss(line: Line) -> ReleaseLoss | None:
    kind = kind_of(line.event)
    if line.relation == Relation.CHANGE and kind.loss_of_changes is not None:
        found = kind.loss_of_changes(line.event, line.size // 2)
        if found is not None:
            return found
    return None if kind.loss is None else kind.loss(line.event, line.size)
