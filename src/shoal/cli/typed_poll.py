"""A poll as it is typed: a question, its answers, and how it is asked."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from shoal.errors import PollError
from shoal.exact import whole_numeral
from shoal.polls import Arm, Poll, PollQuestion
from shoal.polls.poll_file import way_of

_BY_DEVICE = ("subset", "kary")


def poll_of(
    name: str,
    text: str,
    *,
    answers: str | None,
    scale: str | None,
    unit: str,
    bins: str | None,
    epsilon: str | None,
    odds: str | None,
    design: str | None,
    instructions: str,
    arms: Sequence[str],
    more: dict[str, Any],
) -> Poll:
    """The poll that was typed."""
    question = PollQuestion(
        name,
        text,
        answers=None if answers is None else [each.strip() for each in answers.split(",")],
        range=None if scale is None else scale.split(":"),
        unit=unit,
        bins=None if bins is None else bins.split(","),
    )
    if design is not None and arms:
        raise PollError("--design and --arm were given.", remedy="Say the design in the arm.")
    typed = list(arms) or [f"randomised {_single(design, epsilon, odds)}"]
    if arms and (epsilon or odds):
        raise PollError("--epsilon and --arm were given.", remedy="Say epsilon=1 in each arm.")
    if instructions and (arms or (design or "subset").split()[0] in _BY_DEVICE):
        raise PollError(
            "--instructions belong to a --design that is done by hand.",
            remedy="Write arms with instructions in a file, and give --file.",
        )
    made = [_arm(each, question, instructions) for each in typed]
    return Poll(name, questions=[question], arms=made, **more)


def _single(design: str | None, epsilon: str | None, odds: str | None) -> str:
    kind = (design or "subset").split()[0]
    if kind in _BY_DEVICE and not epsilon and not odds:
        raise PollError(
            "exactly one of --epsilon, --odds, --design and --arm must be given.",
            remedy="Write --epsilon 1, or --odds 3:1.",
        )
    prices = [f"{name}={value}" for name, value in (("epsilon", epsilon), ("odds", odds)) if value]
    if kind in _BY_DEVICE:
        return " ".join(["device", *(["size=1"] if kind == "kary" else []), *prices])
    if prices:
        raise PollError(
            f"the design {kind[:40]!r} has odds of its own.",
            remedy="Leave --epsilon and --odds out, or say them as parameters, as in --design 'warner truth=3/4'.",
        )
    return f"own {design}"


def _arm(text: str, question: PollQuestion, instructions: str) -> Arm:
    """An arm as it is typed: NAME WAY [DESIGN] [key=value ...]."""
    try:
        words = shlex.split(text)
    except ValueError:  # a quotation mark without its other half
        words = []
    plain = [word for word in words if "=" not in word]
    if not 2 <= len(plain) <= 3 or words[: len(plain)] != plain:
        raise PollError(
            f"the arm {text[:60]!r} cannot be read.",
            remedy="Write 'dice own crosswise probability=1/4 harmless=\"Were you born in spring?\"', 'phone device epsilon=1 share=3' or 'open direct'.",
        )
    fields: dict[str, Any] = dict(word.split("=", 1) for word in words[len(plain) :])
    share = fields.pop("share", "1")
    if "odds" in fields:
        fields["odds"] = odds_of(fields["odds"])
    if "size" in fields:
        fields["size"] = _whole(fields["size"], "size")
    said = {"way": plain[1], **({"design": plain[2]} if len(plain) == 3 else {}), **fields}
    if instructions:
        said["instructions"] = instructions
    return Arm(plain[0], {question.name: way_of(said, question)}, _whole(share, "share"))


def odds_of(text: str) -> str:
    """Odds as they are typed: 3, 5/2, or 3:1.

    >>> odds_of("3:1"), odds_of("5/2")
    ('3/1', '5/2')
    """
    return text.replace(":", "/", 1)


def _whole(text: str, name: str) -> int:
    number = whole_numeral(text, digits=6)
    if number is None or number < 0:
        raise PollError(f"{name} is a whole number.", remedy=f"Write {name}=3.")
    return number


def poll_in(path: Path) -> Poll:
    """The poll in a file: TOML, or a definition in JSON."""
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise PollError(
            f"{path.name!r} is not text in UTF-8.", remedy="Save it as UTF-8."
        ) from None
    return Poll.from_json(text) if text.lstrip()[:1] == "{" else Poll.from_toml(text)
