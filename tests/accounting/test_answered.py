"""Reports that are sent only sometimes: the law of an answer or of silence, written out."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from tests.accounting.samples import Floats, above, composed, divergence, hockey_stick

from shoal.accounting import account
from shoal.accounting.pricing import total
from shoal.accounting.quantities import CONCENTRATED, FAILING, PURE
from shoal.accounting.quantities import divergence as at
from shoal.errors import EventError, PriceError
from shoal.events import (
    Event,
    Gaussian,
    Geometric,
    Laplace,
    NonPrivate,
    RandomizedResponse,
    Repeated,
    SometimesAnswered,
    StatedApprox,
)
from shoal.measures import Pure

RATES = ["0.05", "0.3", "0.9"]


def response_with_silence(truth: float, categories: int, rate: float) -> tuple[Floats, Floats]:
    """The laws of a report for two answers; the last outcome is no answer."""
    p = np.full(categories, (1 - truth) / (categories - 1))
    q = p.copy()
    p[0] = q[1] = truth
    return np.append(rate * p, 1 - rate), np.append(rate * q, 1 - rate)


def near(found: Fraction, truth: float, within: float = 1e-6) -> bool:
    return truth * (1 - 1e-9) - 1e-15 <= float(found) <= truth * (1 + within) + 1e-12


@pytest.mark.parametrize("rate", RATES)
@pytest.mark.parametrize("categories", [2, 4])
@pytest.mark.parametrize("copies", [1, 2, 5])
def test_delta_is_that_of_the_law_with_silence(rate: str, categories: int, copies: int) -> None:
    event = SometimesAnswered(RandomizedResponse(categories, "0.7"), rate)
    laws = composed([response_with_silence(0.7, categories, float(rate))] * copies)
    for epsilon in (0.0, 0.4, 1.0, 2.5):
        found = account(Repeated(event, copies)).delta(epsilon=epsilon)
        assert near(found.delta, hockey_stick(*laws, epsilon))


@pytest.mark.parametrize("rate", RATES)
@pytest.mark.parametrize("order", [1.25, 2.0, 16.0])
def test_the_divergence_is_that_of_the_law_with_silence(rate: str, order: float) -> None:
    event = SometimesAnswered(RandomizedResponse(3, "0.7"), rate)
    truth = divergence(*response_with_silence(0.7, 3, float(rate)), order)
    assert above(total(event, "change", at(Fraction(order))), truth)


@pytest.mark.parametrize("rate", RATES)
@pytest.mark.parametrize(
    "event", [Gaussian(1, 1), Laplace(1, 1, steps=2**40), Geometric(3, 2), StatedApprox(1, "0.01")]
)
def test_one_report_needs_the_rate_times_the_delta_inside(event: Event, rate: str) -> None:
    for epsilon in ("0", "0.3", "0.9"):
        inside = account(event).delta(epsilon=epsilon).delta
        found = account(SometimesAnswered(event, rate)).delta(epsilon=epsilon).delta
        assert near(found, float(rate) * float(inside), 1e-8)


def test_epsilon_is_asked_at_the_delta_over_the_rate() -> None:
    event = SometimesAnswered(Gaussian(1, 1), "0.25")
    found = account(event).epsilon(delta="1e-6")
    inside = account(Gaussian(1, 1)).epsilon(delta="4e-6")
    assert abs(found.epsilon - inside.epsilon) < 1e-9
    assert found.lower is not None
    assert found.epsilon - found.lower < 1e-6
    assert account(event).epsilon(delta="0.25").epsilon == 0


def test_many_reports_of_noise_lie_between_the_grid_of_their_laws() -> None:
    scale, shift, rate = 1.5, 2, 0.2
    x = np.arange(-60, 63)
    p, q = np.exp(-np.abs(x) / scale), np.exp(-np.abs(x - shift) / scale)
    one = np.append(rate * p / p.sum(), 1 - rate), np.append(rate * q / q.sum(), 1 - rate)
    event = SometimesAnswered(Geometric("1.5", shift), "0.2")
    for epsilon in (0.1, 0.8):
        found = account(Repeated(event, 2)).delta(epsilon=epsilon).delta
        assert near(found, hockey_stick(*composed([one] * 2), epsilon), 1e-4)
    three = account(Repeated(SometimesAnswered(Gaussian(1, 1), "0.3"), 3)).bracket(delta="1e-3")
    assert 0 < three.low <= three.high <= three.low + 1e-3


def test_three_reports_of_gaussian_noise_are_a_binomial_number_of_gaussians() -> None:
    event = Repeated(SometimesAnswered(Gaussian(1, 1), "0.3"), 3)
    for epsilon in ("0.5", "2"):
        truth = sum(
            weight * float(account(Repeated(Gaussian(1, 1), k)).delta(epsilon=epsilon).delta)
            for k, weight in ((1, 3 * 0.3 * 0.49), (2, 3 * 0.09 * 0.7), (3, 0.027))
        )
        assert near(account(event).delta(epsilon=epsilon).delta, truth, 1e-3)


def test_epsilon_and_rho_are_those_of_an_answer() -> None:
    answer = RandomizedResponse(2, epsilon=1)
    event = SometimesAnswered(answer, "0.3")
    assert account(event).cost(Pure) == Pure(1)
    assert total(event, "change", CONCENTRATED) == total(answer, "change", CONCENTRATED)
    for unit in (PURE, CONCENTRATED, at(Fraction(4))):
        assert total(SometimesAnswered(answer, 0), "change", unit) == 0
        assert total(SometimesAnswered(answer, 1), "change", unit) == total(answer, "change", unit)


def test_what_fails_inside_fails_as_often_as_it_is_sent() -> None:
    event = SometimesAnswered(StatedApprox(1, "0.01"), "0.3")
    assert total(event, "change", FAILING) == Fraction(3, 1000)
    assert total(SometimesAnswered(NonPrivate(), "0.3"), "change", FAILING) == Fraction(3, 10)
    assert total(SometimesAnswered(NonPrivate(), "0.3"), "change", PURE) == 0
    assert total(SometimesAnswered(NonPrivate(), 1), "change", FAILING) is None
    # given that nothing failed, there was an answer with probability 0.297 / 0.997
    price = total(event, "change", at(Fraction(2)))
    known = np.log(1 - 0.297 / 0.997 + 0.297 / 0.997 * (np.e + np.e**-2) / (1 + np.e**-1))
    assert above(price, float(known))


def test_a_group_changes_nothing_and_rows_that_come_and_go_are_refused() -> None:
    event = SometimesAnswered(Laplace(1, 1, steps=3), "0.3")
    assert account(f"{'laplace scale=1 steps=3'} | answered q=0.3 | group 4").cost(Pure) == Pure(1)
    assert account(event, relation="change").cost(Pure) == Pure(1)
    with pytest.raises(PriceError):
        account(event, relation="add_remove").cost(Pure)
    with pytest.raises(EventError, match="who was asked at all is not hidden"):
        SometimesAnswered(Laplace(1, 1), "0.3", relation="add_remove")
