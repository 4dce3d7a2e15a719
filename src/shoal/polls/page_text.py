"""The respondent's page as plain text, to be read before a poll is published."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from shoal.polls.protocol import BEFORE, DEVICE, DIRECT, OWN, AskedQuestion
from shoal.polls.sayable_odds import epsilon_in_few_digits, in_few_words

if TYPE_CHECKING:
    from shoal.polls.poll import Poll, PollArm

_LISTED = 12


def page_text(poll: Poll) -> str:
    """What respondents read, group by group."""
    return "\n".join(_lines(poll)) + "\n"


def _lines(poll: Poll) -> Iterator[str]:
    yield poll.title
    if poll.intro:
        yield poll.intro
    for arm in poll.arms:
        yield ""
        if len(poll.arms) > 1:
            yield f"Group “{arm.name}”, {arm.share} of {poll.shares} respondents"
        yield from _arm_lines(poll, arm)
    yield ""
    yield _when(poll)


def _arm_lines(poll: Poll, arm: PollArm) -> Iterator[str]:
    for number, design in enumerate(arm.designs, 1):
        question = poll.question(design.question)
        if len(arm.designs) > 1:
            yield f"{number}. {question.text}"
        elif question.text != poll.title:
            yield question.text
        yield from (f"   {line}" for line in _told(design))
        yield f"   Choose: {_choices(design)}"
    if len(arm.direct) < len(arm.designs):
        yield f"   What a report costs: {epsilon_in_few_digits(arm)}."


def _told(design: AskedQuestion) -> Iterator[str]:
    if design.way == DIRECT:
        yield "Sent as it is: this answer is not randomised."
        return
    said = in_few_words(design)
    yield f"{said[:1].upper()}{said[1:]}."
    if design.way == OWN:
        yield from design.instructions.splitlines()
    if design.law.note:
        yield f"Careful: {design.law.note}"


def _choices(design: AskedQuestion) -> str:
    choices = design.choices
    if len(choices) <= _LISTED:
        return " / ".join(choices)
    return f"{choices[0]} to {choices[-1]}"


def _when(poll: Poll) -> str:
    if not any(design.way == DEVICE for arm in poll.arms for design in arm.designs):
        return "[Send]"
    if poll.show_sent == BEFORE:
        return "What will be sent is shown before “Send”. People can choose their answer by it."
    return "[Send] What was sent is shown after “Send”."
