"""The weights of one group: values and how much each weighs, as arrays."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from shoal.plan.types import Value


class ValueWeights:
    """Values, each once, and the whole number that each weighs.

    Points of a grid are 64-bit integers in rising order; other values are Python's own, in no
    order.  Two are equal if the same values weigh the same.  A point takes 16 bytes.
    """

    __slots__ = ("values", "weights")

    def __init__(self, values: NDArray[Any], weights: NDArray[np.int64]) -> None:
        self.values, self.weights = values, weights

    @classmethod
    def of(cls, found: Mapping[Value, int], *, points: bool) -> ValueWeights:
        """Weights by value; with ``points`` the values are points of a grid."""
        values = np.array(list(found), dtype=np.int64) if points else _objects(list(found))
        weights = np.array(list(found.values()), dtype=np.int64)
        order = np.argsort(values, kind="stable") if points else slice(None)
        return cls(values[order], weights[order])

    def as_dict(self) -> dict[Value, int]:
        """The weight of each value."""
        return dict(zip(self.values.tolist(), self.weights.tolist(), strict=True))

    def __len__(self) -> int:
        return len(self.values)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ValueWeights):
            return NotImplemented
        return self.as_dict() == other.as_dict()

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"ValueWeights of {len(self)} values"


def _objects(values: list[Value]) -> NDArray[Any]:
    held = np.empty(len(values), dtype=object)
    held[:] = values
    return held


NO_WEIGHTS = ValueWeights.of({}, points=True)
"""Those of a group without rows."""
