"""Estimates made to look like shares: a choice of the reader's, never the only estimate."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.errors import DataError, RangeError, ShapeError
from shoal.mechanisms.values import real_array

Floats = NDArray[np.float64]
WAYS = ("simplex", "cut", "cut and scaled")


@dataclass(frozen=True, eq=False)
class Adjusted:
    """Shares after an adjustment that ``how`` names; they are no longer unbiased."""

    shares: Floats
    how: str


def adjust(frequencies: Any, *, how: str = "simplex") -> Adjusted:
    """Make unbiased estimates look like shares.

    "simplex" takes the nearest shares that are 0 or more and add up to 1: one number is taken off
    all of them, and what falls below 0 becomes 0.  "cut" moves what is outside [0, 1] to its ends.
    "cut and scaled" then divides by the sum, which pulls common values down.

    >>> adjust([0.7, 0.5, -0.2]).shares.round(3).tolist()
    [0.6, 0.4, 0.0]
    """
    raw = real_array(frequencies, what="estimates")
    if raw.ndim != 1 or not len(raw):
        raise ShapeError("one number for each value is needed.", remedy="Give a flat array.")
    if not np.isfinite(raw).all():
        raise DataError("one of the estimates is not finite.", remedy="Leave it out first.")
    if how == "simplex":
        return Adjusted(_nearest(raw), how)
    if how == "cut":
        return Adjusted(np.clip(raw, 0, 1), how)
    if how == "cut and scaled":
        cut = np.clip(raw, 0, None)
        total = cut.sum()
        return Adjusted(cut / total if total else np.full(len(raw), 1 / len(raw)), how)
    raise RangeError(
        f"how must be one of {', '.join(WAYS)}; got {str(how)[:40]!r}.",
        remedy="Choose 'simplex', which moves the estimates least.",
    )


def _nearest(raw: Floats) -> Floats:
    """The Euclidean projection on the simplex, by sorting."""
    falling = np.sort(raw)[::-1]
    taken = (np.cumsum(falling) - 1) / np.arange(1, len(raw) + 1)
    kept = np.flatnonzero(falling > taken)[-1]
    moved: Floats = np.maximum(raw - taken[kept], 0)
    return moved
