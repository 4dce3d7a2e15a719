"""A released quotient of two functions, such as a regression curve: noisy sums over noisy
counts.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from shoal.errors import ShapeError
from shoal.events import Event
from shoal.functions.released import ReleasedFunction, read_object, unreadable
from shoal.plots import Picture

KIND, VERSION = "released_ratio", 1
_DRAWN = 401


@dataclass(frozen=True)
class ReleasedRatio:
    """A function that is one released function over another, within public ends.

    ``over`` is how many rows there are about a point, ``part`` the sum of their values less the
    middle of the ends, in units of half their width.  Where the count is below the deviation of its
    noise, that deviation stands for it: the function then leans to the middle instead of running
    wild.
    """

    part: ReleasedFunction
    over: ReleasedFunction
    low: float
    high: float

    def __post_init__(self) -> None:
        both = self.part, self.over
        same = len({(each.operator, each.domain, each.event) for each in both}) == 1
        if not same or not self.low < self.high:
            raise ShapeError(
                "a quotient needs two functions of one shape, and a low end below the high one.",
                remedy="Let KernelRegression make it, or read it from text that it wrote.",
            )

    @property
    def event(self) -> Event:
        """The description of the one release that both functions come from; it is charged once."""
        return self.over.event

    def __call__(self, points: ArrayLike) -> Any:
        """The quotient at one point or at many, cut to the public ends."""
        over = np.maximum(np.maximum(self.over(points), self.over.deviations(points)), 1e-300)
        share = np.clip(self.part(points) / over, -1.0, 1.0)
        found = (self.low + self.high) / 2 + share * (self.high - self.low) / 2
        return float(found) if np.ndim(found) == 0 else found

    def deviations(self, points: ArrayLike) -> Any:
        """About the standard deviation of what the noise did, at each point: the quotient's
        first-order one.
        """
        over = np.maximum(np.maximum(self.over(points), self.over.deviations(points)), 1e-300)
        share = np.clip(self.part(points) / over, -1.0, 1.0)
        far = np.hypot(self.part.deviations(points), share * self.over.deviations(points)) / over
        found = np.minimum(far, 1.0) * (self.high - self.low) / 2
        return float(found) if np.ndim(found) == 0 else found

    def with_order(self, order: int) -> ReleasedRatio:
        """The same noisy values under the operator of another order."""
        return ReleasedRatio(
            self.part.with_order(order), self.over.with_order(order), self.low, self.high
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON values."""
        return {
            "kind": KIND,
            "version": VERSION,
            "part": self.part.to_dict(),
            "over": self.over.to_dict(),
            "low": self.low,
            "high": self.high,
        }

    def to_json(self) -> str:
        """The function as text; `from_json` reads an equal one."""
        return json.dumps(self.to_dict(), allow_nan=False)

    @classmethod
    def from_json(cls, written: str) -> ReleasedRatio:
        """The function that `to_json` wrote; anything else is refused."""
        return cls.from_dict(read_object(written, "a released quotient"))

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> ReleasedRatio:
        """The function that `to_dict` wrote; anything else is refused."""
        try:
            if data["kind"] != KIND or data["version"] != VERSION:
                raise unreadable("a released quotient")
            part, over = (ReleasedFunction.from_dict(data[name]) for name in ("part", "over"))
            return cls(part, over, float(data["low"]), float(data["high"]))
        except (KeyError, TypeError):
            raise unreadable("a released quotient") from None

    def plot(self) -> Picture:
        """A picture of the function with a band of two deviations; one dimension only."""
        from shoal.plots import curve, surface  # noqa: PLC0415 - loaded with the first picture

        domain = self.over.domain
        if len(domain) == 1:
            points = np.linspace(*domain[0], _DRAWN)
            return curve(points, self(points), 2 * self.deviations(points))
        axes = [np.linspace(*ends, 41) for ends in domain[:2]]
        both = np.stack([axis.reshape(-1) for axis in np.meshgrid(*axes, indexing="ij")], axis=1)
        middle = [sum(ends) / 2 for ends in domain[2:]]
        places = np.concatenate([both, np.tile(middle, (len(both), 1))], axis=1)
        return surface(axes[0], axes[1], self(places).reshape(41, 41))
