"""How exact every prefix sum and range is that a reflected factor tells, in about n log n steps.

Noise of variance 1 on a factor G D gives the counts the covariance D^-1 (G G)^-1 D^-1, and the
inverse of G G is the matrix of a kernel too.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from shoal.workloads.column_queries import Floats
from shoal.workloads.reflected_factor import ReflectedFactor

_BLOCK = 256
"""Blocks of so many values are added up entry by entry."""


class ReflectedVariances:
    """Variances of what a factor tells, for independent noise of variance 1 in all its rows."""

    def __init__(self, factor: ReflectedFactor) -> None:
        self._factor, self._reflection = factor, factor.reflection
        self._shrink: Floats = 1 / factor.scales.astype(np.float64)
        self._kernel = self._reflection.kernel(factor.symbol**-2.0)

    @cached_property
    def values(self) -> Floats:
        """The variance of the count of each value."""
        return self._reflection.diagonal(self._kernel) * self._shrink**2

    @cached_property
    def prefixes(self) -> Floats:
        """The variance of each prefix sum.

        Each adds to the one before it the value's own variance, and twice its covariance with all
        values before.
        """
        size, own, mirror = self._reflection.size, self._shrink, 1 + self._reflection.first
        near = self._kernel[:size].copy()
        near[0] = 0.0
        before = _convolved(near, own)
        before -= self._reflection.sign * across(own, self._kernel[mirror:])
        return np.cumsum(2 * own * before + self.values)

    def of(self, weights: Floats) -> float:
        """The variance of a weighted sum of the values."""
        waves = self._reflection.coefficients(weights * self._shrink)
        return float(((waves / self._factor.symbol) ** 2).sum())

    @property
    def sum_over_ranges(self) -> float:
        """The sum of the variances of all ranges.

        Ranges are differences of two of n + 1 numbers: 0 and the prefix sums.
        """
        size = self._reflection.size
        total = self.of(np.arange(size, 0, -1.0))
        return (size + 1) * float(self.prefixes.sum()) - total

    def ranges(self) -> Floats:
        """The variance of each range, by its first value, then by its last."""
        size, own = self._reflection.size, self._shrink
        mirror, sign = 1 + self._reflection.first, self._reflection.sign
        found = np.empty(size * (size + 1) // 2)
        later, end = np.zeros(0), len(found)
        for low in range(size - 1, -1, -1):
            across_row = self._kernel[2 * low + 1 + mirror : low + size + mirror]
            row = own[low] * own[low + 1 :] * (self._kernel[1 : size - low] - sign * across_row)
            later = np.concatenate([[0.0], later + 2 * np.cumsum(row)]) + self.values[low]
            found[end - len(later) : end] = later
            end -= len(later)
        return found


def across(values: Floats, kernel: Floats) -> Floats:
    """For each t the sum over i < t of values[i] kernel[i + t].

    A block of values is cut in two: its first half meets its second half in one convolution, and
    either half is a block of its own.
    """
    size, padded = len(values), _BLOCK
    while padded < size:
        padded *= 2
    held = np.zeros(padded)
    held[:size] = values
    line = np.zeros(2 * padded)
    line[: min(len(kernel), 2 * padded)] = kernel[: 2 * padded]
    found = np.zeros(padded)
    place = np.arange(_BLOCK)
    both = np.add.outer(place, place)
    for start in range(0, padded, _BLOCK):
        entries = np.tril(line[2 * start + both], -1)
        found[start : start + _BLOCK] += entries @ held[start : start + _BLOCK]
    half = _BLOCK
    while half < padded:
        starts = np.arange(0, padded, 2 * half)
        first = held.reshape(-1, 2, half)[:, 0]
        lines = line[(2 * starts + half)[:, None] + np.arange(2 * half)]
        product = np.fft.rfft(first, 2 * half).conj() * np.fft.rfft(lines)
        found.reshape(-1, 2, half)[:, 1] += np.fft.irfft(product, 2 * half)[:, :half]
        half *= 2
    return found[:size]


def _convolved(kernel: Floats, values: Floats) -> Floats:
    """For each t the sum over i <= t of kernel[t - i] values[i]."""
    size = len(values)
    product = np.fft.rfft(kernel, 2 * size) * np.fft.rfft(values, 2 * size)
    found: Floats = np.fft.irfft(product, 2 * size)[:size]
    return found
