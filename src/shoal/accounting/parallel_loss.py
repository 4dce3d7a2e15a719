"""The loss of releases from disjoint parts: the largest over the places where the people concerned
can be.
"""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import combinations_with_replacement

from shoal.accounting.pricing import Bill, BillLine, bill
from shoal.accounting.release_loss import ReleaseLoss, loss_from, pure_loss
from shoal.events import Parallel
from shoal.loss import LaplaceLoss, LargestLoss, LossDistribution, NormalLoss
from shoal.loss.direction import merged
from shoal.loss.loss_sources import Sources
from shoal.sensitivity import Relation

_MOST_PARTS = 12
"""Of more different parts than this, two steps are not followed pair by pair."""


def ways_to_spread(line: BillLine) -> tuple[list[Bill], int] | None:
    """What is released about the people of a line, for each way they can lie in the parts, and in
    how many steps they do.

    Guarantee: one row more or less is a step in one part.  A row that changes, and two rows that
        come or go, are at most a step in two parts, or for two rows two steps in one.
    Edges: None for larger groups, and for two steps in very many different parts.
    """
    event, size, relation = line
    assert isinstance(event, Parallel)
    comes_and_goes = relation == Relation.ADD_REMOVE
    steps = size if comes_and_goes else 2 * size
    parts = Counter(event.events)
    if steps == 1:
        return [bill(part, relation) for part in parts], steps
    if steps > 2 or len(parts) > _MOST_PARTS:
        return None
    found: list[Bill] = [bill(part, relation, size) for part in parts]
    for one, other in combinations_with_replacement(parts, 2):
        if one != other or parts[one] > 1:
            both = Counter(bill(one, relation))
            both.update(bill(other, relation))
            found.append(both)
    return found, steps


def worst_of(losses: list[ReleaseLoss], *, alone: bool) -> ReleaseLoss | None:
    """The loss that stands for several of which one happens, in compositions too.

    Guarantee: `LargestLoss` of all that no other is known to be above.
    Edges: attained by one release by itself if all of these are, and in compositions only where one
        of them is above all others.  None in compositions where one of them is itself a sum, which
        has no cells, and for losses of groups.
    """
    losses = _without_lesser(losses)
    if len(losses) < 2:
        return losses[0] if losses else loss_from()
    directions = [one.distribution.directions for one in losses]
    if any(each is None for each in directions):
        return None
    ways = [
        LargestLoss(tuple(merged(each[number]) for each in directions if each is not None))
        for number in (0, 1)
    ]
    if not alone and not all(way.can_be_cut for way in ways):
        return None
    attained = alone and all(one.attained for one in losses)
    return ReleaseLoss(LossDistribution.of(*ways), attained=attained, only_alone=alone)


def _without_lesser(losses: list[ReleaseLoss]) -> list[ReleaseLoss]:
    """Those that are left when each one is dropped that another is above, or equal to."""
    kept: list[ReleaseLoss] = []
    for one in losses:
        if not any(_is_above(other, one) for other in kept):
            kept = [other for other in kept if not _is_above(one, other)]
            kept.append(one)
    return kept


def _is_above(high: ReleaseLoss, low: ReleaseLoss) -> bool:
    """Whether the first is known to need at least the delta of the second at every epsilon, in both
    directions.

    Guarantee: more normal noise apart, or more Laplace scales, is worse (`loss.md`); randomized
        response is above all that never loses more; and nothing is below all others.
    """
    one, other = high.distribution, low.distribution
    if one == other:
        return high.attained or not low.attained
    more, less = one.directions, other.directions
    if more is None or less is None:
        return False
    return all(
        _one_way_above(merged(high_one), merged(low_one))
        for high_one, low_one in zip(more, less, strict=True)
    )


def _one_way_above(high: Sources, low: Sources) -> bool:
    if not low:
        return True
    if len(high) != 1 or high[0][1] != 1:
        return False
    [(one, _)] = high
    most = sum(copies * (source.largest + _blur(source)) for source, copies in low)
    if one.largest < float("inf") and pure_loss(Fraction(one.largest)).only_source == one:
        return most <= one.largest
    if len(low) != 1 or low[0][1] != 1:
        return False
    other = low[0][0]
    if isinstance(one, NormalLoss) and isinstance(other, NormalLoss):
        return one.mu >= other.mu
    if isinstance(one, LaplaceLoss) and isinstance(other, LaplaceLoss):
        return one.epsilon >= other.epsilon and one.blur >= other.blur
    return False


def _blur(source: object) -> float:
    return float(getattr(source, "moved", getattr(source, "blur", 0.0)))
