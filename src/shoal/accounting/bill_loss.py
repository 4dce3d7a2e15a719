"""The loss distribution of a bill: each line by its own loss where that is known, else by its pure
price.

A line that is only known to be epsilon-DP is dominated by randomized response with that epsilon.
Masses that may fail are taken out of delta before a way is asked, so a line's loss is the one it
has when it does not fail.
"""

from __future__ import annotations

from dataclasses import replace

from shoal.accounting.parallel_loss import ways_to_spread, worst_of
from shoal.accounting.pricing import Bill, BillLine, line_price, total_of
from shoal.accounting.quantities import FAILING, PURE
from shoal.accounting.registry import kind_of
from shoal.accounting.release_loss import ReleaseLoss, pure_loss
from shoal.events import Parallel
from shoal.loss import LossDistribution
from shoal.sensitivity import Relation


def bill_loss(lines: Bill, *, alone: bool = False) -> ReleaseLoss | None:
    """The loss of all releases of a bill; None where a line has neither a loss of its own nor a
    pure price, or there are too many cases.

    ``alone`` says that nothing else is ever added to it.
    """
    found = []
    alone = alone and sum(lines.values()) == 1
    for line, times in lines.items():
        one = line_loss(line, alone=alone)
        if one is None:
            return None
        found.append(one.times(times))
    return ReleaseLoss(LossDistribution()).compose(*found)


def line_loss(line: BillLine, *, alone: bool = False) -> ReleaseLoss | None:
    """The loss of one release."""
    known = (
        _parallel_loss(line, alone=alone) if isinstance(line.event, Parallel) else _own_loss(line)
    )
    if known is not None and alone and known.attained_alone:
        return replace(known, attained=True, only_alone=True)
    if known is not None:
        return known
    epsilon = line_price(line, PURE)
    return None if epsilon is None else pure_loss(epsilon, attained=False)


def has_own_loss(line: BillLine) -> bool:
    """Whether more is known of the loss of a release than its pure price."""
    return _own_loss(line) is not None


def _own_loss(line: BillLine) -> ReleaseLoss | None:
    kind = kind_of(line.event)
    if line.relation == Relation.CHANGE and kind.loss_of_changes is not None:
        found = kind.loss_of_changes(line.event, line.size // 2)
        if found is not None:
            return found
    return None if kind.loss is None else kind.loss(line.event, line.size)


def _parallel_loss(line: BillLine, *, alone: bool) -> ReleaseLoss | None:
    """The largest over all places where the people of a line can be, see `worst_of`.

    Edges: None where one place has no loss, and for two steps whose directions differ.  A lower end
        is known only for one row more or less, and where nothing may fail.
    """
    spread = ways_to_spread(line)
    if spread is None:
        return None
    bills, steps = spread
    found = []
    for one_way in bills:
        one = bill_loss(one_way, alone=alone)
        if one is None or (steps > 1 and one.distribution.sizes):
            return None
        sure = one.attained and steps == 1 and total_of(one_way, FAILING) == 0
        found.append(replace(one, attained=sure))
    return worst_of(found, alone=alone)
