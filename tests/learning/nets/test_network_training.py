"""A loop of one's own: charged first, each step once, and no checkpoint that draws again."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest
import torch

from shoal import Approx, account
from shoal.accounting import RenyiFilter
from shoal.errors import (
    BudgetExceeded,
    ExhaustedError,
    FactsError,
    OwnerError,
    ShapeError,
    ShoalError,
)
from shoal.learning import NetworkTraining
from shoal.noise.seam import seeded

LOSS = torch.nn.functional.cross_entropy
PRICE: dict[str, Any] = {"epsilon": 2, "delta": "1e-5", "steps": 4, "rate": "1/2", "batch": 10}


def rows(count: int = 20) -> tuple[Any, Any]:
    rng = np.random.default_rng(0)
    made = rng.normal(size=(count, 3)).astype(np.float32)
    return torch.from_numpy(made), torch.from_numpy((made[:, 0] > 0).astype(np.int64))


def training(**more: Any) -> NetworkTraining:
    return NetworkTraining(torch.nn.Linear(3, 2), LOSS, **{**PRICE, **more})


def test_a_loop_learns_what_there_is_to_learn() -> None:
    network = torch.nn.Linear(3, 2)
    made = NetworkTraining(
        network, LOSS, epsilon=3, delta="1e-5", steps=15, rate="1/4", batch=500, clip="0.5"
    )
    optimizer = torch.optim.SGD(network.parameters(), lr=2.0)
    features, labels = rows(2000)
    with seeded("loop"):
        for _ in made.steps_over(features, labels):
            optimizer.step()
    right = (network(features).argmax(dim=1) == labels).float().mean()
    assert float(right) > 0.9
    assert made.steps_done == 15


def test_a_loop_learns_with_correlated_noise() -> None:
    network = torch.nn.Linear(3, 2)
    made = NetworkTraining(
        network, LOSS, epsilon=3, delta="1e-5", steps=20, rate="1/4", batch=500, clip="0.5",
        noise="correlated",
    )  # fmt: skip
    optimizer = torch.optim.SGD(network.parameters(), lr=2.0)
    features, labels = rows(2000)
    with seeded("loop"):
        for _ in made.steps_over(features, labels):
            optimizer.step()
    right = (network(features).argmax(dim=1) == labels).float().mean()
    assert float(right) > 0.9
    assert made.steps_done == 20


@pytest.mark.parametrize("noise", ["independent", "correlated"])
def test_the_price_is_kept_and_the_noise_is_said(noise: str) -> None:
    made = training(noise=noise)
    assert account(made.event).epsilon(delta="1e-5").epsilon <= 2
    assert made.cost == Approx(2, "1e-5")
    assert 1 < made.noise_multiplier < 6


def test_a_budget_is_charged_before_rows_are_read_and_refuses_with_nothing_read() -> None:
    budget = RenyiFilter(Approx(2, "1e-5"), relation="add_remove")
    steps = training(budget=budget).steps_over(*rows())
    assert budget.spent.epsilon == 2  # one training can fill a budget
    assert next(steps) == 1
    poor = training(budget=budget)
    with pytest.raises(BudgetExceeded):
        poor.steps_over(*rows())
    assert poor.steps_done == 0


def test_a_training_is_begun_once_and_cannot_be_copied() -> None:
    made = training()
    assert list(made.steps_over(*rows())) == [1, 2, 3, 4]
    with pytest.raises(ExhaustedError):
        made.steps_over(*rows())
    for way in (copy.copy, copy.deepcopy, pickle.dumps):
        with pytest.raises(OwnerError):
            way(made)


def test_going_on_from_saved_weights_is_another_training_with_a_price_of_its_own() -> None:
    budget = RenyiFilter(Approx(9, "1e-5"), relation="add_remove")
    first = training(budget=budget)
    network, steps = torch.nn.Linear(3, 2), first.steps_over(*rows())
    next(steps)
    saved = network.state_dict()
    once = budget.spent.epsilon
    again = torch.nn.Linear(3, 2)
    again.load_state_dict(saved)
    second = NetworkTraining(again, LOSS, **PRICE, budget=budget)
    assert next(second.steps_over(*rows())) == 1
    assert budget.spent.epsilon > once


@pytest.mark.parametrize("count", [0, 1])
def test_nobody_and_one_row_are_trained_on_like_many(count: int) -> None:
    network = torch.nn.Linear(3, 2)
    made = NetworkTraining(network, LOSS, **PRICE)
    for _ in made.steps_over(*rows(count)):
        assert all(bool(torch.isfinite(each.grad).all()) for each in network.parameters())
        assert any(bool(each.grad.any()) for each in network.parameters())


@pytest.mark.parametrize("noise", ["independent", "correlated"])
def test_a_person_is_sampled_with_all_rows_that_count_and_no_more(
    monkeypatch: pytest.MonkeyPatch, noise: str
) -> None:
    made = training(rows_per_person=2, steps=12, noise=noise)
    seen: list[list[int]] = []
    whole = made._gradients.total

    def listening(held: Any, targets: Any, chosen: Any) -> Any:
        seen.append(held[torch.from_numpy(chosen), 0].tolist())
        return whole(held, targets, chosen)

    monkeypatch.setattr(made._gradients, "total", listening)
    persons = np.arange(30) // 3
    features = torch.from_numpy(np.column_stack([persons] * 3).astype(np.float32))
    list(made.steps_over(features, torch.zeros(30, dtype=torch.int64), persons=persons))
    assert {step.count(who) for step in seen for who in range(10)} == {0, 2}
    alone = training(steps=12, noise=noise)._plan.noise.sensitivity.value
    assert float(made._plan.noise.sensitivity.value / alone) == pytest.approx(2, rel=1e-12)
    if noise == "correlated":  # each person in one of two batches, in every second step
        assert all(first == third for first, third in zip(seen, seen[2:], strict=False))
        assert sorted(seen[0] + seen[1]) == sorted(2 * list(range(10)))


def test_networks_that_mix_rows_are_refused_before_anything_is_charged() -> None:
    budget = RenyiFilter(Approx(2, "1e-5"), relation="add_remove")
    mixing = torch.nn.Sequential(torch.nn.Linear(3, 2), torch.nn.BatchNorm1d(2))
    made = NetworkTraining(mixing, LOSS, **PRICE, budget=budget)
    with pytest.raises(FactsError, match="row by row"):
        made.steps_over(*rows())
    assert budget.spent.epsilon == 0


def test_lengths_must_agree() -> None:
    features, targets = rows()
    with pytest.raises(ShapeError):
        training().steps_over(features, targets[:-1])
    with pytest.raises(ShapeError):
        training().steps_over(features, targets, persons=[1, 2])


@pytest.mark.parametrize(
    "wrong",
    [
        {"noise": "none"},
        {"noise": "correlated", "rate": "2/3"},
        {"batch": 0},
        {"clip": 0},
        {"rows_per_person": 0},
        {"rows_at_once": 0},
        {"epsilon": None},
    ],
)
def test_numbers_that_cannot_be_used_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ShoalError):
        training(**wrong)
