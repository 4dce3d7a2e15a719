"""The best of many runs: prices against exact laws of the best run, run by run."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from fractions import Fraction

import pytest

from shoal.accounting import account
from shoal.accounting.tuning import (
    ORDERS,
    Divergence,
    best_of_divergence_up,
    best_of_epsilon_up,
    best_of_poisson_divergence_up,
    best_of_poisson_epsilon_up,
)
from shoal.errors import EventError, RangeError
from shoal.events import Gaussian, Laplace, RepeatAndSelect, StatedApprox
from shoal.measures import Approx, Pure, Renyi, gaussian_delta_up

MOST_RUNS = 2000
LAWS = [
    (Fraction(1), Fraction(1, 10)),
    (Fraction(0), Fraction(1, 5)),
    (Fraction(2), Fraction(1, 4)),
]
LAWS += [(Fraction(-1, 2), Fraction(1, 20)), (Fraction(1, 2), Fraction(9, 10))]


def _runs(eta: float, gamma: float) -> list[float]:
    """The chances of 1, 2, ... runs, from Definition 1 of Papernot and Steinke 2022."""
    weights, weight = [], 1.0
    for k in range(1, MOST_RUNS):
        # at eta 0 the first factor, eta itself, is left out of all of them alike
        weight *= (1 - gamma) * ((k - 1 + eta) / k if k > 1 or eta else 1.0)
        weights.append(weight)
    total = math.fsum(weights)
    return [weight / total for weight in weights]


def _poisson(mean: float) -> list[float]:
    return [math.exp(k * math.log(mean) - mean - math.lgamma(k + 1)) for k in range(1, 400)]


def _best(law: Sequence[float], runs: Sequence[float]) -> list[float]:
    """The law of the best of so many draws, the last outcome being the best."""
    found, before, below = [], 0.0, 0.0
    for chance in law:
        below += chance
        reached = math.fsum(weight * below**k for k, weight in enumerate(runs, start=1))
        found.append(reached - before)
        before = reached
    return found


def _neighbours(epsilon: float, chance: random.Random) -> tuple[list[float], list[float]]:
    """Two laws on three outcomes that are epsilon apart in some outcome."""
    while True:
        first = [chance.random() ** 3 + 1e-4 for _ in range(3)]
        one = [weight / sum(first) for weight in first]
        low = [weight * math.exp(chance.choice((-1, 1)) * epsilon / 2) for weight in one]
        other = [weight / sum(low) for weight in low]
        if max(abs(math.log(a / b)) for a, b in zip(one, other, strict=True)) <= epsilon:
            return one, other


def _divergence(one: Sequence[float], other: Sequence[float], order: float) -> float:
    pairs = list(zip(one, other, strict=True))
    ways = [sum(a * (a / b) ** (order - 1) for a, b in pairs)]
    ways.append(sum(b * (b / a) ** (order - 1) for a, b in pairs))
    return math.log(max(ways)) / (order - 1)


def _curve(one: list[float], other: list[float]) -> Divergence:
    return lambda order: Fraction(_divergence(one, other, float(order)))


def _profile(one: list[float], other: list[float]) -> Divergence:
    return lambda epsilon: Fraction(_delta(one, other, float(epsilon)))


@pytest.mark.slow
@pytest.mark.parametrize(("eta", "gamma"), LAWS)
def test_no_choice_among_runs_loses_more_than_its_epsilon(eta: Fraction, gamma: Fraction) -> None:
    chance, runs = random.Random(1), _runs(float(eta), float(gamma))
    bound = float(best_of_epsilon_up(1, eta=eta, gamma=gamma))
    for _ in range(60):
        one, other = (_best(law, runs) for law in _neighbours(1.0, chance))
        loss = max(abs(math.log(a / b)) for a, b in zip(one, other, strict=True))
        assert loss <= bound + 1e-6


@pytest.mark.parametrize(("eta", "gamma"), LAWS)
def test_a_rare_answer_between_those_of_randomized_response_loses_as_much(
    eta: Fraction, gamma: Fraction
) -> None:
    grown, rare, runs = math.e, 1e-7, _runs(float(eta), float(gamma))
    seldom, often = 1 / (1 + grown), grown / (1 + grown)
    one = _best((often, rare * grown, seldom - rare * grown), runs)
    other = _best((seldom, rare, often - rare), runs)
    bound = float(best_of_epsilon_up(1, eta=eta, gamma=gamma))
    assert math.log(one[1] / other[1]) == pytest.approx(bound, abs=1e-4)


@pytest.mark.parametrize(("eta", "gamma"), LAWS)
def test_the_pure_price_is_below_two_and_eta_times_that_of_a_run(
    eta: Fraction, gamma: Fraction
) -> None:
    for epsilon in (Fraction(1, 10), Fraction(1), Fraction(8)):
        found = best_of_epsilon_up(epsilon, eta=eta, gamma=gamma)
        grown = math.exp(epsilon)
        exact = float(epsilon) + float(1 + eta) * math.log((grown + gamma) / (1 + gamma * grown))
        assert float(found) == pytest.approx(exact, rel=1e-12)
        assert epsilon < found < (2 + eta) * epsilon
    assert best_of_epsilon_up(0, eta=eta, gamma=gamma) == 0


@pytest.mark.parametrize("order", [Fraction(3, 2), Fraction(2), Fraction(6)])
@pytest.mark.parametrize(("eta", "gamma"), LAWS)
def test_no_choice_among_runs_diverges_more(
    eta: Fraction, gamma: Fraction, order: Fraction
) -> None:
    chance, runs = random.Random(2), _runs(float(eta), float(gamma))
    for _ in range(12):
        one, other = _neighbours(0.7, chance)
        bound = best_of_divergence_up(
            _curve(one, other),
            epsilon=None,
            eta=eta,
            gamma=gamma,
            order=order,
        )
        assert bound is not None
        found = _divergence(_best(one, runs), _best(other, runs), float(order))
        assert found <= float(bound) + 1e-6


@pytest.mark.parametrize(("eta", "gamma"), LAWS)
def test_the_renyi_price_is_that_of_the_theorem(eta: Fraction, gamma: Fraction) -> None:
    order, square = Fraction(300), Fraction(1, 25)
    found = best_of_divergence_up(
        lambda at: at * square / 2, epsilon=None, eta=eta, gamma=gamma, order=order
    )
    runs = _runs(float(eta), float(gamma))
    mean = math.fsum(k * weight for k, weight in enumerate(runs, start=1))
    second = min((1 - 1 / at) * at / 50 + math.log(1 / gamma) / at for at in map(float, ORDERS))
    aside = float(1 + eta) * min(second, math.log(1 / gamma))
    whole = [at / 50 + aside + math.log(mean) / (at - 1) for at in (300.0, 512.0)]
    assert found is not None
    assert float(found) == pytest.approx(min(whole), rel=1e-6)


@pytest.mark.parametrize("mean", [Fraction(1, 2), Fraction(3), Fraction(20)])
def test_a_poisson_number_of_runs_costs_no_more_than_is_said(mean: Fraction) -> None:
    chance, runs = random.Random(3), _poisson(float(mean))
    nothing = math.exp(-float(mean))
    bound = float(best_of_poisson_epsilon_up(1, mean=mean))
    assert bound == pytest.approx(1 + float(mean) * math.tanh(0.5), rel=1e-12)
    for _ in range(40):
        laws = _neighbours(1.0, chance)
        one, other = ([*_best(law, runs), nothing] for law in laws)
        assert max(abs(math.log(a / b)) for a, b in zip(one, other, strict=True)) <= bound + 1e-9
        for order in (Fraction(3, 2), Fraction(3)):
            price = best_of_poisson_divergence_up(
                _curve(*laws),
                _profile(*laws),
                mean=mean,
                order=order,
            )
            assert price is not None
            assert _divergence(one, other, float(order)) <= float(price) + 1e-9


def _delta(one: Sequence[float], other: Sequence[float], epsilon: float) -> float:
    grown, pairs = math.exp(epsilon), list(zip(one, other, strict=True))
    ways = [sum(max(0.0, a - grown * b) for a, b in pairs)]
    return max(*ways, sum(max(0.0, b - grown * a) for a, b in pairs))


def test_an_account_prices_the_best_of_a_poisson_number_of_gaussian_runs() -> None:
    tuned = account("gaussian sigma=5 | best_of runs=poisson mean=30").cost(Renyi, orders=[8])
    assert isinstance(tuned, Renyi)
    delta = float(gaussian_delta_up("0.2", Fraction(math.log(8 / 7))))
    exact = 8 / 50 + 30 * delta + math.log(30) / 7
    assert float(tuned.epsilon_at(8)) == pytest.approx(exact, rel=1e-6)


def test_runs_for_rows_that_come_and_go_are_charged_twice_where_rows_change() -> None:
    run = Laplace(10, 1, relation="add_remove")
    tuned = RepeatAndSelect(run, "negative_binomial", eta=1, gamma="0.1")
    one, two = (account(tuned, relation=each).cost(Pure) for each in ("add_remove", "change"))
    assert isinstance(one, Pure)
    assert isinstance(two, Pure)
    assert one.epsilon == best_of_epsilon_up("0.1", eta=Fraction(1), gamma=Fraction(1, 10))
    assert two.epsilon == best_of_epsilon_up("0.2", eta=Fraction(1), gamma=Fraction(1, 10))


def test_runs_that_may_fail_have_no_price() -> None:
    tuned = RepeatAndSelect(StatedApprox(1, "1e-6"), "negative_binomial", eta=1, gamma="0.1")
    assert account(tuned).delta(epsilon=100).delta == 1


@pytest.mark.parametrize(
    "given",
    [{"eta": 1}, {"gamma": "0.1"}, {}, {"eta": 1, "gamma": "0.1", "mean": 3}, {"mean": 3}],
)
def test_a_negative_binomial_number_has_two_parameters(given: dict[str, object]) -> None:
    with pytest.raises(EventError, match="need eta and gamma and nothing else"):
        RepeatAndSelect(Gaussian(1, 1), "negative_binomial", **given)  # type: ignore[arg-type]


def test_a_poisson_number_has_a_mean_and_parameters_have_ranges() -> None:
    with pytest.raises(EventError, match="need mean and nothing else"):
        RepeatAndSelect(Gaussian(1, 1), "poisson", eta=1, gamma="0.1")
    with pytest.raises(RangeError, match="eta"):
        RepeatAndSelect(Gaussian(1, 1), "negative_binomial", eta=-1, gamma="0.1")
    with pytest.raises(RangeError, match="gamma"):
        RepeatAndSelect(Gaussian(1, 1), "negative_binomial", eta=1, gamma=1)
    assert account(RepeatAndSelect(Laplace(1, 1), "poisson", mean=1)).cost(Approx) is not None
