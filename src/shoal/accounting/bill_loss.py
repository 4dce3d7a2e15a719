"""The loss distribution of a bill: each line by its own loss where that is known, else by its pure price.

A line that is only known to be epsilon-DP is dominated by randomized response with that epsilon.  Masses that may
fail are taken out of delta before a way is asked, so a line's loss is the one it has when it does not fail.
"""

from __future__ import annotations

from dataclasses import replace

from shoal.accounting.parallel_loss import ways_to_spread, worst_of
from shoal.accounting.pricing import Bill, Line, line_price, total_of
from shoal.accounting.registry import kind_of
from shoal.accounting.release_loss import ReleaseLoss, pure_loss
from shoal.accounting.unit import FAILING, PURE
from shoal.events import Parallel
from shoal.measures.loss import LossDistribution


def bill_loss(lines: Bill, *, alone: bool = False) -> ReleaseLoss | None:
    """The loss of all releases of a bill; None where a line has neither a loss of its own nor a pure price.

    ``alone`` says that nothing else is ever added to it.
    """
    found, attained, only_alone = [], True, False
    alone = alone and sum(lines.values()) == 1
    for line, times in lines.items():
        one = line_loss(line, alone=alone)
        if one is None:
            return None
        found.append(one.distribution.times(times))
        attained, only_alone = attained and one.attained, only_alone or one.only_alone
    whole = LossDistribution().compose(*found)
    return ReleaseLoss(whole, attained=attained, only_alone=only_alone)


def line_loss(line: Line, *, alone: bool = False) -> ReleaseLoss | None:
    """The loss of one release."""
    own = kind_of(line.event).loss
    known = None if own is None else own(line.event, line.size)
    if isinstance(line.event, Parallel):
        known = _parallel_loss(line, alone=alone)
    if known is not None and alone and known.attained_alone:
        return replace(known, attained=True, only_alone=True)
    if known is not None:
        return known
    epsilon = line_price(line, PURE)
    return None if epsilon is None else pure_loss(epsilon, attained=False)


def _parallel_loss(line: Line, *, alone: bool) -> ReleaseLoss | None:
    """The largest over all places where the people of a line can be, see `worst_of`.

    Edges: None where one place has no loss, and for two steps whose directions differ.  A lower end is known only for one row
        more or less, and where nothing may fail.
    """
    spread = ways_to_spread(line)
    if spread is None:
        return None
    bills, steps = spread
    found = []
    for one_way in bills:
        one = bill_loss(one_way, alone=alone)
        if one is None or (steps > 1 and one.distribution.removed != one.distribution.added):
            return None
        sure = one.attained and steps == 1 and total_of(one_way, FAILING) == 0
        found.append(replace(one, attained=sure))
    return worst_of(found, alone=alone)
