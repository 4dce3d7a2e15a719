"""Text that is not an event is refused, with the reason."""

from __future__ import annotations

import json
import sys
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.events.samples import SAMPLES

from shoal.errors import EventError
from shoal.events import Event, Laplace
from shoal.events.event import LONGEST_TEXT

GOOD = SAMPLES["laplace"].to_json()
VALUES = SAMPLES["laplace"].to_dict()


@pytest.mark.parametrize(
    ("written", "reason"),
    [
        ("", "not JSON"),
        ("laplace", "not JSON"),
        (GOOD[:-1], "not JSON"),
        (GOOD + GOOD, "not JSON"),
        ("[" * 50_000, "not JSON"),
        ('{"shoal_event":' + "1" * 5000 + "}", "not JSON"),
        ("[]", "not an object"),
        ("1", "not an object"),
        ("null", "not an object"),
        ("{}", "shoal_event must be a version such as 1"),
        (GOOD.replace('"size":4', '"size":NaN'), "NaN"),
        (GOOD.replace('"size":4', '"size":-Infinity'), "-Infinity"),
        (GOOD.replace('"size":4', '"size":4,"size":4'), "twice"),
        (GOOD + " " * LONGEST_TEXT, "characters"),
    ],
)
def test_text_that_is_no_event_is_refused_with_the_reason(written: str, reason: str) -> None:
    with pytest.raises(EventError, match=reason):
        Event.from_json(written)


@pytest.mark.parametrize("given_value", [None, b"{}", 1, VALUES])
def test_what_is_not_text_is_refused(given_value: Any) -> None:
    with pytest.raises(EventError, match="read from text"):
        Event.from_json(given_value)


@pytest.mark.parametrize("given_value", [None, "laplace", 1, [("kind", "laplace")]])
def test_what_is_not_a_mapping_is_refused(given_value: Any) -> None:
    with pytest.raises(EventError, match="an event is a mapping"):
        Event.from_dict(given_value)


@pytest.mark.parametrize("version", [2, 10**12, pytest.param(10**5000, id="endless")])
def test_an_event_of_a_newer_version_is_refused_and_says_what_to_do(version: int) -> None:
    with pytest.raises(EventError, match="reads versions up to 1") as caught:
        Event.from_dict({**VALUES, "shoal_event": version})
    assert "newer Shoal" in caught.value.remedy


@pytest.mark.parametrize("version", [0, -1, "1", 1.0, True, None])
def test_what_is_no_version_is_refused(version: Any) -> None:
    with pytest.raises(EventError, match="shoal_event must be a version"):
        Event.from_dict({**VALUES, "shoal_event": version})


@pytest.mark.parametrize("kind", ["laplacian", "Laplace", "", None, 1, ["laplace"], "x" * 10**4])
def test_an_unknown_kind_is_refused_and_the_known_ones_are_listed(kind: Any) -> None:
    with pytest.raises(EventError, match="not a kind of event") as caught:
        Event.from_dict({**VALUES, "kind": kind})
    assert "laplace" in caught.value.remedy
    assert len(str(caught.value)) < 900


@pytest.mark.parametrize("number", ["1/0", "nan", "-1", "1e9999", "0", "1//2", "0x10", "1" * 4001])
def test_a_text_that_is_no_allowed_number_is_refused_by_name(number: str) -> None:
    with pytest.raises(EventError, match="'laplace' describes no event: scale"):
        Event.from_dict({**VALUES, "scale": number})


@pytest.mark.parametrize("number", [1, 0.5])
def test_an_exact_number_is_text_so_that_no_reader_rounds_it(number: Any) -> None:
    with pytest.raises(EventError, match="scale must be text"):
        Event.from_dict({**VALUES, "scale": number})


def test_rules_between_fields_hold_for_text_too() -> None:
    with pytest.raises(EventError, match="steps must be 0 exactly when sensitivity is 0"):
        Event.from_dict({**VALUES, "sensitivity": "0"})


def test_layout_order_and_spelling_of_numbers_do_not_matter() -> None:
    pretty = json.dumps(dict(reversed(VALUES.items())), indent=4).replace('"1/2"', '"0.50"')
    assert Event.from_json(pretty) == SAMPLES["laplace"]
    assert Event.from_json(pretty).to_json() == GOOD


def test_the_longest_numbers_an_event_takes_come_back_from_text() -> None:
    long = "1" * 3990
    event = Laplace(f"{long}/{long}3", int(long), size=10**3990)
    assert Event.from_json(event.to_json()) == event
    assert sys.get_int_max_str_digits() == 4300


@pytest.mark.slow
@settings(derandomize=True, deadline=None, max_examples=300)
@given(
    st.text(max_size=50)
    | st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
        lambda inner: (
            st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
        ),
        max_leaves=5,
    ).map(json.dumps)
)
def test_any_other_text_is_refused_with_an_event_error_and_nothing_else(written: str) -> None:
    with pytest.raises(EventError):
        Event.from_json(written)


@settings(derandomize=True, deadline=None, max_examples=300)
@given(st.integers(0, len(GOOD) - 1), st.characters(codec="ascii"))
def test_a_text_with_one_wrong_character_is_refused_or_is_another_event(
    place: int, character: str
) -> None:
    damaged = GOOD[:place] + character + GOOD[place + 1 :]
    try:
        event = Event.from_json(damaged)
    except EventError:
        return
    assert event == SAMPLES["laplace"] or event.to_json() != GOOD
