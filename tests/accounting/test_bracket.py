"""Accounts by the loss distribution: known values, and never above the other ways nor below the
truth.
"""

from __future__ import annotations

import math
from fractions import Fraction

import pytest

from shoal import account
from shoal.accounting import Account
from shoal.errors import PriceError
from shoal.events import (
    Composed,
    DiscreteGaussian,
    Event,
    Exponential,
    Gaussian,
    Geometric,
    Group,
    Laplace,
    NonPrivate,
    PoissonSampled,
    RandomizedResponse,
    Repeated,
    Shuffled,
    StatedApprox,
    StatedGaussian,
    StatedPure,
)
from shoal.exact import root_up
from shoal.measures import gaussian_delta_up

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


def by_measures(several: Account) -> float:
    """The least epsilon without the loss distribution."""
    found = several.all(delta="1e-6")
    return min(float(bound.epsilon) for bound in found if bound.measure != "LossDistribution")


SAMPLED: dict[str, tuple[Event, float]] = {
    "laplace": (PoissonSampled(Laplace(1, 1, steps=2**40), "0.01"), 1.2864),
    "lattice": (PoissonSampled(Geometric(100, 100), "0.01"), 1.2864),
    "any lattice": (PoissonSampled(Laplace(1, 1), "0.01"), 1.46014),
    "pure": (PoissonSampled(StatedPure(1), "0.01"), 1.46014),
    "two pure": (PoissonSampled(Composed([StatedPure("0.6"), StatedPure("0.4")]), "0.01"), 1.46014),
    "choice": (PoissonSampled(Exponential(1, 1, candidates=9, monotone=True), "0.01"), 0.80835),
    "discrete gaussian": (PoissonSampled(DiscreteGaussian("0.64", 1), "0.01"), 3.70638),
    "two Gaussians": (
        PoissonSampled(Composed([Gaussian("0.8", "0.6"), Gaussian("0.8", "0.8")]), "0.01"),
        3.70618,
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize(("event", "value"), SAMPLED.values(), ids=list(SAMPLED))
def test_a_thousand_releases_from_samples_cost_less_than_any_measure_says(
    event: Event, value: float
) -> None:
    many = account(Repeated(event, 1000))
    found = many.bracket(delta="1e-6")
    assert found.high == pytest.approx(value, abs=2e-4)
    assert found.high < by_measures(many)


def test_what_may_fail_inside_a_sample_is_priced_by_its_epsilon() -> None:
    failing = PoissonSampled(Composed([StatedApprox(1, "1e-9")]), "0.01")
    found = account(Repeated(failing, 10)).bracket(delta="1e-6")
    lost = 1 - (1 - 1e-11) ** 10
    pure = account(Repeated(PoissonSampled(StatedPure(1), "0.01"), 10))
    assert found.high >= pure.bracket(delta=1e-6 - lost).high - 1e-9


def test_a_sample_of_all_or_of_nothing_is_the_release_or_nothing() -> None:
    whole = account(Repeated(Geometric(3, 2), 5)).bracket(delta="1e-4")
    assert account(Repeated(PoissonSampled(Geometric(3, 2), 1), 5)).bracket(delta="1e-4") == whole
    assert account(PoissonSampled(Geometric(3, 2), 0)).bracket(delta="1e-4").high == 0


KNOWN_MOVES: dict[str, tuple[DiscreteGaussian, DiscreteGaussian, int]] = {
    "a bound between squares": (DiscreteGaussian(9, 8), DiscreteGaussian(9, 4), 1),
    "three numbers by 1 each": (DiscreteGaussian(9, 3, size=5), DiscreteGaussian(9, 1), 3),
    "two numbers by 1 each": (DiscreteGaussian(9, "3.9", size=2), DiscreteGaussian(9, 1), 2),
}


@pytest.mark.parametrize(("event", "one", "times"), KNOWN_MOVES.values(), ids=list(KNOWN_MOVES))
def test_a_discrete_gaussian_is_priced_by_its_worst_move(
    event: DiscreteGaussian, one: DiscreteGaussian, times: int
) -> None:
    found = account(event).bracket(delta="1e-6")
    assert found == account(Repeated(one, times)).bracket(delta="1e-6")
    assert found.high < by_measures(account(event))


def test_what_is_known_from_below_is_known_of_laws_only() -> None:
    known: list[Event] = [
        PoissonSampled(Geometric(3, 2), "0.1"),
        PoissonSampled(StatedPure(1), "0.1"),
    ]
    known += [DiscreteGaussian(9, 3, size=5), PoissonSampled(DiscreteGaussian(9, 1), "0.1")]
    for event in known:
        assert account(Repeated(event, 9)).bracket(delta="1e-6").low > 0
    above: list[Event] = [Exponential("0.5", 1, candidates=5, monotone=False), Laplace(1, 1)]
    above += [PoissonSampled(Composed([StatedPure(1), StatedPure(1)]), "0.1")]
    for event in above:
        assert account(Repeated(event, 9)).bracket(delta="1e-6").low == 0


def test_a_discrete_gaussian_without_a_worst_move_is_left_to_rho() -> None:
    assert account(DiscreteGaussian(9, "0.9", size=3)).bracket(delta="1e-6").high == 0
    for event in (DiscreteGaussian(9, 4, size=4), Group(DiscreteGaussian(9, 1, size=4), 2)):
        with pytest.raises(PriceError):
            account(event).bracket(delta="1e-6")


def test_a_group_moves_one_integer_as_many_times_as_far() -> None:
    three = account(Group(DiscreteGaussian(9, 2), 3)).bracket(delta="1e-6")
    assert three == account(DiscreteGaussian(9, 9)).bracket(delta="1e-6")


def test_choices_are_bracketed_by_their_range() -> None:
    choice = Repeated(Exponential("0.5", 1, candidates=5, monotone=False), 20)
    found = account(choice).bracket(delta="1e-6")
    assert found.high < account(Repeated(StatedPure("0.5"), 20)).bracket(delta="1e-6").low
    assert account(Exponential("0.5", 1, candidates=1, monotone=False)).bracket(
        delta="1e-6"
    ).high == (0)


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


@pytest.mark.parametrize("delta", ["1e-6", "1e-13", "1e-15", "1e-50"])
@pytest.mark.parametrize("count", [1, 100, 10_000])
def test_the_exact_delta_at_the_epsilon_told_for_gaussians_is_never_above_the_target(
    count: int, delta: str
) -> None:
    found = account(Repeated(Gaussian(sigma=100, sensitivity=1), count)).epsilon(delta=delta)
    mu = root_up(Fraction(count, 100**2))
    assert gaussian_delta_up(mu, found.epsilon) <= Fraction(delta)
    assert found.lower is not None
    assert gaussian_delta_up(mu, found.lower) >= Fraction(delta) or found.lower == 0


def test_an_account_that_grows_answers_as_one_made_at_once() -> None:
    events: list[Event] = [
        Gaussian(sigma=5, sensitivity=1),
        LAPLACE,
        StatedPure("0.2"),
        PoissonSampled(Gaussian("0.8", 1), "0.01"),
        StatedApprox("0.1", "1e-9"),
        Gaussian(sigma=7, sensitivity=1),
    ]
    growing = account(events[0])
    for count in range(2, len(events) + 1):
        growing = growing.plus(events[count - 1])
        at_once = account(events[:count])
        assert growing.lines == at_once.lines
        assert growing.relation == at_once.relation
        assert math.isclose(
            growing.epsilon(delta="1e-6").epsilon,
            at_once.epsilon(delta="1e-6").epsilon,
            rel_tol=1e-7,
        )
    with pytest.raises(PriceError):
        growing.plus(RandomizedResponse(2, truth="0.6"))  # its neighbours are others


@pytest.mark.slow
def test_a_shuffle_that_joins_a_growing_account_is_counted() -> None:
    reports = Shuffled(RandomizedResponse(2, epsilon=1), people=1000)
    growing = account(Gaussian(sigma=5, sensitivity=1)).plus(reports)
    at_once = account([Gaussian(sigma=5, sensitivity=1), reports])
    assert growing.epsilon(delta="1e-6") == at_once.epsilon(delta="1e-6")


def test_the_order_of_events_changes_no_bit() -> None:
    events: list[Event] = [
        StatedPure("0.3"),
        Repeated(LAPLACE, 3),
        Gaussian(sigma=7, sensitivity=1),
        StatedGaussian("0.1"),
        StatedPure("0.11"),
        PoissonSampled(Gaussian(1, 1), "0.1"),
        Gaussian(sigma="3.3", sensitivity=1),
    ]
    found = {
        (bound.epsilon, bound.lower)
        for order in (events, events[::-1], events[3:] + events[:3])
        for bound in [account(order, relation="own").epsilon(delta="1e-6")]
    }
    assert len(found) == 1
