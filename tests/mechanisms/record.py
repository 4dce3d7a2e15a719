"""Release without noise, and remember which noise it would have been.

What a mechanism does with its noise is then known exactly: it lands on a place (the value on the lattice of
the noise) and adds a draw of a law with stated parameters.  Place and law are what the tests reason about.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from typing import Any
from unittest.mock import patch

import numpy as np
from numpy.typing import NDArray

from shoal.exact import Real
from shoal.mechanisms.additive import Additive


@dataclass(frozen=True)
class Law:
    name: str
    parameters: tuple[Any, ...]

    @property
    def scale(self) -> Fraction:
        scale = self.parameters[0]
        assert isinstance(scale, Fraction)
        return scale


class _Nothing:
    """Noise that is 0, and tells when it was drawn."""

    def __init__(self, law: Law, drawn: list[Law]) -> None:
        self._law, self._drawn = law, drawn

    def one(self) -> int:
        self._drawn.append(self._law)
        return 0

    def many(self, count: int) -> NDArray[np.int64]:
        self._drawn.extend([self._law] * count)
        return np.zeros(count, dtype=np.int64)


_MADE_IN = {
    "discrete_laplace": ("laplace", "sparse"),
    "rounded_gaussian": ("gaussian",),
    "discrete_gaussian": ("gaussian",),
    "staircase": ("staircase",),
}


@contextmanager
def recorded() -> Iterator[list[Law]]:
    """Inside, additive noise is 0; the laws that were to be drawn are listed, one for each draw."""
    drawn: list[Law] = []
    patches = [
        patch(
            f"shoal.mechanisms.{module}.{name}",
            lambda *parameters, _name=name: _Nothing(Law(_name, parameters), drawn),
        )
        for name, modules in _MADE_IN.items()
        for module in modules
    ]
    for each in patches:
        each.start()
    try:
        yield drawn
    finally:
        for each in patches:
            each.stop()


def landing(mechanism: Additive, value: Any) -> tuple[tuple[int, ...], Law]:
    """Where a value lands on the lattice of its noise, in steps, and the law of each noise."""
    fresh = mechanism.__class__.__new__(mechanism.__class__)
    fresh.__dict__.update(mechanism.__getstate__())
    with recorded() as drawn:
        released = np.atleast_1d(fresh.release(value)).reshape(-1)
    laws = set(drawn)
    assert len(drawn) == len(released)
    assert len(laws) == 1
    spacing = Fraction(1)
    if released.dtype == np.float64:
        spacing = mechanism._on_grid(len(released))[0].spacing
    places = [Fraction(each) / spacing for each in released.tolist()]
    assert all(place.denominator == 1 for place in places)
    return tuple(int(place) for place in places), laws.pop()


@dataclass
class Choice:
    """What a race was asked to choose by."""

    race: str
    scores: list[Fraction]
    rate: Fraction
    places: int = 1


@contextmanager
def recorded_choices() -> Iterator[list[Choice]]:
    """Inside, the first candidates always win; what the races were asked is listed."""
    asked: list[Choice] = []

    def race(name: str) -> Any:
        def run(scores: NDArray[Any], rate: Fraction, places: int | None = None) -> Any:
            asked.append(Choice(name, [Fraction(each) for each in scores], rate, places or 1))
            return list(range(places or 1)) if name == "gumbel" else 0

        return run

    patches = [
        patch(f"shoal.mechanisms.choosing.{name}_race", race(name))
        for name in ("gumbel", "exponential", "laplace")
    ]
    for each in patches:
        each.start()
    try:
        yield asked
    finally:
        for each in patches:
            each.stop()


@contextmanager
def recorded_coins() -> Iterator[list[Fraction | Real]]:
    """Inside, coins show False; their chances are listed."""
    chances: list[Fraction | Real] = []

    class Tails:
        def __init__(self, chance: Fraction | Real) -> None:
            chances.append(chance)

        def many(self, count: int) -> NDArray[np.bool_]:
            return np.zeros(count, dtype=bool)

    with patch("shoal.mechanisms.response.Coin", Tails):
        yield chances
