"""Made-up people for experiments, drawn from the one source of bits, so that a seeded run can be
repeated.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.loading import from_extra
from shoal.noise import uniform_below

binom = from_extra("scipy.stats", needed_by="an experiment", extra="audit").binom
ndtri = from_extra("scipy.special", needed_by="an experiment", extra="audit").ndtri

_FINE = 1 << 52

Numbers = NDArray[np.float64]


def uniforms(*shape: int) -> Numbers:
    """Numbers between 0 and 1, in steps of 2^-52 and never at the ends."""
    drawn = uniform_below(_FINE, int(np.prod(shape))).astype(np.float64)
    return ((drawn + 0.5) / _FINE).reshape(shape)


def normals(*shape: int) -> Numbers:
    """Normal numbers, by inversion."""
    made: Numbers = ndtri(uniforms(*shape))
    return made


def binomials(people: int, chance: Any, *shape: int) -> NDArray[np.int64]:
    """How many of so many people have a trait, in every repetition, by inversion."""
    made: NDArray[np.int64] = binom.ppf(uniforms(*shape), people, chance).astype(np.int64)
    return made
