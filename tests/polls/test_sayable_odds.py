"""Odds in words: exact where people can say them, and never better than they are."""

from __future__ import annotations

import re
from fractions import Fraction

import pytest
from tests.polls.samples import FARE, polls

from shoal.local import forced
from shoal.polls import Arm, Poll, by_own
from shoal.polls.sayable_odds import (
    epsilon_in_few_digits,
    guessed,
    in_few_words,
    poll_in_few_words,
    said_chance,
)

CHANCES = [Fraction(a, b) for b in (*range(2, 60), 101, 997, 100_003) for a in {1, b // 3, b // 2, b - 1} if 0 < a < b]  # fmt: skip


def read(words: str) -> Fraction:
    part, whole = (int(each.replace(",", "")) for each in re.findall(r"[\d,]+", words)[:2])
    found = Fraction(part, whole)
    return 1 - found if "all but" in words else found


@pytest.mark.parametrize("chance", CHANCES)
def test_a_chance_is_said_exactly_or_with_about_and_never_as_all_or_none(chance: Fraction) -> None:
    said = said_chance(chance)
    found = read(said.words)
    assert 0 < found < 1
    assert found == chance or said.words.startswith(("about", "all but about"))
    assert abs(found - chance) <= min(chance, 1 - chance) / 4
    if said.exact:
        assert read(said.exact) == chance


@pytest.mark.parametrize("chance", CHANCES)
def test_a_bound_is_never_said_to_be_smaller_than_it_is(chance: Fraction) -> None:
    assert read(said_chance(chance, up=True).words) >= chance


@pytest.mark.parametrize(
    ("odds", "words"),
    [(9, "9 of 10 answers are true"), (3, "3 of 4 answers are true"), ("3/2", "3 of 5 answers are true"),
     ("19/7", "about 3 of 4 answers are true (exactly 19 of 26)")],
)  # fmt: skip
def test_the_odds_of_a_question_are_one_short_sentence(odds: int | str, words: str) -> None:
    poll = Poll("a", "Have you ever ...?", odds=odds)
    assert in_few_words(poll.arms[0].designs[0]) == poll_in_few_words(poll) == words


def test_several_questions_are_told_by_what_can_be_guessed_from_all_of_them() -> None:
    several = polls()["several"]
    ratio = several.arms[0].hidden_ratio
    assert ratio is not None
    assert poll_in_few_words(several) == guessed(ratio)
    assert "24 of 25" in guessed(ratio)


def test_a_one_sided_design_promises_nothing_and_says_so() -> None:
    poll = polls()["designs"]
    assert poll_in_few_words(poll) == "a reply can give an answer away for sure"
    assert epsilon_in_few_digits(poll.arms[2]) == "epsilon infinite"


def test_epsilon_is_shown_in_hundredths_rounded_up_with_the_exact_one_behind_it() -> None:
    shown = [epsilon_in_few_digits(Poll("a", "Q?", odds=odds).arms[0]) for odds in (3, 5, 9, "3/2")]
    assert shown == [
        "epsilon 1.1 (exactly ln(3))",
        "epsilon 1.61 (exactly ln(5))",
        "epsilon 2.2 (exactly ln(9))",
        "epsilon 0.41 (exactly ln(3/2))",
    ]


def test_replies_by_hand_are_called_replies() -> None:
    poll = Poll("a", title="T", questions=[FARE], arms=[Arm("x", by_own(forced("2/3")))])
    assert poll_in_few_words(poll) == "5 of 6 replies are true"
