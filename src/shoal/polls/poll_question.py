"""A question of a poll: a choice among answers, or a number on a scale."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from shoal.errors import PollError
from shoal.exact import Number, rational

MOST_ANSWERS = 1001
LONGEST_TEXT, LONGEST_ANSWER, LONGEST_NAME = 2000, 200, 40
NAME = re.compile(r"[a-z0-9]([a-z0-9_-]{0,38}[a-z0-9])?")
_UNSEEN = frozenset(("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"))
"""The categories of characters that cannot be seen, or mean nothing: controls, formats, surrogates,
private and unassigned ones.
"""
_JOINERS = "\u200c\u200d"


@dataclass(frozen=True)
class Scale:
    """Equally spaced numbers from ``low`` to ``high``, with a unit."""

    low: Fraction
    high: Fraction
    step: Fraction
    unit: str = ""

    def __post_init__(self) -> None:
        steps = (self.high - self.low) / self.step if self.step > 0 else Fraction(0)
        if steps < 1 or steps.denominator != 1 or steps >= MOST_ANSWERS:
            raise PollError(
                f"a range has 1 to {MOST_ANSWERS - 1} whole steps from low to high.",
                remedy="Give a low below the high and a step that divides their difference, such as 0, 40, 1.",
            )
        for number in (self.low, self.step):
            decimal_text(number)

    @property
    def numbers(self) -> tuple[Fraction, ...]:
        """All numbers of the scale."""
        count = int((self.high - self.low) / self.step) + 1
        return tuple(self.low + place * self.step for place in range(count))

    def to_dict(self) -> dict[str, str]:
        """The scale in writing; numbers are decimal texts."""
        low, high, step = (decimal_text(each) for each in (self.low, self.high, self.step))
        return {"low": low, "high": high, "step": step, "unit": self.unit}


@dataclass(frozen=True, init=False)
class PollQuestion:
    """One question: ``answers`` to choose from, "no" and "yes" if left out, or a ``range`` (low,
    high, step) of numbers.

    With ``bins``, where each interval but the first begins, a range becomes a choice among
    intervals: it then tells the distribution and not only the mean.

    >>> PollQuestion("fare", "Have you ever travelled without a ticket?").answers
    ('no', 'yes')
    >>> PollQuestion("hours", "How many hours?", range=(0, 40, 1), unit="hours", bins=(1, 11, 21)).answers
    ('0 hours', '1 to 10 hours', '11 to 20 hours', '21 to 40 hours')
    """

    name: str
    text: str
    answers: tuple[str, ...]
    scale: Scale | None

    def __init__(
        self,
        name: str,
        text: str,
        *,
        answers: Iterable[str] | None = None,
        range: Sequence[Number] | None = None,  # noqa: A002 - the word for it
        unit: str = "",
        bins: Sequence[Number] | None = None,
    ) -> None:
        keep = object.__setattr__
        if answers is not None and range is not None:
            raise PollError(
                f"the question {str(name)[:40]!r} has answers and a range.",
                remedy="Give one of them.",
            )
        if range is None and (bins is not None or unit):
            raise PollError(
                "a unit and bins belong to a range.", remedy="Give a range, or leave them out."
            )
        scale = None if range is None else _scale(range, unit)
        keep(self, "name", read_name(name, "a question"))
        keep(self, "text", read_text(text, "the text of a question", LONGEST_TEXT))
        keep(self, "scale", None if bins is not None else scale)
        if scale is None:
            keep(self, "answers", read_answers(("no", "yes") if answers is None else answers))
        elif bins is None:
            keep(self, "answers", tuple(decimal_text(number) for number in scale.numbers))
        else:
            keep(self, "answers", _binned(scale, bins))

    @property
    def kind(self) -> str:
        """Either "choice" or "range"."""
        return "choice" if self.scale is None else "range"

    def place(self, answer: object) -> int:
        """The place of an answer; numbers of a range may be given as numbers.

        Edges: an answer that is none is refused without being quoted.
        """
        text = answer if isinstance(answer, str) else None
        if self.scale is not None and not isinstance(answer, bool):
            try:
                text = decimal_text(rational(answer, "answer"))  # type: ignore[arg-type]
            except ValueError:
                text = None
        if text not in self.answers:
            raise PollError(
                f"the answer to {self.name!r} is not one of its answers.",
                remedy=f"Give one of: {_some(self.answers)}.",
            )
        return self.answers.index(text)

    def to_dict(self) -> dict[str, Any]:
        """The question in writing."""
        said = {"name": self.name, "text": self.text, "kind": self.kind}
        scale = {} if self.scale is None else {"range": self.scale.to_dict()}
        return {**said, "answers": list(self.answers), **scale}

    @classmethod
    def from_dict(cls, said: dict[str, Any]) -> PollQuestion:
        """Read a question back."""
        if "range" in said:
            scale = said["range"]
            ends = [scale[part] for part in ("low", "high", "step")]
            return cls(said["name"], said["text"], range=ends, unit=scale["unit"])
        return cls(said["name"], said["text"], answers=said["answers"])


def decimal_text(number: Fraction) -> str:
    """A number with finitely many decimals, exactly.

    >>> decimal_text(Fraction(-5, 4)), decimal_text(Fraction(40))
    ('-1.25', '40')
    """
    places = next((n for n in range(10) if (number * 10**n).denominator == 1), None)
    if places is None or abs(number) >= 10**15:
        raise PollError(
            "the numbers of a range have at most 9 decimals and 15 digits before the point.",
            remedy="Give numbers such as 0.25.",
        )
    whole, rest = divmod(abs(int(number * 10**places)), 10**places)
    sign = "-" if number < 0 else ""
    return f"{sign}{whole}.{rest:0{places}d}" if places else f"{sign}{whole}"


def read_name(name: object, what: str) -> str:
    """A name that can stand in an address and in a table."""
    if not isinstance(name, str) or not NAME.fullmatch(name):
        raise PollError(
            f"{what} is named with 1 to {LONGEST_NAME} small letters, digits, - and _.",
            remedy="Give a name such as 'commute-2026'.",
        )
    return name


def has_unseen(text: str) -> bool:
    r"""Whether a text holds what cannot be seen; line feeds, and joiners between two visible
    characters, are let through.

    >>> has_unseen("yes\u200b"), has_unseen("two\nlines"), has_unseen("\ud800")
    (True, False, True)
    """
    unseen = [unicodedata.category(each) in _UNSEEN and each != "\n" for each in text]
    for place, each in enumerate(text):
        inside = 0 < place < len(text) - 1 and not (unseen[place - 1] or unseen[place + 1])
        if unseen[place] and not (
            each in _JOINERS
            and inside
            and not text[place - 1].isspace()
            and not text[place + 1].isspace()
        ):
            return True
    return False


def read_text(text: object, what: str, longest: int, *, empty: bool = False) -> str:
    """A text that people can read: nothing unseen in it, and not too long."""
    found = text.strip() if isinstance(text, str) else None
    if found is None or (not found and not empty) or len(found) > longest or has_unseen(found):
        raise PollError(
            f"{what} must be text of {'at most' if empty else '1 to'} {longest} characters that can be seen.",
            remedy="Shorten it, or leave out control characters.",
        )
    return found


def read_answers(answers: Iterable[str]) -> tuple[str, ...]:
    """The answers of a choice: two or more, all different."""
    if isinstance(answers, str):
        answers = (answers,)
    found = tuple(read_text(each, "an answer", LONGEST_ANSWER) for each in answers)
    if not 2 <= len(found) <= MOST_ANSWERS or len({_alike(each) for each in found}) != len(found):
        raise PollError(
            f"a choice has 2 to {MOST_ANSWERS} different answers.",
            remedy="Give each answer once; use a range for numbers.",
        )
    return found


def _alike(answer: str) -> str:
    """What two answers share that people cannot tell apart."""
    plain = unicodedata.normalize("NFKC", answer).replace("\u200c", "").replace("\u200d", "")
    return " ".join(plain.split())


def _scale(ends: Sequence[Number], unit: str) -> Scale:
    if isinstance(ends, str) or len(ends) not in (2, 3):
        raise PollError("a range is given by low, high and step.", remedy="Give (0, 40, 1).")
    low, high, *step = (rational(end, "an end of the range") for end in ends)
    known = read_text(unit, "a unit", LONGEST_NAME, empty=True)
    return Scale(low, high, step[0] if step else Fraction(1), known)


def _binned(scale: Scale, bins: Sequence[Number]) -> tuple[str, ...]:
    starts = [scale.low, *(rational(start, "the start of a bin") for start in bins)]
    if starts != sorted(set(starts)) or not set(starts) <= set(scale.numbers) or len(starts) < 2:
        raise PollError(
            "bins are given by where each but the first begins: numbers of the range, from low to high.",
            remedy="Give bins=(10, 20, 30) for a range from 0 to 40.",
        )
    ends = [start - scale.step for start in starts[1:]] + [scale.high]
    unit = f" {scale.unit}" if scale.unit else ""
    return tuple(
        (f"{decimal_text(a)}" if a == b else f"{decimal_text(a)} to {decimal_text(b)}") + unit
        for a, b in zip(starts, ends, strict=True)
    )


def _some(names: Sequence[str]) -> str:
    more = f" and {len(names) - 10} more" if len(names) > 10 else ""
    return ", ".join(names[:10]) + more
