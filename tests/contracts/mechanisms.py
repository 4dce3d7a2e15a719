"""One mechanism of each kind, and how it is made, asked and used: what the contract is run over."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from shoal import (
    AboveThreshold,
    DiscreteGaussian,
    Event,
    Exponential,
    Gaussian,
    Geometric,
    Grid,
    Histogram,
    Laplace,
    NoisyMax,
    PermuteAndFlip,
    RandomizedResponse,
    SparseVector,
    Staircase,
    TopK,
    TruncatedGeometric,
    sensitivity,
)

Made = dict[str, Any]


@dataclass(frozen=True)
class Case:
    """A mechanism: its class, the arguments of one and of another one that differs, and its use."""

    kind: type[Any]
    made: Made
    other: Made
    use: Callable[[Any], Any]
    event: Callable[[Any], Event]
    shown: str
    budgeted: Made = field(default_factory=dict)
    """What for_epsilon and for_budget need besides the price."""
    asked: Made = field(default_factory=dict)
    """What error needs besides the confidence."""
    pure: bool = True

    def make(self) -> Any:
        return self.kind(**self.made)


def of_event(mechanism: Any) -> Event:
    event: Event = mechanism.event
    return event


def of_candidates(mechanism: Any) -> Event:
    event: Event = mechanism.event_for(candidates=5)
    return event


def both_kinds(mechanism: Any) -> Any:
    return mechanism.release(3), mechanism.release(3.5)


def choose(mechanism: Any) -> Any:
    return mechanism.release([1, 4, 2])


def run(mechanism: Any) -> Any:
    started = mechanism.start(threshold=3)
    return [started.ask(value) for value in (-(10**9), 10**9)]


COUNT = sensitivity.count("add_remove")
BY_EPSILON: Made = {"epsilon": 1, "sensitivity": 2}

CASES: dict[str, Case] = {
    "Laplace": Case(
        Laplace,
        {"scale": 2, "sensitivity": COUNT, "grid": Grid(-9)},
        {"scale": 2, "sensitivity": 1, "grid": Grid(-9)},
        both_kinds,
        of_event,
        "Laplace(scale=2, sensitivity=1, relation='add_remove', grid=Grid(exponent=-9))",
        {"sensitivity": 1},
    ),
    "Geometric": Case(
        Geometric,
        {"scale": "2.5", "sensitivity": 3},
        {"scale": "2.5", "sensitivity": 2},
        lambda mechanism: mechanism.release(np.array([3, 4])),
        of_event,
        "Geometric(scale='2.5', sensitivity=3)",
        {"sensitivity": 3},
    ),
    "TruncatedGeometric": Case(
        TruncatedGeometric,
        {"scale": 2, "sensitivity": 1, "low": 0, "high": 10},
        {"scale": 2, "sensitivity": 1, "low": 0, "high": 11},
        lambda mechanism: mechanism.release(4),
        of_event,
        "TruncatedGeometric(scale=2, sensitivity=1, low=0, high=10)",
        {"sensitivity": 1, "low": 0, "high": 10},
    ),
    "Gaussian": Case(
        Gaussian,
        {"sigma": "1/3", "sensitivity": 1},
        {"sigma": "1/4", "sensitivity": 1},
        both_kinds,
        of_event,
        "Gaussian(sigma='1/3', sensitivity=1)",
        {"sensitivity": 1},
        pure=False,
    ),
    "DiscreteGaussian": Case(
        DiscreteGaussian,
        {"sigma": 3, "sensitivity": 1},
        {"sigma": 3, "sensitivity": 2},
        both_kinds,
        of_event,
        "DiscreteGaussian(sigma=3, sensitivity=1)",
        {"sensitivity": 1},
        pure=False,
    ),
    "Staircase": Case(
        Staircase,
        {"epsilon": 2, "sensitivity": 1},
        {"epsilon": 2, "sensitivity": 1, "gamma": "1/2"},
        both_kinds,
        of_event,
        "Staircase(epsilon=2, sensitivity=1)",
        {"sensitivity": 1},
    ),
    "Histogram": Case(
        Histogram,
        {"scale": 2, "relation": "change"},
        {"scale": 2, "relation": "add_remove"},
        lambda mechanism: mechanism.release(list("abba"), categories="abc"),
        lambda mechanism: mechanism.event_for(cells=3),
        "Histogram(scale=2, relation='change')",
    ),
    "Exponential": Case(
        Exponential,
        {**BY_EPSILON, "monotone": True},
        BY_EPSILON,
        choose,
        of_candidates,
        "Exponential(epsilon=1, sensitivity=2, monotone=True)",
        {"sensitivity": 2},
        {"candidates": 5},
    ),
    "PermuteAndFlip": Case(
        PermuteAndFlip,
        BY_EPSILON,
        {"epsilon": 1, "sensitivity": 3},
        choose,
        of_candidates,
        "PermuteAndFlip(epsilon=1, sensitivity=2)",
        {"sensitivity": 2},
        {"candidates": 5},
    ),
    "NoisyMax": Case(
        NoisyMax,
        BY_EPSILON,
        {**BY_EPSILON, "noise": "gumbel"},
        choose,
        of_candidates,
        "NoisyMax(epsilon=1, sensitivity=2, noise='laplace')",
        {"sensitivity": 2},
        {"candidates": 5},
    ),
    "TopK": Case(
        TopK,
        {**BY_EPSILON, "k": 2},
        {**BY_EPSILON, "k": 3},
        choose,
        of_candidates,
        "TopK(epsilon=1, sensitivity=2, k=2)",
        {"sensitivity": 2, "k": 2},
        {"candidates": 5},
    ),
    "RandomizedResponse": Case(
        RandomizedResponse,
        {"truth": "3/4", "categories": 3},
        {"truth": "3/4"},
        lambda mechanism: mechanism.release(np.array([1, 0])),
        of_event,
        "RandomizedResponse(truth='0.75', categories=3)",
        {"categories": 3},
        {"answers": 100},
    ),
    "SparseVector": Case(
        SparseVector,
        {**BY_EPSILON, "positives": 2, "numeric": True},
        {**BY_EPSILON, "positives": 2},
        run,
        of_event,
        "SparseVector(epsilon=1, sensitivity=2, positives=2, numeric=True)",
        {"sensitivity": 2, "positives": 2},
        {"questions": 9},
    ),
    "AboveThreshold": Case(
        AboveThreshold,
        BY_EPSILON,
        {**BY_EPSILON, "monotone": True},
        run,
        of_event,
        "AboveThreshold(epsilon=1, sensitivity=2)",
        {"sensitivity": 2},
        {"questions": 9},
    ),
}
