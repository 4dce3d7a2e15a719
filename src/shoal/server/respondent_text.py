"""What the respondent's page says: every state in words, and a definition made ready for its
template.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from shoal.polls import AskedQuestion, Poll, PollArm
from shoal.polls.sayable_odds import epsilon_in_few_digits, in_few_words, poll_in_few_words


@dataclass(frozen=True)
class State:
    """A page or a part of one that says where things stand."""

    name: str
    title: str
    lines: tuple[str, ...]
    link: tuple[str, str] | None = None


THANKS = State(
    "thanks",
    "Thank you",
    (
        "Your report was counted. What this page drew by chance is deleted from this device.",
        "Together with all others it tells how common each answer is. Where your answer was randomised, what was sent may differ from your true answer: that is what protects you.",
    ),
)
ALREADY = State(
    "already",
    "You have answered already",
    (
        "One report was counted for you, and it stays as it is. A second one would say more about you than was promised.",
    ),
)
CLOSED = State(
    "closed",
    "This poll is closed",
    ("It takes no more answers. Thank you for looking in.",),
)
LATE = State(
    "late",
    "This poll is closed",
    (
        "It was closed before your report came. The report reached the server and was not counted; the server keeps nothing of it.",
        "This browser keeps the report, if it keeps anything: should the poll open again, this page sends the same one, and never a second.",
    ),
)
UNKNOWN = State(
    "unknown",
    "This link does not work",
    (
        "The poll knows no such invitation. Your report reached the server and was not counted; the server keeps nothing of it.",
        "This browser keeps the report, if it keeps anything, so that this link never sends a second one. Check that the link is exactly as you received it, or ask whoever sent it.",
    ),
)
CHANGED = State(
    "changed",
    "This page is not as it was written",
    (
        "The definition in it does not fit the mark that stands beside it, so the odds may not be those of the poll. Nothing was sent.",
        "Load the page again; if it stays so, tell whoever runs the poll.",
    ),
)
LINK = State(
    "link",
    "This link does not work",
    (
        "This poll is answered by invitation. The link is not complete, or it belongs to no invitation. Nothing was counted.",
        "Open the link exactly as you received it, or ask whoever sent it for another one.",
    ),
)
NO_POLL = State(
    "none",
    "There is no poll here",
    ("The address names no poll. Check that the link is complete, or ask whoever sent it.",),
)
NO_KEY = State(
    "key",
    "This part is for the researcher",
    (
        "Open the link that shoal serve printed when it was started; it holds the key.",
        "If you have just opened it, go on:",
    ),
    ("/", "Continue"),
)
LOST = State(
    "lost",
    "There is nothing here",
    ("Check the address.",),
    ("/", "All polls"),
)
NO_DRAFT = State(
    "draft",
    "This draft is not kept any more",
    (
        "Drafts live only while they are being written. Change something in the design, and look again.",
    ),
    ("/polls/new", "Design a poll"),
)
STATES = (THANKS, ALREADY, LATE, LINK, UNKNOWN, CHANGED)


def ready(poll: Poll) -> dict[str, Any]:
    """A definition with what its template shows: for each arm its questions, each with its
    design.
    """
    definition = poll.to_dict()
    pairs = zip(definition["arms"], poll.arms, strict=True)
    return {**definition, "arms": [_arm(poll, said, arm) for said, arm in pairs]}


def _arm(poll: Poll, said: Mapping[str, Any], arm: PollArm) -> dict[str, Any]:
    questions = poll.to_dict()["questions"]
    parts = [
        {"question": question, "design": design, **_part(question, design, asked)}
        for question, design, asked in zip(questions, said["designs"], arm.designs, strict=True)
    ]
    return {**said, "parts": parts, "stated": _stated(arm)}


def _part(
    question: Mapping[str, Any], design: Mapping[str, Any], asked: AskedQuestion
) -> dict[str, Any]:
    own = design["way"] == "own"
    return {
        "shape": "range" if question["kind"] == "range" and not own else "choice",
        "choices": design["reports"] if own else question["answers"],
        "few": sentence(in_few_words(asked)),
        "words": sentence(design["words"]),
        "even": "same" in design.get("matrix", {}) and len(question["answers"]) == 2,
        "steps": [line for line in design["instructions"].splitlines() if line.strip()],
    }


def sentence(words: str) -> str:
    """Words as a sentence: a capital first, and a full stop."""
    return words[:1].upper() + words[1:].rstrip(".") + "."


def _stated(arm: PollArm) -> str:
    """What an arm promises, for whoever wants to know exactly."""
    if len(arm.direct) == len(arm.designs):
        return f"In the group “{arm.name}” answers are sent as they are."
    if arm.hidden_ratio is None:
        words = "some reports exclude an answer for sure, so no epsilon is promised"
    else:
        words = f"a report costs {epsilon_in_few_digits(arm)}, all randomised questions together"
    plain = f"; asked directly: {', '.join(arm.direct)}" if arm.direct else ""
    return f"In the group “{arm.name}” {words}{plain}."


def suspicion(ratio: Fraction) -> Fraction:
    """To what a suspicion of one half can rise at most after one report, as a chance rounded up to
    a thousandth.

    >>> suspicion(Fraction(3))
    Fraction(3, 4)
    """
    return Fraction(math.ceil(1000 * ratio / (1 + ratio)), 1000)


def suspicion_in_words(ratio: Fraction) -> str:
    """The same for people.

    >>> suspicion_in_words(Fraction(19, 7))
    'a suspicion of 50 % rises to at most 73.1 %'
    """
    return f"a suspicion of 50 % rises to at most {float(100 * suspicion(ratio)):.4g} %"


def promise(poll: Poll) -> str:
    """What a poll promises, in a few words: the odds first, then epsilon."""
    hidden = [arm for arm in poll.arms if len(arm.direct) < len(arm.designs)]
    if not hidden or any(arm.hidden_ratio is None for arm in hidden):
        return poll_in_few_words(poll)
    dearest = max(hidden, key=lambda arm: arm.hidden_ratio or 0)
    return f"{poll_in_few_words(poll)} · {epsilon_in_few_digits(dearest).partition(' (')[0]}"
