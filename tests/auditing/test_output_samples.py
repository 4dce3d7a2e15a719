"""How samples are drawn: the two datasets take turns, so that what changes meanwhile falls on both
alike.
"""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

import shoal
from shoal.auditing.output_samples import turns


def test_what_changes_while_samples_are_drawn_is_no_evidence() -> None:
    """The function ignores its data, and is slow while it is cold."""
    r, calls = random.Random(3), [0]

    def cold(_: int) -> int:
        calls[0] += 1
        if r.random() < (0.3 if calls[0] < 3000 else 0.02):
            raise TimeoutError
        return r.choice([0, 1])

    found = shoal.audit(cold, 0, 1, epsilon=1, samples=3000)
    assert not found.refuted
    assert found.lower < 0.5


def test_batches_take_turns_too() -> None:
    draw, drawn = np.random.default_rng(3), [0]

    def drifting(_: int, n: int) -> Any:
        at = drawn[0] + np.arange(n)
        drawn[0] += n
        return draw.random(n) + at / 20_000

    found = shoal.audit(drifting, 0, 1, epsilon="0.5", samples=20_000, batch=True)
    assert not found.refuted


def test_both_datasets_come_once_in_every_pair_and_either_first() -> None:
    order = list(turns(200))
    pairs = list(zip(order[::2], order[1::2], strict=True))
    assert set(pairs) == {(0, 1), (1, 0)}
    assert sorted(order) == [0] * 200 + [1] * 200


@pytest.mark.parametrize("samples", [100, 101, 5_003])
def test_so_many_outputs_come_as_were_asked_for(samples: int) -> None:
    asked: list[int] = []

    def many(data: int, n: int) -> Any:
        asked.append(n)
        return np.full(n, data)

    figures = dict(shoal.audit(many, 1, 1, epsilon=1, samples=samples, batch=True).figures)
    assert sum(asked) == 2 * samples
    assert figures["samples on d0"] == figures["samples on d1"] == samples
