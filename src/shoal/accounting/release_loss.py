"""The loss of one release, and the two losses that serve many kinds: normal ones, and those of a bare epsilon."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

from shoal.exact import float_up
from shoal.measures.loss import AtomicLoss, LossDistribution, LossSource, NormalLoss


@dataclass(frozen=True)
class ReleaseLoss:
    """A loss distribution that stands for a release.

    ``attained`` says that it is the loss of some pair of neighbours, and not just one above all of them: only then is
    anything known from below.
    """

    distribution: LossDistribution
    attained: bool = True

    @property
    def only_source(self) -> LossSource | None:
        """The one loss it consists of, where that is the same in both directions."""
        losses = self.distribution
        if losses.removed == losses.added and sum(n for _, n in losses.removed) == 1:
            return losses.removed[0][0]
        return None

    def compose(self, other: ReleaseLoss) -> ReleaseLoss:
        """Both releases, one after the other."""
        both = self.distribution.compose(other.distribution)
        return ReleaseLoss(both, attained=self.attained and other.attained)


def loss_from(*sources: LossSource, attained: bool = True) -> ReleaseLoss:
    """Independent losses, each the same in both directions; without any, nothing depends on the data."""
    each = tuple((source, 1) for source in sources)
    return ReleaseLoss(LossDistribution(each, each), attained=attained)


def normal_loss(mu: Fraction) -> ReleaseLoss:
    """The loss of Gaussian noise that moves by ``mu`` standard deviations."""
    return loss_from(NormalLoss(float_up(mu))) if mu else loss_from()


def pure_loss(epsilon: Fraction, *, attained: bool = True) -> ReleaseLoss:
    """The loss of randomized response, which is above that of every release of this epsilon."""
    whole = float_up(epsilon)
    if whole == 0:
        return loss_from(attained=attained)
    fall = math.exp(-whole)
    atoms = ((whole, 1 / (1 + fall)), (-whole, fall / (1 + fall)))
    return loss_from(AtomicLoss(atoms, unit=2 * whole), attained=attained)
