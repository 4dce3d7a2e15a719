"""Many runs of one release at once."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.exact import Number
from shoal.mechanisms import Geometric, counting


def counted(
    values: NDArray[np.integer[Any]], epsilon: Number, *, queries: int
) -> NDArray[np.int64]:
    """Counts as Shoal releases them when so many together cost this epsilon, in any number of runs
    at once.

    Each number gets noise of its own, of the scale that `counting` has for ``queries`` counts; a
    release as such would be refused more numbers than its sensitivity is for.

    >>> counted(np.zeros(5, dtype=np.int64), "0.1", queries=2).shape
    (5,)
    """
    scale = counting(epsilon, queries=queries, relation="change").scale
    noisy = Geometric(scale=scale, sensitivity=1).release(values)
    return np.asarray(noisy, dtype=np.int64)
