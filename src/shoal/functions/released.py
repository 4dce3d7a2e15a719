"""A released function: noisy lattice values, and nothing else that was computed from data."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from shoal.errors import InputError, RangeError, ShapeError
from shoal.events import Event
from shoal.exact import read_float_ends
from shoal.functions.operator import Operator, Reals
from shoal.plots import Picture

KIND, VERSION = "released_function", 1
Domain = tuple[tuple[float, float], ...]
_DRAWN = 401


@dataclass(frozen=True)
class ReleasedFunction:
    """A function on a box, computed from noisy lattice values whenever it is asked.

    It holds the noisy values, the public shape of the release and its event: no data, no exact
    value, no closure.  What is done with it is post-processing and costs nothing.  `deviation` is
    the standard deviation of the noise on a value: one number for all of them, or one for each.

    >>> import numpy as np
    >>> from shoal.functions import Bernstein
    >>> mechanism = Bernstein.for_epsilon(1, sensitivity="0.01", degree=8, order=2)
    >>> curve = mechanism.release(lambda x: np.sin(3 * x))
    >>> curve(0.5) == ReleasedFunction.from_json(curve.to_json())(0.5)
    True
    """

    operator: Operator
    coefficients: tuple[float, ...]
    domain: Domain
    deviation: float | tuple[float, ...]
    event: Event

    def __post_init__(self) -> None:
        keep = object.__setattr__
        keep(self, "coefficients", tuple(float(each) for each in self.coefficients))
        keep(self, "domain", read_domain(self.domain, self.operator.dims))
        spread = _each_deviation(self.deviation, self.operator.size)
        finite = np.isfinite(self.coefficients).all() and np.isfinite(spread).all()
        sized = len(self.coefficients) == len(spread) == self.operator.size
        if not sized or not finite or (spread < 0).any():
            raise ShapeError(
                f"a function of this shape has {self.operator.size} finite values and a deviation of 0 or more.",
                remedy="Let a mechanism make it, or read it from text that one wrote.",
            )

    def __call__(self, points: ArrayLike) -> Any:
        """The function at one point or at many: in one dimension any array, else a row for each
        point.
        """
        return self._each(points, lambda places: self.operator.evaluate(self._values, places))

    def deviations(self, points: ArrayLike) -> Any:
        """The standard deviation of what the noise did to the function, at each point."""
        if isinstance(self.deviation, float):
            scale = self.deviation
            return self._each(points, lambda places: scale * self.operator.deviations(places))
        spread = _each_deviation(self.deviation, self.operator.size)
        return self._each(points, lambda places: self.operator.deviations(places, spread))

    def minimum(self, *, points: int = 201) -> tuple[tuple[float, ...], float]:
        """Where the function is least among evenly spread points, so many along each axis, and how
        small it is.
        """
        axes = np.meshgrid(*[np.linspace(*ends, points) for ends in self.domain], indexing="ij")
        places = np.stack([axis.reshape(-1) for axis in axes], axis=1)
        values = np.asarray(self(places[:, 0] if self.operator.dims == 1 else places))
        least = int(values.argmin())
        return tuple(places[least].tolist()), float(values[least])

    def with_order(self, order: int) -> ReleasedFunction:
        """The same noisy values under the operator of another order: smoother, or closer to the
        values.
        """
        operator = Operator(self.operator.degree, dims=self.operator.dims, order=order)
        return replace(self, operator=operator)

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values."""
        return {
            "kind": KIND,
            "version": VERSION,
            "degree": self.operator.degree,
            "dims": self.operator.dims,
            "order": self.operator.order,
            "coefficients": list(self.coefficients),
            "domain": [list(ends) for ends in self.domain],
            "deviation": self.deviation
            if isinstance(self.deviation, float)
            else list(self.deviation),
            "event": self.event.to_dict(),
        }

    def to_json(self) -> str:
        """The function as text; `from_json` reads an equal one."""
        return json.dumps(self.to_dict(), allow_nan=False)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> ReleasedFunction:
        """The function that `to_dict` wrote; anything else is refused."""
        try:
            if data["kind"] != KIND or data["version"] != VERSION:
                raise unreadable("a released function")
            operator = Operator(data["degree"], dims=data["dims"], order=data["order"])
            return cls(
                operator=operator,
                coefficients=tuple(data["coefficients"]),
                domain=tuple(tuple(ends) for ends in data["domain"]),
                deviation=_read_deviation(data["deviation"]),
                event=Event.from_dict(data["event"]),
            )
        except (KeyError, TypeError, ValueError) as problem:
            if isinstance(problem, InputError):
                raise
            raise unreadable("a released function") from None

    @classmethod
    def from_json(cls, written: str) -> ReleasedFunction:
        """The function that `to_json` wrote; anything else is refused."""
        return cls.from_dict(read_object(written, "a released function"))

    def plot(self) -> Picture:
        """A picture of the function with a band of two deviations; in two dimensions, its surface
        in colours.

        Edges: the extra `plots` is needed, and loaded here; more than two dimensions are refused.
        """
        from shoal.plots import curve, surface  # noqa: PLC0415 - loaded with the first picture

        if self.operator.dims == 1:
            points = np.linspace(*self.domain[0], _DRAWN)
            return curve(points, self(points), 2 * self.deviations(points))
        if self.operator.dims > 2:
            raise RangeError(
                f"a function of {self.operator.dims} dimensions has no picture.",
                remedy="Draw it along one or two dimensions, the others held at a value.",
            )
        axes = [np.linspace(*ends, 41) for ends in self.domain]
        both = np.stack([axis.reshape(-1) for axis in np.meshgrid(*axes, indexing="ij")], axis=1)
        return surface(axes[0], axes[1], self(both).reshape(41, 41))

    @property
    def _values(self) -> Reals:
        return np.array(self.coefficients)

    def _each(self, points: ArrayLike, found: Any) -> Any:
        places = np.asarray(points, dtype=np.float64)
        dims = self.operator.dims
        outer = places.shape if dims == 1 else places.shape[:-1]
        if dims > 1 and (places.ndim == 0 or places.shape[-1] != dims):
            raise ShapeError(
                f"points need {dims} coordinates each; got an array of shape {places.shape}.",
                remedy="Give one row per point, and one column per dimension.",
            )
        values = found(into_cube(places.reshape(-1, dims), self.domain)).reshape(outer)
        return float(values) if not outer else values


def _each_deviation(deviation: float | tuple[float, ...], size: int) -> Reals:
    return np.full(size, deviation) if isinstance(deviation, float) else np.array(deviation)


def _read_deviation(written: Any) -> float | tuple[float, ...]:
    return tuple(map(float, written)) if isinstance(written, list) else float(written)


def into_cube(points: Reals, domain: Domain) -> Reals:
    """Points of the box as points of the unit cube; points outside are refused."""
    low, high = np.array(domain).T
    if not ((points >= low) & (points <= high)).all():
        box = " x ".join(f"[{a:g}, {b:g}]" for a, b in domain)
        raise RangeError(
            f"points must lie in {box}.", remedy="Ask where the function was released."
        )
    return np.asarray(np.clip((points - low) / (high - low), 0.0, 1.0))


def read_domain(domain: Sequence[Sequence[float]] | None, dims: int) -> Domain:
    """The box a function lives on: two ends per dimension, the unit cube where none are given."""
    if domain is None:
        return ((0.0, 1.0),) * dims
    pairs = [tuple(each) for each in domain]
    if len(pairs) != dims or not all(len(each) == 2 for each in pairs):
        raise ShapeError(
            f"domain must hold a low and a high end for each of {dims} dimensions.",
            remedy="Give domain=[(0, 100)], for example: public ends, the low one first.",
        )
    names = "the low end of domain", "the high end of domain"
    ends = [read_float_ends(a, b, names=names) for a, b in pairs]
    return tuple((float(low), float(high)) for low, high in ends)


def read_object(written: str, what: str) -> Mapping[str, Any]:
    """JSON text that holds one object."""
    try:
        data = json.loads(written)
    except (TypeError, ValueError):
        raise unreadable(what) from None
    if not isinstance(data, dict):
        raise unreadable(what)
    return data


def unreadable(what: str) -> ShapeError:
    """The one wording for text that describes no release."""
    return ShapeError(
        f"the text does not describe {what} of a version this Shoal knows.",
        remedy="Give text that to_json wrote.",
    )
