"""A million draws fit their law, and do not fit the same law with its scale 1 % or 30 % off."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest
from tests.laws_of_noise import closed_forms
from tests.laws_of_noise.closed_forms import Distribution
from tests.laws_of_noise.goodness import ACCEPTED, fit

from shoal import noise
from shoal.noise import IntegerNoise
from shoal.noise.seam import seeded

DRAWS = 10**6
SCALES = [
    Fraction(1, 3),
    Fraction(1),
    Fraction(10),
    Fraction(1000),
    Fraction(10**6),
    Fraction(2**40),
]
SOME_SCALES = [Fraction(1), Fraction(40), Fraction(12345, 7), Fraction(2**50)]

Law = tuple[Callable[[Fraction], IntegerNoise], Callable[[float], Distribution]]
LAWS: dict[str, Law] = {
    "discrete laplace": (noise.discrete_laplace, closed_forms.discrete_laplace),
    "geometric": (noise.geometric, closed_forms.geometric),
    "floored laplace": (noise.floored_laplace, closed_forms.floored_laplace),
    "discrete gaussian": (lambda s: noise.discrete_gaussian(s**2), closed_forms.discrete_gaussian),
    "rounded gaussian": (lambda s: noise.rounded_gaussian(s**2), closed_forms.rounded_gaussian),
}
CASES = [
    (name, scale)
    for name in LAWS
    for scale in (SCALES if name.startswith("discrete") else SOME_SCALES)
]


@pytest.mark.parametrize(("name", "scale"), CASES)
def test_a_million_draws_fit_their_law_and_no_scale_nearby(name: str, scale: Fraction) -> None:
    draw, law = LAWS[name]
    with seeded(f"{name} {scale}"):
        drawn = draw(scale).many(DRAWS)
    assert fit(drawn, law(float(scale))) > ACCEPTED
    for near in (0.99, 1.01):
        assert fit(drawn, law(float(scale) * near)) < 1e-6
    for off in (0.7, 1.3):
        assert fit(drawn, law(float(scale) * off)) < 1e-20


@pytest.mark.parametrize("name", LAWS)
def test_draws_at_the_largest_scale_fit_too(name: str) -> None:
    draw, law = LAWS[name]
    with seeded(f"{name} largest"):
        drawn = draw(Fraction(2**60)).many(10**5)
    assert fit(drawn, law(2.0**60)) > ACCEPTED
    assert fit(drawn, law(1.3 * 2.0**60)) < 1e-20


@pytest.mark.parametrize("name", LAWS)
def test_many_small_requests_fit_like_a_large_one(name: str) -> None:
    draw, law = LAWS[name]
    one_by_one = draw(Fraction(100))
    with seeded(f"{name} small"):
        pieces = [value for _ in range(400) for value in one_by_one.many(150).tolist()]
        pieces += [one_by_one.one() for _ in range(40_000)]
    drawn = np.array(pieces)
    assert fit(drawn, law(100.0)) > ACCEPTED
    assert fit(drawn, law(130.0)) < 1e-20


@pytest.mark.parametrize("limit", [1, 5, 99, 100, 150, 400])
def test_truncated_draws_fit_on_either_side_of_the_scale(limit: int) -> None:
    with seeded(f"truncated {limit}"):
        drawn = noise.truncated_geometric(Fraction(100), limit).many(DRAWS // 4)
    assert int(drawn.min()) == 0
    assert int(drawn.max()) <= limit
    assert fit(drawn, closed_forms.truncated_geometric(100.0, limit)) > ACCEPTED
    if limit >= 99:
        assert fit(drawn, closed_forms.truncated_geometric(130.0, limit)) < 1e-20
        assert fit(drawn, closed_forms.geometric(100.0)) < 1e-20


def test_a_limit_of_zero_leaves_nothing_but_zero() -> None:
    assert not noise.truncated_geometric(Fraction(100), 0).many(1000).any()
