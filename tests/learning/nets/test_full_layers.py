from __future__ import annotations

import numpy as np
import torch

from shoal.learning.nets.full_layers import FullLayers

LAYERS = FullLayers((4, 6, 5, 2))


def test_a_network_of_torch_and_its_numbers_say_the_same() -> None:
    network, vector = LAYERS.network(), LAYERS.start()
    rows = np.random.default_rng(0).normal(size=(7, 4))
    with torch.no_grad():
        for each, part in zip(
            network.parameters(),
            [piece for pair in LAYERS.split(vector) for piece in pair],
            strict=True,
        ):
            each.copy_(torch.from_numpy(part))
        said = network(torch.from_numpy(rows.astype(np.float32))).numpy()
    assert np.abs(LAYERS.outputs(vector, rows) - said).max() < 1e-5


def test_what_is_said_of_a_row_depends_on_that_row_alone() -> None:
    vector, rows = LAYERS.start(), np.random.default_rng(1).normal(size=(33, 4))
    whole = LAYERS.outputs(vector, rows)
    assert all(
        (LAYERS.outputs(vector, rows[at : at + 1])[0] == whole[at]).all() for at in range(33)
    )


def test_a_start_is_random_and_as_wide_as_suits_the_layer() -> None:
    assert LAYERS.size == 4 * 6 + 6 + 6 * 5 + 5 + 5 * 2 + 2
    wide = FullLayers((1000, 4))
    weights, intercepts = wide.split(wide.start())[0]
    assert 0.9 * 1000**-0.5 < np.abs(weights).max() <= 1000**-0.5
    assert not intercepts.any()
    assert (wide.start() != wide.start()).any()
