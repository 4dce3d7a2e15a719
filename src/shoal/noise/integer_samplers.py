"""Integer noise by name: the laws that mechanisms add to exact integers.

Each law is an `IntegerNoise`: ``many(count)`` draws a whole vector, ``one()`` a single integer from
a pool that was drawn ahead, so that a call takes the same time whatever it returns.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np

from shoal.errors import RangeError
from shoal.exact import IntegerArray, exponent_of, short, whole
from shoal.noise.block_laws import BlockLaw, ExponentialLaw, NormalLaw
from shoal.noise.block_sampler import BlockSampler
from shoal.noise.source import Source, current, draw_below

SMALLEST_SCALE = Fraction(1, 1 << 20)
LARGEST_SCALE = Fraction(1 << 60)
_POOL = 256
_POOLS = 256
_FAR = 1 << 62
"""Draws wait in their pool so far from 0.  Python keeps the integers from -5 to 256 and makes all
others, which a clock can see: a draw is none of them until it is part of an answer.
"""
_FINE = 20
"""A continuous law is drawn with steps of at most 2^-20 of its scale before it is rounded."""


class IntegerNoise:
    """One law on the integers, ready to draw from the source in force."""

    __slots__ = ("draw", "law")

    def __init__(self, draw: Callable[[int, Source], IntegerArray], *law: Any) -> None:
        self.draw = draw
        self.law = law  # its name and parameters, for those who compare laws

    def many(self, count: int) -> IntegerArray:
        """``count`` independent draws: int64, or Python's integers should one not fit."""
        source = current()
        instead = getattr(source, "draws", None)  # a source of the test seam may say what is drawn
        return self.draw(count, source) if instead is None else instead(self, count)

    def one(self) -> int:
        """One draw."""
        return self.added_to(0)

    def added_to(self, value: int) -> int:
        """A value plus one draw.  Its time depends on the sum, which is told anyway, and not on the
        draw.
        """
        return value + self._far_draw() - _FAR

    def _far_draw(self) -> int:
        source = current()
        try:
            return source.pools[self].pop()
        except (KeyError, IndexError):
            return self._ahead(source).pop()

    def _ahead(self, source: Source) -> list[int]:
        # Pools of laws that are used once would fill memory.
        if len(source.pools) >= _POOLS:
            source.pools.clear()
        pool: list[int] = [each + _FAR for each in self.draw(_POOL, source).tolist()]
        source.pools[self] = pool
        return pool


@lru_cache(maxsize=64)
def discrete_laplace(scale: Fraction) -> IntegerNoise:
    """P(x) proportional to exp(-|x| / scale) on the integers.

    Guarantee: exactly this law; see ``exactness.md``.
    Needs: a scale from 2^-20 to 2^60.
    Edges: draws that do not fit 64 bits (scales near 2^60) come as Python's integers.
    Reference: Ghosh, Roughgarden and Sundararajan 2009, the two-sided geometric law.
    """
    return _blocks(ExponentialLaw(_checked(scale), "both"), "discrete_laplace", scale)


@lru_cache(maxsize=64)
def geometric(scale: Fraction) -> IntegerNoise:
    """P(x) proportional to exp(-x / scale) on 0, 1, 2, …; needs and edges as `discrete_laplace`."""
    return _blocks(ExponentialLaw(_checked(scale), "right"), "geometric", scale)


@lru_cache(maxsize=64)
def floored_laplace(scale: Fraction) -> IntegerNoise:
    """The floor of a continuous Laplace variable of this scale; needs as `discrete_laplace`."""
    return _blocks(ExponentialLaw(_checked(scale), "floor"), "floored_laplace", scale)


@lru_cache(maxsize=64)
def discrete_gaussian(variance: Fraction) -> IntegerNoise:
    """P(x) proportional to exp(-x^2 / (2 variance)) on the integers.

    Guarantee: exactly this law; see ``exactness.md``.
    Needs: a standard deviation parameter (the root of ``variance``) from 2^-20 to 2^60.
    Edges: as `discrete_laplace`.
    Reference: Canonne, Kamath and Steinke 2020 (the law; the sampler is ours).
    """
    _check_variance(variance)
    return _blocks(NormalLaw(variance, floor=False), "discrete_gaussian", variance)


@lru_cache(maxsize=64)
def rounded_gaussian(variance: Fraction) -> IntegerNoise:
    """The nearest integer to a continuous normal variable of this variance, halves up.

    Guarantee: exactly this law: P(x) = Phi((x + 1/2) / s) - Phi((x - 1/2) / s).
    Needs, edges: as `discrete_gaussian`.
    """
    _check_variance(variance)
    # The floor of a finer law is rounded: floor, add a half and shift gives the nearest integer
    # of the continuous variable exactly.
    finer = max(1, _FINE - exponent_of(variance) // 2)
    fine = BlockSampler(NormalLaw(variance * 4**finer, floor=True))
    half = 1 << (finer - 1)

    def draw(count: int, source: Source) -> IntegerArray:
        return (fine.draw(count, source) + half) >> finer

    return IntegerNoise(draw, "rounded_gaussian", variance)


@lru_cache(maxsize=64)
def truncated_geometric(scale: Fraction, limit: int) -> IntegerNoise:
    """P(x) proportional to exp(-x / scale) on 0, 1, …, limit.

    Drawn from the law without a limit until it falls within; or, where the limit is the smaller of
    the two, uniformly, and kept when an independent geometric draw reaches it, which has
    probability exp(-x / scale).  Either way at least one in three proposals is kept.
    """
    limit = whole(limit, "limit", at_least=0)
    unlimited = BlockSampler(ExponentialLaw(_checked(scale), "right"))
    if limit >= scale:

        def within(count: int, source: Source) -> IntegerArray:
            drawn = unlimited.draw(2 * count, source)
            return drawn[drawn <= limit]

        return IntegerNoise(until_enough(within), "truncated_geometric", scale, limit)

    def thinned(count: int, source: Source) -> IntegerArray:
        drawn = draw_below(limit + 1, 2 * count, source)
        heights = unlimited.draw(2 * count, source)
        return drawn[heights >= drawn]

    return IntegerNoise(until_enough(thinned), "truncated_geometric", scale, limit)


def until_enough(
    propose: Callable[[int, Source], IntegerArray],
) -> Callable[[int, Source], IntegerArray]:
    """Repeat independent proposals and take the first ``count`` that were kept."""

    def draw(count: int, source: Source) -> IntegerArray:
        drawn = propose(count, source)
        while len(drawn) < count:
            drawn = np.concatenate([drawn, propose(count, source)])
        return drawn[:count]

    return draw


def _blocks(law: BlockLaw, *named: Any) -> IntegerNoise:
    return IntegerNoise(BlockSampler(law).draw, *named)


def _checked(scale: Fraction) -> Fraction:
    if not SMALLEST_SCALE <= scale <= LARGEST_SCALE:
        raise _out_of_reach("scale", scale)
    return scale


def _check_variance(variance: Fraction) -> None:
    if not SMALLEST_SCALE**2 <= variance <= LARGEST_SCALE**2:
        raise _out_of_reach("variance", variance)


def _out_of_reach(name: str, number: Fraction) -> RangeError:
    return RangeError(
        f"noise of {name} {short(number)} steps was asked for; scales from 2^-20 to 2^60 steps can be drawn.",
        remedy="Choose an epsilon, a sensitivity and a grid whose noise lies in that range.",
    )
