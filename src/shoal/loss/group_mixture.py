"""The loss of mixtures of normal laws: groups of people in a Poisson sample, and rows of one that
change.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from shoal.loss.cells import Cells, Floats
from shoal.loss.loss_sources import LossSource, cells_between
from shoal.loss.normal_mixtures import Components, NormalMixtures
from shoal.loss.sampled_normal import SampledNormalLoss
from shoal.loss.tails import KnownTails


@dataclass(frozen=True)
class MixtureNormalLoss(KnownTails):
    """A mixture of normal laws to the right of 0 against one to the left of it, all of variance 1.

    P is the sum of w N(c, 1) over the pairs (c, w) of ``right``, and Q the sum of v N(-d, 1) over
    the pairs (d, v) of ``left``.

    Guarantee: the loss ln(P / Q) rises along the line, and `cells`, `tails` and the inner
        coordinate are those of P and Q, masses right within what `cells` and `fine_cells` allow.
    Needs: distances of at least 0, positive weights that add up to 1, and at least one distance
        above 0.
    Edges: without a distance above 0 on the right, or with one on the left only, the loss ends
        where the weights at 0 say.
    Reference: loss.md, *Groups in a sample*, for what these pairs stand for.
    """

    right: Components
    left: Components

    @property
    def spacing(self) -> float | None:
        return None

    @property
    def largest(self) -> float:
        return self._pair.limits[1]

    @cached_property
    def _pair(self) -> NormalMixtures:
        return NormalMixtures(self.right, self.left)

    def span(self, smallest: float) -> float:
        low, high = self._range(smallest)
        return high - low

    def _range(self, smallest: float) -> tuple[float, float]:
        """The losses at which cells begin and end: the limits where these are finite."""
        ends = self._pair.log_ratio(np.array(self._pair.reach_of_first(smallest)))
        least, most = self._pair.limits
        return (
            least if math.isfinite(least) else float(ends[0]),
            most if math.isfinite(most) else float(ends[1]),
        )

    def cells(self, step: float, smallest: float) -> Cells:
        low, high = self._range(smallest)
        count = math.floor((high - low) / step * (1 + 1e-12)) + 1
        least, most = map(math.isfinite, self._pair.limits)
        # the end that losses pile up at is the one that lies on an edge
        edges = (
            high - step * np.arange(count, -1, -1) if most else low + step * np.arange(count + 1)
        )
        ends = np.maximum.accumulate(self._pair.place_of(edges))
        ends[0] = -np.inf if least else ends[0]
        ends[-1] = np.inf if most else ends[-1]
        return cells_between(
            step,
            edges,
            *self._pair.masses(ends),
            above=0.0 if most else smallest,
            below=0.0 if least else smallest,
        )

    def tails(self, epsilon: float) -> tuple[float, float]:
        return self._pair.above(float(self._pair.place_of(np.array([epsilon]))[0]))

    @property
    def mirrored(self) -> bool:
        """Losses that are bounded above are cut from there down."""
        return math.isfinite(self.largest)

    @cached_property
    def _rising(self) -> NormalMixtures:
        return self._pair.swapped if self.mirrored else self._pair

    @property
    def slope(self) -> float:
        """About how fast the loss grows away from its bulk: by its nearest component."""
        return min(distance for distance, _ in self.right + self.left if distance > 0)

    def inner_reach(self, smallest: float) -> tuple[float, float]:
        low, high = self._pair.reach_of_first(smallest / 2)  # both ends may be left out
        return (-high, -low) if self.mirrored else (low, high)

    def rising(self, inner: Floats) -> Floats:
        return self._rising.log_ratio(inner)

    def inner_at(self, rising: Floats) -> Floats:
        return self._rising.place_of(rising)

    def masses(self, ends: Floats) -> tuple[Floats, Floats]:
        return self._rising.masses(ends)


def sampled_group_loss(removed: int, added: int, *, rate: float, mu: float) -> LossSource:
    """The loss of Gaussian noise on a Poisson sample, where ``removed`` rows are in the first
    dataset only and ``added`` in the second.

    Guarantee: with mu the privacy for one row of what is released from the sample, the pair of
        binomial mixtures of N(i mu, 1) and of N(-j mu, 1) stands for any two such datasets, and
        Gaussian noise on a sum attains it.
    Needs: 0 < rate < 1, mu > 0, removed + added > 0.
    Reference: loss.md, *Groups in a sample*.

    >>> sampled_group_loss(2, 0, rate=0.5, mu=1.0).right
    ((0.0, 0.25), (1.0, 0.5), (2.0, 0.25))
    """
    if removed + added == 1:
        return SampledNormalLoss(rate, mu, removed=removed == 1)
    return MixtureNormalLoss(_binomial(removed, rate, mu), _binomial(added, rate, mu))


def _binomial(count: int, rate: float, mu: float) -> Components:
    share = Fraction(rate)
    return tuple(
        (i * mu, float(math.comb(count, i) * share**i * (1 - share) ** (count - i)))
        for i in range(count + 1)
    )
