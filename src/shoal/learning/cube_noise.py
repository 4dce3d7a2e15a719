"""Noise for the linear term of a loss: even within a cube whose size is random, so that its density
falls with the largest coordinate.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from shoal.noise import geometric, uniform_below


@dataclass(frozen=True)
class CubeNoise:
    """Vectors b of ``size`` numbers with the density proportional to exp(-``rate`` max |b_j|).

    For one number this is the Laplace law of scale 1 / rate.

    Guarantee: `drawn` gives whole numbers k such that, for one b of exactly this law, each
        |b_j - k_j ``step``| is at most `far` of them: b is never computed, but it is there.
    Needs: 1 / (rate step) from 2^-20 to 2^60.
    Reference: Hardt and Talwar 2010, the K-norm mechanism.  Proof: objective.md, *Tilt*.
    """

    size: int
    rate: Fraction
    step: Fraction

    @property
    def far(self) -> Fraction:
        """The most by which a coordinate is off, in steps: half of one for each of the size + 1
        exponential numbers, half of one for the place within the cube and half of one for rounding.
        """
        return Fraction(self.size + 3, 2)

    @property
    def scale(self) -> Fraction:
        """The scale of the exponential numbers that the size of the cube is a sum of, in steps."""
        return 1 / (self.rate * self.step)

    def drawn(self) -> list[int]:
        """The numbers, in whole steps."""
        floors = geometric(self.scale).many(self.size + 1)
        halves = 2 * sum(map(int, floors)) + self.size + 1
        bits = halves.bit_length()  # so that a place in the cube is known to half of a step
        places = uniform_below(1 << bits, self.size)
        return [
            (halves * (2 * int(at) + 1 - (1 << bits)) + (1 << bits)) >> (bits + 1) for at in places
        ]
