"""Lengths of Fourier transforms."""

from __future__ import annotations

from functools import lru_cache


@lru_cache(maxsize=1024)
def quick_length(at_least: int) -> int:
    """The least whole number from here on without a prime factor above 5: transforms of such
    lengths are quick.

    >>> [quick_length(n) for n in (1, 7, 11, 97, 1025)]
    [1, 8, 12, 100, 1080]
    """
    best = 1 << max(at_least - 1, 0).bit_length()
    fives = 1
    while fives < best:
        odd = fives
        while odd < best:
            twos = (-(-at_least // odd) - 1).bit_length()
            best = min(best, odd << twos)
            odd *= 3
        fives *= 5
    return best
