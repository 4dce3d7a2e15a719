"""A poll in writing; polls.md says what each field means."""

from __future__ import annotations

import json
from collections.abc import Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from shoal.errors import InputError, PollError, ReportError
from shoal.exact import short_up
from shoal.local import Subsets, TransitionMatrix
from shoal.local.client_randomness import bits_below
from shoal.polls.poll_question import PollQuestion
from shoal.polls.protocol import BEFORE, DEVICE, DIRECT, OWN, AskedQuestion, Law

if TYPE_CHECKING:
    from shoal.polls.poll import Poll, PollArm

FORM = "shoal.poll"
VERSION = 2
FIRST_VERSION = 1
"""Its definitions do not say when a respondent sees what is sent: it was always before."""
INFINITE = "infinite"
LONGEST = 1 << 20


def written(poll: Poll) -> dict[str, Any]:
    """A poll as plain values, in the version it was published with: its text and mark stay."""
    first = poll.version == FIRST_VERSION
    return {
        "form": FORM,
        "version": poll.version,
        "name": poll.name,
        "title": poll.title,
        "intro": poll.intro,
        "language": poll.language,
        "once": poll.once,
        **({} if first else {"show_sent": poll.show_sent}),
        "people": poll.people,
        "epsilon": epsilon_text(poll.epsilon),
        "length": sum(poll.widths),
        "draw": {"total": str(poll.shares), "bits": bits_below(poll.shares)},
        "width": poll.widths[0],
        "questions": [question.to_dict() for question in poll.questions],
        "arms": [_arm(arm, poll.widths[1:]) for arm in poll.arms],
    }


def _arm(arm: PollArm, widths: tuple[int, ...]) -> dict[str, Any]:
    return {
        "name": arm.name,
        "share": arm.share,
        "epsilon": epsilon_text(arm.epsilon),
        "hidden_epsilon": epsilon_text(arm.hidden_epsilon),
        "direct": list(arm.direct),
        "designs": [
            _design(design, width) for design, width in zip(arm.designs, widths, strict=True)
        ],
    }


def _design(design: AskedQuestion, width: int) -> dict[str, Any]:
    law = design.law
    kind = "subset" if isinstance(law, Subsets) else "matrix"
    reports = {} if isinstance(law, Subsets) else {"reports": list(law.reports)}
    found = law.epsilon
    return {
        "question": design.question,
        "way": design.way,
        "title": design.title,
        "instructions": design.instructions,
        "words": design.words,
        "note": law.note if design.way != DIRECT else "",
        "epsilon": epsilon_text(found),
        "ratio": INFINITE if law.ratio is None else str(law.ratio),
        "width": width,
        **reports,
        kind: law.to_dict(),
    }


def epsilon_text(epsilon: Fraction | float) -> str:
    """An epsilon in six digits, rounded up, or "infinite"."""
    return short_up(epsilon) if isinstance(epsilon, Fraction) else INFINITE


def loaded(text: str) -> Any:
    """The values in a text, with every name once."""
    try:
        if len(text) > LONGEST:
            raise unreadable()
        return json.loads(text, object_pairs_hook=_once)
    except (TypeError, ValueError, RecursionError):
        raise unreadable() from None


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len({name for name, _ in pairs}) != len(pairs):
        raise ValueError(pairs)
    return dict(pairs)


def read(text: str) -> dict[str, Any]:
    """The parts of a poll in a text; whether the rest agrees is for the caller to check."""
    said = loaded(text)
    try:
        version = said["version"]
        if type(version) is not int or version not in (FIRST_VERSION, VERSION):
            raise unreadable()
        return {
            "version": version,
            "show_sent": BEFORE if version == FIRST_VERSION else said["show_sent"],
            **{part: said[part] for part in ("name", "title", "intro", "language", "once")},
            "people": said["people"],
            "questions": tuple(PollQuestion.from_dict(each) for each in said["questions"]),
            "arms": [
                (arm["name"], arm["share"], tuple(_read_design(each) for each in arm["designs"]))
                for arm in said["arms"]
            ],
        }
    except (KeyError, TypeError, AttributeError, ValueError, RecursionError) as error:
        if isinstance(error, InputError):
            raise
        raise unreadable() from None


def _read_design(said: Mapping[str, Any]) -> AskedQuestion:
    law: Law
    if "subset" in said:
        law = Subsets.from_json(json.dumps(said["subset"]))
    else:
        law = TransitionMatrix.from_json(json.dumps(said["matrix"]))
    if said["way"] not in (DEVICE, OWN, DIRECT):
        raise unreadable()
    texts = {part: said[part] for part in ("question", "way", "title", "instructions", "words")}
    if not all(isinstance(each, str) for each in texts.values()):
        raise unreadable()
    return AskedQuestion(**texts, law=law)


def unreadable() -> PollError:
    """The text is no poll, or contradicts itself."""
    return PollError(
        f"the text is not the definition of a poll of version {FIRST_VERSION} or {VERSION}, or its parts disagree.",
        remedy="Give what to_json wrote, unchanged.",
    )


def no_report(name: str, length: int) -> ReportError:
    """The text is no report of this poll."""
    return ReportError(
        f"the text is not a report of the poll {name!r}, which has {length} decimal digits.",
        remedy="Make reports with a client of this definition.",
    )
