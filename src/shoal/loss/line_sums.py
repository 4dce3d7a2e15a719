"""One or two smoothed lines whose deltas add up, and where they reach a delta."""

from __future__ import annotations

import math
from dataclasses import dataclass

from shoal.loss.cells import UNIT
from shoal.loss.smoothed import SmoothedLine

_NEWTON, _HALVINGS = 40, 60
_CLOSE = 1e-10
_PADS = 14
_UNSURE = 2.0
"""A first guess of how far the logarithm of delta is off where nothing is sure."""


@dataclass(frozen=True)
class LeftOut:
    """Sums that no line is taken for: delta of them is at most exp(cumulant - tilt epsilon) at each
    of some tilts.
    """

    bounds: tuple[tuple[float, float], ...]

    def log_delta(self, epsilon: float) -> float:
        """The logarithm of the least bound."""
        return min(
            cumulant - tilt * epsilon + 16 * UNIT * (1 + abs(cumulant) + tilt * epsilon)
            for tilt, cumulant in self.bounds
        )


@dataclass(frozen=True)
class LineSum:
    """Lines for measures that add up to that of all sums of losses, for one side, ``up`` or not."""

    lines: tuple[SmoothedLine, ...]
    left_out: LeftOut | None
    up: bool

    def log_delta(self, epsilon: float) -> float:
        """The logarithm of delta, to the side of the lines; minus infinity where nothing is
        sure.
        """
        found = [line.log_delta(epsilon) for line in self.lines]
        if self.up and self.left_out is not None:
            found.append(self.left_out.log_delta(epsilon))
        together = _log_sum(found)
        return together + (1 if self.up else -1) * 4 * UNIT * (len(found) - 1)

    def told(self, epsilon: float) -> tuple[float, float]:
        """About the logarithm of delta, and how fast it falls; minus infinity where nothing is
        heard.
        """
        found = [line.told(epsilon) for line in self.lines]
        if len(found) == 1:
            return found[0]
        together = _log_sum([log for log, _ in found])
        if math.isinf(together):
            return together, 0.0
        return together, sum(math.exp(log - together) * slope for log, slope in found)

    def solved(
        self, wanted: float, near: float, *, closely: bool = False
    ) -> tuple[float, float] | None:
        """By Newton's method, where the logarithm is the wanted one, and its slope; nothing rests
        on it.

        Where ``near`` is close to it, an FFT over the whole arc is saved.
        """
        if (closely or len(self.lines) > 1) and (found := self._newton(wanted, near)) is not None:
            return found
        epsilon = self._about(wanted, near)
        return None if epsilon is None else self._newton(wanted, epsilon)

    def _about(self, wanted: float, near: float) -> float | None:
        if len(self.lines) == 1:
            return self.lines[0].about(wanted, near)
        low, high = 0.0, near
        for _ in range(_HALVINGS):
            middle = (low + high) / 2
            low, high = (middle, high) if self.told(middle)[0] > wanted else (low, middle)
        return low

    def _newton(self, wanted: float, epsilon: float) -> tuple[float, float] | None:
        for _ in range(_NEWTON):
            told, slope = self.told(epsilon)
            if slope <= 0:
                return None
            above = told - wanted
            heard = math.exp(min(0.0, _log_sum([x.log_off(epsilon) for x in self.lines]) - told))
            if abs(above) < _CLOSE * max(1.0, abs(wanted)) + heard:
                return epsilon, slope
            epsilon += above / slope
        return None

    def enclosed(self, wanted: float, found: float, slope: float) -> float | None:
        """The epsilon to this side of the truth, checked; 0 where none is needed."""
        sign = 1 if self.up else -1
        there = self.log_delta(found)
        off = abs(there - wanted) if math.isfinite(there) else _UNSURE
        pad = max((_CLOSE * max(1.0, abs(wanted)) + 1.05 * off) / slope, 4 * UNIT * abs(found))
        for _ in range(_PADS):
            epsilon = found + sign * pad
            if epsilon <= 0 and not self.up:
                return 0.0
            reached = self.log_delta(max(0.0, epsilon))
            if (reached <= wanted) if self.up else (reached >= wanted):
                return max(0.0, epsilon)
            # The first pad is an estimate by the slope; only the check above counts, so a pad
            # that fails is lengthened.
            pad = 1.5 * pad
        return None


def _log_sum(logs: list[float]) -> float:
    """The logarithm of the sum of exponentials."""
    largest = max(logs, default=-math.inf)
    if math.isinf(largest):
        return largest
    return largest + math.log(math.fsum(math.exp(log - largest) for log in logs))
