"""An approximation that is close, and that nothing mistakes for a promise."""

from __future__ import annotations

import math
from typing import Any

import pytest
from scipy import stats

from shoal import measures
from shoal.errors import RangeError, ShapeError
from shoal.interpret import (
    GaussianApproximation,
    Pair,
    explain,
    gaussian_approximation,
    profile,
    trade_off,
)
from shoal.measures import GaussianDP, Measure


def response(epsilon: float) -> Pair:
    p = round(math.exp(epsilon) / (1 + math.exp(epsilon)), 12)
    return Pair([p, round(1 - p, 12)], [round(1 - p, 12), p])


def test_many_small_responses_look_like_the_limit() -> None:
    # mu = 2 mean / sd of the loss, with mean eps tanh(eps/2) and second moment eps^2.
    n, epsilon = 400, 0.05
    mean = epsilon * math.tanh(epsilon / 2)
    truth = 2 * n * mean / math.sqrt(n * (epsilon**2 - mean**2))
    assert gaussian_approximation([(response(epsilon), n)]).mu == pytest.approx(truth, rel=1e-6)


def exact_delta(n: int, epsilon: float, at: float) -> float:
    p = math.exp(epsilon) / (1 + math.exp(epsilon))
    masses = [(stats.binom.pmf(k, n, p), stats.binom.pmf(k, n, 1 - p)) for k in range(n + 1)]
    return float(sum(max(0.0, x - math.exp(at) * y) for x, y in masses))


def test_the_approximation_is_near_the_exact_binomial() -> None:
    found = gaussian_approximation([(response(0.05), 400)]).delta(1.0)
    assert found == pytest.approx(exact_delta(400, 0.05, 1.0), rel=0.01)


def test_it_promises_too_much_in_some_places_and_too_little_in_others() -> None:
    picture = gaussian_approximation([(response(0.3), 20)])
    assert picture.delta(1.0) < exact_delta(20, 0.3, 1.0)
    assert picture.delta(0.0) > exact_delta(20, 0.3, 0.0)


def test_its_formulas_are_those_of_two_normals() -> None:
    one = GaussianApproximation(1.0)
    assert one.delta(1.0) == pytest.approx(float(GaussianDP(1).to_delta(epsilon=1).delta))
    truth = stats.norm.cdf(stats.norm.isf(0.05) - 1)
    assert one.type_two(0.05) == pytest.approx(truth, rel=1e-9)
    assert GaussianApproximation(0.0).delta(1) == 0


def test_no_losses_give_no_mu() -> None:
    assert gaussian_approximation([]).mu == 0
    assert gaussian_approximation([(Pair([0.5, 0.5], [0.5, 0.5]), 10)]).mu == 0


def test_infinite_loss_has_no_approximation() -> None:
    with pytest.raises(RangeError, match="infinite loss"):
        gaussian_approximation([(Pair([0.5, 0.5], [1, 0]), 1)])


@pytest.mark.parametrize("door", [profile, trade_off, explain])
def test_no_door_for_promises_lets_it_in(door: Any) -> None:
    with pytest.raises(ShapeError, match="not a promise"):
        door(GaussianApproximation(1.0))


def test_it_is_no_measure_and_converts_to_none() -> None:
    one = GaussianApproximation(1.0)
    assert not isinstance(one, Measure)
    assert not [name for name in dir(one) if name.startswith("to_")]
    assert "GaussianApproximation" not in measures.__all__
