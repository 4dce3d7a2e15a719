"""What a draft would mean: how many people it needs, what respondents are told, and what it
promises.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from shoal.exact import shown_up
from shoal.polls import Poll, PollArm, PollQuestion
from shoal.polls.protocol import DIRECT
from shoal.polls.sample_size import Need, needs
from shoal.polls.sayable_odds import epsilon_in_few_digits, in_few_words
from shoal.server.respondent_text import sentence, suspicion_in_words


def preview(poll: Poll, *, guess: Fraction, margin: Fraction) -> dict[str, Any]:
    """People for each question that someone hides, and each way of asking in words."""
    hidden = [
        question
        for place, question in enumerate(poll.questions)
        if any(arm.designs[place].way != DIRECT for arm in poll.arms)
    ]
    return {
        "plan": [_planned(poll, each, guess, margin) for each in hidden or poll.questions],
        "arms": [_told(poll, arm) for arm in poll.arms],
    }


def _planned(
    poll: Poll, question: PollQuestion, guess: Fraction, margin: Fraction
) -> dict[str, Any]:
    scale = question.scale
    reach = margin if scale is None else margin * (scale.high - scale.low)
    every = needs(poll, margin=reach, guess=guess)
    found = [each for each in every if each.question == question.name]
    return {"text": question.text, "people": found[0].in_all, "words": _in_words(found, question)}


def _in_words(found: Sequence[Need], question: PollQuestion) -> str:
    first, *others = found
    scale = question.scale
    words = "" if scale is None else f"Within {shown_up(first.margin)} {scale.unit}".rstrip() + ". "
    if not others:
        return words.strip()
    rest = " and ".join(f"“{each.arm}” {each.in_all:,}" for each in others)
    return (
        f"{words}{first.people:,} of them by “{first.arm}”, which then comes within the margin by itself. "
        f"For this {rest} would be needed."
    )


def _told(poll: Poll, arm: PollArm) -> dict[str, Any]:
    asked = zip(poll.questions, arm.designs, strict=True)
    ratio, direct = arm.hidden_ratio, len(arm.direct)
    if direct == len(arm.designs):
        promised = "Answers are sent as they are: nothing is hidden."
    elif ratio is None:
        promised = "No epsilon: " + " ".join(
            each.law.note for each in arm.designs if each.way != DIRECT
        )
    else:
        few = epsilon_in_few_digits(arm)
        promised = f"Whatever is sent, {suspicion_in_words(ratio)}: {few}."
        promised += (
            " This hides little: a report tells a lot about its sender. Choose odds that hide more."
            if arm.hides_little
            else ""
        )
    return {
        "name": arm.name,
        "part": f"{arm.share} of {poll.shares} respondents",
        "questions": [
            {
                "text": question.text,
                "few": sentence(in_few_words(design)),
                "words": sentence(design.words),
            }
            for question, design in asked
        ],
        "promise": promised,
        "warn": direct == len(arm.designs) or arm.hides_little,
    }
