"""Release without noise, and remember which noise it would have been.

What a mechanism does with its noise is then known exactly: it lands on a place (the value on the
lattice of the noise) and adds a draw of a law with stated parameters.  Place and law are what the
tests reason about.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.exact import Real
from shoal.mechanisms import TopK
from shoal.mechanisms.additive import Additive
from shoal.mechanisms.witness import NoiseWitness
from shoal.noise import IntegerNoise, seam
from shoal.noise.integer_samplers import _FAR


@dataclass(frozen=True)
class Law:
    name: str
    parameters: tuple[Any, ...]

    @property
    def scale(self) -> Fraction:
        scale = self.parameters[0]
        assert isinstance(scale, Fraction)
        return scale


@dataclass
class Choice:
    """What a race was asked to choose by."""

    race: str
    scores: list[Fraction]
    rate: Fraction
    places: int = 1


class Silent:
    """A source whose noise is 0, and which tells what was to be drawn; the first candidates win all
    races.
    """

    private = False

    def __init__(self) -> None:
        self.laws: list[Law] = []
        self.choices: list[Choice] = []
        self.pools: Any = self

    def words(self, kind: Any, count: int) -> NDArray[Any]:
        return np.zeros(count, dtype=kind)

    def draws(self, noise: IntegerNoise, count: int) -> NDArray[np.int64]:
        self.laws.extend([Law(noise.law[0], noise.law[1:])] * count)
        return np.zeros(count, dtype=np.int64)

    def __getitem__(self, noise: IntegerNoise) -> list[int]:
        return [each + _FAR for each in self.draws(noise, 1).tolist()]

    def meet(self, meeting: NoiseWitness, draw: Callable[[], Any]) -> Any:
        name, *parameters = meeting.law
        if not name.endswith("_race"):
            return draw()
        rate, places = parameters
        scores = [Fraction(each) for each in meeting.given]
        self.choices.append(Choice(name.removesuffix("_race"), scores, rate, places))
        return list(range(places)) if isinstance(meeting.by, TopK) else 0


@contextmanager
def recorded() -> Iterator[list[Law]]:
    """Inside, additive noise is 0; the laws that were to be drawn are listed, one for each draw."""
    silent = Silent()
    with seam.use(silent):
        yield silent.laws


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


@contextmanager
def recorded_choices() -> Iterator[list[Choice]]:
    """Inside, the first candidates always win; what the races were asked is listed."""
    silent = Silent()
    with seam.use(silent):
        yield silent.choices


@contextmanager
def recorded_coins() -> Iterator[list[Fraction | Real]]:
    """Inside, coins show False; the chances of all that were tossed are listed."""
    silent = Silent()
    chances: list[Fraction | Real] = []
    with seam.use(silent):
        yield chances
    chances.extend(dict.fromkeys(law.parameters[0] for law in silent.laws if law.name == "coin"))
