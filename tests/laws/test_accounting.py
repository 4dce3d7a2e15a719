"""Laws that every event keeps in every measure: one item per law and event, which goes through the
measures.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import cache
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.accounting.samples import EVENTS, MEASURES, NOISIER, ORDERS, positives, rates
from tests.examples import examples

from shoal.accounting import account
from shoal.errors import PriceError
from shoal.events import (
    Composed,
    Event,
    Exponential,
    Geometric,
    Group,
    NoisyMax,
    PoissonSampled,
    Repeated,
    SampledWithoutReplacement,
    StatedApprox,
    StatedGaussian,
    StatedPure,
    StatedZeroConcentrated,
    TruncatedGeometric,
)
from shoal.measures import Approx, GaussianDP, Measure, Pure, Renyi, ZeroConcentrated

every_event = pytest.mark.parametrize("name", sorted(EVENTS))
some = examples(12, many=60)


def cost(
    events: Event | list[Event], measure: type[Measure], relation: str | None = None
) -> Measure | None:
    """The cost, or None where there is none; a missing price is part of every law below."""
    return priced(tuple(events) if isinstance(events, list) else events, measure, relation)


@cache
def priced(
    events: Event | tuple[Event, ...], measure: type[Measure], relation: str | None
) -> Measure | None:
    """Computed once: most laws compare with the cost of the same few events."""
    try:
        listed = list(events) if isinstance(events, tuple) else events
        together = account(listed, relation=relation)
        return together.cost(measure, orders=ORDERS if measure is Renyi else None)
    except PriceError:
        return None


def at_most(left: Measure | None, right: Measure | None) -> bool:
    """No price is above every price."""
    return right is None or (left is not None and left <= right)


@every_event
def test_every_event_has_a_price_in_some_measure(name: str) -> None:
    assert account(EVENTS[name]).all(delta="1e-2")


@every_event
def test_many_copies_cost_the_same_at_once_as_one_by_one(name: str) -> None:
    event = EVENTS[name]
    for measure, count in product(MEASURES, range(1, 10)):
        at_once = cost(Repeated(event, count), measure)
        assert at_once == cost([event] * count, measure), (measure, count)
        assert at_once == cost([Composed([event] * (count - 1)), event], measure), (measure, count)
        assert at_once == cost(Repeated(Repeated(event, count), 1), measure), (measure, count)


@every_event
def test_nine_times_three_copies_are_twenty_seven(name: str) -> None:
    event = EVENTS[name]
    for measure in MEASURES:
        nested = cost(Repeated(Repeated(event, 9), 3), measure)
        assert nested == cost(Repeated(event, 27), measure), measure


@some
@given(names=st.lists(st.sampled_from(sorted(EVENTS)), min_size=2, max_size=4), seed=st.randoms())
def test_the_order_of_releases_does_not_matter(names: list[str], seed: object) -> None:
    events = [EVENTS[name] for name in names if "sampled" not in name]
    shuffled = list(events)
    seed.shuffle(shuffled)  # type: ignore[attr-defined]
    for measure in MEASURES:
        try:
            left = account(events, relation="change").cost(measure)
        except PriceError:
            left = None
        try:
            right = account(shuffled, relation="change").cost(measure)
        except PriceError:
            right = None
        assert left == right, measure


@every_event
def test_one_more_release_never_costs_less(name: str) -> None:
    event = EVENTS[name]
    for measure in MEASURES:
        assert at_most(cost(event, measure), cost(Repeated(event, 2), measure)), measure


@pytest.mark.parametrize("name", sorted(NOISIER))
@some
@given(noise=positives, more=positives)
def test_more_noise_never_costs_more(name: str, noise: Fraction, more: Fraction) -> None:
    make = NOISIER[name]
    for measure in MEASURES:
        assert at_most(cost(make(noise + more), measure), cost(make(noise), measure)), measure


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(NOISIER))
def test_much_more_noise_costs_much_less(name: str) -> None:
    # So that the law above cannot be kept by prices that ignore the noise.
    make = NOISIER[name]
    loud, quiet = account(make(Fraction(40))), account(make(Fraction(1, 2)))
    assert 2 * loud.epsilon(delta="1e-3").epsilon < quiet.epsilon(delta="1e-3").epsilon


@every_event
def test_a_group_of_one_changes_nothing(name: str) -> None:
    for measure in MEASURES:
        assert cost(Group(EVENTS[name], 1), measure) == cost(EVENTS[name], measure), measure


@every_event
def test_a_group_of_groups_is_a_larger_group(name: str) -> None:
    event = EVENTS[name]
    for measure in MEASURES:
        nested = cost(Group(Group(event, 2), 3), measure)
        assert nested == cost(Group(event, 6), measure), measure


@every_event
def test_a_larger_group_never_costs_less(name: str) -> None:
    event = EVENTS[name]
    for measure, size in product(MEASURES, (1, 2, 3)):
        smaller, larger = (cost(Group(event, each), measure) for each in (size, size + 1))
        assert at_most(smaller, larger), (measure, size)


@every_event
def test_a_group_of_a_list_is_a_list_of_groups(name: str) -> None:
    event = EVENTS[name]
    for measure in MEASURES:
        whole = cost(Group(Composed([event, StatedPure(1)]), 2), measure)
        assert whole == cost([Group(event, 2), Group(StatedPure(1), 2)], measure), measure


@every_event
def test_nothing_is_free_but_what_does_not_depend_on_the_data(name: str) -> None:
    free = account(EVENTS[name]).epsilon(delta="1e-8" if "tell" not in name else "1e-2")
    assert (free.epsilon == 0) == (name == "laplace without movement" or "tell" in name)


@pytest.mark.slow
@every_event
@examples(4, many=12)
@given(exponent=st.integers(2, 12))
def test_epsilon_and_delta_are_each_others_inverse_from_above(name: str, exponent: int) -> None:
    if name.startswith("shuffled"):
        return  # its search in delta is coarse, and slow; see its own tests
    together = account(EVENTS[name])
    delta = Fraction(1, 10**exponent)
    try:
        epsilon = together.epsilon(delta=delta).epsilon
    except PriceError:
        assert together.delta(epsilon=1000).delta > delta
        return
    back = together.delta(epsilon=epsilon).delta
    assert back <= delta * (1 + Fraction(1, 10**3))
    assert (
        together.epsilon(delta=back).epsilon <= epsilon * (1 + Fraction(1, 10**3)) if back else True
    )


@every_event
def test_a_smaller_delta_never_gives_a_smaller_epsilon(name: str) -> None:
    deltas = ["0.5", "0.1", "1e-2"] if "tell" in name else ["0.1", "1e-4", "1e-8"]
    found = [account(EVENTS[name]).epsilon(delta=delta).epsilon for delta in deltas]
    assert found == sorted(found)


@every_event
def test_no_way_gives_less_than_the_tightest(name: str) -> None:
    found = account(EVENTS[name]).all(delta="1e-2")
    tightest = account(EVENTS[name]).epsilon(delta="1e-2").epsilon
    assert abs(found[0].epsilon - tightest) <= Fraction(1, 10**6) * tightest
    assert [bound.epsilon for bound in found] == sorted(bound.epsilon for bound in found)


CONVERTED: list[tuple[type[Measure], Callable[[Measure], Event]]] = [
    (Pure, lambda cost: StatedPure(cost.epsilon)),  # type: ignore[attr-defined]
    (ZeroConcentrated, lambda cost: StatedZeroConcentrated(cost.rho)),  # type: ignore[attr-defined]
    (GaussianDP, lambda cost: StatedGaussian(cost.mu)),  # type: ignore[attr-defined]
    (Approx, lambda cost: StatedApprox(cost.epsilon, cost.delta)),  # type: ignore[attr-defined]
]


def gains(own: Measure | None, back: Measure | None) -> bool:
    """Whether the cost that went through another measure came back smaller."""
    if own is None or back is None:
        return False
    if isinstance(own, Renyi) and isinstance(back, Renyi):
        slack = 1 + Fraction(1, 2**40)
        return any(own.epsilon_at(each) > back.epsilon_at(each) * slack for each in ORDERS)
    return not own <= back


@every_event
def test_stating_only_the_cost_in_one_measure_never_gains_in_another(name: str) -> None:
    for (through, state), measure in product(CONVERTED, MEASURES):
        stated = cost(EVENTS[name], through)
        if stated is not None:
            own, back = cost(EVENTS[name], measure), cost(state(stated), measure)
            assert not gains(own, back), (through, measure)


@some
@given(scale=positives, low=st.integers(-3, 3), width=st.integers(1, 9))
def test_clamping_an_answer_costs_nothing_more(scale: Fraction, low: int, width: int) -> None:
    for measure in MEASURES:
        clamped = cost(TruncatedGeometric(scale, 1, low=low, high=low + width), measure)
        assert at_most(clamped, cost(Geometric(scale, 1), measure)), measure


@some
@given(epsilon=positives)
def test_the_largest_of_scores_with_gumbel_noise_is_the_exponential_mechanism(
    epsilon: Fraction,
) -> None:
    largest = NoisyMax("gumbel", epsilon, 1, candidates=4, monotone=False)
    exponential = Exponential(epsilon, 1, candidates=4, monotone=False)
    for measure in MEASURES:
        assert cost(largest, measure) == cost(exponential, measure), measure


@pytest.mark.parametrize(
    "name", [name for name in sorted(EVENTS) if "sampled" not in name and "random" not in name]
)
@some
@given(rate=rates)
def test_a_sample_never_costs_more_than_everything(name: str, rate: Fraction) -> None:
    event = EVENTS[name]
    if name.startswith("shuffled"):
        return
    fixed = SampledWithoutReplacement(event, rate.numerator, rate.denominator)
    for measure in MEASURES:
        sampled = cost(PoissonSampled(event, rate), measure)
        assert at_most(sampled, cost(event, measure)), measure
        assert at_most(cost(fixed, measure), cost(event, measure, "change")), measure


@every_event
def test_a_sample_of_everything_costs_what_the_release_costs(name: str) -> None:
    event = EVENTS[name]
    if name == "parallel":
        return  # side by side it is dearer when the relation is left open
    try:
        sampled = PoissonSampled(event, 1)
    except PriceError:
        return
    for measure in MEASURES:
        assert cost(sampled, measure) in (cost(event, measure), None), measure


def test_every_measure_and_every_kind_is_met_by_these_laws() -> None:
    kinds = {event.kind for event in EVENTS.values()}
    met = {(kind, measure) for kind, measure in product(kinds, MEASURES)}
    assert len(kinds) >= 21
    assert len(met) == len(kinds) * 5
