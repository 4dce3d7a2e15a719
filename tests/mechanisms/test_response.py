"""Randomized response: the exact law of every report, held against the claim and the event."""

from __future__ import annotations

from fractions import Fraction
from unittest.mock import patch

import numpy as np
import pytest
from flint import arb
from numpy.typing import NDArray
from tests.mechanisms import laws
from tests.mechanisms.record import recorded_coins

from shoal import Pure, RandomizedResponse
from shoal.exact import ball

MECHANISMS = [
    *(RandomizedResponse.for_epsilon(e, categories=k) for e in ("0.1", "1", "5") for k in (2, 3, 4, 5)),
    *(RandomizedResponse(truth=t, categories=k) for t in ("3/4", "0.1", "0.999") for k in (2, 3, 5)),
    RandomizedResponse.coins(),
    RandomizedResponse.for_phi("0.25"),
]  # fmt: skip


def table(mechanism: RandomizedResponse) -> list[list[arb]]:
    """P(report | answer), from the coin that decides about lying and the uniform way of lying."""
    with recorded_coins() as chances:
        fresh = RandomizedResponse(
            **(
                {"epsilon": mechanism.epsilon}
                if mechanism.truth is None
                else {"truth": mechanism.truth}
            ),
            categories=mechanism.categories,
        )
        told = fresh.release(np.arange(mechanism.categories))
    assert told.tolist() == list(range(mechanism.categories))
    (chance,) = chances
    lie = ball(chance) if isinstance(chance, Fraction) else chance()
    each = lie / (mechanism.categories - 1)
    answers = range(mechanism.categories)
    return [[1 - lie if report == answer else each for report in answers] for answer in answers]


@pytest.mark.parametrize("mechanism", MECHANISMS, ids=repr)
def test_a_report_loses_exactly_epsilon(mechanism: RandomizedResponse) -> None:
    def worst() -> arb:
        laws_of = table(mechanism)
        return laws.largest(
            laws.loss(here, there)
            for row in laws_of
            for other in laws_of
            for here, there in zip(row, other, strict=True)
        )

    low, high = laws.bounds(worst)
    assert low <= mechanism.cost.epsilon
    assert low * (1 + Fraction(1, 1 << 60)) >= mechanism.cost.epsilon
    assert mechanism.truth is not None or high >= mechanism.cost.epsilon


@pytest.mark.parametrize("mechanism", MECHANISMS, ids=repr)
def test_the_event_tells_the_law_of_a_report(mechanism: RandomizedResponse) -> None:
    event = mechanism.event
    assert event.categories == mechanism.categories

    def difference() -> arb:
        truth = table(mechanism)[0][0]
        if event.truth is not None:
            return truth - ball(event.truth)
        assert event.epsilon is not None
        rise = ball(event.epsilon).exp()
        return truth - rise / (rise + event.categories - 1)

    low, high = laws.bounds(difference)
    assert low <= 0 <= high
    assert high - low < Fraction(1, 10**60)


def test_truth_at_one_in_k_is_perfectly_private() -> None:
    for categories in (2, 3, 5):
        mechanism = RandomizedResponse(truth=Fraction(1, categories), categories=categories)
        assert mechanism.cost == Pure(0)


@pytest.mark.parametrize("categories", [2, 3, 7])
def test_a_lie_is_any_other_category_equally_often(categories: int) -> None:
    answers = np.arange(categories)
    told = []
    for away in range(categories - 1):

        def below(bound: int, count: int, away: int = away) -> NDArray[np.int64]:
            assert bound == categories - 1
            return np.full(count, away)

        with patch("shoal.mechanisms.response.uniform_below", below):
            liar = RandomizedResponse(truth="1e-4000", categories=categories)
            told.append(liar.release(answers))
    for answer in answers:
        assert sorted([answer, *(reports[answer] for reports in told)]) == answers.tolist()
