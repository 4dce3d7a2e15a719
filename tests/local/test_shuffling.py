from __future__ import annotations

import pytest
from tests.local.protocols.oracles.small import EVERY

from shoal.errors import RangeError
from shoal.local.protocols.oracles import KaryResponse, LinearHash
from shoal.local.shuffling import METHODS, shuffled


@pytest.mark.slow
@pytest.mark.parametrize("name", EVERY)
def test_order_that_nobody_knows_helps_every_oracle(name: str) -> None:
    oracle = EVERY[name]
    found = shuffled(oracle, people=2000, delta="1e-5")
    assert found.central < found.local / 2
    assert found.local == oracle.epsilon


@pytest.mark.slow
def test_the_method_that_knows_more_is_tighter() -> None:
    oracle = LinearHash.for_epsilon(1, size=1000)
    found = {
        name: shuffled(oracle, people=10**5, delta="1e-6", method=name).central for name in METHODS
    }
    assert found["variation"] < found["clones"] < found["closed 2021"]


def test_a_formula_out_of_its_range_says_the_local_epsilon() -> None:
    oracle = KaryResponse.for_epsilon(5, size=3)
    found = shuffled(oracle, people=100, delta="1e-6", method="closed 2021")
    assert found.central == found.local


def test_an_unknown_method_is_refused_by_name() -> None:
    with pytest.raises(RangeError, match="variation"):
        shuffled(EVERY["k-ary"], people=10, delta="1e-6", method="guess")
