"""The Bernstein mechanism: a whole function released by noise on its values on a lattice."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from shoal import events
from shoal.errors import ShapeError
from shoal.exact import Number
from shoal.functions.operator import Operator, Reals, lattice_values
from shoal.functions.released import Domain, ReleasedFunction, read_domain
from shoal.functions.smoothness import Smoothness
from shoal.functions.vector_noise import Noise, noise_for, read_budget
from shoal.measures import Measure
from shoal.mechanisms import Gaussian, Laplace
from shoal.mechanisms.mechanism import Mechanism
from shoal.mechanisms.total_functions import called
from shoal.sensitivity import Sensitivity

Function = Callable[[Reals], Any]
_LOOKED_AT = 257


@dataclass(frozen=True, init=False, repr=False)
class Bernstein(Mechanism):
    """Release a function on a box by its noisy values on the lattice k / degree.

    Guarantee: that of the noise, `Laplace` or `Gaussian`, on the vector of all (degree + 1)^dims
        lattice values, whose L1 (L2) sensitivity is the declared one: pure epsilon, or mu-GDP with
        its whole profile, exactly.  The function is computed from the noisy values alone, so every
        point of it, and every order, is covered.
    Needs: the sensitivity of the whole vector of lattice values; a bound on each value, in the norm
        LINF, is multiplied by their number (by its root for Gaussian noise).  The lattice and the
        box are public.
    Edges: of lattice values that are not finite, given as an array, nothing is quoted.  A function
        that fails, or gives no finite number at a point, counts as 0 there, and the sensitivity
        must hold for it as it then is.  ``order`` does not matter for privacy.
    Reference: Aldà and Rubinstein 2017, with noise for the whole vector's norm.
    Proof: bernstein.md.

    >>> mechanism = Bernstein.for_epsilon(1, sensitivity="0.02", degree=12, order=3)
    >>> print(mechanism.cost, "|", mechanism.operator.size, "values")
    epsilon 1 | 13 values
    >>> curve = mechanism.release(lambda x: x * x)
    >>> curve(0.5) != curve(0.25)
    True
    """

    operator: Operator
    noise: Noise
    domain: Domain

    def __init__(
        self,
        *,
        noise: Noise,
        degree: int,
        dims: int = 1,
        order: int = 1,
        domain: Sequence[Sequence[float]] | None = None,
    ) -> None:
        if not isinstance(noise, Laplace | Gaussian):
            raise ShapeError(
                f"noise must be shoal.Laplace or shoal.Gaussian; got {type(noise).__name__}.",
                remedy="Use Bernstein.for_epsilon or Bernstein.for_budget, which make it.",
            )
        keep = object.__setattr__
        keep(self, "operator", Operator(degree, dims=dims, order=order))
        keep(self, "noise", noise)
        keep(self, "domain", read_domain(domain, self.operator.dims))

    @classmethod
    def for_epsilon(
        cls, epsilon: Number, *, sensitivity: Number | Sensitivity, degree: int, **shape: Any
    ) -> Self:
        """The mechanism that costs exactly this epsilon; ``shape`` is dims, order and domain."""
        return cls.for_budget(
            read_budget(epsilon, None), sensitivity=sensitivity, degree=degree, **shape
        )

    @classmethod
    def for_budget(
        cls, budget: Measure, *, sensitivity: Number | Sensitivity, degree: int, **shape: Any
    ) -> Self:
        """Laplace noise for a pure budget, Gaussian noise for any other; the least that it
        allows.
        """
        operator = Operator(degree, dims=shape.get("dims", 1))
        noise = noise_for(read_budget(None, budget), sensitivity, size=operator.size)
        return cls(noise=noise, degree=degree, **shape)

    @property
    def cost(self) -> Measure:
        """What one release costs."""
        return self.noise.cost

    @property
    def event(self) -> events.Event:
        """The description of a release."""
        return self.noise.event_for(size=self.operator.size)

    @property
    def deviation(self) -> float:
        """The standard deviation of the noise on one lattice value."""
        return deviation_of(self.noise)

    def release(self, function: Function | NDArray[Any]) -> ReleasedFunction:
        """The function with noise on its lattice values, which are all that is kept of it.

        Guarantee: what `cost` says, for a function whose lattice values move by at most the
            declared sensitivity.
        Needs: a function that takes an array of points of the box (a row each if dims > 1) and
            gives a number for each, or the lattice values themselves, in the order of `lattice`.
        """
        values = (
            self.total_values(lambda: function) if callable(function) else self.values(function)
        )
        return ReleasedFunction(
            operator=self.operator,
            coefficients=tuple(self.noise.release(values).tolist()),
            domain=self.domain,
            deviation=self.deviation,
            event=self.event,
        )

    def total_values(self, made: Callable[[], Function], otherwise: float = 0.0) -> Reals:
        """The lattice values of a function of private rows: the public number wherever it, or
        making it, fails.  They are private.
        """
        none = np.full(self.operator.size, otherwise)
        (found,) = called(lambda make: self.values(make()), [made], otherwise=none)
        return np.where(np.isfinite(found), found, otherwise)

    def values(self, function: Function | NDArray[Any]) -> Reals:
        """The lattice values of a function, exact as it gives them; they are private where it
        is.
        """
        if callable(function):
            return lattice_values(self.operator, lambda cube: function(self._in_box(cube)))
        values = np.asarray(function, dtype=np.float64).reshape(-1)
        if values.size != self.operator.size:
            raise ShapeError(
                f"the lattice has {self.operator.size} values; {values.size} were given.",
                remedy="Give one value for each point of lattice().",
            )
        return values

    def lattice(self) -> Reals:
        """The points of the box at which the function is asked, one row each."""
        return self._in_box(self.operator.lattice())

    def error(self, confidence: Number) -> float:
        """With at least this probability the noise moves the function nowhere by more than this."""
        return self.operator.gain * self.noise.error(
            confidence, size=self.operator.size, integers=False
        )

    def total_error(self, confidence: Number, *, smoothness: Smoothness) -> float:
        """`error`, and how far a function of this smoothness can be from its approximation: by
        theorem.

        Needs: derivatives along the unit cube, that is per width of the box.
        """
        return self.error(confidence) + smoothness.bias_up(self.operator)

    def expected_error(self, curve: Function) -> float:
        """The root mean square over the box of what is released, were ``curve`` the function; curve
        is public.
        """
        points = looked_at(self.operator.dims)
        exact = np.asarray(curve(self._in_cube_order(points)), dtype=np.float64)
        bias = self.operator.evaluate(self.values(curve), points) - exact
        return math.sqrt(float((bias**2).mean()) + self.deviation**2 * self.operator.mean_square)

    def simulated_error(
        self, curve: Function, *, confidence: Number, repetitions: int = 1000
    ) -> float:
        """The largest error anywhere, were ``curve`` the function: its quantile over repeated
        releases of it.

        Needs: ``curve`` is public, an imagined one; nothing is spent.
        """
        points = looked_at(self.operator.dims)
        places = self._in_cube_order(points)
        exact = np.asarray(curve(places), dtype=np.float64)
        values = self.values(curve)
        flat = points.reshape(-1, self.operator.dims)
        responses = self.operator.responses(flat)
        worst = [
            float(np.abs(responses @ self.noise.release(values) - exact).max())
            for _ in range(repetitions)
        ]
        return float(np.quantile(worst, float(confidence), method="higher"))

    def _in_box(self, cube: Reals) -> Reals:
        low, high = np.array(self.domain).T
        places = cube if cube.ndim == 2 else cube[:, None]
        found = low + places * (high - low)
        return np.asarray(found if cube.ndim == 2 else found[:, 0])

    def _in_cube_order(self, points: Reals) -> Reals:
        return self._in_box(points[:, 0] if self.operator.dims == 1 else points)

    def _shown(self) -> Iterator[tuple[str, Any]]:
        yield "noise", self.noise
        yield "degree", self.operator.degree
        yield "dims", self.operator.dims
        yield "order", self.operator.order
        yield (
            "domain",
            None if self.domain == read_domain(None, self.operator.dims) else self.domain,
        )


def deviation_of(noise: Noise, unit: float = 1.0) -> float:
    """The standard deviation of one noise, times a unit; that of the continuous law, which is a
    hair below.
    """
    spread = float(noise.spread) * unit
    return spread * math.sqrt(2) if isinstance(noise, Laplace) else spread


def looked_at(dims: int) -> Reals:
    """Points spread evenly over the cube, at which accuracy is looked at."""
    each = {1: _LOOKED_AT, 2: 33, 3: 13}.get(dims, 5)
    axes = np.meshgrid(*[np.linspace(0, 1, each)] * dims, indexing="ij")
    return np.stack([axis.reshape(-1) for axis in axes], axis=1)
