"""When a respondent sees what is sent: stated in the definition, and as it was in old ones."""

from __future__ import annotations

import json
from collections import Counter
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from tests.polls.samples import FARE

from shoal.errors import PollError
from shoal.polls import Poll, Results, read_export
from shoal.polls.export import export_json

FIRST: list[dict[str, Any]] = json.loads((Path(__file__).parent / "first_version.json").read_text())
"""Definitions as the first version of the format wrote them, with their marks."""


@pytest.mark.parametrize("each", FIRST, ids=[each["definition"]["name"] for each in FIRST])
def test_a_definition_of_the_first_version_keeps_its_text_its_mark_and_its_meaning(
    each: dict[str, Any],
) -> None:
    poll = Poll.from_json(json.dumps(each["definition"]))
    assert (poll.mark, poll.to_dict()) == (each["mark"], each["definition"])
    assert poll.show_sent == "before"
    assert Poll.from_json(poll.to_json()) == poll


def test_what_is_sent_is_shown_afterwards_unless_the_poll_says_otherwise() -> None:
    after, before = Poll("a", FARE.text, odds=3), Poll("a", FARE.text, odds=3, show_sent="before")
    assert (after.to_dict()["show_sent"], before.to_dict()["show_sent"]) == ("after", "before")
    assert after.mark != before.mark
    told = [poll.arms[0].designs[0].instructions for poll in (after, before)]
    assert "as soon as it was sent" in told[0]
    assert "before anything leaves" in told[1]


def test_the_choice_stands_in_the_file_the_export_and_the_preview() -> None:
    poll = Poll("a", FARE.text, odds=3, show_sent="before")
    assert 'show_sent = "before"' in poll.to_toml()
    assert Poll.from_toml(poll.to_toml()) == poll
    text = export_json(Results(poll, {"00": 2}, is_open=True))
    assert json.loads(text)["definition"]["show_sent"] == "before"
    assert read_export(text).poll.show_sent == "before"
    assert "People can choose their answer by it." in poll.preview()
    assert "shown after “Send”" in Poll("a", FARE.text, odds=3).preview()


def test_a_first_version_that_says_when_is_refused() -> None:
    said = {**FIRST[0]["definition"], "show_sent": "after"}
    with pytest.raises(PollError, match="parts disagree"):
        Poll.from_json(json.dumps(said))


def test_respondents_who_choose_by_what_would_be_sent_bring_the_estimate_to_nothing() -> None:
    """Every draw of Warner's design at odds of 3, for people who all have the answer yes and send
    "no" wherever one of the two answers would.
    """
    poll = Poll("a", FARE.text, odds=3)
    law = poll.arms[0].designs[0].law
    honest, choosing = (
        Counter(pick(law.place(answer, drawn) for answer in answers) for drawn in range(law.total))
        for answers, pick in (((1,), min), ((0, 1), min))
    )
    shares = [
        sum((law.worth(report, 1) * count for report, count in found.items()), Fraction(0)) / 4
        for found in (honest, choosing)
    ]
    assert shares == [1, 0]
