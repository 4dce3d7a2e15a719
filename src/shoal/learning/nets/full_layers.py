"""A network of full layers as one vector of numbers: where each weight stands, what it begins with,
what the network says of rows, and the same network for torch.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from shoal.learning.exact_sums import Floats
from shoal.learning.nets.gradient_grid import torch_of
from shoal.noise import current


@dataclass(frozen=True)
class FullLayers:
    """Full layers of these sizes, inputs first and outputs last, with rectifiers between them.

    A vector holds for each layer its weights, one line per output as torch has them, then its
    intercepts.
    """

    sizes: tuple[int, ...]

    @property
    def size(self) -> int:
        """How many numbers there are."""
        return sum((before + 1) * after for before, after in pairwise(self.sizes))

    def split(self, vector: Floats) -> list[tuple[Floats, Floats]]:
        """Weights and intercepts of each layer."""
        found, at = [], 0
        for before, after in pairwise(self.sizes):
            weights = vector[at : at + before * after].reshape(after, before)
            at += before * after
            found.append((weights, vector[at : at + after]))
            at += after
        return found

    def start(self) -> Floats:
        """Random weights of a width that suits the layer, and no intercepts; drawn without rows."""
        made = np.zeros(self.size)
        words = current().words(np.uint64, self.size)
        chance = (words >> np.uint64(11)).astype(np.float64) * 2.0**-52 - 1
        last = len(self.sizes) - 2
        for at, ((weights, _), (drawn, _)) in enumerate(
            zip(self.split(made), self.split(chance), strict=True)
        ):
            width = np.sqrt((1 if at == last else 6) / self.sizes[at])
            weights[:] = drawn * width
        return made

    def outputs(self, vector: Floats, rows: Floats) -> Floats:
        """What the network says of each row.

        Guarantee: each row's outputs depend on that row alone, to the last bit: products and sums
            of single doubles, input after input.
        """
        held = rows
        for at, (weights, intercepts) in enumerate(self.split(vector)):
            total = np.tile(intercepts, (len(held), 1))
            for column in range(weights.shape[1]):
                total += held[:, column, None] * weights[:, column]
            held = total if at == len(self.sizes) - 2 else np.maximum(total, 0)
        return held

    def network(self) -> Any:
        """The same layers as a torch module, whatever its weights are."""
        torch = torch_of("a neural network")
        parts: list[Any] = []
        for before, after in pairwise(self.sizes):
            parts += [torch.nn.utils.skip_init(torch.nn.Linear, before, after), torch.nn.ReLU()]
        return torch.nn.Sequential(*parts[:-1])
