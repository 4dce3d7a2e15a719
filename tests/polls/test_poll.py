from __future__ import annotations

import json
import math
from fractions import Fraction
from typing import Any

import pytest
from tests.polls.samples import AGE, FARE, HOURS, polls

from shoal.errors import InputError, PollError, ShoalError
from shoal.exact import ball, is_below
from shoal.local import (
    Design,
    Subsets,
    TransitionMatrix,
    coins,
    crosswise,
    forced,
    kuk,
    triangular,
    unrelated,
)
from shoal.polls import Arm, Poll, PollQuestion, by_device, by_own, directly
from shoal.polls.protocol import readable_odds

POLLS = polls()
TWO = [PollQuestion("one", "One?"), PollQuestion("two", "Two?")]


@pytest.mark.parametrize("name", POLLS)
def test_a_definition_is_read_back_as_it_was_written(name: str) -> None:
    poll = POLLS[name]
    again = Poll.from_json(poll.to_json())
    assert again == poll
    assert (again.mark, again.to_json()) == (poll.mark, poll.to_json())


@pytest.mark.parametrize("name", POLLS)
def test_a_file_is_read_back_as_it_was_written(name: str) -> None:
    poll = POLLS[name]
    assert Poll.from_toml(poll.to_toml()) == poll


def test_the_same_words_give_the_same_mark_and_other_words_another() -> None:
    one, same = (Poll("a", "Yes?", epsilon=1) for _ in range(2))
    assert one.mark == same.mark
    assert len({one.mark, Poll("a", "No?", epsilon=1).mark, Poll("b", "Yes?", epsilon=1).mark}) == 3


def test_equal_odds_of_arms_have_equal_text() -> None:
    def made(*shares: int) -> Poll:
        arms = [Arm(f"arm{i}", directly(), share=share) for i, share in enumerate(shares)]
        return Poll("a", questions=[FARE], arms=arms)

    assert made(2, 6) == made(1, 3)
    assert made(2, 6) != made(3, 1)


def change(poll: Poll, *path: Any, to: Any) -> str:
    said = poll.to_dict()
    place = said
    for part in path[:-1]:
        place = place[part]
    place[path[-1]] = to
    return json.dumps(said)


_DESIGN = ("arms", 0, "designs", 0)


@pytest.mark.parametrize(
    ("path", "to"),
    [
        (("form",), "shoal.other"),
        (("version",), 1),
        (("version",), 3),
        (("version",), True),
        (("show_sent",), "before"),
        (("show_sent",), "never"),
        (("show_sent",), None),
        (("epsilon",), "0.5"),
        (("length",), 3),
        (("people",), 0),
        (("once",), "always"),
        (("draw", "total"), "2"),
        (("arms", 0, "share"), 2),
        (("arms", 0, "share"), 0),
        (("arms", 0, "epsilon"), "0.1"),
        (("arms", 0, "hidden_epsilon"), "0.1"),
        ((*_DESIGN, "words"), "your true answer is sent 1 time out of 100"),
        ((*_DESIGN, "epsilon"), "0.1"),
        ((*_DESIGN, "ratio"), "2"),
        ((*_DESIGN, "way"), "direct"),
        ((*_DESIGN, "way"), "other"),
        ((*_DESIGN, "question"), "other"),
        ((*_DESIGN, "title"), "Nothing is hidden"),
        ((*_DESIGN, "instructions"), "Lie."),
        ((*_DESIGN, "width"), 2),
        ((*_DESIGN, "matrix", "same"), "20"),
        ((*_DESIGN, "matrix", "answers"), ["yes", "no"]),
        (("questions", 0, "answers"), ["no", "perhaps"]),
        (("questions",), []),
        (("arms",), []),
        (("more",), 1),
    ],
)
def test_a_definition_whose_parts_disagree_is_refused(path: tuple[Any, ...], to: Any) -> None:
    with pytest.raises(InputError):
        Poll.from_json(change(POLLS["simplest"], *path, to=to))


def test_a_definition_with_a_field_twice_is_refused() -> None:
    text = POLLS["simplest"].to_json()
    with pytest.raises(PollError):
        Poll.from_json(text.replace('{"arms":', '{"once":"invitation","arms":', 1))


@pytest.mark.parametrize("text", ["", "[]", "{}", "null", "1", "[" * 10**5, "x" * (1 << 21)])
def test_text_that_is_no_definition_is_refused_as_such(text: str) -> None:
    with pytest.raises(PollError):
        Poll.from_json(text)


@pytest.mark.parametrize("epsilon", ["0.001", "0.01", "0.1", "1/3", 1, 2, 5, 10])
def test_readable_odds_cost_at_most_the_epsilon_and_nearly_all_of_it(epsilon: str | int) -> None:
    odds, price = readable_odds(epsilon), Fraction(epsilon)
    assert is_below(lambda: ball(odds).log(), lambda: ball(price))
    assert is_below(lambda: ball(price) * ball(Fraction(98, 100)), lambda: ball(odds).log())


def test_an_epsilon_is_shared_equally_by_the_questions() -> None:
    poll = Poll("a", questions=[FARE, HOURS, AGE], epsilon=3, title="T")
    alone = Poll("a", "Yes?", epsilon=1)
    assert {design.ratio for design in poll.arms[0].designs} == {alone.arms[0].ratio}
    assert poll.epsilon <= 3


def test_the_epsilon_of_an_arm_is_the_logarithm_of_the_product_of_its_ratios() -> None:
    ways = {"fare": by_device(odds=3), "hours": by_device(odds="5/2"), "age": directly()}
    poll = Poll("a", title="T", questions=[FARE, HOURS, AGE], arms=[Arm("one", ways)])
    (arm,) = poll.arms
    assert arm.epsilon == math.inf
    assert float(arm.hidden_epsilon) == pytest.approx(math.log(7.5))
    assert arm.direct == ("age",)
    assert POLLS["designs"].arms[2].hidden_epsilon == math.inf


def test_two_answers_are_told_by_warners_design_and_eight_by_sets() -> None:
    assert POLLS["simplest"].arms[0].designs[0].law.total == 26
    law = POLLS["sets"].arms[0].designs[0].law
    assert isinstance(law, Subsets)
    assert law.size == 3


def test_a_one_sided_design_says_what_it_gives_away() -> None:
    said = POLLS["designs"].to_dict()["arms"][2]["designs"][0]
    assert said["epsilon"] == said["ratio"] == "infinite"
    assert "excludes the answer 'yes'" in said["note"]


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: Poll("No Such Name", "Yes?", epsilon=1),
        lambda: Poll("a" * 41, "Yes?", epsilon=1),
        lambda: Poll("a", epsilon=1),
        lambda: Poll("a", "", epsilon=1),
        lambda: Poll("a", "Yes?\x00", epsilon=1),
        lambda: Poll("a", "Yes?"),
        lambda: Poll("a", "Yes?", epsilon=1, odds=3),
        lambda: Poll("a", "Yes?", odds=1),
        lambda: Poll("a", "Yes?", epsilon=0),
        lambda: Poll("a", "Yes?", epsilon="1e-9"),
        lambda: Poll("a", "Yes?", epsilon=1, once="never"),
        lambda: Poll("a", "Yes?", epsilon=1, people=0),
        lambda: Poll("a", "Yes?", epsilon=1, show_sent="never"),
        lambda: Poll("a", "Yes?", epsilon=1, answers=["one"]),
        lambda: Poll("a", "Yes?", epsilon=1, answers=["same", "same"]),
        lambda: Poll("a", "Yes?", epsilon=1, answers="no,yes"),
        lambda: Poll("a", "Yes?", epsilon=1, answers=["a", "b"], range=(0, 1)),
        lambda: Poll("a", "Yes?", epsilon=1, range=(1, 0)),
        lambda: Poll("a", "Yes?", epsilon=1, range=(0, 1, "0.3")),
        lambda: Poll("a", "Yes?", epsilon=1, range=(0, 1, "1/3")),
        lambda: Poll("a", "Yes?", epsilon=1, range=(0, 2000)),
        lambda: Poll("a", "Yes?", epsilon=1, range=(0, 40), bins=(20, 10)),
        lambda: Poll("a", "Yes?", epsilon=1, unit="hours"),
        lambda: Poll("a", title="T", questions=[], epsilon=1),
        lambda: Poll("a", title="T", questions=[FARE, FARE], epsilon=1),
        lambda: Poll("a", title="T", questions=[FARE], arms=[]),
        lambda: Poll("a", title="T", questions=[FARE], arms=[Arm("x", {"age": directly()})]),
        lambda: Poll("a", title="T", questions=[FARE], arms=[Arm("x", directly(), share=0)]),
        lambda: Poll("a", title="T", questions=[FARE], arms=[Arm("x", directly())] * 2),
        lambda: Poll("a", title="T", questions=[AGE], arms=[Arm("x", by_own(forced()))]),
        lambda: Poll(
            "a", title="T", questions=[HOURS], arms=[Arm("x", by_own(crosswise(), harmless="H?"))]
        ),
        by_device,
        lambda: Poll(
            "a",
            title="T",
            questions=[PollQuestion(f"q{i}", "Q?", range=(0, 1000), unit="x") for i in range(40)],
            epsilon=40,
        ),
        lambda: by_device(epsilon=1, odds=3),
        lambda: by_device(design=kuk(), size=2),
        lambda: by_own("crosswise"),  # type: ignore[arg-type]
        lambda: by_own(crosswise(), harmless=5),  # type: ignore[arg-type]
        lambda: by_own(coins(), harmless="Born in spring?"),
        lambda: PollQuestion("q", "Q?", range=(0, 1, 1, 1)),
    ],
)
def test_a_poll_that_cannot_be_is_refused(wrong: Any) -> None:
    with pytest.raises(InputError):
        wrong()


FILE = """
name = "trips"
title = "Trips"
[[question]]
name = "fare"
text = "Have you ever travelled without a ticket?"
[[arm]]
name = "dice"
share = 2
[arm.ways.fare]
way = "own"
design = "crosswise"
probability = "1/4"
instructions = "Was your mother born in January, February or March?"
[[arm]]
name = "device"
[arm.ways.fare]
way = "device"
epsilon = 1.0
"""


def test_a_file_may_name_designs_with_their_parameters() -> None:
    poll = Poll.from_toml(FILE)
    assert poll.arms[0].designs[0].law.chance(0, 0) == Fraction(1, 4)
    assert poll.arms[1].ratio == Fraction(19, 7)


def test_the_shortest_file_is_a_name_an_epsilon_and_a_question() -> None:
    text = 'name = "a"\nepsilon = 1\n[[question]]\nname = "a"\ntext = "Yes?"\n'
    assert Poll.from_toml(text) == Poll("a", "Yes?", epsilon=1)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('name = "trips"', ""),
        ('name = "trips"', 'name = "trips"\ncolour = "red"'),
        ('design = "crosswise"', 'design = "guess"'),
        ("probability", "chance"),
        ('probability = "1/4"', "probability = [1]"),
        ('design = "crosswise"\n', ""),
        ('way = "own"', 'way = "trust"'),
        ("epsilon = 1.0", "epsilon = 1.0\nodds = 3"),
        ("[[arm]]", "[arm]"),
        ("share = 2", "share = 2.5"),
        ("[arm.ways.fare]", "[arm.ways.other]"),
        ('title = "Trips"', "title = ["),
    ],
)
def test_a_file_that_does_not_fit_is_refused_in_our_words(old: str, new: str) -> None:
    with pytest.raises(ShoalError):
        Poll.from_toml(FILE.replace(old, new))


def test_a_poll_cannot_be_changed() -> None:
    poll = Poll("a", "Yes?", epsilon=1)
    with pytest.raises(AttributeError):
        poll.title = "Other"
    assert poll.title == "Yes?"


def test_odds_that_do_not_tell_answers_apart_are_refused() -> None:
    blind = TransitionMatrix([["1/2", "1/2"], ["1/2", "1/2"]], answers=("no", "yes"))
    with pytest.raises(ShoalError, match="estimate nothing"):
        Poll("a", title="T", questions=[FARE], arms=[Arm("x", by_own(Design("x", blind, "Toss.")))])


@pytest.mark.parametrize("design", [crosswise("1/4"), triangular("1/4"), unrelated("2/3")])
def test_a_design_with_a_harmless_question_is_refused_without_one(design: Design) -> None:
    with pytest.raises(PollError, match="needs a harmless question"):
        by_own(design, instructions=" ")
    asked = by_own(design, harmless="Were you born in spring?").instructions
    assert asked == f"The harmless question: Were you born in spring?\n{design.instructions}"
    file = FILE.replace("instructions =", "harmless =")
    assert (
        "harmless question: Was your mother" in Poll.from_toml(file).arms[0].designs[0].instructions
    )


@pytest.mark.parametrize("design", [crosswise("1/4"), triangular("1/4"), unrelated("2/3")])
def test_two_questions_are_not_hidden_by_one_harmless_question(design: Design) -> None:
    ways = [
        by_own(design, harmless=text)
        for text in ("Born in spring?", "born  in SPRING?", "Born in June?")
    ]
    with pytest.raises(PollError, match="learns whether the true answers are the same"):
        Poll("a", title="T", questions=TWO, arms=[Arm("x", ways[0])])
    with pytest.raises(PollError, match="learns whether"):
        Poll("a", title="T", questions=TWO, arms=[Arm("x", {"one": ways[0], "two": ways[1]})])
    good = Poll("a", title="T", questions=TWO, arms=[Arm("x", {"one": ways[0], "two": ways[2]})])
    same = good.to_json().replace("Born in June?", "Born in spring?")
    with pytest.raises(PollError, match="learns whether"):
        Poll.from_json(same)


def test_people_are_told_to_roll_again_for_each_question_they_hide_by_hand() -> None:
    poll = Poll("a", title="T", questions=TWO, arms=[Arm("x", by_own(coins()))])
    told = [each.instructions.splitlines()[-1] for each in poll.arms[0].designs]
    assert told == [f"Do this anew for this question, number {n} of 2." for n in (1, 2)]
    assert Poll.from_toml(poll.to_toml()) == poll
    one = Poll("a", title="T", questions=TWO[:1], arms=[Arm("x", by_own(coins()))])
    assert one.arms[0].designs[0].instructions == coins().instructions


@pytest.mark.parametrize("text", ["yes\ud800", "yes\u200b", "y\u00ades", "yes\ue000", "yes\u0378", "\u200dyes", "a\u200d b", "a\u202eb", "a\u2028b", "a\tb"])  # fmt: skip
def test_text_with_what_cannot_be_seen_is_refused(text: str) -> None:
    with pytest.raises(PollError, match="that can be seen"):
        Poll("a", text, epsilon=1)
    with pytest.raises(PollError, match="that can be seen"):
        PollQuestion("a", "Q?", answers=("no", text))


def test_text_with_lines_and_joined_letters_is_kept() -> None:
    text = "Two\nlines, \N{MAN}\u200d\N{WOMAN} and \u0645\u06cc\u200c\u062e"
    assert Poll.from_json(Poll("a", text, epsilon=1).to_json()).title == text


@pytest.mark.parametrize(
    "pair", [("e\u0301", "\u00e9"), ("ok", "\uff4f\uff4b"), ("a b", "a  b"), ("ab", "a\u200db")]
)
def test_two_answers_that_look_alike_are_refused(pair: tuple[str, str]) -> None:
    with pytest.raises(PollError, match="different answers"):
        PollQuestion("a", "Q?", answers=pair)


@pytest.mark.parametrize("given", [{"epsilon": "1e4"}, {"epsilon": 28}, {"odds": 10**12 + 1}, {"odds": Fraction(10**5000 + 1, 10**5000)}])  # fmt: skip
def test_odds_too_large_or_too_long_to_be_told_are_refused(given: dict[str, Any]) -> None:
    with pytest.raises(PollError, match="10\\^12"):
        by_device(**given)
