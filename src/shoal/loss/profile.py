"""The pair of laws that needs exactly the deltas of a profile known at some points, and no less
elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

from shoal.exact import ball, float_up, upper
from shoal.loss.loss_sources import AtomicLoss

Point = tuple[Fraction, Fraction]
"""A ratio x = e^epsilon above 0 and the delta that is enough there: P(S) <= x Q(S) + delta for
every S.
"""


@dataclass(frozen=True)
class ProfileAtoms:
    """A pair of laws with finitely many likelihood ratios, exactly.

    ``atoms`` are the ratios P / Q, falling, each with its mass under P; ``infinite`` is the mass of
    P where Q has none.
    """

    atoms: tuple[Point, ...]
    infinite: Fraction

    def loss_otherwise(self, *, unit: float | None = None) -> AtomicLoss | None:
        """The loss where it is finite, given that it is; None where both laws are then the same."""
        if all(ratio == 1 for ratio, _ in self.atoms):
            return None
        rest = 1 - self.infinite
        atoms = ((_log(ratio), float(mass / rest)) for ratio, mass in self.atoms)
        return AtomicLoss(tuple(atoms), unit=unit)


def atoms_of_profile(points: Iterable[Point], *, both_ways: bool = True) -> ProfileAtoms:
    """The least pair of laws above every pair with P(S) <= x Q(S) + delta at each of some points
    (x, delta).

    Guarantee: at every ratio, also below 1, the pair returned needs at least the delta of every
        pair that keeps all points, so it stands for them in composition; at the points it needs at
        most what was given.  With ``both_ways`` the points hold with P and Q exchanged, too, and
        the pair is its own mirror image.  Everything is exact.
    Needs: ratios above 0, each given once; deltas from 0 to 1.
    Edges: points that the others imply change nothing.  Ratios may be rounded up and deltas may be
        rounded up: the points then say less.
    Reference: Kairouz, Oh and Viswanath 2015 for one point; Doroshenko and others 2022 for points
        of one direction.
        Proof: loss.md, "A profile known at some points".
    """
    known = {x: max(delta, 1 - x) for x, delta in points}
    if both_ways:
        for x, delta in list(known.items()):
            mirrored = 1 - (1 - delta) / x
            known[1 / x] = min(mirrored, known.get(1 / x, mirrored))
    corners = _falling_hull(sorted(known.items()))
    slopes = [
        (below - above) / (after - before) for (before, above), (after, below) in pairwise(corners)
    ]
    bends = zip(corners[1:], slopes, [*slopes[1:], Fraction(0)], strict=True)
    atoms = [(x, x * (after - before)) for (x, _), before, after in bends]
    return ProfileAtoms(tuple(reversed(atoms)), corners[-1][1])


def _falling_hull(points: list[Point]) -> list[Point]:
    """The corners of the largest convex function that begins at (0, 1), falls, and lies on or below
    all points.
    """
    hull = [(Fraction(0), Fraction(1))]
    for point in points:
        if point[1] >= hull[-1][1]:
            continue  # what holds at a smaller ratio holds here
        while len(hull) > 1 and _is_above(hull[-1], hull[-2], point):
            hull.pop()
        hull.append(point)
    return hull


def _is_above(middle: Point, left: Point, right: Point) -> bool:
    """Whether a point lies on or above the chord between its neighbours."""
    rise = (right[1] - left[1]) * (middle[0] - left[0])
    return (middle[1] - left[1]) * (right[0] - left[0]) >= rise


def _log(ratio: Fraction) -> float:
    return 0.0 if ratio == 1 else float_up(upper(lambda: ball(ratio).log()))
