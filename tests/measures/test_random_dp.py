"""Random differential privacy stays what it is: no conversion, no common order, no plain budget."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from shoal import Approx, Laplace, Measure, Pure, RandomDP, Renyi, ZeroConcentrated, account
from shoal.accounting import PureFilter, RenyiFilter, ZeroConcentratedFilter, filter_for
from shoal.errors import (
    BudgetExceeded,
    CalibrationError,
    ComparisonError,
    ConversionError,
    InputError,
    PriceError,
    ShapeError,
)
from shoal.events import Composed, Event, Group, Repeated, StatedPure, StatedRandom
from shoal.ledger import Ledger

PROMISE = RandomDP(1, "1e-6", "0.05")
EVENT = StatedRandom(1, 0, "0.05", relation="change")


@pytest.mark.parametrize(
    "convert",
    [
        lambda m: m.to_approx(delta="0.5"),
        lambda m: m.to_delta(epsilon=100),
        lambda m: m.to_zero_concentrated(),
        lambda m: m.to_renyi([2]),
        lambda m: m.to_gaussian(),
    ],
)
@pytest.mark.parametrize("gamma", [0, "1e-9", "0.05", 1])
def test_it_converts_to_nothing_however_small_gamma_is(convert: Any, gamma: Any) -> None:
    with pytest.raises(ConversionError, match="no promise of differential privacy"):
        convert(RandomDP(1, 0, gamma))


@pytest.mark.parametrize("other", [Pure(1), Approx(1, "1e-6"), ZeroConcentrated(1), Renyi({2: 1})])
def test_it_has_no_order_with_other_measures(other: Measure) -> None:
    with pytest.raises(ComparisonError):
        assert other >= PROMISE
    with pytest.raises(ComparisonError):
        assert other <= PROMISE


def test_one_promise_is_at_most_another_when_all_its_numbers_are() -> None:
    assert RandomDP(1, "1e-6", "0.05") <= RandomDP(2, "1e-5", "0.1")
    assert RandomDP(1, 0, 0) <= PROMISE
    assert not RandomDP(1, 0, "0.1") <= PROMISE
    assert not RandomDP(1, "1e-5", 0) <= PROMISE
    assert not RandomDP(2, 0, 0) <= PROMISE


def test_several_promises_add_up_and_never_beyond_one() -> None:
    both = RandomDP.together([PROMISE, RandomDP("0.5", 0, "0.1")])
    assert (both.epsilon, both.gamma) == (Fraction(3, 2), Fraction(3, 20))
    assert RandomDP.together([RandomDP(1, "0.7", "0.7")] * 2) == RandomDP(2, 1, 1)
    assert RandomDP.together([]) == RandomDP(0, 0, 0)


@pytest.mark.parametrize("bad", [(-1, 0, 0), (1, 2, 0), (1, 0, 2), (1, 0, "nan"), (1, 0, True)])
def test_numbers_outside_their_range_are_refused(bad: tuple[Any, Any, Any]) -> None:
    with pytest.raises(InputError):
        RandomDP(*bad)


def test_it_prints_its_share_and_reads_back_from_its_repr() -> None:
    assert "share 0.05" in str(PROMISE)
    assert "delta 1e-6" in str(PROMISE)
    assert "delta" not in str(RandomDP(1, 0, "0.05"))
    assert eval(repr(PROMISE)) == PROMISE


# the event


@pytest.mark.parametrize(
    "event",
    [EVENT, Repeated(EVENT, 2), Composed([StatedPure(1), EVENT]), Group(EVENT, 2)],
    ids=["alone", "repeated", "in a list", "for a group"],
)
@pytest.mark.parametrize(
    "budget",
    [PureFilter(10**6), ZeroConcentratedFilter(10**6), RenyiFilter(Approx(10**3, "0.9"))],
    ids=["pure", "concentrated", "approximate"],
)
def test_no_budget_of_differential_privacy_pays_for_it(event: Event, budget: Any) -> None:
    before = budget.sums
    with pytest.raises((PriceError, BudgetExceeded)):
        budget.spend(event)
    assert budget.sums == before


@pytest.mark.parametrize("budget", [Pure(10**6), ZeroConcentrated(10**6), Approx(10**3, "0.5")])
def test_no_account_of_a_ledger_is_charged_for_it(budget: Measure, tmp_path: Path) -> None:
    ledger = Ledger(str(tmp_path / "office.shoal"))
    ledger.open_account("visits", budget, relation="change")
    before = ledger.account("visits").spent
    with pytest.raises((PriceError, BudgetExceeded)):
        ledger.charge("visits", EVENT, caller="ana", body={}, key="monday")
    assert ledger.account("visits").spent == before


def test_the_refusal_says_why() -> None:
    with pytest.raises(PriceError, match="holds for most neighbours only"):
        PureFilter(1).spend(EVENT)


def test_an_account_finds_no_epsilon_for_it() -> None:
    for delta in (0, "0.5"):
        with pytest.raises(PriceError):
            account([EVENT]).epsilon(delta=delta)
    assert account([EVENT]).delta(epsilon=100).delta == 1


def test_it_is_no_budget_for_a_filter_or_a_mechanism() -> None:
    with pytest.raises(ShapeError):
        filter_for(PROMISE)
    with pytest.raises(CalibrationError):
        Laplace.for_budget(PROMISE, sensitivity=1)
