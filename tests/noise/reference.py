"""The laws once more, from their closed forms and nothing else: what the samplers are held against.

A law is cut into blocks of ``2**bits`` integers, counted outwards from zero, right and left in
turn.  Its *proposal* gives each block the weight of its start.  Everything is summed term by term.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from itertools import count

from flint import arb

from shoal.exact import at_precision, ball, dyadic
from shoal.noise import (
    IntegerNoise,
    discrete_gaussian,
    discrete_laplace,
    floored_laplace,
    geometric,
)
from shoal.noise.block_laws import ExponentialLaw, NormalLaw
from shoal.noise.block_sampler import BlockSampler

BITS = 384
"""Precision of the reference: six words."""


@dataclass(frozen=True)
class Target:
    """A law at one scale: weight exp(-exponent(distance)) at a distance from zero."""

    name: str
    scale: Fraction
    two_sided: bool
    gap: int
    """The distance from zero of the first integer on the left, -1: 1 for a law, 0 for a floor."""
    gaussian: bool

    @property
    def sampler(self) -> BlockSampler:
        return _sampler(self)

    @property
    def noise(self) -> IntegerNoise:
        if self.name == "floored gaussian":
            return IntegerNoise(self.sampler.draw)
        named: dict[str, Callable[[Fraction], IntegerNoise]] = {
            "discrete laplace": discrete_laplace,
            "geometric": geometric,
            "floored laplace": floored_laplace,
            "discrete gaussian": discrete_gaussian,
        }
        return named[self.name](self.scale**2 if self.gaussian else self.scale)

    def exponent(self, distance: Fraction) -> Fraction:
        return distance**2 / (2 * self.scale**2) if self.gaussian else distance / self.scale

    def start(self, rank: int) -> int:
        """The distance from zero of a block's heaviest integer."""
        if not self.two_sided:
            return rank << self.sampler.bits
        return (rank // 2 << self.sampler.bits) + rank % 2 * self.gap

    def value(self, rank: int, offset: int) -> int:
        """The integer at an offset into a block."""
        if not self.two_sided:
            return (rank << self.sampler.bits) + offset
        outwards = (rank // 2 << self.sampler.bits) + offset
        return -1 - outwards if rank % 2 else outwards

    def distance(self, value: int) -> int:
        """The distance from zero that the weight of an integer is taken at."""
        return value if value >= 0 else -1 - value + self.gap

    def weight(self, rank: int) -> arb:
        return ball(-self.exponent(Fraction(self.start(rank)))).exp()

    def below(self, rank: int) -> arb:
        """The probability that the proposal is one of the ranks before this one."""
        return at_precision(BITS, lambda: _sum(self, rank) / _total(self))

    def above(self, rank: int) -> arb:
        """The probability that the proposal is this rank or a later one, to relative precision."""
        return at_precision(BITS, lambda: _tail(self, rank) / _total(self))

    def chance(self, rank: int) -> arb:
        """The probability that the proposal is this rank."""
        return at_precision(BITS, lambda: self.weight(rank) / _total(self))

    def bits_of_step(self, rank: int, words: int) -> list[int]:
        """The first so many 64-bit digits of F(rank), the probability of ranks 0..rank."""
        all_ones = 1 << 64 * words

        def complement() -> int:
            small = self.scale < 1  # few ranks, and probabilities too small to see beside 1
            above = self.above(rank + 1) if small else 1 - self.below(rank + 1)
            rounded = (above * all_ones).ceil().unique_fmpz()
            assert rounded is not None
            return int(rounded)

        digits = all_ones - at_precision(BITS, complement)
        return [digits >> 64 * (words - 1 - place) & (1 << 64) - 1 for place in range(words)]


LAPLACE_KINDS = {
    "discrete laplace": (True, 1, False),
    "geometric": (False, 0, False),
    "floored laplace": (True, 0, False),
}
GAUSSIAN_KINDS = {"discrete gaussian": (True, 1, True), "floored gaussian": (True, 0, True)}
SCALES = [
    Fraction(1, 3),
    Fraction(1),
    Fraction(10),
    Fraction(1000),
    Fraction(10**6),
    Fraction(2**40),
]
EXTREME_SCALES = [Fraction(1, 2**20), Fraction(2**60)]
FLOORED_SCALES = [Fraction(2**20), Fraction(3 * 10**6), Fraction(2**40)]
"""The floor of a normal law is drawn at large scales only, and rounded from there."""

TARGETS = [
    Target(name, scale, *shape)
    for name, shape in (LAPLACE_KINDS | GAUSSIAN_KINDS).items()
    for scale in (FLOORED_SCALES if name == "floored gaussian" else [*SCALES, *EXTREME_SCALES])
    if (name, scale) != ("floored laplace", EXTREME_SCALES[0])  # see test_ladder_near_a_word
]
IN_BLOCKS = [target for target in TARGETS if target.scale >= 1000]
"""Those whose blocks hold more than one integer."""


def label(target: object) -> str:
    return f"{target.name} {target.scale}" if isinstance(target, Target) else str(target)


@cache
def _sampler(target: Target) -> BlockSampler:
    if target.gaussian:
        return BlockSampler(NormalLaw(target.scale**2, floor=target.gap == 0))
    side = ("floor" if target.gap == 0 else "both") if target.two_sided else "right"
    return BlockSampler(ExponentialLaw(target.scale, side))


_sums: dict[Target, list[arb]] = {}


def _sum(target: Target, rank: int) -> arb:
    """The weights of the ranks before this one, summed in order and remembered."""
    sums = _sums.setdefault(target, [arb(0)])
    while len(sums) <= rank:
        sums.append(sums[-1] + target.weight(len(sums) - 1))
    return sums[rank]


@cache
def _total(target: Target) -> arb:
    return _tail(target, 0)


def _tail(target: Target, rank: int) -> arb:
    """The weights from this rank on: two geometric series, or term by term beyond the precision."""
    first = target.weight(rank)
    if not target.gaussian:
        other = target.weight(rank + 1) if target.two_sided else arb(0)
        return (first + other) / (1 - ball(-Fraction(2**target.sampler.bits) / target.scale).exp())
    total = first
    for later in count(rank + 1):
        weight = target.weight(later)
        total = total + weight
        # beyond one scale, every 2 * 256 ranks shrink the weight at least by e: the rest is below
        # 2^11 weights
        if target.start(later) > target.scale and weight < first * arb(2) ** -BITS:
            return total + arb(0).union(weight * 2**11)
    raise AssertionError


def fractions_of(number: arb) -> tuple[Fraction, Fraction]:
    """The ends of a ball as rationals."""
    return at_precision(BITS, lambda: (dyadic(number.lower()), dyadic(number.upper())))
