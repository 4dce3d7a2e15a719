"""The form of the design wizard, read: plain values become a poll, and every check is that of the
floors below.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from shoal import local
from shoal.errors import PollError
from shoal.exact import positive, rational
from shoal.local import Design
from shoal.polls import Arm, Poll, PollProtocol, PollQuestion, by_device, by_own, directly
from shoal.polls.protocol import AFTER
from shoal.server.failures import malformed


@dataclass(frozen=True)
class OwnDesign:
    """A design that people carry out by hand: how it is made, and what the form asks for it."""

    name: str
    title: str
    make: Callable[[str], Design]
    chance: str = ""
    label: str = ""
    harmless: bool = False


ODDS = (
    ("3/2", "3 of 5 answers are true", "hides most, needs most people"),
    ("2", "2 of 3 answers are true", ""),
    ("7/3", "7 of 10 answers are true", ""),
    ("3", "3 of 4 answers are true", "the usual choice"),
    ("4", "4 of 5 answers are true", ""),
    ("5", "5 of 6 answers are true", ""),
    ("9", "9 of 10 answers are true", "a single answer says a lot"),
    ("19", "19 of 20 answers are true", "hides little"),
)
"""Odds that can be said; the words are those for a question with two answers."""
OWN_DESIGNS = (
    OwnDesign(
        "crosswise",
        "crosswise: are both answers the same?",
        local.crosswise,
        "1/4",
        "Chance that its answer is yes",
        harmless=True,
    ),
    OwnDesign("coins", "two coins: the opposite if both show heads", lambda _: local.coins()),
    OwnDesign(
        "forced",
        "a die: a forced yes, a forced no, or the truth",
        local.forced,
        "2/3",
        "Chance of the truth",
    ),
    OwnDesign(
        "triangular",
        "triangular: both no, or not (protects only yes)",
        local.triangular,
        "1/4",
        "Chance that its answer is yes",
        harmless=True,
    ),
)


def poll_of(draft: object) -> Poll:
    """The poll that a form describes; refused in the words of `shoal.polls` where it cannot be."""
    said = _mapping(draft)
    asked = [_mapping(each) for each in _list(said, "questions", most=50)]
    questions = [_question(each) for each in asked]
    plain = {each.name for each, form in zip(questions, asked, strict=True) if form.get("plain")}
    harmless = {
        each.name: _text(form, "harmless") for each, form in zip(questions, asked, strict=True)
    }
    arms = [_arm(_mapping(arm), plain, harmless) for arm in _list(said, "arms", most=10)]
    if not arms:
        raise PollError(
            "no way of asking was chosen.", remedy="Choose at least one of the ways of asking."
        )
    return Poll(
        _text(said, "name"),
        questions=questions,
        arms=arms,
        once=_text(said, "once"),
        show_sent=_text(said, "show_sent") or AFTER,
        title=_text(said, "title"),
        intro=_text(said, "intro"),
    )


def percent_of(said: Mapping[str, Any], field: str) -> Fraction:
    """A share that was typed in percent."""
    return rational(_text(said, field).removesuffix("%").strip(), field) / 100


def _question(said: Mapping[str, Any]) -> PollQuestion:
    name, text = _text(said, "name"), _text(said, "text")
    if "range" in said:
        ends = [_short(end) for end in _list(said, "range", most=3)]
        return PollQuestion(name, text, range=ends, unit=_text(said, "unit"))
    answers = [_short(answer) for answer in _list(said, "answers", most=2000)]
    return PollQuestion(name, text, answers=answers)


def _arm(said: Mapping[str, Any], plain: set[str], harmless: Mapping[str, str]) -> Arm:
    """An arm of the form; ``harmless`` has every question's name, and the harmless question that
    hides it by hand.
    """
    kind, share = _text(said, "way"), said.get("share")
    hidden = [each for each in harmless if each not in plain]
    ways = dict.fromkeys(harmless, directly())
    if kind == "device":
        name = "randomised"
        ways |= dict.fromkeys(hidden, _device(said, len(hidden)))
    elif kind == "own":
        name = "own"
        ways |= {each: _own(said, harmless[each]) for each in hidden}
    elif kind == "direct":
        name = "direct"
    else:
        raise malformed()
    return Arm(name, ways, share=_share(share))


def _device(said: Mapping[str, Any], hidden: int) -> PollProtocol:
    """Odds are those of each question; an epsilon is shared by all of them."""
    if "odds" in said:
        return by_device(odds=_text(said, "odds"))
    return by_device(epsilon=positive(_text(said, "epsilon"), "epsilon") / max(1, hidden))


def _own(said: Mapping[str, Any], harmless: str) -> PollProtocol:
    found = next((each for each in OWN_DESIGNS if each.name == _text(said, "design")), None)
    if found is None:
        raise malformed()
    design = found.make(_text(said, "chance"))
    return by_own(design, harmless=harmless if found.harmless else "")


def _share(share: object) -> int:
    if not isinstance(share, int) or isinstance(share, bool) or not 1 <= share <= 1000:
        raise PollError(
            "a share must be a whole number from 1 to 1000.",
            remedy="Give small numbers, such as 3 and 1.",
        )
    return share


def _mapping(value: object) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise malformed()
    return value


def _list(said: Mapping[str, Any], field: str, *, most: int) -> list[Any]:
    found = said.get(field)
    if not isinstance(found, list) or len(found) > most:
        raise malformed()
    return found


def _text(said: Mapping[str, Any], field: str) -> str:
    return _short(said.get(field, ""))


def _short(value: object) -> str:
    if not isinstance(value, str) or len(value) > 20000:
        raise malformed()
    return value
