"""Staircase noise on the integers."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache

import numpy as np
from flint import arb

from shoal.exact import IntegerArray, ball
from shoal.noise.finite_laws import Coin
from shoal.noise.integer_samplers import IntegerNoise, geometric, until_enough
from shoal.noise.source import Source, draw_below


@lru_cache(maxsize=64)
def staircase(epsilon: Fraction, width: int, tread: int) -> IntegerNoise:
    """Weight exp(-k epsilon) where |x| = k width + place with place < tread, and e^-epsilon of that
    behind it.

    Guarantee: exactly this law.  A magnitude is k widths plus a place: k is geometric; the place is
        on the tread or behind it with odds tread : (width - tread) e^-epsilon, uniform on either;
        the sign is fair, and minus zero is drawn anew.
    Needs: 1 <= tread <= width; 1 / epsilon from 2^-20 to 2^60.
    """
    flights, fair = geometric(1 / epsilon), Coin(Fraction(1, 2))

    def on_tread() -> arb:
        return tread / (tread + (width - tread) * ball(-epsilon).exp())

    treads = Coin(Fraction(1)) if tread == width else Coin(on_tread)

    def propose(count: int, source: Source) -> IntegerArray:
        places = draw_below(tread, count, source)
        if tread < width:
            behind = tread + draw_below(width - tread, count, source)
            places = np.where(treads.toss(count, source), places, behind)
        flown = flights.draw(count, source)
        # The product could exceed 64 bits; Python's integers cannot.
        if int(flown.max(initial=0)).bit_length() + width.bit_length() > 62:
            flown = flown.astype(object)
        magnitudes = flown * width + places
        negative = fair.toss(count, source)
        signed = np.where(negative, -magnitudes, magnitudes)
        kept: IntegerArray = signed[~(negative & np.equal(magnitudes, 0).astype(bool))]
        return kept

    return IntegerNoise(until_enough(propose), "staircase", epsilon, width, tread)
