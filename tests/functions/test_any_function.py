"""The front: numbers, choices and functions, with proven and with sampled sensitivities."""

from __future__ import annotations

import json
import pickle
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from tests.mechanisms.statistics_of import ACCEPT, REJECT, p_value, p_value_of_choices

import shoal
from shoal import Approx, GaussianDP, Norm, Pure, RandomDP, Sensitivity, ZeroConcentrated, privatize
from shoal.errors import CalibrationError, InputError, PriceError, ShapeError
from shoal.functions import LocalMean, ReleasedFunction, Sampler, SpacedCurve
from shoal.noise import seam


def uniform_sampler(rows: int = 20, **asked: Any) -> Sampler:
    uniform = np.random.default_rng(2).uniform
    asked = asked or {"samples": 99, "gamma": "0.1"}
    return Sampler(lambda k: uniform(size=k), rows=rows, independent=True, **asked)


# numbers


def test_a_proven_sensitivity_costs_exactly_the_epsilon() -> None:
    mean = privatize(lambda rows: float(np.mean(rows)), sensitivity="1/20", epsilon="0.5")
    assert mean.cost == Pure("0.5")
    assert shoal.account([mean.event]).epsilon(delta=0).epsilon == Fraction(1, 2)
    assert isinstance(mean.release(np.full(20, 0.5)), float)


def test_the_noise_on_a_number_has_its_scale_and_no_other() -> None:
    half = privatize(lambda rows: np.full(2000, rows[0]), sensitivity="1/2", epsilon=1, size=2000)
    with seam.seeded("numbers"):
        noise = np.concatenate([half.release([0.25]) - 0.25 for _ in range(10)])

    def laplace(scale: float) -> Any:
        return lambda x: 0.5 * np.exp(x / scale) if x < 0 else 1 - 0.5 * np.exp(-x / scale)

    assert p_value(noise, laplace(0.5)) > ACCEPT
    assert p_value(noise, laplace(0.35)) < REJECT
    assert p_value(noise, laplace(0.65)) < REJECT


def test_integers_and_lists_are_released_as_floats() -> None:
    """An integer for these rows could be a float for others, and the type would tell them apart."""
    count = privatize(len, sensitivity=1, epsilon=1)
    assert isinstance(count.release([1, 2, 3]), float)
    several = privatize(lambda rows: [1.0, 2.0, 3.0], sensitivity=1, epsilon=1, size=3)
    assert several.release([]).shape == (3,)


def test_another_budget_buys_gaussian_noise() -> None:
    mean = privatize(np.mean, sensitivity="0.05", budget=ZeroConcentrated("0.5"))
    assert mean.cost == GaussianDP(1)


@pytest.mark.parametrize("size", [1, 3])
def test_a_function_that_gives_another_number_of_values_counts_as_the_public_number(
    size: int,
) -> None:
    """How many numbers it gives could depend on the rows, so it is no error."""
    made = privatize(
        lambda rows: np.zeros(2), sensitivity="1e-9", epsilon=1, size=size, otherwise=7
    )
    assert np.ravel(made.release([])) == pytest.approx([7] * size, abs=1e-6)


# choices


def names_with(names: Any) -> Any:
    return lambda letter: sum(letter in name for name in names)


PEOPLE = ["anna", "bob", "cara", "alan"]


@pytest.mark.slow
@pytest.mark.parametrize(
    "function",
    [
        names_with,
        lambda names: {letter: names_with(names)(letter) for letter in "abc"},
        lambda names: [names_with(names)(letter) for letter in "abc"],
    ],
    ids=["a function", "a mapping", "a list"],
)
def test_a_choice_has_the_exponential_law_with_its_exponential(function: Any) -> None:
    """Scores 3, 1, 1 at epsilon 2 and sensitivity 1: weights e^3, e, e."""
    chosen = privatize(function, candidates="abc", sensitivity=1, epsilon=2)
    with seam.seeded("choice"):
        drawn = [chosen.release(PEOPLE) for _ in range(4000)]
    weights = np.exp([3.0, 1.0, 1.0])
    law = dict(zip("abc", (weights / weights.sum()).tolist(), strict=True))
    linear = {"a": 0.6, "b": 0.2, "c": 0.2}
    assert p_value_of_choices(drawn, law) > ACCEPT
    assert p_value_of_choices(drawn, linear) < REJECT


def test_the_event_of_a_choice_knows_the_number_of_candidates() -> None:
    chosen = privatize(names_with, candidates="abc", sensitivity=1, epsilon=1)
    assert chosen.event.to_dict()["candidates"] == 3
    assert chosen.cost == Pure(1)


# functions


def test_a_function_is_released_by_its_lattice_values() -> None:
    released = privatize(
        lambda rows: lambda x: np.mean(rows) * x,
        sensitivity=Sensitivity(Fraction(1, 20), Norm.LINF),
        epsilon=10**6,
        degree=4,
        domain=[(0, 2)],
    ).release(np.full(20, 0.5))
    assert isinstance(released, ReleasedFunction)
    assert released(2.0) == pytest.approx(1, abs=1e-3)
    assert released.event.to_dict()["sensitivity"] == "1/4"


def test_what_is_released_holds_neither_data_nor_the_function() -> None:
    secret = np.array([0.123456789, 0.987654321])
    released = privatize(
        lambda rows: lambda x: rows.sum() * x, sensitivity=1, epsilon=1, degree=2
    ).release(secret)
    told = json.dumps(released.to_dict())
    assert "0.123456789" not in told
    assert "1.11111111" not in told
    assert len(pickle.dumps(released)) < 2000


# sampled


def test_a_sampled_sensitivity_makes_a_random_promise_that_no_budget_pays() -> None:
    mean = privatize(np.mean, sampler=uniform_sampler(), epsilon=1)
    assert mean.cost == RandomDP(1, 0, "0.1")
    with pytest.raises(PriceError):
        shoal.account([mean.event]).epsilon(delta=0)
    assert isinstance(mean.release(np.full(20, 0.5)), float)


def test_the_gamma_of_the_plan_is_the_gamma_of_the_promise() -> None:
    mean = privatize(np.mean, sampler=uniform_sampler(samples=500, gamma="0.2"), epsilon=1)
    assert mean.cost == RandomDP(1, 0, Fraction(100, 501))


def test_an_approximate_budget_measures_in_l2_and_keeps_its_delta() -> None:
    both = privatize(
        lambda rows: np.array([rows.mean(), rows.mean()]),
        sampler=uniform_sampler(),
        budget=Approx(1, "1e-6"),
        size=2,
    )
    assert both.cost == RandomDP(1, "1e-6", "0.1")
    assert both.sampled is not None
    assert both.sampled.norm is Norm.L2


def test_other_rows_than_the_sampled_number_are_refused() -> None:
    mean = privatize(np.mean, sampler=uniform_sampler(rows=20), epsilon=1)
    with pytest.raises(ShapeError, match="sampled for 20 rows; 3 were given"):
        mean.release(np.zeros(3))


def test_a_sampled_choice_measures_its_scores_one_by_one() -> None:
    letters = np.random.default_rng(1)
    sampler = Sampler(lambda k: ["abc"[i] for i in letters.integers(3, size=k)], rows=9, samples=99)
    chosen = privatize(names_with, sampler=sampler, candidates="abc", epsilon=1)
    assert chosen.cost == RandomDP(1, 0, "0.01")
    assert chosen.sampled is not None
    assert float(chosen.sampled.value) == pytest.approx(1)
    assert chosen.release(["a"] * 9) in "abc"


@pytest.mark.parametrize("curve", [SpacedCurve(0.1), LocalMean(0.1)], ids=["spaced", "mean"])
def test_a_sampled_curve_measures_all_lattice_values_together(curve: Any) -> None:
    """The same by the curve's own local changes, and by a plain function that has none."""

    def made(function: Any) -> Any:
        generator = np.random.default_rng(7)
        sampler = Sampler(lambda k: generator.uniform(size=(k, 2)), rows=30, samples=40)
        return privatize(function, sampler=sampler, epsilon=1, degree=6, order=2)

    local, plain = made(curve), made(curve.__call__)
    assert local.sampled.value == pytest.approx(float(plain.sampled.value), rel=1e-9)
    released = local.release(np.random.default_rng(1).uniform(size=(30, 2)))
    assert released.event.kind == "stated_random"
    assert ReleasedFunction.from_json(released.to_json()) == released


def test_a_seeded_release_says_so_in_its_random_event() -> None:
    mean = privatize(np.mean, sampler=uniform_sampler(), epsilon=1)
    with seam.seeded(1):
        assert not mean.event.private
    assert mean.event.private


# refusals


@pytest.mark.parametrize(
    "asked",
    [
        {"epsilon": 1},
        {"sensitivity": 1},
        {"sensitivity": 1, "sampler": uniform_sampler(), "epsilon": 1},
        {"sensitivity": 1, "epsilon": 1, "budget": Pure(1)},
        {"sensitivity": 1, "epsilon": 1, "candidates": "ab", "degree": 2},
        {"sensitivity": 1, "budget": 1},
        {"sampler": uniform_sampler(), "epsilon": 1, "candidates": "ab", "monotone": True},
        {"sensitivity": 1, "epsilon": 1, "size": 0},
    ],
)
def test_what_does_not_fit_together_is_refused(asked: dict[str, Any]) -> None:
    with pytest.raises(InputError):
        privatize(np.mean, **asked)


def test_a_sampled_sensitivity_has_no_zero_concentrated_promise() -> None:
    with pytest.raises(CalibrationError):
        privatize(np.mean, sampler=uniform_sampler(), budget=ZeroConcentrated(1))
    with pytest.raises(CalibrationError):
        privatize(np.mean, sensitivity=1, budget=RandomDP(1, 0, "0.1"))


def test_nothing_of_a_sampled_release_that_anyone_sees_has_a_price_in_differential_privacy() -> (
    None
):
    uniform = np.random.default_rng(1).uniform
    sampler = Sampler(lambda k: uniform(size=k), rows=50, samples=99)
    made = privatize(lambda rows: float(np.mean(rows)), sampler=sampler, epsilon=1)
    shown = [name for name in dir(made) if not name.startswith("_")]
    assert not any(hasattr(getattr(made, name), "cost") for name in shown)
