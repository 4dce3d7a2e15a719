"""Opacus with the network, the steps, the samples and the clip that Shoal's networks have by default.

It has no defaults of its own for these.  Its noise is that of its PRV accountant.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.learning.problems import Problem

Predict = Callable[[str], NDArray[Any]]
DELTA = 1e-6
EPOCHS, RATE = 10, 20
"""200 steps, in each of which a row takes part with probability 1/20."""


def train(task: str, kind: str, problem: Problem, epsilon: float, seed: int) -> Predict | None:  # noqa: ARG001
    """A network, as a function that predicts; it has no other kind."""
    if kind != "net":
        return None
    import torch
    from opacus import PrivacyEngine

    torch.manual_seed(seed)
    torch.set_num_threads(1)
    assert problem.target is not None
    rows, test = (
        torch.tensor(problem.scaled(each), dtype=torch.float32)
        for each in (problem.train, problem.test)
    )
    labels = np.unique(problem.target)
    target = torch.tensor(np.searchsorted(labels, problem.target))
    network: Any = torch.nn.Sequential(
        torch.nn.Linear(rows.shape[1], 32), torch.nn.ReLU(), torch.nn.Linear(32, len(labels))
    )
    loader: Any = torch.utils.data.DataLoader(
        torch.utils.data.TensorDataset(rows, target), batch_size=max(len(rows) // RATE, 1)
    )
    steps: Any = torch.optim.Adam(network.parameters(), lr=0.02)
    network, steps, loader = PrivacyEngine().make_private_with_epsilon(
        module=network, optimizer=steps, data_loader=loader, epochs=EPOCHS,
        target_epsilon=epsilon, target_delta=DELTA, max_grad_norm=1.0,
    )  # fmt: skip
    for _ in range(EPOCHS):
        for some, truth in loader:
            steps.zero_grad()
            torch.nn.functional.cross_entropy(network(some), truth).backward()
            steps.step()
    with torch.no_grad():
        scores = network(test).numpy()
    return lambda _: labels[scores.argmax(axis=1)]
