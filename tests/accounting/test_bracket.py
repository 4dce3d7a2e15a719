"""Accounts by the loss distribution: known values, and never above the other ways nor below the truth."""

from __future__ import annotations

import math

import pytest

from shoal import account
from shoal.errors import PriceError
from shoal.events import (
    Composed,
    Event,
    Gaussian,
    Geometric,
    Laplace,
    NonPrivate,
    PoissonSampled,
    RandomizedResponse,
    Repeated,
    StatedApprox,
    StatedGaussian,
    StatedPure,
)

LAPLACE = Laplace(scale=10, sensitivity=1, steps=2**40)
KNOWN: dict[str, tuple[Event, float]] = {
    "Gaussians": (Repeated(Gaussian(sigma=30, sensitivity=1), 1000), 5.1890366),
    "sampled": (Repeated(PoissonSampled(Gaussian("0.8", 1), "0.01"), 1000), 3.706185),
    "Laplaces": (Repeated(LAPLACE, 100), 4.6926674),
    "pure": (Repeated(StatedPure("0.1"), 500), 12.51787996),
    "mixed": (
        Composed(
            [
                Repeated(LAPLACE, 50),
                Repeated(Gaussian(sigma=20, sensitivity=1), 50),
                Repeated(RandomizedResponse(2, truth="0.55"), 50),
            ]
        ),
        8.253723,
    ),
}


@pytest.mark.parametrize(("event", "value"), KNOWN.values(), ids=list(KNOWN))
def test_the_bracket_of_an_account_holds_the_known_value(event: Event, value: float) -> None:
    found = account(event).bracket(delta="1e-6")
    assert found.low <= value + 1e-6
    assert found.high >= value - 1e-6
    assert found.width <= 1e-4


@pytest.mark.parametrize(
    "event",
    [
        Repeated(Geometric(scale=3, sensitivity=2), 20),
        Repeated(RandomizedResponse(5, epsilon=1), 10),
        Composed([StatedGaussian(1), Repeated(StatedPure("0.3"), 5)]),
        Composed([StatedApprox(1, "1e-8"), Gaussian(sigma=2, sensitivity=1)]),
    ],
    ids=["geometric", "response", "promises", "failing"],
)
def test_the_bracket_begins_at_or_below_what_the_measures_say(event: Event) -> None:
    several = account(event)
    found = several.bracket(delta="1e-6")
    assert found.low <= float(several.epsilon(delta="1e-6").epsilon) + 1e-9
    assert found.width <= 1e-3


def test_a_lattice_of_one_step_costs_what_responses_do() -> None:
    coarse = account(Repeated(Geometric(scale=2, sensitivity=1), 30)).bracket(delta="1e-6")
    pure = account(Repeated(StatedPure("0.5"), 30)).bracket(delta="1e-6")
    assert math.isclose(coarse.high, pure.high, rel_tol=1e-6)


def test_nothing_is_promised_below_the_failing_mass_or_without_privacy() -> None:
    with pytest.raises(PriceError):
        account(StatedApprox(1, "1e-3")).bracket(delta="1e-6")
    with pytest.raises(PriceError):
        account(NonPrivate()).bracket(delta="1e-6")


def test_nothing_is_known_from_below_where_a_law_is_not_known() -> None:
    anywhere = account(Repeated(Laplace(scale=4, sensitivity=1), 7))
    found = anywhere.bracket(delta="1e-6")
    assert found.low == 0
    assert anywhere.epsilon(delta="1e-6").lower is None
    assert found.high >= anywhere.epsilon(delta="1e-6").epsilon
