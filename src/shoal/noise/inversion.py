"""Continuous laws by inversion: the nearest integer to scale * Z, with as many digits as that
needs.

Z is a function of one or two uniform variables.  Their digits are drawn 64 at a time; what is known
of them so far encloses Z, and the draw ends as soon as all of the enclosure rounds to one integer.
So the integer is a function of the ideal, continuous variable and has exactly the law of its
rounding; see ``exactness.md``.

Nothing is kept between draws: a scale that was computed from data leaves no table and no pool
behind.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
from flint import arb

from shoal.exact import IntegerArray, at_precision, ball, positive
from shoal.noise.integer_samplers import IntegerNoise
from shoal.noise.source import Source

WORD = 64
_HALF = arb(0.5)
_UNIT_INTERVAL = arb(0).union(arb(1))

Variable = Callable[[list[arb]], arb]
"""An enclosure of Z from enclosures of its uniform variables, not finite where they do not tell
yet.
"""


def rounded_cauchy(scale: Fraction) -> IntegerNoise:
    """The nearest integer, halves up, to a Cauchy variable of this scale: density 1 / (pi (1 +
    z^2)).

    Guarantee: exactly this law: P(X <= x) = 1/2 + arctan((x + 1/2) / scale) / pi.
    Needs: a scale above 0, of any size.
    """
    return _rounded(scale, 1, _cauchy, "rounded_cauchy", scale)


def rounded_laplace(scale: Fraction) -> IntegerNoise:
    """The nearest integer to a continuous Laplace variable of this scale; needs as
    `rounded_cauchy`.
    """
    return _rounded(scale, 2, _laplace, "rounded_laplace", scale)


def rounded_normal(scale: Fraction) -> IntegerNoise:
    """The nearest integer to a normal variable of this standard deviation; needs as
    `rounded_cauchy`.

    `rounded_gaussian` has the same law and is faster for many draws at one scale.
    """
    return _rounded(scale, 1, _normal, "rounded_normal", scale)


def rounded_arsinh_normal(scale: Fraction, bend: Fraction) -> IntegerNoise:
    """The nearest integer to scale * sinh(bend * N) for a standard normal N; needs as
    `rounded_cauchy`.
    """
    bent = positive(bend, "bend")
    return _rounded(
        scale,
        1,
        lambda uniforms: (ball(bent) * _normal(uniforms)).sinh(),
        "rounded_arsinh_normal",
        scale,
        bend,
    )


def _cauchy(uniforms: list[arb]) -> arb:
    return -uniforms[0].cot_pi()


def _laplace(uniforms: list[arb]) -> arb:
    """The difference of two exponential variables."""
    return uniforms[0].log() - uniforms[1].log()


def _normal(uniforms: list[arb]) -> arb:
    return -(2 * uniforms[0]).erfcinv() * arb(2).sqrt()


def _rounded(scale: Fraction, uniforms: int, variable: Variable, *law: Any) -> IntegerNoise:
    wide = positive(scale, "scale")

    def draw(count: int, source: Source) -> IntegerArray:
        drawn = np.empty(count, dtype=object)
        for place in range(count):
            drawn[place] = _one(wide, uniforms, variable, source)
        fits = all(-(1 << 62) <= each <= 1 << 62 for each in drawn)
        return drawn.astype(np.int64) if fits else drawn

    return IntegerNoise(draw, *law)


def _one(scale: Fraction, uniforms: int, variable: Variable, source: Source) -> int:
    """Draw digits until the rounding is known."""
    words, bits = [0] * uniforms, 0
    while True:
        fresh = source.words(np.uint64, uniforms)
        words = [word << WORD | int(more) for word, more in zip(words, fresh, strict=True)]
        bits += WORD
        known = at_precision(2 * bits + WORD, lambda: _nearest(scale, variable, words, bits))  # noqa: B023 - asked at once
        if known is not None:
            return known


def _nearest(scale: Fraction, variable: Variable, words: list[int], bits: int) -> int | None:
    """The integer that all of the enclosure rounds to, and None where there is more than one."""
    unit = arb(2) ** -bits
    place = variable([(word + _UNIT_INTERVAL) * unit for word in words]) * ball(scale) + _HALF
    if not place.is_finite():
        return None
    whole = place.floor().unique_fmpz()
    return None if whole is None else int(whole)
