"""What is said of a budget that refuses: nothing that was refused looks as if it fitted."""

from __future__ import annotations

import re
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.accounting import PureFilter, RenyiFilter
from shoal.accounting.budget_refusals import (
    by_account,
    more_than_is_left,
    more_than_is_reserved,
    of_question,
)
from shoal.errors import BudgetExceeded
from shoal.events import StatedApprox, StatedPure
from shoal.measures import Approx

FRACTIONS = st.fractions("1/1000", 10**4, max_denominator=10**7)


def numbers(text: str) -> list[Fraction]:
    """The numbers in a text, in their order."""
    return [Fraction(each) for each in re.findall(r"\d[\d.e-]*\d|\d", text)]


@given(left=FRACTIONS, more=FRACTIONS)
def test_a_cost_is_never_shown_as_less_and_what_is_left_never_as_more(
    left: Fraction, more: Fraction
) -> None:
    refused = more_than_is_left(left + more, left, left + 1, word="epsilon")
    needed, remaining, _ = numbers(refused.problem)
    assert needed >= left + more
    assert left >= remaining >= left * (1 - Fraction(1, 10**5))
    assert numbers(refused.remedy or "") == [remaining]


def test_a_cost_that_hardly_does_not_fit_is_not_shown_as_what_is_left() -> None:
    """Both were rounded to the nearest number once: 0.333333 was needed, and 0.333333 was left."""
    budget = PureFilter("1/3")
    with pytest.raises(BudgetExceeded, match=re.escape("needs epsilon 0.333334; 0.333333 of")):
        budget.spend(StatedPure(Fraction(1, 3) + Fraction(1, 10**9)))


def test_a_chance_to_fail_is_never_shown_as_less() -> None:
    refused = more_than_is_reserved(Fraction(1, 3), Fraction(1, 4))
    assert "to 0.333334; 0.25 of delta" in refused.problem
    close = more_than_is_reserved(Fraction("0.3333336"), Fraction("0.33333355"))
    assert "to 0.333334; 0.333333 of delta" in close.problem


def test_a_budget_at_many_orders_says_what_fits_in_rho_and_in_epsilon() -> None:
    budget = RenyiFilter(Approx(1, "1e-6"), reserve="1e-8")
    with pytest.raises(BudgetExceeded) as refused:
        budget.spend(StatedPure(2))
    (rho,) = numbers(refused.value.problem.partition("orders; ")[2])
    assert numbers(refused.value.remedy or "") == [rho, 1]
    with pytest.raises(BudgetExceeded, match="of delta is reserved"):
        budget.spend(StatedApprox("0.1", "0.1"))


@pytest.mark.parametrize(
    ("fits", "nothing_fits", "remedy"),
    [
        ("0.25", False, "Ask with epsilon=0.25, which fits."),
        (None, True, "No request that makes sense fits; let the owner"),
        (None, False, "Ask with much less epsilon, or for fewer columns"),
    ],
)
def test_an_account_and_a_question_add_what_they_know(
    fits: str | None, nothing_fits: bool, remedy: str
) -> None:
    refused = by_account(
        more_than_is_left(Fraction(2), Fraction(1), Fraction(3), word="epsilon"), "a"
    )
    told = of_question(refused, "epsilon 2", word="epsilon", fits=fits, nothing_fits=nothing_fits)
    assert told.problem == (
        "this question was to cost epsilon 2. account 'a': this event needs epsilon 2; "
        "1 of 3 is left. Nothing was spent."
    )
    assert (told.remedy or "").startswith(remedy)
