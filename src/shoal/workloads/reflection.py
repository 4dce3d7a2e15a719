"""A column continued beyond its ends by reflection, so that prefix sums and ranges become waves.

The gram matrix of all prefix sums of n values has the eigenvectors cos((j + 1/2) t), that of all
ranges has sin((j + 1) t).  Both are vectors that continue periodically, or with the other sign after
each period.  A matrix that has these eigenvectors is a convolution there: one list of numbers, its
*kernel*, says all of it, and it is applied in about n log n steps.
Proof: workloads.md, *Many values*.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from flint import fmpz_poly
from numpy.typing import NDArray

from shoal.exact import IntegerArray
from shoal.workloads.column_queries import Floats


@dataclass(frozen=True)
class Reflection:
    """Where n values and their images lie in one period, and with which sign the next one begins.

    Value j stands at j + ``first``, its image with the opposite sign at ``length`` - 1 - j; after
    ``length`` places everything comes again, times ``sign``.  A kernel k is symmetric and continues
    in the same way; its matrix has the entries k(i - j) - sign k(i + j + 1 + first).
    """

    size: int
    length: int
    sign: int
    first: int

    @classmethod
    def for_prefixes(cls, size: int) -> Reflection:
        """The continuation whose waves are the eigenvectors of all prefix sums."""
        return cls(size, 2 * size + 1, -1, 0)

    @classmethod
    def for_ranges(cls, size: int) -> Reflection:
        """The continuation whose waves are the eigenvectors of all ranges."""
        return cls(size, 2 * size + 2, 1, 1)

    @cached_property
    def angles(self) -> Floats:
        """The angle t of each wave, from the longest wave to the shortest."""
        odd = np.arange(1, self.size + 1) * 2.0 - (1 if self.sign < 0 else 0)
        found: Floats = odd * np.pi / self.length
        return found

    @property
    def _bins(self) -> slice:
        """Where the waves stand in a Fourier transform of one period."""
        return slice(self.first, self.first + self.size)

    @cached_property
    def _twist(self) -> NDArray[np.complex128]:
        """What makes a period that comes again with the other sign periodic."""
        turned = np.exp(-1j * np.pi * np.arange(self.length) / self.length)
        return turned if self.sign < 0 else np.ones(self.length, dtype=np.complex128)

    def kernel(self, symbol: Floats) -> Floats:
        """The kernel over one period of the matrix that multiplies each wave by its entry of
        ``symbol``.

        Edges: waves that no vector here contains (angle 0 and pi) get the last entry; they change
        no entry of the matrix.
        """
        waves = np.full(self.length, symbol[-1])
        waves[self._bins] = symbol
        back = self.length - self.first - np.arange(self.size) - (0 if self.first else 1)
        waves[back] = symbol
        found: Floats = (np.fft.ifft(waves) * self._twist.conj()).real
        return found

    def symbol(self, kernel: Sequence[int] | Floats) -> Floats:
        """By what the matrix of a kernel multiplies each wave."""
        held = np.asarray(kernel, dtype=np.float64)
        found: Floats = np.fft.fft(held * self._twist).real[self._bins]
        return found

    def coefficients(self, values: Floats) -> Floats:
        """A vector in the orthonormal basis of the waves."""
        found = np.fft.fft(self._continued(values) * self._twist)[self._bins]
        turned = found * (1j if self.first else np.exp(-0.5j * self.angles))
        coefficients: Floats = turned.real / np.sqrt(self.length)
        return coefficients

    def values(self, coefficients: Floats) -> Floats:
        """The vector that has these coefficients."""
        waves = np.zeros(self.length, dtype=np.complex128)
        turn = -1j if self.first else np.exp(0.5j * self.angles)
        waves[self._bins] = coefficients * turn
        found = (np.fft.ifft(waves) * self._twist.conj()).real
        start = self.first
        values: Floats = found[start : start + self.size] * 2 * np.sqrt(self.length)
        return values

    def diagonal(self, kernel: Floats) -> Floats:
        """The diagonal of the matrix of a kernel."""
        mirrored = kernel[1 + self.first :: 2][: self.size]
        found: Floats = kernel[0] - self.sign * mirrored
        return found

    def _continued(self, values: Any) -> Any:
        found = np.zeros(self.length, dtype=values.dtype)
        found[self._bins] = values
        found[self.length - self.size :] = -values[::-1]
        return found

    def product(self, kernel: Sequence[int], values: IntegerArray) -> list[int]:
        """The matrix of a kernel of whole numbers times whole numbers, exactly."""
        continued = fmpz_poly([int(each) for each in self._continued(values.astype(object))])
        return self._folded(fmpz_poly(list(kernel)) * continued)[self._bins]

    def square(self, kernel: Sequence[int]) -> list[int]:
        """The kernel of the square of a kernel's matrix, exactly."""
        return self._folded(fmpz_poly(list(kernel)) ** 2)

    def _folded(self, product: fmpz_poly) -> list[int]:
        """A product over one period: what lies beyond it belongs to the next."""
        found = [int(each) for each in product.coeffs()]
        found += [0] * (2 * self.length - len(found))
        return [
            own + self.sign * beyond
            for own, beyond in zip(found[: self.length], found[self.length :], strict=True)
        ]
