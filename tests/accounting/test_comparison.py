"""Measures side by side: the same numbers as the account's own, the tightest first, and an honest
lower end.
"""

from __future__ import annotations

from fractions import Fraction

import pytest

from shoal.accounting import account, compare
from shoal.errors import PriceError, RangeError

KNOWN = {
    "gaussian sigma=30 | x 1000": 5.1890366,
    "gaussian sigma=0.8 | sampled q=0.01 | x 1000": 3.706185,
    "laplace scale=10 | x 100": 4.6926674,
    "pure epsilon=0.1 | x 500": 12.51787996,
}
ANY = [*KNOWN, "exponential epsilon=0.1 candidates=4 | x 50", "approx epsilon=1 delta=1e-8 | x 3"]


@pytest.mark.parametrize(("text", "value"), KNOWN.items(), ids=list(KNOWN))
def test_known_values_lie_between_the_lower_end_and_the_best(text: str, value: float) -> None:
    found = compare(account(text), delta="1e-6")
    assert found.lower is not None
    assert float(found.lower) <= value + 1e-6
    assert value - 1e-6 <= float(found.best.epsilon) <= value + 1e-4


@pytest.mark.parametrize("text", ANY)
def test_the_best_is_never_above_what_the_account_itself_says(text: str) -> None:
    several = account(text)
    at_delta, at_epsilon = compare(several, delta="1e-6"), compare(several, epsilon=1)
    assert at_delta.best.epsilon <= several.epsilon(delta="1e-6").epsilon
    assert at_epsilon.best.delta <= several.delta(epsilon=1).delta
    assert list(at_delta.bounds) == sorted(at_delta.bounds, key=lambda bound: bound.epsilon)
    assert list(at_epsilon.bounds) == sorted(at_epsilon.bounds, key=lambda bound: bound.delta)
    names = [bound.measure for bound in at_delta.bounds]
    assert len(names) == len(set(names))


@pytest.mark.parametrize("text", KNOWN)
def test_epsilon_at_a_delta_and_delta_at_that_epsilon_agree(text: str) -> None:
    several = account(text)
    there = compare(several, delta="1e-6")
    back = compare(several, epsilon=there.best.epsilon)
    assert back.lower is not None
    assert float(back.lower) <= 1.000001e-6
    assert float(back.best.delta) == pytest.approx(1e-6, rel=1e-3)


@pytest.mark.slow
@pytest.mark.parametrize(
    "text",
    [
        "exponential epsilon=0.1 candidates=4 | x 50",
        "sparse_vector epsilon_threshold=0.1 epsilon_queries=0.2 positives=3",
        "truncated_geometric scale=1 low=0 high=1",
        "laplace scale=1 | sampled q=0.1 | group 2",
        "approx epsilon=0.1 delta=1e-9 | group 2",
        "rr epsilon=1 | shuffled people=50",
        "gdp mu=1 + staircase epsilon=1 gamma=0.3",
    ],
)
def test_no_lower_end_is_claimed_where_only_a_bound_is_known(text: str) -> None:
    assert compare(account(text), delta="1e-6").lower is None


def test_a_group_of_one_response_is_bracketed_as_the_response_is() -> None:
    one, pair = (
        compare(account(text), delta="1e-6") for text in ("rr p=0.6", "rr p=0.6 | group 2")
    )
    assert pair.lower is not None
    assert (pair.lower, pair.best.epsilon) == (one.lower, one.best.epsilon)


def test_a_failing_mass_is_in_every_delta() -> None:
    found = compare(account("approx epsilon=1 delta=1e-3 + gdp mu=0.1"), epsilon=3)
    assert all(bound.delta >= Fraction(1, 1000) for bound in found.bounds)
    assert found.lower is not None
    assert Fraction(1, 1000) <= found.lower <= found.best.delta


def test_nothing_promised_is_refused_at_a_delta_and_1_at_an_epsilon() -> None:
    with pytest.raises(PriceError):
        compare(account("non_private"), delta="1e-6")
    assert compare(account("non_private"), epsilon=1).best.delta == 1


def test_exactly_one_of_delta_and_epsilon_is_needed() -> None:
    for given in ({}, {"delta": 0.1, "epsilon": 1.0}):
        with pytest.raises(RangeError, match="exactly one"):
            compare(account("gdp mu=1"), **given)
