"""Every row has a place of its own, which no other row decides."""

from __future__ import annotations

import numpy as np
import pytest

from shoal.learning.nets import secret_batches
from shoal.learning.nets.secret_batches import chunks_of
from shoal.noise.seam import seeded


@pytest.mark.parametrize("count", [0, 1, 5, 300])
@pytest.mark.parametrize("slots", [1, 2, 64])
def test_every_row_is_in_one_chunk(count: int, slots: int) -> None:
    rows = np.arange(count, dtype=np.int64) * 3
    found = chunks_of(rows, slots)
    assert found.shape[1] == slots
    assert sorted(found[found >= 0].tolist()) == rows.tolist()


def test_a_row_more_or_less_moves_no_other_row_to_another_place(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    drawn = np.random.default_rng(0).integers(0, 8, 40)
    kept = [at for at in range(40) if at != 17]

    def places(rows: list[int]) -> dict[int, int]:
        monkeypatch.setattr(secret_batches, "uniform_below", lambda _slots, _count: drawn[rows])
        found = chunks_of(np.array(rows), 8)
        return {int(row): int(slot) for line in found for slot, row in enumerate(line) if row >= 0}

    whole, less = places(list(range(40))), places(kept)
    assert {row: whole[row] for row in kept} == less


def test_places_are_equally_likely() -> None:
    with seeded("places"):
        found = chunks_of(np.arange(8000, dtype=np.int64), 8)
    counts = (found >= 0).sum(axis=0)
    assert float(((counts - 1000) ** 2 / 1000).sum()) < 24.3  # chi-square, 7 degrees, 1 in 1,000
