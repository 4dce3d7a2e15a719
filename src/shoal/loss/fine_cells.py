"""A loss cut finely where its mass is and evenly beyond, and the twins of that.

From a small sample nearly all of a loss lies within the rate of 0, and a little of it far away.
Cells of one width for all of it are too wide for the one or too many for the other.  So cells are
even in a coordinate in which the loss grows exponentially, up to where they are as wide as a step,
and even in the loss itself from there on.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from shoal.loss.cells import Cells, Floats, dot

FINE_ERROR = 2.0**-43
"""What the masses of fine cells may be off by, in relative terms."""


@runtime_checkable
class HasInner(Protocol):
    """A loss that rises with an inner coordinate, and what both laws give to ranges of that.

    ``mirrored`` is the direction in which the loss is minus what rises.
    """

    @property
    def mirrored(self) -> bool: ...

    @property
    def slope(self) -> float:
        """How fast the loss rises at most."""

    def inner_reach(self, smallest: float) -> tuple[float, float]:
        """Where cells begin and end: the law that losses are drawn from has at most ``smallest``
        beyond either.
        """

    def rising(self, inner: Floats) -> Floats:
        """The loss, or minus it where it is mirrored."""

    def inner_at(self, rising: Floats) -> Floats:
        """Where the loss is this; infinite where it is nowhere."""

    def masses(self, ends: Floats) -> tuple[Floats, Floats]:
        """The masses between inner ends under P and Q, or Q and P where it is mirrored."""


@dataclass(frozen=True)
class Twin:
    """A law of losses above or below the true one: single nodes, and a lattice of losses origin + k
    step.

    ``infinite`` is the mass of an infinite loss, or what was left out; all else adds up to 1.
    """

    nodes: Floats
    masses: Floats
    origin: float
    step: float
    weights: Floats
    infinite: float = 0.0

    @cached_property
    def lattice(self) -> Floats:
        losses: Floats = self.origin + self.step * np.arange(len(self.weights))
        return losses

    def normed(self) -> Twin:
        total = float(self.masses.sum()) + float(self.weights.sum())
        return replace(self, masses=self.masses / total, weights=self.weights / total)

    def log_moment(self, tilt: float) -> float:
        """The logarithm of the mean of exp(tilt * loss); infinite beyond the floats."""
        with np.errstate(over="ignore", invalid="ignore"):
            more = dot(self.masses, np.expm1(tilt * self.nodes))
            more += dot(self.weights, np.expm1(tilt * self.lattice))
        if more < _LITTLE:  # all losses are below 0: nothing would be left of 1 + more
            left = dot(self.masses, np.exp(tilt * self.nodes))
            left += dot(self.weights, np.exp(tilt * self.lattice))
            return math.log(left) if left > _LEAST else math.inf
        return math.log1p(more) if math.isfinite(more) else math.inf

    def log_moments(self, tilt: float, doublings: int) -> list[float]:
        """About the same at this tilt, twice it, four times it and so on; nothing rests on these.

        e^(2 x) - 1 is (e^x - 1)(e^x + 1): one product for each instead of one exponential.
        """
        losses = np.concatenate([self.nodes, self.lattice])
        masses = np.concatenate([self.masses, self.weights])
        found: list[float] = []
        with np.errstate(over="ignore", invalid="ignore"):
            grown = np.expm1(tilt * losses)
            for _ in range(doublings):
                more = float((masses * grown).sum())
                if not math.isfinite(more) or more < _NOTHING:
                    break
                found.append(math.log1p(more))
                grown *= grown + 2
        return found + [math.inf] * (doublings - len(found))


_FAR_MORE, _MOST_ALONE = 16.0, 256
_LITTLE, _NOTHING, _LEAST = -0.5, 1e-6 - 1, 1e-290


def of_atoms(losses: Floats, masses: Floats, step: float) -> Twin:
    """Finitely many losses: their own twin."""
    return Twin(losses, masses, 0.0, step, np.zeros(1)).normed()


def twins(
    source: HasInner, share: float, step: float, smallest: float, *, lowest: float = -math.inf
) -> tuple[Twin, Twin]:
    """The pessimistic and the optimistic twin.

    Fine cells are at most ``share`` of their distance from the bulk wide, lattice cells one
    ``step``; all that lies below ``lowest`` may be one cell.
    """
    cuts = _ends(source, share, step, smallest, -lowest if source.mirrored else math.inf)
    masses = [source.masses(ends) for ends, _ in cuts]
    fine, wide, rest = (
        _Cut(-edges[::-1], there[1][::-1], there[0][::-1])
        if source.mirrored
        else _Cut(edges, *there)
        for (_, edges), there in zip(cuts, masses, strict=True)
    )
    even = Cells(step, float(wide.edges[0]), wide.mass, wide.place)
    alone = _stands_alone(wide.mass)
    spread = Twin(
        np.concatenate([rest.edges, fine.edges]),
        np.concatenate([rest.spread(), fine.spread()]),
        even.origin,
        step,
        even.pessimistic().weights,
        smallest,
    )
    merged = Twin(
        np.concatenate([rest.merged(), fine.merged(), wide.merged()[alone]]),
        np.concatenate([rest.mass, fine.mass, wide.mass[alone]]),
        even.origin,
        step,
        replace(even, mass=np.where(alone, 0.0, wide.mass)).optimistic().weights,
        smallest,
    )
    return spread.normed(), merged.normed()


def _stands_alone(mass: Floats) -> NDArray[np.bool_]:
    """Cells with far more mass than the two beside them: an atom, which merging with them would
    move.
    """
    beside = np.zeros(len(mass))
    beside[1:] += mass[:-1]
    beside[:-1] += mass[1:]
    alone: NDArray[np.bool_] = mass > _FAR_MORE * beside
    return alone if alone.sum() <= _MOST_ALONE else np.zeros(len(mass), dtype=bool)


def _ends(
    source: HasInner, share: float, step: float, smallest: float, highest: float
) -> tuple[tuple[Floats, Floats], ...]:
    """Inner ends and losses of the fine cells, of the even ones, and of one for all that lies above
    ``highest``.
    """
    low, high = source.inner_reach(smallest)
    inner = share * min(1.0, 1 / source.slope)
    ends = low + inner * np.arange(math.ceil((high - low) / inner) + 1)
    edges = source.rising(ends)
    least, most, top = map(float, source.rising(np.array([-np.inf, np.inf, high])))
    # Losses may be spread out below as they are above; fine cells go down to the lower end, however
    # wide: they hold little.
    widths = np.diff(edges)
    bulk = int(np.argmin(widths))
    wide = bulk + np.flatnonzero(widths[bulk:] > step)
    count = int(wide[0]) if len(wide) else len(ends) - 1
    ends, edges = ends[: count + 1], edges[: count + 1]
    if count and math.isfinite(least):
        ends[0], edges[0] = -np.inf, least
    cut = min(top, max(highest, float(edges[-1])))
    lattice = edges[-1] + step * np.arange(max(1, math.ceil((cut - edges[-1]) / step)) + 1)
    further = source.inner_at(lattice)
    further[0] = ends[-1]
    last = np.array([lattice[-1], max(top, float(lattice[-1]))])
    rest = np.array([further[-1], source.inner_at(last)[1]])
    if math.isfinite(most):
        rest[1] = np.inf
        if cut == top:
            further[-1] = rest[0] = np.inf
    return (ends, edges), (np.maximum.accumulate(further), lattice), (rest, last)


def _places(edges: Floats, mass: Floats, other: Floats) -> Floats:
    """Where in its cell the mean of Y lies: 0 at the left edge, 1 at the right."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        place = (1 - other / mass * np.exp(edges[:-1])) / -np.expm1(-np.diff(edges))
    places: Floats = np.clip(np.nan_to_num(place, nan=0.0), 0.0, 1.0)
    return places


class _Cut:
    """Cells of any widths."""

    def __init__(self, edges: Floats, mass: Floats, other: Floats) -> None:
        self.edges, self.mass = edges, mass
        self._fall = -np.expm1(-np.diff(edges))
        with np.errstate(divide="ignore"):
            self._doubt = np.minimum(1.0, 4 * FINE_ERROR / self._fall)
        self.place = _places(edges, mass, other)

    def spread(self) -> Floats:
        """The masses of the edges, the mean of Y not raised."""
        place = np.minimum(1.0, self.place + self._doubt)
        weights = np.zeros(len(self.edges))
        weights[:-1] = self.mass * (1 - place)
        weights[1:] += self.mass * place
        return weights

    def merged(self) -> Floats:
        """The loss at which Y is its mean in a cell, or more."""
        place = np.maximum(0.0, self.place - self._doubt)
        losses: Floats = self.edges[:-1] - np.log1p(-place * self._fall)
        return losses
