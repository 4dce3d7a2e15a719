"""Events inside events: what may lie inside what, how deep, and what a part does to the whole."""

from __future__ import annotations

from typing import Any

import pytest
from tests.events.samples import SAMPLES

from shoal.errors import EventError, RangeError
from shoal.events import (
    Composed,
    Event,
    Gaussian,
    Group,
    Laplace,
    Parallel,
    PoissonSampled,
    RandomizedResponse,
    RandomlyAllocated,
    RepeatAndSelect,
    Repeated,
    SampledWithoutReplacement,
    SampledWithReplacement,
    Shuffled,
    SometimesAnswered,
    StatedPure,
)
from shoal.events.event import DEEPEST, LONGEST_TEXT

ADDED = Laplace(10, 1, relation="add_remove")
CHANGED = Laplace(10, 1, relation="change")
WRAPPERS: dict[str, Any] = {
    "composed": lambda event, **rest: Composed([event], **rest),
    "repeated": lambda event, **rest: Repeated(event, 2, **rest),
    "parallel": lambda event, **rest: Parallel([event], **rest),
    "group": lambda event, **rest: Group(event, 2, **rest),
    "poisson_sampled": lambda event, **rest: PoissonSampled(event, "0.1", **rest),
    "randomly_allocated": lambda event, **rest: RandomlyAllocated(event, 10, **rest),
    "sampled_without_replacement": lambda event, **rest: SampledWithoutReplacement(
        event, 1, 10, **rest
    ),
    "sampled_with_replacement": lambda event, **rest: SampledWithReplacement(event, 9, 5, **rest),
    "repeat_and_select": lambda event, **rest: RepeatAndSelect(event, "poisson", mean=2, **rest),
    "shuffled": lambda event, **rest: Shuffled(event, 10, **rest),
}
every_wrapper = pytest.mark.parametrize("kind", sorted(WRAPPERS))


def nested(levels: int) -> Event:
    event: Event = Laplace(1, 1)
    for _ in range(levels):
        event = Repeated(event, 2)
    return event


@every_wrapper
def test_a_rehearsal_inside_makes_the_whole_a_rehearsal(kind: str) -> None:
    whole = WRAPPERS[kind](StatedPure(1, private=False))
    assert whole.private is False
    assert WRAPPERS[kind](WRAPPERS["group"](StatedPure(1, private=False))).private is False
    assert Event.from_json(whole.to_json()) == whole
    assert WRAPPERS[kind](StatedPure(1)).private is True


def test_a_text_that_calls_a_rehearsal_private_is_read_as_a_rehearsal() -> None:
    whole = Repeated(StatedPure(1, private=False), 2)
    claimed = {**whole.to_dict(), "private": True}
    assert Event.from_dict(claimed).private is False


@pytest.mark.parametrize("kind", ["composed", "repeated", "parallel", "group"])
def test_a_stated_relation_is_the_one_of_the_parts(kind: str) -> None:
    assert WRAPPERS[kind](ADDED, relation="add_remove").relation == "add_remove"
    assert WRAPPERS[kind](Laplace(1, 1), relation="change").relation == "change"
    with pytest.raises(EventError, match="relation is 'change', but a part inside"):
        WRAPPERS[kind](Group(ADDED, 2), relation="change")


def test_parts_for_different_neighbours_may_stand_side_by_side_without_a_stated_relation() -> None:
    assert Composed([ADDED, CHANGED]).relation is None


@pytest.mark.parametrize("kind", ["poisson_sampled", "randomly_allocated"])
def test_a_poisson_sample_and_an_allocation_are_about_rows_that_come_and_go(kind: str) -> None:
    assert WRAPPERS[kind](ADDED).event == ADDED
    for inside in (CHANGED, Composed([Group(CHANGED, 2)])):
        with pytest.raises(EventError, match="relation must not be 'change'"):
            WRAPPERS[kind](inside)
    with pytest.raises(EventError, match="relation must not be 'change'"):
        WRAPPERS[kind](Laplace(1, 1), relation="change")


@pytest.mark.parametrize(
    "kind", ["sampled_without_replacement", "sampled_with_replacement", "shuffled"]
)
def test_a_sample_of_fixed_size_and_a_shuffle_are_about_rows_that_change(kind: str) -> None:
    assert WRAPPERS[kind](CHANGED).event == CHANGED
    with pytest.raises(EventError, match="relation must not be 'add_remove'"):
        WRAPPERS[kind](Composed([ADDED]))
    with pytest.raises(EventError, match="relation must not be 'add_remove'"):
        WRAPPERS[kind](Laplace(1, 1), relation="add_remove")


def test_a_sample_is_not_larger_than_its_population() -> None:
    assert SampledWithoutReplacement(CHANGED, 5, 5).sample == 5
    with pytest.raises(RangeError, match="sample must not be above population"):
        SampledWithoutReplacement(CHANGED, 6, 5)


def test_events_are_nested_only_so_deep() -> None:
    deepest = nested(DEEPEST - 1)
    assert Event.from_json(deepest.to_json()) == deepest
    with pytest.raises(EventError, match=f"nested {DEEPEST + 1} deep"):
        nested(DEEPEST)


def test_hostile_text_is_refused_before_it_is_built() -> None:
    text = Laplace(1, 1).to_json()
    for _ in range(300):
        text = Repeated(Laplace(1, 1), 2).to_json().replace(Laplace(1, 1).to_json(), text)
    with pytest.raises(EventError, match=f"nested more than {DEEPEST} deep"):
        Event.from_json(text)
    with pytest.raises(EventError, match="not JSON"):
        Event.from_json('{"event":' * 100_000)


def test_more_events_than_can_be_written_are_refused() -> None:
    many = Composed([StatedPure(1)] * 1000)
    assert Event.from_json(many.to_json()) == many
    long = StatedPure("1" * 3900)
    with pytest.raises(EventError, match="too many to write"):
        Composed([long] * 3000)


@every_wrapper
def test_what_is_made_can_always_be_written(kind: str) -> None:
    for inside in (StatedPure("1" * 3990), StatedPure(f"1/{'3' * 3990}")):
        whole = WRAPPERS[kind](inside)
        _, characters = whole.__dict__["_size"]
        assert len(whole.to_json()) <= characters <= LONGEST_TEXT
        assert Event.from_json(whole.to_json()) == whole


@pytest.mark.parametrize("wrong", [1, "laplace", None, {}, Laplace, [Laplace(1, 1)]])
def test_what_is_not_an_event_is_refused_inside_one(wrong: Any) -> None:
    with pytest.raises(EventError, match="event must be an event"):
        Repeated(wrong, 2)


@pytest.mark.parametrize("wrong", [1, "laplace", None, {}, Laplace(1, 1)])
def test_what_is_not_a_list_of_events_is_refused_inside_one(wrong: Any) -> None:
    with pytest.raises(EventError, match="events must be a list of events"):
        Composed(wrong)
    with pytest.raises(EventError, match="each of events must be an event"):
        Composed([Laplace(1, 1), 3])  # type: ignore[list-item]


def test_a_mistake_inside_is_found_by_its_path() -> None:
    text = Group(Composed([Repeated(Laplace(7, 1), 2)]), 3).to_json().replace('"7"', '"-7"')
    with pytest.raises(EventError, match="event: events: event: scale must be above 0; got -7"):
        Event.from_json(text)


def test_a_list_of_events_may_be_any_iterable_and_is_kept_as_a_tuple() -> None:
    made = Composed(event for event in (ADDED, CHANGED))
    assert made.events == (ADDED, CHANGED)
    assert made == Composed([ADDED, CHANGED])
    assert made != Composed([CHANGED, ADDED])
    assert hash(made) == hash(Composed((ADDED, CHANGED)))


def test_nothing_released_is_an_event() -> None:
    assert Event.from_json(Composed([]).to_json()) == Composed(())


def test_a_randomizer_that_hides_reports_may_be_shuffled() -> None:
    assert Shuffled(RandomizedResponse(2, "3/4"), 100).people == 100
    assert isinstance(SAMPLES["shuffled"], Shuffled)
    assert isinstance(Shuffled(Gaussian(1, 1), 3).event, Gaussian)


@pytest.mark.parametrize(
    "inside",
    [
        Shuffled(RandomizedResponse(2, epsilon=1), 2),
        Repeated(Shuffled(RandomizedResponse(2, epsilon=1), 2), 2),
        SampledWithoutReplacement(StatedPure(1), 2, 2),
        Group(RandomizedResponse(2, epsilon=1), 2),
        Parallel([StatedPure(1)]),
    ],
    ids=lambda event: event.kind,
)
def test_what_is_answered_sometimes_is_the_report_of_one_person(inside: Event) -> None:
    with pytest.raises(EventError, match="must be the report of one person"):
        SometimesAnswered(inside, "0.5")
