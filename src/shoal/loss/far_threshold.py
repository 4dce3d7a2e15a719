"""From which loss on a loss is far: the threshold at which both kinds of sums are heard best."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from shoal.loss.cells import Floats
from shoal.loss.characteristic_functions import NormalWave
from shoal.loss.fine_cells import Twin
from shoal.loss.summed_laws import Laws

_OCTAVES = 24
_HALVINGS = 40


class SplitTable:
    """What sums of near losses and sums with a far loss weigh, for many tilts and thresholds;
    nothing rests on it.
    """

    def __init__(self, laws: Laws, tilts: Floats) -> None:
        tops = [max(float(x.nodes.max(initial=0.0)), float(x.lattice[-1])) for x, _ in laws.twins]
        self.thresholds: Floats = max(tops, default=0.0) * 2.0 ** np.arange(-_OCTAVES, 0.5, 0.5)
        self._tilts, payoffs = tilts, tilts * np.log(tilts) - (1 + tilts) * np.log1p(tilts)
        self._weights = [each + payoffs[:, None] for each in weighed(laws, tilts, self.thresholds)]

    def sizes(self, epsilon: float, wanted: float) -> list[Floats]:
        """For each threshold, how far the delta of either kind of sums lies below the wanted one:
        the difference of logarithms, by the best moment.
        """
        falls = (self._tilts * epsilon)[:, None]
        return [wanted - (each - falls).min(axis=0) for each in self._weights]

    def start(self, most: float, slope: float, wanted: float) -> tuple[float, float]:
        """About the least epsilon, not above ``most``, at which some threshold tells that both
        deltas together are no more than wanted; and how fast they fall there.
        """

        def above(epsilon: float) -> float:
            near, far = self.sizes(epsilon, wanted)
            return float(np.logaddexp(-near, -far).min())

        low, high = 0.0, most
        if above(high) > 0:
            return most, slope
        for _ in range(_HALVINGS):
            middle = (low + high) / 2
            low, high = (middle, high) if above(middle) > 0 else (low, middle)
        aside = high / 64
        return high, max(slope, (above(high - aside) - above(high + aside)) / (2 * aside))


def weighed(laws: Laws, tilts: Floats, thresholds: Floats) -> tuple[Floats, Floats]:
    """About the cumulants of the sums of near losses, and of the sums with a far loss, at each tilt
    (a row) and threshold; nothing rests on these.
    """
    shape = len(tilts), len(thresholds)
    near, more = np.zeros(shape), np.zeros(shape)
    near += np.array([[NormalWave(laws.mu, tilt).log_moment] for tilt in tilts])
    with np.errstate(all="ignore"):
        for twin, copies in laws.twins:
            losses, masses, places = _sorted_cells(twin, thresholds)
            mass = np.append(np.cumsum(masses[::-1])[::-1], 0.0)[places]
            for row, tilt in enumerate(tilts):
                grown = np.expm1(tilt * losses)
                grown *= masses
                below = np.append(0.0, np.cumsum(grown))[places] - mass
                above = np.append(np.cumsum(grown[::-1])[::-1], 0.0)[places] + mass
                near[row] += copies * np.log1p(below)
                more[row] += copies * np.log1p(above / (1 + below))
        far = near + np.log(np.expm1(more))
    near[~(near < np.inf)] = np.inf
    far[~(far < np.inf)] = np.inf
    return near, far


def _sorted_cells(twin: Twin, thresholds: Floats) -> tuple[Floats, Floats, NDArray[np.int64]]:
    """All losses in order with their masses, and how many lie up to each threshold."""
    losses = np.concatenate([twin.nodes, twin.lattice])
    order = np.argsort(losses, kind="stable")
    losses, masses = losses[order], np.concatenate([twin.masses, twin.weights])[order]
    return losses, masses, np.searchsorted(losses, thresholds, side="right").astype(np.int64)
