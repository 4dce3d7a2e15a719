"""Gaussian noise on a Poisson sample, seen by several rows: the loss of a group, and of rows that
change.
"""

from __future__ import annotations

from fractions import Fraction

from shoal.accounting.release_loss import ReleaseLoss, loss_from, normal_loss
from shoal.exact import float_up
from shoal.loss import LossDistribution, NormalLoss, sampled_group_loss

_LEAST_WEIGHT = 1e-280
"""That all rows of a group are in one sample must be likelier than this, so that floats hold every
weight.
"""


def group_in_sample(whole: ReleaseLoss, rate: Fraction, size: int) -> ReleaseLoss | None:
    """The loss for ``size`` rows of which any number are in the first dataset only, and the others
    in the second only.

    Guarantee: the pair of `sampled_group_loss` stands for each of these cases, and every release
        that the group sees is in the same one.
    Needs: ``whole``, the loss of what is released from the sample for one row more or less.
    Edges: None where that is not normal.  A group in which fewer rows differ costs no more.
    Reference: loss.md, *Groups in a sample*.
    """
    if (mu := _normal(whole, rate, size)) is None:
        return None
    if rate == 1:
        return _attained_as(whole, normal_loss(size * Fraction(mu)))
    cases = (
        sampled_group_loss(removed, size - removed, rate=float_up(rate), mu=mu)
        for removed in range(size + 1)
    )
    return ReleaseLoss(LossDistribution.of_group(*cases), attained=whole.attained)


def changes_in_sample(whole: ReleaseLoss, rate: Fraction, rows: int) -> ReleaseLoss | None:
    """The loss where ``rows`` rows change: so many are in the first dataset only, and as many in
    the second only.

    Guarantee, Needs, Reference: as `group_in_sample`.
    """
    if (mu := _normal(whole, rate, rows)) is None:
        return None
    if rate == 1:
        return _attained_as(whole, normal_loss(2 * rows * Fraction(mu)))
    pair = sampled_group_loss(rows, rows, rate=float_up(rate), mu=mu)
    return loss_from(pair, attained=whole.attained)


def _normal(whole: ReleaseLoss, rate: Fraction, rows: int) -> float | None:
    """The mu of a normal loss; None where it is another, or weights are too small for floats."""
    source = whole.only_source
    if not isinstance(source, NormalLoss) or float_up(rate) ** rows < _LEAST_WEIGHT:
        return None
    return None if float_up(rate) == 1 != rate else source.mu


def _attained_as(whole: ReleaseLoss, found: ReleaseLoss) -> ReleaseLoss:
    return ReleaseLoss(found.distribution, attained=whole.attained)
