"""Uniform integers below any bound."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.exact import IntegerArray, out_of_range
from shoal.noise.source import Source, current


def uniform_below(bound: int, count: int) -> IntegerArray:
    """``count`` draws, each of 0, 1, …, bound - 1 equally likely; any bound from 1 up."""
    return draw_below(bound, count, current())


def one_below(bound: int) -> int:
    """One draw of 0, 1, …, bound - 1, each equally likely."""
    return int(draw_below(bound, 1, current())[0])


def draw_below(bound: int, count: int, source: Source) -> IntegerArray:
    """Words of just enough bits, drawn anew while they reach the bound."""
    if bound < 1:
        raise out_of_range("bound", Fraction(bound), "1 or more")
    bits = (bound - 1).bit_length()
    if bits > 63:
        return _wide_below(bound, bits, count, source)
    drawn = np.empty(0, dtype=np.int64)
    while len(drawn) < count:
        missing = count - len(drawn)
        # As many as are needed on average, and 16 more.
        proposed = missing if bound == 1 << bits else (missing << bits) // bound + 16
        words = _words(bits, proposed, source).astype(np.int64)
        # Words at or above the bound are thrown away: a remainder would make small numbers
        # likelier.
        drawn = np.concatenate([drawn, words[words < bound][:missing]])
    return drawn


def _words(bits: int, count: int, source: Source) -> NDArray[Any]:
    for kind in (np.uint16, np.uint32, np.uint64):
        if bits <= np.dtype(kind).itemsize * 8:
            return source.words(kind, count) & kind((1 << bits) - 1)
    raise AssertionError


def _wide_below(bound: int, bits: int, count: int, source: Source) -> NDArray[np.object_]:
    drawn = np.empty(count, dtype=object)
    size = math.ceil(bits / 8)
    for place in range(count):
        while True:
            word = int.from_bytes(source.words(np.uint8, size).tobytes()) >> (8 * size - bits)
            if word < bound:
                break
        drawn[place] = word
    return drawn
