"""A budget in any measure buys the least noise that keeps it, and never too little."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal import (
    AboveThreshold,
    Approx,
    DiscreteGaussian,
    Exponential,
    Gaussian,
    GaussianDP,
    Geometric,
    Histogram,
    Laplace,
    Measure,
    NoisyMax,
    PermuteAndFlip,
    Pure,
    RandomizedResponse,
    Renyi,
    SparseVector,
    Staircase,
    TopK,
    TruncatedGeometric,
    ZeroConcentrated,
    counting,
)
from shoal.errors import CalibrationError

CLOSE = Fraction(1, 10**6)
MECHANISMS: dict[str, tuple[Any, dict[str, Any]]] = {
    "laplace": (Laplace, {"sensitivity": "1/3"}),
    "geometric": (Geometric, {"sensitivity": 2}),
    "truncated geometric": (TruncatedGeometric, {"sensitivity": 2, "low": 0, "high": 9}),
    "staircase": (Staircase, {"sensitivity": "1/3"}),
    "histogram": (Histogram, {"relation": "change"}),
    "exponential": (Exponential, {"sensitivity": 3}),
    "permute and flip": (PermuteAndFlip, {"sensitivity": 3, "monotone": True}),
    "noisy max": (NoisyMax, {"sensitivity": 3, "noise": "laplace"}),
    "top k": (TopK, {"sensitivity": 3, "k": 4}),
    "sparse vector": (SparseVector, {"sensitivity": 3, "positives": 4, "numeric": True}),
    "above threshold": (AboveThreshold, {"sensitivity": 3}),
    "randomized response": (RandomizedResponse, {"categories": 4}),
    "gaussian": (Gaussian, {"sensitivity": "1/3"}),
    "discrete gaussian": (DiscreteGaussian, {"sensitivity": "1/3"}),
}
PURE = [name for name in MECHANISMS if "gaussian" not in name]
BUDGETS: list[Measure] = [
    Approx("0.5", "1e-6"),
    Approx(0, "0.01"),
    Approx(3, "1e-12"),
    ZeroConcentrated("0.1"),
    ZeroConcentrated(7),
    GaussianDP("0.3"),
    GaussianDP(4),
    Renyi({2: "0.1", 16: "0.5"}),
    Renyi({"1.5": 3}),
]


def back(cost: Measure, budget: Measure) -> tuple[Measure, Fraction]:
    """What a cost comes to in the measure of a budget, and the share of the budget it uses."""
    if isinstance(budget, Approx):
        spent = cost.to_delta(epsilon=budget.epsilon)
        return spent, spent.delta / budget.delta
    if isinstance(budget, ZeroConcentrated):
        rho = cost.to_zero_concentrated()
        return rho, rho.rho / budget.rho
    if isinstance(budget, GaussianDP):
        mu = cost.to_gaussian()
        return mu, mu.mu / budget.mu
    assert isinstance(budget, Renyi)
    curve = cost.to_renyi([order for order, _ in budget.curve])
    shares = [spent / had for (_, spent), (_, had) in zip(curve.curve, budget.curve, strict=False)]
    return curve, max(shares)


@pytest.mark.parametrize("name", MECHANISMS)
@pytest.mark.parametrize("budget", BUDGETS, ids=str)
def test_a_budget_is_kept_and_hardly_anything_of_it_is_left(name: str, budget: Measure) -> None:
    kind, options = MECHANISMS[name]
    if name == "discrete gaussian" and isinstance(budget, GaussianDP):
        with pytest.raises(CalibrationError):
            kind.for_budget(budget, **options)
        return
    cost = kind.for_budget(budget, **options).cost
    spent, share = back(cost, budget)
    assert spent <= budget
    assert share >= 1 - CLOSE


@pytest.mark.parametrize("name", PURE)
@pytest.mark.parametrize("epsilon", ["0.1", "1/3", 5])
def test_an_epsilon_is_spent_exactly(name: str, epsilon: Any) -> None:
    kind, options = MECHANISMS[name]
    assert kind.for_epsilon(epsilon, **options).cost == Pure(epsilon)
    assert kind.for_budget(Pure(epsilon), **options).cost == Pure(epsilon)
    assert kind.for_budget(Approx(epsilon, 0), **options).cost == Pure(epsilon)


def test_counting_queries_share_their_epsilon() -> None:
    assert counting(1).cost == counting(1, queries=7, relation="change").cost == Pure(1)


@pytest.mark.parametrize("budget", [Pure(1), Approx(1, 0)], ids=str)
@pytest.mark.parametrize("kind", [Gaussian, DiscreteGaussian])
def test_no_gaussian_noise_is_sold_for_a_pure_budget(
    kind: type[Gaussian | DiscreteGaussian], budget: Measure
) -> None:
    with pytest.raises(CalibrationError):
        kind.for_budget(budget, sensitivity=1)


@pytest.mark.parametrize(
    "budget",
    [Pure(0), Approx(0, 0), ZeroConcentrated(0), GaussianDP(0), Renyi({2: 0}), Approx(1, 1)],
    ids=repr,
)
@pytest.mark.parametrize("kind", [Laplace, Gaussian, DiscreteGaussian])
def test_a_budget_of_nothing_or_of_everything_buys_nothing(kind: Any, budget: Measure) -> None:
    with pytest.raises(CalibrationError):
        kind.for_budget(budget, sensitivity=1)


@given(
    epsilon=st.one_of(st.just(0.0), st.floats(1e-9, 80)),
    delta=st.floats(1e-30, 0.999999),
)
@settings(max_examples=60)
def test_a_pure_mechanism_for_an_approximate_budget_keeps_it(epsilon: float, delta: float) -> None:
    budget = Approx(epsilon, delta)
    cost = Laplace.for_budget(budget, sensitivity=1).cost
    assert cost.to_delta(epsilon=epsilon) <= budget
    assert cost.to_delta(epsilon=epsilon).delta >= budget.delta * (1 - CLOSE)


@given(epsilon=st.floats(0, 40), delta=st.floats(1e-30, 0.99))
@settings(max_examples=25)
def test_gaussian_noise_for_an_approximate_budget_keeps_it(epsilon: float, delta: float) -> None:
    budget = Approx(epsilon, delta)
    spent = Gaussian.for_budget(budget, sensitivity=1).cost.to_delta(epsilon=epsilon)
    assert spent <= budget
    assert spent.delta >= budget.delta * (1 - CLOSE)


def test_the_classic_formula_keeps_its_promise_wherever_it_is_allowed() -> None:
    worst = Fraction(0)
    for epsilon in ("0.001", "0.1", "0.5", "0.9", "1"):
        for delta in ("1e-12", "1e-6", "1e-3", "0.1", "0.5", "0.9", "0.999999"):
            mechanism = Gaussian.classic(epsilon=epsilon, delta=delta, sensitivity=3)
            spent = mechanism.cost.to_delta(epsilon=epsilon)
            assert spent <= Approx(epsilon, delta)
            worst = max(worst, spent.delta / Fraction(delta))
    assert Fraction(3, 10) < worst < Fraction(1, 3)


def test_the_classic_formula_is_refused_where_it_is_false() -> None:
    from shoal.errors import RangeError  # noqa: PLC0415 - used here only
    from shoal.measures import gaussian_delta_down  # noqa: PLC0415

    with pytest.raises(RangeError, match="epsilon"):
        Gaussian.classic(epsilon=10, delta="1e-5", sensitivity=1)
    sigma = Fraction("0.4844805")  # sqrt(2 ln(1.25 / 1e-5)) / 10
    assert gaussian_delta_down(1 / sigma, 10) > Fraction("2.26e-5")


def test_the_sigma_of_the_textbooks() -> None:
    assert float(Gaussian.classic(epsilon=1, delta="1e-5", sensitivity=1).sigma) == pytest.approx(
        4.8448, abs=1e-4
    )
    assert float(Gaussian.for_budget(Approx(1, "1e-5"), sensitivity=1).sigma) == pytest.approx(
        3.7306, abs=1e-4
    )
