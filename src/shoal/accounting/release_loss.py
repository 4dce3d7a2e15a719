"""The loss of one release, and the two losses that serve many kinds: normal ones, and those of a
bare epsilon.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction

from shoal.exact import float_up
from shoal.loss import AtomicLoss, LossDistribution, LossSource, NormalLoss

MOST_CASES = 16
"""Releases seen by groups whose sizes have more cases together than this have no loss distribution:
each case is a sum of its own.
"""


@dataclass(frozen=True)
class ReleaseLoss:
    """A loss distribution that stands for a release.

    ``attained`` says that it is the loss of some pair of neighbours, and not just one above all of
    them: only then is anything known from below.  ``only_alone`` says that both hold for this
    release by itself: with others it has to be worked out anew.  ``attained_alone`` says that some
    pair of neighbours needs as much from 0 on, but not at every epsilon, so that something is known
    from below of one release and nothing of several.
    """

    distribution: LossDistribution
    attained: bool = True
    only_alone: bool = False
    attained_alone: bool = False

    @property
    def only_source(self) -> LossSource | None:
        """The one loss it consists of, where that is the same in every case."""
        [(_, sources), *more] = self.distribution.cases
        if more or sum(copies for _, copies in sources) != 1:
            return None
        return sources[0][0]

    def compose(self, *others: ReleaseLoss) -> ReleaseLoss | None:
        """All of these releases, one after another; None where groups of different sizes have too
        many cases together.

        Edges: groups of different sizes may be made of different people, so all their cases are
            combined; whether the dearest combination is one that some people can be in is not
            known, and nothing from below.
        """
        sizes = {size for each in (self, *others) for size in each.distribution.sizes}
        if math.prod(size + 1 for size in sizes) > MOST_CASES:
            return None
        together = self.distribution.compose(*(other.distribution for other in others))
        every = (self, *others)
        return ReleaseLoss(
            together,
            attained=all(each.attained for each in every) and len(sizes) <= 1,
            only_alone=any(each.only_alone for each in every),
        )

    def times(self, count: int) -> ReleaseLoss:
        """So many independent copies, one after another."""
        return replace(self, distribution=self.distribution.times(count))


def loss_from(*sources: LossSource, attained: bool = True) -> ReleaseLoss:
    """Independent losses, each the same in every case; without any, nothing depends on the data."""
    each = tuple((source, 1) for source in sources)
    return ReleaseLoss(LossDistribution((((), each),)), attained=attained)


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
