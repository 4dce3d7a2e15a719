"""Laws on the integers as blocks: what the block sampler needs to know of each.

A law is cut into blocks of ``2**bits`` neighbouring integers.  Going outwards from zero, rank 0, 1,
2, … are the blocks on the right and on the left in turn (or the right ones alone).  A block is
proposed with probability proportional to the weight of its *start*, the integer nearest to zero and
so the heaviest; the offset into the block is uniform; the proposal is kept with probability weight
/ weight of the start, which is exp(-t) for the ``t`` of `drop`.  What is kept has exactly the law.
`exactness.md` has the proofs.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any, Protocol

import numpy as np
from flint import arb
from numpy.typing import NDArray

from shoal.exact import Real, ball, exponent_of, precision_in_force

Floats = NDArray[np.float64]


class BlockLaw(Protocol):
    """A law on the integers, cut into blocks."""

    @property
    def bits(self) -> int:
        """Blocks hold ``2**bits`` integers."""

    @property
    def two_sided(self) -> bool:
        """Whether odd ranks are blocks of negative integers."""

    @property
    def continuous(self) -> bool:
        """Whether the law is the floor of a continuous one, so that offsets have a fraction too."""

    def survivals(self) -> Iterator[arb]:
        """The probability of all ranks above 0, 1, 2, …, at the precision in force."""

    def survival(self, rank: int) -> Real:
        """The same for one rank."""

    def steepest(self, rank: int) -> float:
        """At or above every t of the blocks up to this rank."""

    def drop(self, rank: NDArray[Any], offset: Floats) -> Floats:
        """The t at these offsets, within 2^-45 (1 + t)."""

    def exact_drop(self, rank: int, offset: arb) -> arb:
        """The t at an offset known as a ball, at the precision in force."""


@dataclass(frozen=True, slots=True)
class ExponentialLaw:
    """P(x) proportional to exp(-|x| / scale).

    ``side`` is "both" for the discrete Laplace law, "right" for the geometric law on 0, 1, 2, …,
    and "floor" for the floor of the continuous Laplace law, whose two sides are alike.
    """

    scale: Fraction
    side: str

    @property
    def bits(self) -> int:
        return max(0, exponent_of(self.scale) - 5)

    @property
    def two_sided(self) -> bool:
        return self.side != "right"

    @property
    def continuous(self) -> bool:
        """The fraction of an exponential variable is independent of its floor: it need not be
        drawn.
        """
        return False

    def survivals(self) -> Iterator[arb]:
        past, parts = self._past_one_block(), self._parts()
        within = arb(1)
        while True:
            for part in parts:
                yield within * part
            within = within * past

    def survival(self, rank: int) -> Real:
        block, place = divmod(rank, 2 if self.two_sided else 1)
        exponent = -Fraction(block << self.bits) / self.scale
        return lambda: ball(exponent).exp() * self._parts()[place]

    def _past_one_block(self) -> arb:
        return ball(-Fraction(1 << self.bits) / self.scale).exp()

    def _parts(self) -> tuple[arb, ...]:
        """What survives the blocks at one distance from zero, after each of them."""
        past = self._past_one_block()
        if self.side == "right":
            return (past,)
        left = arb(1) if self.side == "floor" else ball(-1 / self.scale).exp()
        return ((past + left) / (1 + left), past)

    def steepest(self, rank: int) -> float:  # noqa: ARG002 - the same in every block
        return float((1 << self.bits) / self.scale) * 1.001

    def drop(self, rank: NDArray[Any], offset: Floats) -> Floats:  # noqa: ARG002
        return offset * float(1 / self.scale)

    def exact_drop(self, rank: int, offset: arb) -> arb:  # noqa: ARG002
        return offset / ball(self.scale)


@dataclass(frozen=True, slots=True)
class NormalLaw:
    """P(x) proportional to exp(-x^2 / (2 variance)) on the integers.

    With ``floor`` it is the floor of the continuous normal law of this variance instead.
    """

    variance: Fraction
    floor: bool

    @property
    def bits(self) -> int:
        return max(0, exponent_of(self.variance) // 2 - 7) if self.variance >= 1 else 0

    @property
    def two_sided(self) -> bool:
        return True

    @property
    def continuous(self) -> bool:
        return self.floor

    def start(self, rank: int) -> int:
        """The distance from zero at which a block begins."""
        return (rank // 2 << self.bits) + (0 if self.floor else rank % 2)

    def survivals(self) -> Iterator[arb]:
        total = _tail(self, 0)
        rest = total
        for weight in _weights(self, 0):
            rest = rest - weight
            yield rest / total

    def survival(self, rank: int) -> Real:
        return lambda: _tail(self, rank + 1) / _total(self, precision_in_force())

    def steepest(self, rank: int) -> float:
        return float(self._exponent(self.start(rank), 1 << self.bits)) * 1.001

    def _exponent(self, start: int, offset: int) -> Fraction:
        return Fraction(offset * (2 * start + offset)) / (2 * self.variance)

    def drop(self, rank: NDArray[Any], offset: Floats) -> Floats:
        start = np.ldexp((rank >> 1).astype(np.float64), self.bits)
        if not self.floor:
            start += rank & 1
        start *= 2
        start += offset
        start *= offset
        start *= float(1 / (2 * self.variance))
        return start

    def exact_drop(self, rank: int, offset: arb) -> arb:
        return offset * (2 * self.start(rank) + offset) / ball(2 * self.variance)


def _weights(law: NormalLaw, rank: int) -> Iterator[arb]:
    """The weights of the blocks from this rank on, each from the one two ranks before it.

    With c = 1 / (2 variance) and blocks of size B, a block that starts at s is followed on its side
    by one of exp(-c B (2 s + B)) times its weight, and that factor shrinks by exp(-2 c B^2) from
    block to block.
    """
    halved = 1 / (2 * law.variance)
    size = 1 << law.bits
    starts = (law.start(rank), law.start(rank + 1))
    weights = [ball(-halved * start * start).exp() for start in starts]
    factors = [ball(-halved * size * (2 * start + size)).exp() for start in starts]
    shrinking = ball(-2 * halved * size * size).exp()
    while True:
        for side in (0, 1):
            yield weights[side]
            weights[side] = weights[side] * factors[side]
            factors[side] = factors[side] * shrinking


def _tail(law: NormalLaw, rank: int) -> arb:
    """The sum of the weights from this rank on, as a ball.

    The factor between neighbours on one side only falls, so the terms from a pair (a, b) on sum to
    at most (a + b) / (1 - factor) with the factor of the pair before it.
    """
    weights = _weights(law, rank)
    total = first = next(weights) + next(weights)
    smallest = arb(2) ** -precision_in_force()
    before = first
    for one, other in zip(weights, weights, strict=False):
        pair = one + other
        if pair < first * smallest:
            return total + (pair / (1 - pair / before)).union(arb(0))
        total = total + pair
        before = pair
    raise AssertionError


@lru_cache(maxsize=64)
def _total(law: NormalLaw, precision: int) -> arb:  # noqa: ARG001 - the key under which it is kept
    return _tail(law, 0)
