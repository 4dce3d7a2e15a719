"""What every kind of event promises; a new kind joins by being registered and sampled."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import json
import pickle
import re
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.events.samples import ONLY_ADD_REMOVE, SAMPLES, STRATEGIES

from shoal.errors import EventError
from shoal.events import KINDS, Event
from shoal.sensitivity import Relation

every_kind = pytest.mark.parametrize("kind", sorted(KINDS))
any_event = st.sampled_from(sorted(STRATEGIES)).flatmap(lambda kind: STRATEGIES[kind])


def test_every_registered_kind_has_a_sample_and_a_strategy() -> None:
    assert set(SAMPLES) == set(STRATEGIES) == set(KINDS)


@every_kind
def test_a_kind_is_the_snake_case_of_its_class_name(kind: str) -> None:
    name = KINDS[kind].__name__
    assert kind == KINDS[kind].kind == re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()


@every_kind
def test_a_kind_states_its_meaning_and_names_each_of_its_fields(kind: str) -> None:
    meaning = inspect.getdoc(KINDS[kind]) or ""
    assert "\nMeaning: " in meaning
    assert "\nReference: " in meaning
    own = {field.name for field in dataclasses.fields(KINDS[kind])} - {"private", "relation"}
    assert not {name for name in own if not re.search(rf"\b{name}\b", meaning)}


@pytest.mark.slow
@every_kind
@settings(derandomize=True, deadline=None, max_examples=40)
@given(data=st.data())
def test_an_event_comes_back_from_its_text_exactly(kind: str, data: st.DataObject) -> None:
    event = data.draw(STRATEGIES[kind])
    again = Event.from_json(event.to_json())
    assert again == event
    assert type(again) is KINDS[kind]
    assert hash(again) == hash(event)
    assert again.to_json() == event.to_json()


@pytest.mark.slow
@settings(derandomize=True, deadline=None, max_examples=200)
@given(left=any_event, right=any_event)
def test_two_events_are_equal_exactly_when_their_texts_are(left: Event, right: Event) -> None:
    assert (left == right) == (left.to_json() == right.to_json())


@every_kind
def test_text_is_canonical_sorted_and_without_spaces(kind: str) -> None:
    written = SAMPLES[kind].to_json()
    values = json.loads(written)
    assert list(values) == sorted(values)
    assert written == json.dumps(values, sort_keys=True, separators=(",", ":"))
    assert values["shoal_event"] == 1
    assert values["kind"] == kind


@every_kind
def test_a_field_cannot_be_changed(kind: str) -> None:
    event = SAMPLES[kind]
    for field in dataclasses.fields(event):
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(event, field.name, 1)
        with pytest.raises(dataclasses.FrozenInstanceError):
            delattr(event, field.name)


@every_kind
def test_fields_are_exact_values(kind: str) -> None:
    event = SAMPLES[kind]
    for field in dataclasses.fields(event):
        value = getattr(event, field.name)
        for one in value if isinstance(value, tuple) else (value,):
            assert isinstance(one, Event) or type(one) in {Fraction, int, str, bool, type(None)}


@every_kind
def test_copies_and_pickles_are_equal(kind: str) -> None:
    event = SAMPLES[kind]
    assert copy.deepcopy(event) == event
    assert pickle.loads(pickle.dumps(event)) == event
    assert dataclasses.replace(event) == event


@every_kind
def test_a_rehearsal_stays_a_rehearsal_through_text(kind: str) -> None:
    rehearsal = dataclasses.replace(SAMPLES[kind], private=False)
    assert Event.from_json(rehearsal.to_json()).private is False
    assert rehearsal != dataclasses.replace(rehearsal, private=True)
    assert '"private":false' in rehearsal.to_json()


@every_kind
def test_an_event_is_private_with_no_stated_relation_unless_said_otherwise(kind: str) -> None:
    values = {field.name: field.default for field in dataclasses.fields(KINDS[kind])}
    assert values["private"] is True
    assert values["relation"] is None


@every_kind
def test_each_missing_field_is_refused_by_name(kind: str) -> None:
    values = SAMPLES[kind].to_dict()
    for name in values:
        rest = {key: value for key, value in values.items() if key != name}
        with pytest.raises(EventError, match=name):
            Event.from_dict(rest)


@every_kind
def test_an_extra_field_is_refused_by_name(kind: str) -> None:
    with pytest.raises(EventError, match="surprise"):
        Event.from_dict({**SAMPLES[kind].to_dict(), "surprise": 1})


@every_kind
@pytest.mark.parametrize("wrong", [1.5, [1], {"a": 1}, float("nan"), "NaN", "inf", "x" * 50])
def test_a_value_of_the_wrong_type_is_refused_by_name_in_every_field(kind: str, wrong: Any) -> None:
    values = SAMPLES[kind].to_dict()
    for name in values:
        with pytest.raises(EventError, match=name):
            Event.from_dict({**values, name: wrong})


@every_kind
def test_truth_values_are_not_numbers_and_numbers_are_not_truth_values(kind: str) -> None:
    values = SAMPLES[kind].to_dict()
    for name, value in values.items():
        wrong = 1 if isinstance(value, bool) else True
        with pytest.raises(EventError, match=name):
            Event.from_dict({**values, name: wrong})


@every_kind
def test_a_kind_reads_its_own_text_and_refuses_that_of_another(kind: str) -> None:
    assert KINDS[kind].from_json(SAMPLES[kind].to_json()) == SAMPLES[kind]
    other = "gaussian" if kind == "laplace" else "laplace"
    with pytest.raises(EventError, match=other):
        KINDS[kind].from_json(SAMPLES[other].to_json())


@every_kind
@pytest.mark.parametrize("wrong", ["replace", "", 1, ["change"]])
def test_a_relation_is_one_of_two_words(kind: str, wrong: Any) -> None:
    word = "add_remove" if kind in ONLY_ADD_REMOVE else "change"
    assert dataclasses.replace(SAMPLES[kind], relation=word).relation == word
    with pytest.raises(EventError, match="relation must be one of 'add_remove', 'change'"):
        dataclasses.replace(SAMPLES[kind], relation=wrong)


@every_kind
@pytest.mark.parametrize("wrong", [0, 1, None, "true"])
def test_private_is_a_plain_truth_value(kind: str, wrong: Any) -> None:
    with pytest.raises(EventError, match="private must be True or False"):
        dataclasses.replace(SAMPLES[kind], private=wrong)


@every_kind
def test_a_relation_of_sensitivity_is_kept_as_plain_text(kind: str) -> None:
    word = Relation.ADD_REMOVE if kind in ONLY_ADD_REMOVE else Relation.CHANGE
    event = dataclasses.replace(SAMPLES[kind], relation=word)
    assert type(event.relation) is str
    assert event == dataclasses.replace(SAMPLES[kind], relation=str(word))
