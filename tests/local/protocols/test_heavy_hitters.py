from __future__ import annotations

import numpy as np
import pytest

from shoal.errors import DataError, RangeError, ShapeError
from shoal.local.protocols.heavy_hitters import HeavyHitters
from shoal.noise.seam import seeded

COMMON = np.array([0x1234_5678_9A, 0x1234_5678_9B, 0xFFFF_0000_11])


def test_common_values_among_a_trillion_are_found_and_no_others() -> None:
    made, people = HeavyHitters.for_epsilon(4, bits=40, first=8, step=8), 60_000
    rare = (np.arange(people) * 0x9E37_79B9_7F4A) % (1 << 40)
    values = np.where(np.arange(people) % 10 < 6, COMMON[np.arange(people) % 3], rare)
    with seeded("heavy"):
        found = made.find(made.report(values), errors=5)
    assert {each.value for each in found} == set(COMMON.tolist())
    assert all(abs(each.share - 0.2) < 6 * each.standard_error + 0.01 for each in found)
    assert [each.share for each in found] == sorted((each.share for each in found), reverse=True)
    assert made.cost.epsilon <= 4


def test_where_nothing_is_common_nothing_is_found() -> None:
    made, people = HeavyHitters.for_epsilon(1, bits=24), 20_000
    with seeded("nothing"):
        assert made.find(made.report((np.arange(people) * 7919) % (1 << 24)), errors=5) == []


def test_what_cannot_be_searched_is_refused() -> None:
    with pytest.raises(RangeError):
        HeavyHitters.for_epsilon(1, bits=60)
    made = HeavyHitters.for_epsilon(1, bits=10)
    with pytest.raises(DataError):
        made.report([1 << 10])
    with pytest.raises(ShapeError):
        made.find([])
