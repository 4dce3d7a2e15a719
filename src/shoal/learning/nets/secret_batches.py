"""Which rows take part in a step, by secret coins; and the place of each in arrays of a fixed
shape.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from shoal.noise import uniform_below

Places = NDArray[np.int64]


def chunks_of(rows: Places, slots: int) -> Places:
    """Rows in chunks of ``slots`` places: one line per chunk, -1 where a place stays empty.

    Guarantee: the place of a row within its chunk is drawn for that row, independently of all other
        rows; only in which chunk it is depends on them.
    Edges: no rows give no chunks.
    """
    places = uniform_below(slots, len(rows)).astype(np.int64)
    order = np.argsort(places, kind="stable")
    ordered = places[order]
    line = np.arange(len(rows)) - np.searchsorted(ordered, ordered, side="left")
    made = np.full((int(line.max(initial=-1)) + 1, slots), -1, dtype=np.int64)
    made[line, ordered] = rows[order]
    return made
