"""What a release is told that a budget refuses: what it would cost, what is left, and what to do.

Every refusal is worded here: that of a filter, and what an account and a question add to it.  A
cost is rounded up and what is left is rounded down, so that what was refused never looks as if it
fitted.
"""

from __future__ import annotations

from fractions import Fraction

from shoal.errors import BudgetExceeded
from shoal.exact import short, short_down, short_up
from shoal.measures import Approx

_NOTHING = "Nothing was spent."
_RAISE = "or let the owner of the data raise the budget."


def more_than_is_left(
    needed: Fraction, left: Fraction, whole: Fraction, *, word: str
) -> BudgetExceeded:
    """The refusal of a budget that is one number; the word is what it is called."""
    return BudgetExceeded(
        f"this event needs {word} {short_up(needed)}; "
        f"{short_down(left)} of {short(whole)} is left. {_NOTHING}",
        remedy=f"Ask for an event of at most {word} {short_down(left)}, {_RAISE}",
    )


def more_than_at_any_order(
    budget: Approx, orders: int, rho: Fraction, epsilon: Fraction
) -> BudgetExceeded:
    """The refusal of a budget that is spent at many orders: what fits in rho, and what by epsilons
    that add up, where anything does.
    """
    most = f"rho {short_down(rho)} (zero-concentrated)"
    if epsilon > 0:
        most += f" or epsilon {short_down(epsilon)} (pure)"
    return BudgetExceeded(
        f"this event does not fit {budget} at any of {orders} orders; "
        f"rho {short_down(rho)} is left. {_NOTHING}",
        remedy=f"Ask for an event of at most {most}, {_RAISE}",
    )


def more_than_is_reserved(failing: Fraction, reserve: Fraction) -> BudgetExceeded:
    """The refusal of an event that may fail with too large a chance."""
    return BudgetExceeded(
        f"this event would raise what may fail to {short_up(failing)}; "
        f"{short_down(reserve)} of delta is reserved for that. {_NOTHING}",
        remedy="Ask for an event with a smaller delta of its own, "
        "or make the filter with a larger reserve.",
    )


def by_account(refused: BudgetExceeded, name: str) -> BudgetExceeded:
    """The same refusal, with the name of the account that refused."""
    return BudgetExceeded(f"account {name!r}: {refused.problem}", remedy=refused.remedy)


def of_question(
    refused: BudgetExceeded, cost: object, *, word: str, fits: str | None, nothing_fits: bool
) -> BudgetExceeded:
    """The same refusal, in the words of somebody who asked: the cost of the question, and the most
    that it could be asked with, where that was found.
    """
    if fits is not None:
        remedy = f"Ask with {word}={fits}, which fits."
    elif nothing_fits:
        remedy = "No request that makes sense fits; let the owner of the data raise the budget."
    else:
        remedy = f"Ask with much less {word}, or for fewer columns at a time."
    return BudgetExceeded(f"this question was to cost {cost}. {refused.problem}", remedy=remedy)
