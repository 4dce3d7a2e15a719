"""The law of a sum of independent losses ±ε_i, where +ε_i has probability e^ε_i / (1 + e^ε_i)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import product

from flint import arb, arb_poly

from shoal.exact import at_precision, ball, dyadic, precision_in_force, upper
from shoal.exact.real import FIRST_PRECISION

MOST_SUMS = 20_000
"""Up to so many different sums are listed one by one; beyond, epsilons are rounded up to a grid."""

MOST_GRID_POINTS = 1 << 16

_NEARLY_ONE = 1 + Fraction(1, 2**60)

Law = tuple[list[Fraction], list[arb], list[arb]]
"""Sums from the largest down to above 0; for each A and B, the chance of it or a larger one under
either.
"""


@dataclass(frozen=True)
class TwoPointLosses:
    """How many losses of each size are added, and the law of their sum at each precision asked
    for.
    """

    epsilons: tuple[tuple[Fraction, int], ...]
    known: dict[int, Law] = field(default_factory=dict, compare=False, repr=False)

    @classmethod
    def of(cls, epsilons: Mapping[Fraction, int]) -> TwoPointLosses:
        """The sum itself, or one that dominates it: epsilons rounded up where there are too many
        sums.

        Guarantee: randomized response with a larger epsilon dominates one with a smaller, so
            rounding up errs on the safe side.  One epsilon, however often, is never rounded.
        """
        kept = {epsilon: count for epsilon, count in epsilons.items() if epsilon and count}
        if len(kept) > 1 and math.prod(count + 1 for count in kept.values()) > MOST_SUMS:
            kept = _on_a_grid(kept)
        return cls(tuple(sorted(kept.items())))

    @property
    def largest(self) -> Fraction:
        return sum((epsilon * count for epsilon, count in self.epsilons), Fraction(0))

    def delta(self, epsilon: Fraction) -> arb:
        """A - e^epsilon B for the sums above epsilon >= 0, enclosed at the precision in force."""
        sums, above, below = self._law()
        place = _count_above(sums, epsilon)
        if place == 0:
            return arb(0)
        return above[place - 1] - ball(epsilon).exp() * below[place - 1]

    def proposal(self, delta: Fraction) -> Fraction | None:
        """An epsilon that probably needs at most this delta, and hardly less; nothing rests on
        it.
        """

        def propose() -> Fraction | None:
            sums, above, below = self._law()
            first, last = 0, len(sums) - 1
            while first < last:  # the first piece on which the delta at its lower end is reached
                middle = (first + last) // 2
                reached = above[middle] - ball(sums[middle + 1]).exp() * below[middle]
                if reached.mid() > ball(delta):
                    last = middle
                else:
                    first = middle + 1
            found = ((above[first] - ball(delta)) / below[first]).log()
            return dyadic(found.upper()) if found.is_finite() and found > 0 else None

        near = at_precision(FIRST_PRECISION, propose)
        return None if near is None else upper(lambda: ball(near * _NEARLY_ONE))

    def _law(self) -> Law:
        bits = precision_in_force()
        if bits not in self.known:
            sums, chances = _few(self.epsilons) if self._is_few() else _many(self.epsilons)
            self.known[bits] = _cumulated(sums, chances)
        return self.known[bits]

    def _is_few(self) -> bool:
        return len(self.epsilons) == 1 or math.prod(n + 1 for _, n in self.epsilons) <= MOST_SUMS


def _count_above(sums: list[Fraction], epsilon: Fraction) -> int:
    """How many of the falling sums are above epsilon."""
    first, last = 0, len(sums)
    while first < last:
        middle = (first + last) // 2
        if sums[middle] > epsilon:
            first = middle + 1
        else:
            last = middle
    return first


def _cumulated(sums: list[Fraction], chances: list[arb]) -> Law:
    above, below = [], []
    more, less = arb(0), arb(0)
    for value, chance in zip(sums, chances, strict=True):
        more += chance
        less += chance * ball(-value).exp()
        above.append(more)
        below.append(less)
    return sums, above, below


def _one_size(
    epsilon: Fraction, count: int, *, least: Fraction
) -> tuple[list[Fraction], list[arb]]:
    """The sums of losses of one size from the largest down to above ``least``, and their
    chances.
    """
    sums, chances = [], []
    ratio = ball(-epsilon).exp()
    chance = (-count * ratio.log1p()).exp()  # all of them positive
    for positives in range(count, -1, -1):
        value = (2 * positives - count) * epsilon
        if value <= least:
            break
        sums.append(value)
        chances.append(chance)
        chance = chance * ratio * positives / (count - positives + 1)
    return sums, chances


def _few(epsilons: tuple[tuple[Fraction, int], ...]) -> tuple[list[Fraction], list[arb]]:
    if len(epsilons) == 1:
        return _one_size(*epsilons[0], least=Fraction(0))
    parts = []
    for epsilon, count in epsilons:
        sums, chances = _one_size(epsilon, count, least=-(count + 1) * epsilon)
        parts.append(list(zip(sums, chances, strict=True)))
    found: dict[Fraction, arb] = {}
    for combination in product(*parts):
        value = sum((one for one, _ in combination), Fraction(0))
        if value > 0:
            chance = math.prod((one for _, one in combination), start=arb(1))
            found[value] = found.get(value, arb(0)) + chance
    sums = sorted(found, reverse=True)
    return sums, [found[value] for value in sums]


def _many(epsilons: tuple[tuple[Fraction, int], ...]) -> tuple[list[Fraction], list[arb]]:
    """All epsilons are multiples of one step: the law is a product of polynomials."""
    step = _common_step([epsilon for epsilon, _ in epsilons])
    factors = []
    for epsilon, count in epsilons:
        stride = (epsilon / step).numerator
        _, chances = _one_size(epsilon, count, least=-(count + 1) * epsilon)
        coefficients = [arb(0)] * (stride * count + 1)
        for place, chance in enumerate(reversed(chances)):
            coefficients[place * stride] = chance
        factors.append(arb_poly(coefficients))
    while len(factors) > 1:
        factors.sort(key=lambda factor: factor.degree(), reverse=True)
        factors.append(factors.pop() * factors.pop())
    law = factors[0].coeffs()
    top = len(law) - 1
    places = [place for place in range(top, -1, -1) if 2 * place > top]
    return [(2 * place - top) * step for place in places], [law[place] for place in places]


def _common_step(epsilons: list[Fraction]) -> Fraction:
    bottom = math.lcm(*(epsilon.denominator for epsilon in epsilons))
    return Fraction(math.gcd(*((epsilon * bottom).numerator for epsilon in epsilons)), bottom)


def _on_a_grid(epsilons: Mapping[Fraction, int]) -> dict[Fraction, int]:
    """Every epsilon rounded up to a multiple of a step, the one that weighs most exactly a
    multiple.
    """
    heaviest = max(epsilons, key=lambda epsilon: epsilons[epsilon] * epsilon**2)
    dearest = max(epsilons)

    def points(step: Fraction) -> int:
        return sum(count * math.ceil(epsilon / step) for epsilon, count in epsilons.items())

    parts = 1
    while points(heaviest / (2 * parts)) <= MOST_GRID_POINTS:
        parts *= 2
    step = heaviest / parts
    if points(step) > MOST_GRID_POINTS:
        step = dearest
    rounded: dict[Fraction, int] = {}
    for epsilon, count in epsilons.items():
        up = math.ceil(epsilon / step) * step
        rounded[up] = rounded.get(up, 0) + count
    return rounded
