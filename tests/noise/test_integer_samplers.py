from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.errors import RangeError
from shoal.noise import (
    LARGEST_SCALE,
    SMALLEST_SCALE,
    IntegerNoise,
    discrete_gaussian,
    discrete_laplace,
    floored_laplace,
    geometric,
    rounded_gaussian,
    truncated_geometric,
)
from shoal.noise.integer_samplers import _POOL, _POOLS
from shoal.noise.seam import seeded

BY_SCALE: list[Callable[[Fraction], IntegerNoise]] = [
    discrete_laplace,
    geometric,
    floored_laplace,
    lambda scale: truncated_geometric(scale, 5),
]
BY_VARIANCE: list[Callable[[Fraction], IntegerNoise]] = [discrete_gaussian, rounded_gaussian]
JUST = Fraction(1, 10**30)
OUTSIDE = [
    SMALLEST_SCALE * (1 - JUST),
    LARGEST_SCALE * (1 + JUST),
    Fraction(0),
    Fraction(-1),
    Fraction(10) ** 100,
    Fraction(10) ** -100,
]


@pytest.mark.parametrize("law", BY_SCALE)
@pytest.mark.parametrize("scale", OUTSIDE, ids=float)
def test_a_scale_out_of_reach_is_refused(
    law: Callable[[Fraction], IntegerNoise], scale: Fraction
) -> None:
    with pytest.raises(RangeError, match=r"2\^-20 to 2\^60"):
        law(scale)


@pytest.mark.parametrize("law", BY_VARIANCE)
@pytest.mark.parametrize("scale", OUTSIDE, ids=float)
def test_a_variance_out_of_reach_is_refused(
    law: Callable[[Fraction], IntegerNoise], scale: Fraction
) -> None:
    with pytest.raises(RangeError, match=r"2\^-20 to 2\^60"):
        law(scale * abs(scale))


@pytest.mark.parametrize("law", [*BY_SCALE, *BY_VARIANCE])
@pytest.mark.parametrize("scale", [SMALLEST_SCALE, LARGEST_SCALE], ids=float)
def test_the_ends_of_the_reach_can_be_drawn(
    law: Callable[[Fraction], IntegerNoise], scale: Fraction
) -> None:
    with seeded("ends"):
        drawn = law(scale**2 if law in BY_VARIANCE else scale).many(50)
    assert all(abs(int(value)) < 100 * max(scale, Fraction(1, 50)) for value in drawn)


@pytest.mark.parametrize("count", [0, 1, 1023, 1024, 1025, (1 << 15) + 1])
@pytest.mark.parametrize("scale", [1, 1000, 2**60])
def test_as_many_are_drawn_as_were_asked_for(count: int, scale: int) -> None:
    if count > 2000 and scale > 2**50:
        return  # slow, and of the same code as below
    for law in (discrete_laplace(Fraction(scale)), discrete_gaussian(Fraction(scale) ** 2)):
        assert len(law.many(count)) == count


def test_single_draws_are_the_draws_made_ahead_and_each_is_used_once() -> None:
    noise = discrete_laplace(Fraction(10**6))
    with seeded("pool") as source:
        ahead = noise.draw(_POOL, source).tolist()
    with seeded("pool"):
        single = [noise.one() for _ in range(_POOL)]
    assert sorted(single) == sorted(ahead)
    assert all(isinstance(value, int) for value in single)


@given(st.integers(-(2**70), 2**70), st.sampled_from([10, 2**58, 2**60]))
def test_a_value_gets_the_draw_that_comes_next(value: int, scale: int) -> None:
    """Whatever the size of both; a draw that is used is nowhere in the pool."""
    noise = discrete_laplace(Fraction(scale))
    with seeded("added"):
        drawn = noise.one()
    with seeded("added") as source:
        assert noise.added_to(value) == value + drawn
        assert len(source.pools[noise]) == _POOL - 1


def test_pools_are_bounded_in_number() -> None:
    with seeded("pools") as source:
        for place in range(2 * _POOLS + 5):
            law = IntegerNoise(lambda count, _source: np.zeros(count, dtype=np.int64))
            assert law.one() == 0
            assert len(source.pools) == place % _POOLS + 1
