"""The Bernstein operator: a function on the unit cube from its values on a lattice, plain or
iterated.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.errors import RangeError, ShapeError
from shoal.exact import whole
from shoal.mechanisms.values import plain

Reals = NDArray[np.float64]
MOST_COEFFICIENTS = 1 << 22
_PIECE = 1 << 20


@dataclass(frozen=True)
class Operator:
    """What turns (degree + 1)^dims lattice values into a function on [0, 1]^dims.

    With B the Bernstein operator, the function is (I - (I - B)^order) f: B f itself for order 1,
    closer to f and livelier with every further order.  It is linear in the lattice values, so that
    noise on them becomes a polynomial of noise, whose size `gain` and `deviations` tell.
    Needs: degree >= 1, dims >= 1, order >= 1.
    Reference: Micchelli 1973; Aldà and Rubinstein 2017.  Proof: operator.md.

    >>> import numpy as np
    >>> halves = Operator(2)
    >>> halves.evaluate(np.array([0.0, 0.25, 1.0]), [[0.5]]).tolist()
    [0.375]
    >>> Operator(2, order=50).evaluate(np.array([0.0, 0.25, 1.0]), [[0.5]]).round(6).tolist()
    [0.25]
    """

    degree: int
    dims: int = 1
    order: int = 1

    def __post_init__(self) -> None:
        for name in ("degree", "dims", "order"):
            object.__setattr__(self, name, whole(getattr(self, name), name, at_least=1))
        if self.size > MOST_COEFFICIENTS:
            raise RangeError(
                f"a lattice of degree {self.degree} in {self.dims} dimensions has {self.size} values;"
                f" at most {MOST_COEFFICIENTS} are kept.",
                remedy="Choose a smaller degree, or release fewer dimensions at a time.",
            )

    def __getstate__(self) -> dict[str, int]:
        """The parameters; matrices that are kept at hand are made anew where a copy is used."""
        return {"degree": self.degree, "dims": self.dims, "order": self.order}

    @property
    def size(self) -> int:
        """How many lattice values there are."""
        return int((self.degree + 1) ** self.dims)

    @property
    def shape(self) -> tuple[int, ...]:
        """The lattice values as an array: one axis for each dimension."""
        return (self.degree + 1,) * self.dims

    def lattice(self) -> Reals:
        """The points k / degree, one row each, the last coordinate running fastest."""
        steps = np.arange(self.degree + 1) / self.degree
        axes = np.meshgrid(*[steps] * self.dims, indexing="ij")
        return np.stack([axis.reshape(-1) for axis in axes], axis=1)

    def sharpened(self, values: Reals) -> Reals:
        """The values whose plain Bernstein polynomial is the iterated one: the sum of (I - P)^i v,
        i < order.
        """
        own = np.asarray(values, dtype=np.float64).reshape(self.shape)
        found = own.copy()
        for _ in range(self.order - 1):
            found = own + found - self._along(found, self._at_lattice)
        return found.reshape(-1)

    def evaluate(self, values: Reals, points: Any) -> Reals:
        """The function with these lattice values at points of the cube, one row of ``dims`` numbers
        each.
        """
        places = self._read(points)
        sharp = self.sharpened(values).reshape(self.shape)
        piece = max(1, _PIECE // self.size)
        parts = [self._plain(sharp, places[at : at + piece]) for at in range(0, len(places), piece)]
        return np.concatenate(parts) if parts else np.zeros(0)

    def responses(self, points: Any) -> Reals:
        """How much each lattice value counts at each point: a row per point, a column per value."""
        places = self._read(points)
        counted = np.ones((len(places), 1))
        for axis in range(self.dims):
            one = basis(self.degree, places[:, axis])
            counted = (counted[:, :, None] * one[:, None, :]).reshape(len(places), -1)
        found = counted.copy()
        for _ in range(self.order - 1):
            spread = found.reshape(len(places), *self.shape)
            for axis in range(self.dims):
                spread = np.moveaxis(
                    np.tensordot(spread, self._at_lattice, axes=(axis + 1, 0)), -1, axis + 1
                )
            found = counted + found - spread.reshape(len(places), -1)
        return found

    def deviations(self, points: Any, spread: Reals | float = 1.0) -> Reals:
        """The standard deviation at each point of independent noise on the lattice values, of this
        deviation.
        """
        places = self._read(points)
        piece = max(1, _PIECE // self.size)
        parts = [
            np.sqrt(((self.responses(places[at : at + piece]) * spread) ** 2).sum(axis=1))
            for at in range(0, len(places), piece)
        ]
        return np.concatenate(parts) if parts else np.zeros(0)

    @cached_property
    def gain(self) -> float:
        """The function is nowhere larger than this times the largest lattice value: 1 for order 1,
        below 2^order.
        """
        if self.order == 1:
            return 1.0
        if self.dims == 1:
            rows = self._weights()
            return float(np.abs(rows).sum(axis=1).max() * (1 + 1e-9))
        return float(2**self.order - 1)

    @cached_property
    def mean_square(self) -> float:
        """The mean over the cube of the squared `deviations`, by Gauss-Legendre points along each
        axis.
        """
        if self.order == 1:
            return float(_square_integrals(self.degree).trace() ** self.dims)
        if self.dims == 1:
            weights = self._weights()
            return float(np.einsum("ki,kl,li->", weights, _square_integrals(self.degree), weights))
        steps = (np.arange(16) + 0.5) / 16
        axes = np.meshgrid(*[steps] * self.dims, indexing="ij")
        points = np.stack([axis.reshape(-1) for axis in axes], axis=1)
        return float((self.deviations(points) ** 2).mean())

    def _weights(self) -> Reals:
        return np.stack([self.sharpened(unit) for unit in np.eye(self.degree + 1)], axis=1)

    def _plain(self, values: Reals, points: Reals) -> Reals:
        """Contract one axis after another, all points at once."""
        found = np.tensordot(basis(self.degree, points[:, 0]), values, axes=(1, 0))
        for axis in range(1, self.dims):
            found = np.einsum("pk,pk...->p...", basis(self.degree, points[:, axis]), found)
        return np.asarray(found, dtype=np.float64)

    def _along(self, values: Reals, matrix: Reals) -> Reals:
        for axis in range(self.dims):
            values = np.moveaxis(np.tensordot(matrix, values, axes=(1, axis)), 0, axis)
        return values

    @cached_property
    def _at_lattice(self) -> Reals:
        return basis(self.degree, np.arange(self.degree + 1) / self.degree)

    def _read(self, points: Any) -> Reals:
        places = np.asarray(points, dtype=np.float64)
        if places.ndim == 1 and self.dims == 1:
            places = places[:, None]
        if places.ndim != 2 or places.shape[1] != self.dims:
            raise ShapeError(
                f"points need {self.dims} coordinates each; got an array of shape {places.shape}.",
                remedy="Give one row per point, and one column per dimension.",
            )
        if not ((places >= 0) & (places <= 1)).all():
            raise RangeError(
                "points must lie in the unit cube.",
                remedy="Give coordinates from 0 to 1, or state the domain the function lives on.",
            )
        return places


def basis(degree: int, points: Reals) -> Reals:
    """The Bernstein polynomials C(n, k) x^k (1 - x)^(n - k) at each point: a row per point, a
    column per k.
    """
    x = np.asarray(points, dtype=np.float64)[:, None]
    k = np.arange(degree + 1)
    inside = np.clip(x, 1e-300, 1 - 2.0**-53)
    found = np.exp(_log_binomials(degree) + k * np.log(inside) + (degree - k) * np.log1p(-inside))
    found = np.where(x <= 0, k == 0, np.where(x >= 1, k == degree, found))
    return np.asarray(found, dtype=np.float64)


def lattice_values(operator: Operator, function: Callable[[Reals], Any]) -> Reals:
    """A function's values on the lattice; it is asked once, for all points, one row each."""
    points = operator.lattice()
    given = function(points[:, 0] if operator.dims == 1 else points)
    values = plain(given if isinstance(given, np.ndarray) else np.asarray(given))
    if values.dtype.kind == "c":  # a cast would drop the imaginary parts
        raise ShapeError(
            "the function gave complex numbers.",
            remedy="Let it give one real number for each point.",
        )
    values = values.astype(np.float64)
    if values.shape != (operator.size,):
        raise ShapeError(
            f"the function was asked at {operator.size} points and gave an array of shape {values.shape}.",
            remedy="Let it take an array of points and give one number for each.",
        )
    return values


@lru_cache(maxsize=64)
def _log_binomials(degree: int) -> Reals:
    logs = np.concatenate([[0.0], np.cumsum(np.log(np.arange(1, degree + 1)))])
    return np.asarray(logs[degree] - logs - logs[::-1])


@lru_cache(maxsize=64)
def _square_integrals(degree: int) -> Reals:
    """The integral over [0, 1] of each product of two Bernstein polynomials: C(n,k) C(n,l) /
    C(2n,k+l) / (2n+1).
    """
    own, double = _log_binomials(degree), _log_binomials(2 * degree)
    k = np.arange(degree + 1)
    logs = own[:, None] + own[None, :] - double[k[:, None] + k[None, :]]
    return np.asarray(np.exp(logs) / (2 * degree + 1))
