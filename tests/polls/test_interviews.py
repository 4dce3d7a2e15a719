"""Replies of interviews in a file: each call once, and nothing counted that does not fit."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.polls.samples import AGE, FARE

import shoal
from shoal.errors import AnsweredError, PollError
from shoal.local import crosswise, forced
from shoal.polls import Arm, Poll, by_device, by_own, directly, read_replies

HARMLESS = "Was your mother born in January, February or March?"
CALLS = Poll("calls", title="Calls", questions=[FARE, AGE], arms=[
    Arm("dice", {"fare": by_own(forced("2/3")), "age": directly()})])  # fmt: skip
TWO = Poll("two", title="Two", questions=[FARE], arms=[
    Arm("dice", by_own(forced("2/3"))), Arm("birth", by_own(crosswise("1/4"), harmless=HARMLESS))])  # fmt: skip


def test_a_reply_is_counted_as_it_was_said() -> None:
    text = "call,fare,age\n1,yes,under 30\n2, no ,60 or more\n"
    assert [CALLS.read(each.report) for each in read_replies(CALLS, text)] == [(0, (1, 0)), (0, (0, 2))]  # fmt: skip


def test_with_several_arms_the_file_says_how_each_was_asked() -> None:
    found = read_replies(TWO, "call,arm,fare\n1,birth,same\n2,dice,no\n")
    assert [TWO.read(each.report) for each in found] == [(1, (1,)), (0, (0,))]


def test_a_file_that_is_entered_twice_is_counted_once(tmp_path: Path) -> None:
    live = shoal.open(tmp_path / "office.shoal").publish(CALLS)
    first = read_replies(CALLS, "call,fare,age\n1,yes,under 30\n2,no,under 30\n")
    for each in first:
        live.add(each.report, once=each.once, mark=CALLS.mark)
    again = read_replies(CALLS, "call,fare,age\n2,yes,under 30\n3,no,under 30\n")
    with pytest.raises(AnsweredError):
        live.add(again[0].report, once=again[0].once, mark=CALLS.mark)
    live.add(again[1].report, once=again[1].once, mark=CALLS.mark)
    assert live.people == 3


def test_the_same_call_of_another_poll_has_another_number() -> None:
    other = Poll("other", title="Calls", questions=[FARE, AGE], arms=[
        Arm("dice", {"fare": by_own(forced("2/3")), "age": directly()})])  # fmt: skip
    text = "call,fare,age\n1,yes,under 30\n"
    assert read_replies(CALLS, text)[0].once != read_replies(other, text)[0].once


@pytest.mark.parametrize(
    ("poll", "text", "part"),
    [
        (CALLS, "", "columns"),
        (CALLS, "call,fare\n1,yes\n", "columns"),
        (CALLS, "call,fare,age,name\n1,yes,under 30,Ann\n", "columns"),
        (CALLS, "call,fare,age\n1,perhaps,under 30\n", "line 2 has another reply to 'fare'"),
        (CALLS, "call,fare,age\n1,yes,under 30\n1,no,under 30\n", "line 3 has no call of its own"),
        (CALLS, "call,fare,age\n,yes,under 30\n", "line 2 has no call"),
        (CALLS, "call,fare,age\n1,yes\n", "line 2 has another reply to 'age'"),
        (TWO, "call,arm,fare\n1,other,yes\n", "names no arm"),
        (TWO, "call,arm,fare\n1,birth,yes\n", "another reply"),
        (Poll("a", "Q?", odds=3), "call,a\n1,yes\n", "randomised by the respondent's device"),
        (Poll("a", title="T", questions=[FARE], once="invitation", arms=[Arm("x", by_own(forced("2/3")))]), "call,fare\n1,yes\n", "by invitation"),
    ],
)  # fmt: skip
def test_a_file_that_does_not_fit_is_refused_without_quoting_a_reply(
    poll: Poll, text: str, part: str
) -> None:
    with pytest.raises(PollError, match="nothing was counted") as refused:
        read_replies(poll, text)
    assert part in str(refused.value)
    assert "perhaps" not in str(refused.value)


def test_a_question_that_a_device_randomises_is_never_asked_by_an_interviewer() -> None:
    mixed = Poll("a", title="T", questions=[FARE, AGE], arms=[
        Arm("x", {"fare": by_own(forced("2/3")), "age": by_device(odds=3)})])  # fmt: skip
    with pytest.raises(PollError, match="nobody may be told its answer"):
        read_replies(mixed, "call,fare,age\n1,yes,under 30\n")
