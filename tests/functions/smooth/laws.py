"""The laws of smooth noise from their closed forms, in rigorous arithmetic; nothing here is the
code under test.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise

from flint import arb

from shoal.exact import ball

Distribution = Callable[[arb], arb]
"""P(Z <= z), for a ball z."""


def cauchy(z: arb) -> arb:
    return arb(0.5) + z.atan() / arb.pi()


def laplace(z: arb) -> arb:
    return z.exp() / 2 if z < 0 else 1 - (-z).exp() / 2


def normal(z: arb) -> arb:
    return (-z / arb(2).sqrt()).erfc() / 2


def arsinh_normal(bend: Fraction) -> Distribution:
    return lambda z: normal(z.asinh() / ball(bend))


def rounded(law: Distribution, *, value: int, scale: Fraction, places: range) -> list[arb]:
    """The probability of each of these integers, with all below at the first and all above at the
    last.
    """
    ends = [law(ball((Fraction(2 * place + 1, 2) - value) / scale)) for place in places[:-1]]
    sums = [arb(0), *ends, arb(1)]
    return [after - before for before, after in pairwise(sums)]
