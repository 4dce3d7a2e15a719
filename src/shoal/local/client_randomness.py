"""How a client turns bytes into a number below a bound: the same in every language, bit for bit."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from shoal.noise import current

Take = Callable[[int], bytes]
"""Hands out the next so many bytes of a stream."""


def bits_below(total: int) -> int:
    """How many bits a number below ``total`` needs; a word has so many bits."""
    return (total - 1).bit_length()


def number_below(total: int, take: Take) -> int:
    """A uniform whole number below ``total``: words are read until one is below it.

    A word is the first ``bits_below(total)`` bits, the highest first, of the fewest bytes that hold
    so many.

    >>> from io import BytesIO
    >>> number_below(5, BytesIO(bytes([0b111_00000, 0b100_11111])).read)
    4
    """
    bits = bits_below(total)
    size = -(-bits // 8)
    while True:
        word = int.from_bytes(take(size)) >> (8 * size - bits)
        if word < total:
            return word


def secret_bytes(count: int) -> bytes:
    """Bytes of the source in force."""
    return current().words(np.uint8, count).tobytes()
