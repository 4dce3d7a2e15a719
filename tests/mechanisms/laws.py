"""The laws of the noise from their closed forms, in rigorous arithmetic, and the privacy that
follows from them.

Nothing here comes from the code under test but `shoal.exact`, whose balls contain the true number.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from fractions import Fraction
from functools import cache

from flint import arb

from shoal.exact import at_precision, ball, dyadic

BITS = 256
Weight = Callable[[int], arb]
"""The probability of each integer."""


def discrete_laplace(scale: Fraction) -> Weight:
    ratio = ball(-1 / scale).exp()
    return lambda x: ball(-Fraction(abs(x)) / scale).exp() * (1 - ratio) / (1 + ratio)


def laplace_at_most(scale: Fraction, x: int) -> arb:
    """P(X <= x) for the discrete Laplace law."""
    ratio = ball(-1 / scale).exp()
    if x >= 0:
        return 1 - ball(-Fraction(x + 1) / scale).exp() / (1 + ratio)
    return ball(Fraction(x) / scale).exp() / (1 + ratio)


def normal_at_least(sigma: Fraction, x: Fraction) -> arb:
    """P(N >= x) for a continuous normal variable."""
    return (ball(x / sigma) / arb(2).sqrt()).erfc() / 2


def rounded_gaussian(variance: Fraction) -> Weight:
    """The nearest integer to a normal variable, halves up."""
    root = ball(variance).sqrt() * arb(2).sqrt()

    @cache
    def beyond(x: int) -> arb:
        return (ball(x - Fraction(1, 2)) / root).erfc() / 2

    return lambda x: beyond(abs(x)) - beyond(abs(x) + 1)


def discrete_gaussian(variance: Fraction) -> Weight:
    total = arb(1)
    x = 1
    while True:
        weight = ball(-Fraction(x * x) / (2 * variance)).exp()
        total += 2 * weight
        if weight < arb(2) ** -BITS:
            break
        x += 1
    total += (weight * 4).union(arb(0)) if variance < 1000 else (weight * 10**4).union(arb(0))
    return lambda x: ball(-Fraction(x * x) / (2 * variance)).exp() / total


def staircase(epsilon: Fraction, width: int, tread: int) -> Weight:
    fall = ball(-epsilon).exp()
    half = (tread + (width - tread) * fall) / (1 - fall)

    def weight(x: int) -> arb:
        flight, place = divmod(abs(x), width)
        return fall ** (flight + (place >= tread)) / (2 * half - 1)

    return weight


Bounds = tuple[Fraction, Fraction]


def bounds(number: Callable[[], arb]) -> Bounds:
    """Rationals below and above a number, about 2^-200 of it apart."""

    def both() -> Bounds:
        found = number()
        return dyadic(found.lower()), dyadic(found.upper())

    return at_precision(BITS, both)


def exact(low_and_high: Bounds, claim: Fraction) -> bool:
    """Whether a number is the claim, as far as 60 digits can tell."""
    low, high = low_and_high
    return low <= claim <= high and high - low <= abs(claim) / 10**60


def loss(here: arb, there: arb) -> arb:
    """ln(here / there)."""
    return (here / there).log()


def largest(numbers: Iterable[arb]) -> arb:
    """A ball that holds the largest of some numbers."""
    found = None
    for number in numbers:
        found = number if found is None else found.max(number)
    assert found is not None
    return found


def hockey_stick(pairs: Iterable[tuple[arb, arb]], epsilon: Fraction) -> arb:
    """The sum of p - e^epsilon q where that is above 0."""
    factor, total = ball(epsilon).exp(), arb(0)
    for here, there in pairs:
        difference = here - factor * there
        total += difference.max(arb(0))
    return total


def divergence(pairs: Iterable[tuple[arb, arb]], order: Fraction) -> arb:
    """The Rényi divergence of p from q."""
    total = arb(0)
    for here, there in pairs:
        total += (ball(order) * here.log() + ball(1 - order) * there.log()).exp()
    return total.log() / ball(order - 1)
