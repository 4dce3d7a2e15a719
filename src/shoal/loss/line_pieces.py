"""Which sums are taken along which line: all along one, or those with a far loss and the others
along one each.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from shoal.loss.cells import Floats
from shoal.loss.far_losses import FarLaws
from shoal.loss.far_threshold import SplitTable
from shoal.loss.line_sums import LeftOut, LineSum
from shoal.loss.smoothed import Setting, SmoothedLine
from shoal.loss.summed_laws import Laws, SummedLaws

_LEAST_TILT, _HALVES, _OCTAVES = 2.0**-6, 18, 47
TILTS: Floats = np.sort(
    np.concatenate(
        [
            _LEAST_TILT * np.exp2(np.arange(_OCTAVES)),
            _LEAST_TILT * math.sqrt(2) * np.exp2(np.arange(_HALVES)),
        ]
    )
)
PAYOFFS: Floats = TILTS * np.log(TILTS) - (1 + TILTS) * np.log1p(TILTS)
"""The logarithm of the largest (1 - e^-y) e^(-tilt y)."""
_CLEAR = 18.0
"""The logarithm of how much less than delta the sum may count in beside it."""
_FAINT = -16.0
"""Below this logarithm of delta in units of the line, round-off begins to be heard."""
_BETTER = 4.0
"""So much less faint must delta be on two lines to be worth them."""
_LOUD = -6.0
"""A delta that is not fainter than this need not be heard better."""
_STEEPER = 16.0
"""Where delta falls so much faster than the tilt of its line tells, the bulk is steep and the tail
holds the tilt down.
"""


@dataclass(frozen=True)
class Place:
    """A line: its tilt, its arc, the logarithm of delta in its units and in units of the largest
    payoff, and the tilts aside.
    """

    tilt: float
    arc: float
    size: float
    loud: float
    aside: tuple[float, float]


@dataclass(frozen=True)
class LinePiece:
    """A measure of sums from above and from below, and the line for it."""

    above: SummedLaws
    below: SummedLaws
    place: Place
    is_far: bool = False


class LinePair:
    """The lines of either side; the lower ones only when asked for.

    They are ``limited`` where a narrower kernel would have more terms than are added up.
    """

    def __init__(
        self, pieces: Sequence[LinePiece], settings: Sequence[Setting], left_out: LeftOut | None
    ) -> None:
        self.limited = False
        self._pieces, self._settings = pieces, settings
        both = zip(pieces, settings, strict=True)
        lines = tuple(SmoothedLine(piece.above, setting, up=True) for piece, setting in both)
        self.above = LineSum(lines, left_out, up=True)
        self._below: LineSum | None = None

    @property
    def count(self) -> int:
        """Terms of the lines of one side."""
        return sum(setting.count for setting in self._settings)

    def below(self) -> LineSum:
        if self._below is None:
            both = zip(self._pieces, self._settings, strict=True)
            lines = tuple(
                SmoothedLine(piece.below, setting, up=False)
                for piece, setting in both
                if math.isfinite(piece.below.cumulant(setting.tilt))  # else it counts as nothing
            )
            self._below = LineSum(lines, None, up=False)
        return self._below


def place_for(
    found: Floats, at_zero: float, epsilon: float, most: float, wanted: float
) -> Place | None:
    """The line with the shortest arc on which nothing but delta counts, unless delta is faint
    there.

    Epsilon lies between ``epsilon`` and ``most``; ``found`` are cumulants at `TILTS`.
    """
    tilts, cumulants = np.append(0.0, TILTS), np.append(at_zero, found)
    # Chernoff at r leaves nothing beside delta on arcs of this over |r - t|
    needed = cumulants - tilts * epsilon + _CLEAR - wanted
    best, least = None, math.inf
    for k in range(1, len(tilts) - 1):
        if not math.isfinite(cumulants[k]):
            break
        lower, upper = (
            needed[:k] / (tilts[k] - tilts[:k]),
            needed[k + 1 :] / (tilts[k + 1 :] - tilts[k]),
        )
        arc = max(float(lower.min()), float(upper.min()), 1 / float(tilts[k]))
        size = wanted - float(cumulants[k]) + float(tilts[k]) * most
        effort = math.log(arc) + max(0.0, _FAINT - size) / 2
        if effort < least:
            aside = float(tilts[lower.argmin()]), float(tilts[k + 1 + upper.argmin()])
            loud = size - float(PAYOFFS[k - 1])
            best, least = Place(float(tilts[k]), 1.02 * arc, size, loud, aside), effort
    return best


def pieces_for(
    whole: LinePiece, split: Callable[[], SplitTable], epsilon: float, wanted: float, slope: float
) -> tuple[list[LinePiece], LeftOut | None]:
    """All sums along one line; or, where delta would be faint there or needs many terms, the
    sums with a far loss and the others, each along its own.
    """
    assert isinstance(whole.above, Laws)
    assert isinstance(whole.below, Laws)
    place, steep = whole.place, slope > _STEEPER * whole.place.tilt
    if epsilon <= 0 or not (steep or place.loud < _FAINT):
        return [whole], None
    table = split()  # made only where it is needed
    thresholds, sizes = table.thresholds, table.sizes(epsilon, wanted)
    heard = [np.where(size > _CLEAR, np.inf, size) for size in sizes]
    loud = np.minimum(np.minimum(*heard), _LOUD)
    best = int(np.flatnonzero(loud == loud.max())[-1])  # the tail beyond it is smooth
    if not loud[best] > (_FAINT if steep else place.loud + _BETTER):
        return [whole], None
    above, below = (FarLaws.of(each, thresholds[best]) for each in (whole.above, whole.below))
    pieces, left_out = [], None
    for far, one, other in ((False, above.near, below.near), (True, above, below)):
        cumulants, at_zero = cumulants_of(one), one.cumulant(0.0)
        size = float(np.min(cumulants - TILTS * epsilon))
        if not math.isfinite(at_zero) or not math.isfinite(size):
            return [whole], None
        if wanted - size > _CLEAR and left_out is None:
            left_out = left_out_of(one, float(TILTS[np.argmin(cumulants - TILTS * epsilon)]))
        elif (its := place_for(cumulants, at_zero, epsilon, epsilon, wanted)) is not None:
            pieces.append(LinePiece(one, other, its, is_far=far))
        else:
            return [whole], None
    return pieces or [whole], left_out if pieces else None


def left_out_of(laws: SummedLaws, tilt: float) -> LeftOut:
    """A bound on delta of sums that no line is taken for."""
    tilts = (tilt / 2, tilt / math.sqrt(2), tilt, tilt * math.sqrt(2), 2 * tilt)
    cumulants = [(each, laws.cumulant(each)) for each in tilts]
    return LeftOut(
        tuple(
            (each, found + laws.slack + laws.doubt(each))
            for each, found in cumulants
            if math.isfinite(found)
        )
    )


def cumulants_of(laws: SummedLaws) -> Floats:
    """About the cumulants at `TILTS`."""
    found = laws.cumulants(_LEAST_TILT, _OCTAVES)
    between = laws.cumulants(_LEAST_TILT * math.sqrt(2), _HALVES)
    return np.insert(found, np.arange(1, _HALVES + 1), between)
