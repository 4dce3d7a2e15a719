"""Random compositions: both ends hold the truth, in any order of events, and agree with what is
easier and with each other.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import permutations

import pytest
from flint import arb
from hypothesis import example, given, settings
from hypothesis import strategies as st

from shoal.accounting import Bound, account
from shoal.events import (
    Composed,
    DiscreteGaussian,
    Event,
    Exponential,
    Gaussian,
    Geometric,
    Laplace,
    NoisyMax,
    PoissonSampled,
    RandomizedResponse,
    Repeated,
    StatedApprox,
    StatedPure,
    StatedZeroConcentrated,
)
from shoal.exact import ball, lower, upper

DELTAS = st.sampled_from(["1e-3", "1e-6", "1e-9", "2.5e-12"])
Law = dict[tuple[Fraction, Fraction], Fraction]


@st.composite
def responses(draw: st.DrawFn) -> tuple[int, Fraction]:
    """Categories, and the chance of the truth, which is above that of any other answer."""
    categories = draw(st.integers(2, 6))
    truth = Fraction(draw(st.integers(100 // categories + 3, 98)), 100)
    return categories, truth


def exact_delta(given_responses: list[tuple[int, Fraction]], epsilon: Fraction) -> arb:
    """The sum of (P - e^epsilon Q)_+ over all lists of answers, equal pairs of probabilities
    counted together.
    """
    law: Law = {(Fraction(1), Fraction(1)): Fraction(1)}
    for categories, truth in given_responses:
        other = (1 - truth) / (categories - 1)
        more: Law = {}
        for (p, q), ways in law.items():
            for pair, number in (
                ((p * truth, q * other), 1),
                ((p * other, q * truth), 1),
                ((p * other, q * other), categories - 2),
            ):
                more[pair] = more.get(pair, Fraction(0)) + ways * number
        law = more
    grown, total = ball(epsilon).exp(), ball(0)
    for (p, q), ways in law.items():
        total += ball(ways) * (ball(p) - grown * ball(q)).max(ball(0))
    return total


@given(st.lists(responses(), min_size=1, max_size=5), DELTAS)
@settings(max_examples=40)
def test_answers_to_questions_need_an_epsilon_between_both_ends(
    several: list[tuple[int, Fraction]], delta: str
) -> None:
    events = [RandomizedResponse(categories, truth=truth) for categories, truth in several]
    found = account(Composed(events)).epsilon(delta=delta)
    assert found.lower is not None
    assert lower(lambda: exact_delta(several, found.epsilon)) <= Fraction(delta)
    if least := found.lower:
        assert upper(lambda: exact_delta(several, least)) >= Fraction(delta)
    assert found.epsilon - found.lower <= 1e-4


KINDS: list[Event] = [
    Laplace(scale=7, sensitivity=1, steps=2**20),
    Laplace(scale=10, sensitivity=1, steps=2**20),
    Gaussian(sigma=9, sensitivity=1),
    Geometric(scale=8, sensitivity=1),
    RandomizedResponse(3, truth="0.4"),
    StatedPure("0.1"),
    Repeated(PoissonSampled(Gaussian(sigma=2, sensitivity=1), "0.01"), 50),
]


def mixed(most: int) -> st.SearchStrategy[list[Event]]:
    """One Gaussian, so that the sum of the losses fades fast, and others."""
    others = st.lists(st.sampled_from(KINDS), min_size=1, max_size=most - 1)
    return others.map(lambda events: [Gaussian(sigma=3, sensitivity=1), *events])


@given(mixed(4), DELTAS)
@settings(max_examples=20)
def test_the_order_of_events_changes_no_bit(events: list[Event], delta: str) -> None:
    found: set[tuple[Bound, Fraction | None]] = set()
    for order in list(permutations(events))[:6]:
        bound = account(Composed(order), relation="own").epsilon(delta=delta)
        found.add((bound, bound.lower))
    assert len(found) == 1


@given(mixed(5), DELTAS)
@settings(max_examples=20)
def test_an_account_that_grew_agrees_with_one_made_at_once(events: list[Event], delta: str) -> None:
    grown = account(events[0], relation="own")
    for event in events[1:]:
        grown.epsilon(delta=delta)
        grown = grown.plus(event)
    one, other = grown.epsilon(delta=delta), account(events, relation="own").epsilon(delta=delta)
    assert one.lower is not None
    assert other.lower is not None
    assert one.lower <= other.epsilon
    assert other.lower <= one.epsilon


@st.composite
def pairs(draw: st.DrawFn) -> tuple[Bound, Bound]:
    """What two compositions of sampled Gaussians need, of which the second is nowhere easier than
    the first.
    """
    numbers = []
    for low, high in ((-5.0, -0.5), (0.3, 4.0), (-0.3, 2.0), (3.0, 12.0)):
        at, more = draw(st.floats(low, high)), draw(st.floats(0, 0.5))
        numbers.append((at, min(high, at + draw(st.sampled_from([0.0, more])))))
    (rate, more_often), (times, more_times), (less_noise, noise), (more_delta, delta) = numbers

    def needed(q: float, t: float, s: float, d: float) -> Bound:
        noisy = Gaussian(sigma=f"{10**s:.6g}", sensitivity=1)
        event = Repeated(PoissonSampled(noisy, f"{10**q:.6g}"), round(10**t))
        return account(event).epsilon(delta=f"{10**-d:.6g}")

    easy = needed(rate, times, noise, more_delta)
    return easy, needed(more_often, more_times, less_noise, delta)


@pytest.mark.slow
@given(pairs())
@settings(max_examples=25)
def test_what_is_easier_needs_no_more_than_what_is_harder(both: tuple[Bound, Bound]) -> None:
    easy, hard = both
    assert easy.lower is not None
    assert easy.lower <= hard.epsilon
    assert easy.is_within(max(1e-4, 1e-7 * float(easy.epsilon)))


@given(mixed(4), DELTAS)
@settings(max_examples=20)
def test_the_way_back_from_epsilon_to_delta_meets_it(events: list[Event], delta: str) -> None:
    losses = account(events, relation="own").losses
    assert losses is not None
    found = losses.epsilon(delta=delta)
    assert losses.delta(epsilon=found.high).high <= Fraction(delta)
    if found.low > 0:
        assert losses.delta(epsilon=found.low).high >= Fraction(delta)


MANY_CHOICES = Repeated(Exponential("0.1", 1, candidates=10, monotone=False), 40)
SLOWER: list[Event] = [
    MANY_CHOICES,
    StatedApprox("0.1", "1e-13"),
    DiscreteGaussian(4, 1),
    NoisyMax("laplace", "0.3", 1, candidates=4, monotone=False),
    StatedZeroConcentrated("0.01"),
    Repeated(PoissonSampled(Gaussian(sigma=1, sensitivity=1), "0.01"), 3),
    Repeated(PoissonSampled(Laplace(scale=1, sensitivity=1, steps=2**20), "0.01"), 10),
]
"""Kinds that are summed on a grid, along smoothed lines, or priced in measures other than the loss.
"""


@given(st.lists(st.sampled_from(KINDS + SLOWER), min_size=1, max_size=3), DELTAS)
@example([MANY_CHOICES], "1e-6")
@example([SLOWER[5]], "1e-6")
@settings(max_examples=25)
def test_delta_at_the_epsilon_found_for_a_delta_is_not_above_it(
    events: list[Event], delta: str
) -> None:
    found = account(events, relation="own").epsilon(delta=delta)
    back = account(events, relation="own").delta(epsilon=found.epsilon)
    assert back.delta <= Fraction(delta)
