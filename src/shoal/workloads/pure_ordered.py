"""One ordered column with Laplace noise: every value and the weighted sums that its prefix sums and
ranges need most, rounded to whole numbers.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from shoal.workloads.factors import IntegerMatrix
from shoal.workloads.ordered_strategy import OrderedStrategy
from shoal.workloads.p_identity import p_identity

FINENESS = 1 << 20


class PureOrderedStrategy(OrderedStrategy):
    """One measurement of one column by a p-identity strategy.

    Guarantee: unbiased answers by least squares.  The strategy is a local optimum; no bound tells
        how far another one could be below it.
    Reference: workloads.md, *Laplace noise*.
    """

    @cached_property
    def _factor(self) -> IntegerMatrix:
        found = p_identity(self.domain.size(self._column), self._times)
        return IntegerMatrix(np.rint(found * FINENESS).astype(np.int64))

    @property
    def shares(self) -> tuple[float, ...]:
        """All of epsilon."""
        return (1.0,)

    @property
    def bound(self) -> float | None:
        return None
