"""What the respondent's page says: every state in words, and a definition made ready for its
template.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from shoal.polls import Poll
from shoal.polls.written_poll import epsilon_text


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
        "Together with all others it tells how common each answer is. Where your answer was randomised, what was sent need not be what you meant.",
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
STATES = (THANKS, ALREADY, LATE, LINK, UNKNOWN, CHANGED)


def ready(definition: Mapping[str, Any]) -> dict[str, Any]:
    """A definition with what its template shows: for each arm its questions, each with its
    design.
    """
    questions = definition["questions"]
    arms = [_arm(arm, questions) for arm in definition["arms"]]
    return {**definition, "arms": arms}


def _arm(arm: Mapping[str, Any], questions: list[Mapping[str, Any]]) -> dict[str, Any]:
    parts = [
        {"question": question, "design": design, **_part(question, design)}
        for question, design in zip(questions, arm["designs"], strict=True)
    ]
    return {**arm, "parts": parts, "stated": _stated(arm)}


def _part(question: Mapping[str, Any], design: Mapping[str, Any]) -> dict[str, Any]:
    own = design["way"] == "own"
    return {
        "shape": "range" if question["kind"] == "range" and not own else "choice",
        "choices": design["reports"] if own else question["answers"],
        "words": sentence(design["words"]),
        "even": "same" in design.get("matrix", {}) and len(question["answers"]) == 2,
        "steps": [line for line in design["instructions"].splitlines() if line.strip()],
    }


def sentence(words: str) -> str:
    """Words as a sentence: a capital first, and a full stop."""
    return words[:1].upper() + words[1:].rstrip(".") + "."


def _stated(arm: Mapping[str, Any]) -> str:
    """What an arm promises, for whoever wants to know exactly."""
    hidden, direct = arm["hidden_epsilon"], arm["direct"]
    if len(direct) == len(arm["designs"]):
        return f"In the group “{arm['name']}” answers are sent as they are."
    if hidden == "infinite":
        words = "some reports exclude an answer for sure, so no epsilon is promised"
    else:
        words = f"a report costs epsilon {hidden} at most, all randomised questions together"
    plain = f"; asked directly: {', '.join(direct)}" if direct else ""
    return f"In the group “{arm['name']}” {words}{plain}."


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
    """What a poll promises, in a few words."""
    hidden = [arm for arm in poll.arms if len(arm.direct) < len(arm.designs)]
    if not hidden:
        return "asked directly"
    ratios = [arm.hidden_ratio for arm in hidden]
    if None in ratios:
        return "epsilon infinite"
    dearest = max(hidden, key=lambda arm: arm.hidden_ratio or 0)
    return f"epsilon {epsilon_text(dearest.hidden_epsilon)}"
