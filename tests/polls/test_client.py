from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from io import BytesIO
from itertools import product
from typing import Any

import pytest
from tests.polls.samples import VECTORS, polls, stream, vectors

from shoal.errors import PollError, ReportError
from shoal.local.client_randomness import bits_below
from shoal.polls import Client, Poll
from shoal.polls.protocol import DEVICE, DIRECT, OWN

SMALL = ("simplest", "words", "sets", "number", "bins", "arms", "designs")
POLLS = polls()


def words(total: int) -> Iterator[bytes]:
    """For every number below a bound, the bytes that lead to it."""
    bits = bits_below(total)
    size = -(-bits // 8)
    for number in range(total):
        yield (number << (8 * size - bits)).to_bytes(size)


def law(poll: Poll, answers: dict[str, str]) -> Counter[str]:
    """The chance of every text under one person's answers, through the whole client, by all its
    numbers.

    Where the respondent rolls dice of their own, the dice are rolled here, in all ways.
    """
    chances: Counter[str] = Counter()
    for first in words(poll.shares):
        arm = poll.client(BytesIO(first + bytes(4000)).read).arm
        device = [design for design in arm.designs if design.way == DEVICE]
        for drawn in product(*(list(words(design.law.total)) for design in device)):
            client = poll.client(BytesIO(first + b"".join(drawn)).read)
            weight = Fraction(1, poll.shares)
            for design in device:
                weight /= design.law.total
            for said, chance in said_by_hand(client, answers):
                chances[client.respond(said)] += weight * chance  # type: ignore[assignment]
    return chances


def said_by_hand(
    client: Client, answers: dict[str, str]
) -> Iterator[tuple[dict[str, str], Fraction]]:
    own = [design for design in client.arm.designs if design.way == OWN]
    for replies in product(*(design.choices for design in own)):
        said, chance = dict(answers), Fraction(1)
        for design, reply in zip(own, replies, strict=True):
            place = design.law.answers.index(answers[design.question])
            chance *= design.law.chance(place, design.choices.index(reply))
            said[design.question] = reply
        if chance:
            yield said, chance


def every_answer(poll: Poll) -> list[dict[str, str]]:
    names = [question.name for question in poll.questions]
    every = product(*(question.answers for question in poll.questions))
    return [dict(zip(names, answers, strict=True)) for answers in every]


@pytest.mark.parametrize("name", SMALL)
def test_the_texts_of_the_whole_client_have_exactly_the_law_of_the_definition(name: str) -> None:
    poll = POLLS[name]
    for answers in every_answer(poll):
        found = law(poll, answers)
        assert sum(found.values()) == 1
        for text, chance in found.items():
            arm, told = poll.read(text)
            stated = Fraction(poll.arms[arm].share, poll.shares)
            for design, report in zip(poll.arms[arm].designs, told, strict=True):
                place = design.law.answers.index(answers[design.question])
                stated *= design.law.chance(place, report)
            assert chance == stated


@pytest.mark.parametrize("name", SMALL)
def test_no_text_is_more_than_its_ratio_likelier_under_one_list_of_answers_than_under_another(
    name: str,
) -> None:
    poll = POLLS[name]
    laws = [law(poll, answers) for answers in every_answer(poll)]
    for place, arm in enumerate(poll.arms):
        texts = [text for text in set().union(*laws) if poll.read(text)[0] == place]
        chances = [[each[text] for each in laws] for text in texts]
        if arm.ratio is None:
            assert any(0 in column for column in chances)
        else:
            assert max(Fraction(max(column), min(column)) for column in chances) == arm.ratio


def test_what_is_said_directly_does_not_change_the_odds_of_what_is_hidden() -> None:
    poll = POLLS["arms"]
    hidden = poll.arms[0].design("fare").ratio
    for age in poll.question("age").answers:
        pair = [law(poll, {"fare": fare, "age": age}) for fare in ("no", "yes")]
        texts = [text for text in pair[0] if poll.read(text)[0] == 0]
        assert max(pair[0][text] / pair[1][text] for text in texts) == hidden


@pytest.mark.parametrize("name", POLLS)
def test_every_text_of_a_poll_has_the_same_length(name: str) -> None:
    poll = POLLS[name]
    lengths = {len(case["report"]) for case in _vector(name)["cases"]}
    assert lengths == {poll.to_dict()["length"]}


@pytest.mark.parametrize("name", POLLS)
def test_how_many_bytes_are_taken_does_not_depend_on_the_answers(name: str) -> None:
    poll = POLLS[name]
    for seed in range(20):
        taken = set()
        for answer in (0, 1):
            source = stream(f"bytes {seed}")
            count = 0

            def take(size: int) -> bytes:
                nonlocal count
                count += size
                return source(size)  # noqa: B023 - used before the next turn

            client = poll.client(take)
            client.respond_by_place([answer] * len(client.arm.designs))
            taken.add(count)
        assert len(taken) == 1


def test_changing_an_answer_and_changing_it_back_draws_nothing_anew() -> None:
    client = POLLS["sets"].client()
    first = client.respond({"sets": "choice 1"})
    client.respond({"sets": "choice 2"})
    assert client.respond({"sets": "choice 1"}) == first


def test_arms_are_drawn_with_their_shares_whatever_is_answered() -> None:
    poll = POLLS["arms"]
    drawn = Counter(poll.client(BytesIO(word + bytes(99)).read).arm.name for word in words(5))
    assert drawn == {"device": 3, "own": 1, "direct": 1}


def test_what_is_shown_is_what_is_sent() -> None:
    poll = POLLS["everything"]
    for seed in range(30):
        client = poll.client(stream(f"shown {seed}"))
        answers = {design.question: design.choices[-1] for design in client.arm.designs}
        _, told = poll.read(client.respond(answers))
        shown = client.shown(answers)
        for design, report in zip(client.arm.designs, told, strict=True):
            assert shown[design.question] == design.law.told(report)


def test_a_number_of_a_range_may_be_given_as_a_number() -> None:
    client = POLLS["number"].client()
    assert client.respond({"number": -0.5}) == client.respond({"number": "-0.5"})


@pytest.mark.parametrize(
    "answers",
    [{}, {"simplest": "maybe-secret"}, {"simplest": "yes", "more": "yes"}, {"simplest": 1}],
)
def test_answers_that_do_not_fit_are_refused_without_being_quoted(
    answers: dict[str, object],
) -> None:
    with pytest.raises(PollError) as caught:
        POLLS["simplest"].client().respond(answers)
    assert "maybe-secret" not in str(caught.value)


@pytest.mark.parametrize("text", ["", "0", "000", "0a", "02", "10", "０0", " 0", "+1", None, 0])
def test_a_text_that_no_client_makes_is_not_a_report(text: object) -> None:
    with pytest.raises(ReportError):
        POLLS["simplest"].read(text)


@pytest.mark.parametrize("name", POLLS)
def test_a_report_is_read_as_it_was_written(name: str) -> None:
    poll = POLLS[name]
    for case in _vector(name)["cases"]:
        arm, told = poll.read(case["report"])
        assert poll.written(arm, told) == case["report"]


def test_the_shared_vectors_are_those_the_code_makes() -> None:
    assert json.loads(VECTORS.read_text()) == vectors()


def test_direct_answers_are_sent_as_they_are() -> None:
    poll = POLLS["arms"]
    for case in _vector("arms")["cases"]:
        if case["arm"] == "direct":
            _, told = poll.read(case["report"])
            assert list(told) == case["answers"]
    assert poll.arms[2].designs[0].way == DIRECT


def _vector(name: str) -> dict[str, Any]:
    return next(each for each in vectors() if each["poll"]["name"] == name)
