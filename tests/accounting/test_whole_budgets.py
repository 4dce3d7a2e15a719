"""A mechanism that was made for a whole budget is paid by that budget's filter, once, and nothing
after it.
"""

from __future__ import annotations

from fractions import Fraction
from inspect import signature
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from tests.mechanisms.test_affordable_parameters import MECHANISMS

import shoal
from shoal.accounting import RenyiFilter, filter_for
from shoal.errors import BudgetExceeded, CalibrationError, RangeError
from shoal.events import Event, Gaussian, StatedApprox, StatedPure
from shoal.functions import InverseSensitivity, KernelDensity, TrimmedMean
from shoal.functions.smooth import SmoothLaplace
from shoal.ledger import Charge, Ledger
from shoal.measures import Approx, Measure, Pure, ZeroConcentrated

BUDGETS: list[Measure] = [
    Pure(1),
    Pure("1e-9"),
    ZeroConcentrated("1/2"),
    ZeroConcentrated(7),
    Approx(1, "1e-6"),
    Approx("0.01", "1e-9"),
    Approx("1e-3", "1e-12"),
    Approx(10, "1e-3"),
    Approx(3, "0.1"),
]
APPROX = [budget for budget in BUDGETS if isinstance(budget, Approx)]
LITTLE = StatedPure("1e-30")


def event_of(made: Any) -> Event:
    if not hasattr(made, "event"):
        (name,) = signature(made.event_for).parameters
        found: Event = made.event_for(**{name: 9})
        return found
    told: Event = made.event
    return told


def whole_event(budget: Measure, name: str) -> Event:
    kind, options = MECHANISMS[name]
    try:
        return event_of(kind.for_budget(budget, **options))
    except CalibrationError:
        pytest.skip("said before: the budget cannot buy this noise")


@pytest.mark.parametrize("name", MECHANISMS)
@pytest.mark.parametrize("budget", BUDGETS, ids=str)
def test_what_was_made_for_a_budget_is_paid_by_it_and_nothing_after_it(
    budget: Measure, name: str
) -> None:
    event, kept = whole_event(budget, name), filter_for(budget)
    assert kept.would_fit(event)
    kept.spend(event)
    assert kept.holds
    assert kept.spent <= budget
    if kept.spent == budget:  # else it fits an order of the filter, with something left
        assert not kept.would_fit(LITTLE)
        assert not kept.would_fit(event)


@pytest.mark.parametrize("budget", APPROX, ids=str)
@pytest.mark.parametrize("kind", [shoal.Gaussian, shoal.DiscreteGaussian])
def test_nothing_is_left_of_a_budget_that_one_event_has_filled(budget: Approx, kind: Any) -> None:
    kept = filter_for(budget)
    kept.spend(kind.for_budget(budget, sensitivity=1).event)
    assert kept.spent == budget
    assert kept.left == ZeroConcentrated(0)
    for more in (LITTLE, StatedApprox(0, "1e-30"), Gaussian(sigma=10**9, sensitivity=1)):
        assert not kept.would_fit(more)


@pytest.mark.parametrize("budget", APPROX, ids=str)
@pytest.mark.parametrize(
    "made",
    [
        lambda budget: SmoothLaplace.for_budget(budget).event_for(
            TrimmedMean.median(size=9, low=0, high=1)
        ),
        lambda budget: KernelDensity.for_budget(budget, relation="change", degree=3).event,
        lambda budget: (
            InverseSensitivity.median(epsilon=1, size=9, low=0, high=1).for_budget(budget).event
        ),
    ],
    ids=["smooth", "density", "inverse"],
)
def test_a_function_for_a_whole_budget_is_paid_by_it(made: Any, budget: Approx) -> None:
    kept = filter_for(budget)
    kept.spend(made(budget))
    assert kept.spent <= budget


@pytest.mark.parametrize("budget", APPROX, ids=str)
def test_an_event_for_the_whole_budget_is_refused_once_anything_was_spent(budget: Approx) -> None:
    kept = filter_for(budget)
    kept.spend(StatedPure(0))
    assert kept.would_fit(whole_event(budget, "gaussian"))
    kept.spend(LITTLE)
    with pytest.raises(BudgetExceeded):
        kept.spend(whole_event(budget, "gaussian"))
    assert kept.holds


@pytest.mark.parametrize("budget", APPROX, ids=str)
@pytest.mark.parametrize("reserve", [Fraction(0), Fraction(1, 2)])
def test_a_first_event_that_is_a_little_too_dear_is_refused(
    budget: Approx, reserve: Fraction
) -> None:
    kept = RenyiFilter(budget, reserve=reserve * budget.delta)
    just = shoal.Gaussian.for_budget(budget, sensitivity=1).event
    assert isinstance(just, Gaussian)
    dearer = Gaussian(sigma=just.sigma * Fraction(999, 1000), sensitivity=1)
    assert kept.would_fit(just)
    assert not kept.would_fit(dearer)
    assert not kept.would_fit(StatedApprox(budget.epsilon, budget.delta * Fraction(1001, 1000)))
    assert not kept.would_fit(StatedPure(budget.epsilon * 2 + 1))


def test_an_event_that_filled_the_budget_and_was_never_begun_gives_all_of_it_back() -> None:
    budget = Approx(1, "1e-6")
    kept, event = filter_for(budget), whole_event(budget, "gaussian")
    kept.spend(event)
    kept.give_back(StatedPure(0))
    assert not kept.would_fit(LITTLE)
    kept.give_back(event)
    assert kept.spent == Approx(0, "1e-6")
    kept.spend(event)


def test_a_raised_budget_adds_up_plainly_after_an_event_that_filled_it() -> None:
    budget = Approx(1, "1e-6")
    kept, event = filter_for(budget), whole_event(budget, "gaussian")
    kept.spend(event)
    raised = filter_for(Approx(3, "1e-6")).restored(kept.state())
    assert raised.holds
    assert not raised.would_fit(event)
    assert not raised.would_fit(StatedPure("2.0001"))
    assert not raised.would_fit(StatedApprox(1, "1e-12"))
    raised.spend(StatedPure(2))
    assert not raised.would_fit(LITTLE)
    raised.give_back(event)
    assert not raised.would_fit(StatedPure("1.5"))
    for lower in (Approx("0.9", "1e-6"), Approx(2, "1e-7")):
        assert not filter_for(lower).restored(kept.state()).holds


def test_an_approximate_budget_without_delta_says_what_to_give_instead() -> None:
    with pytest.raises(RangeError, match="delta above 0") as refused:
        filter_for(Approx("1/3", 0))
    assert "shoal.Pure('1/3')" in refused.value.remedy


def test_a_ledger_takes_an_event_for_a_whole_account_and_gives_it_back(tmp_path: Path) -> None:
    budget = Approx(1, "1e-6")
    event = whole_event(budget, "gaussian")
    with Ledger(tmp_path / "book.shoal") as ledger:
        ledger.open_account("visits", budget, relation="add_remove")
        for settle in ("given back", "answered"):
            charge = ledger.charge("visits", event, caller="ana")
            assert isinstance(charge, Charge)
            if settle == "given back":
                charge.failed_before_data("no file")
            else:
                charge.answered({"n": 1})
        with pytest.raises(BudgetExceeded):
            ledger.charge("visits", LITTLE, caller="ana")
        assert ledger.account("visits").spent == budget
        assert ledger.verify().is_sound
    with Ledger(tmp_path / "book.shoal") as ledger:
        assert ledger.account("visits").spent == budget


@pytest.mark.slow
def test_a_question_for_the_whole_epsilon_of_a_budget_is_answered() -> None:
    opened = shoal.private(
        pa.table({"age": [1, 2, 3]}), protects=shoal.Row(), budget=Approx(1, "1e-6")
    )
    ask = opened.sql("SELECT COUNT(*) AS n FROM data")
    assert ask.release(epsilon=1)
    with pytest.raises(BudgetExceeded):
        ask.release(epsilon="1e-6")


def test_what_filled_a_budget_that_was_raised_since_gives_nothing_back() -> None:
    first, kept = StatedPure("0.41"), filter_for(Approx("0.01", "0.2"))
    kept.spend(first)
    raised = filter_for(Approx(3, "0.2")).restored(kept.state())
    raised.spend(StatedPure(1))
    spent = raised.sums
    raised.give_back(first)
    assert raised.sums == spent
