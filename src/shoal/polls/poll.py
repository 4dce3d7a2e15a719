"""A poll: what is asked, of whom by chance in which way, and all that a client needs to make a
report.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

from shoal.errors import PollError
from shoal.exact import Number, ball, positive, short_up, upper, whole
from shoal.ledger.entry import canonical, digest
from shoal.local.client_randomness import Take, secret_bytes
from shoal.polls import poll_file, written_poll
from shoal.polls.client import Client
from shoal.polls.page_text import page_text
from shoal.polls.poll_question import LONGEST_TEXT, PollQuestion, read_name, read_text
from shoal.polls.protocol import (
    AFTER,
    DIRECT,
    OWN,
    SHOW_SENT,
    AskedQuestion,
    PollProtocol,
    asked,
    by_device,
    check_fits,
)

ONCE = ("browser", "invitation")
_WHO = "Choose 'invitation' where everyone gets a link of their own, else 'browser'."
_WHEN = "Choose 'after', or 'before' if people must see what will be sent before they send it."
MOST_ARMS, MOST_QUESTIONS, MOST_SHARES = 10, 50, 10**6


@dataclass(frozen=True)
class Arm:
    """A group of respondents, chosen by chance, and how each question is asked there.

    ``ways`` is one way for all questions or a mapping from the names of the questions.  ``share``
    is its weight among the arms.

    >>> from shoal.polls import directly
    >>> Arm("direct", directly(), share=1).name
    'direct'
    """

    name: str
    ways: PollProtocol | Mapping[str, PollProtocol]
    share: int = 1

    def for_questions(
        self, questions: Sequence[PollQuestion], *, show_sent: str = AFTER
    ) -> PollArm:
        """The arm with all its questions in words and odds."""
        ways = self.ways
        if isinstance(ways, PollProtocol):
            ways = {question.name: ways for question in questions}
        if set(ways) != {question.name for question in questions}:
            raise PollError(
                f"the arm {self.name!r} must say for each question how it is asked, and for no other.",
                remedy=f"Give ways for: {', '.join(question.name for question in questions)}.",
            )
        own = [question.name for question in questions if ways[question.name].kind == OWN]
        anew = {
            name: f"Do this anew for this question, number {place} of {len(own)}."
            for place, name in enumerate(own, 1)
            if len(own) > 1
        }
        return PollArm(
            read_name(self.name, "an arm"),
            whole(self.share, "share", at_least=1),
            tuple(
                asked(
                    question,
                    ways[question.name],
                    anew=anew.get(question.name, ""),
                    show_sent=show_sent,
                )
                for question in questions
            ),
        )


TELLS_A_LOT = 20
"""Odds of about e^3: a report that is likelier than this under one answer than under another hides
little.
"""


@dataclass(frozen=True)
class PollArm:
    """An arm of a poll as it is published."""

    name: str
    share: int
    designs: tuple[AskedQuestion, ...]

    @cached_property
    def ratio(self) -> Fraction | None:
        """The largest ratio of two chances of one report about all questions together; None without
        a bound.
        """
        return _product(self.designs)

    @property
    def epsilon(self) -> Fraction | float:
        """What a report costs who sends it, rounded up: infinite where a question is asked
        directly.
        """
        return _logarithm(self.ratio)

    @cached_property
    def hidden_ratio(self) -> Fraction | None:
        """The ratio for the questions that are not asked directly."""
        return _product([each for each in self.designs if each.way != DIRECT])

    @property
    def hidden_epsilon(self) -> Fraction | float:
        """Epsilon for the questions that are not asked directly."""
        return _logarithm(self.hidden_ratio)

    @property
    def hides_little(self) -> bool:
        """Whether a report about what is not asked directly tells a lot about its sender."""
        return self.hidden_ratio is None or self.hidden_ratio > TELLS_A_LOT

    @property
    def direct(self) -> tuple[str, ...]:
        """The questions that are asked directly, by name."""
        return tuple(each.question for each in self.designs if each.way == DIRECT)

    def design(self, question: str) -> AskedQuestion:
        """How a question is asked here."""
        return next(each for each in self.designs if each.question == question)


class Poll:
    """A poll that can be published: frozen, in writing as JSON, and known by the digest of that.

    Guarantee: the report of a respondent in an arm is epsilon-DP for that person (relation
        "change") over all questions that are not asked directly, with the arm's ``hidden_epsilon``;
        which arm it is does not depend on any answer.
    Needs: a question in ``text`` with ``answers`` or a ``range``, or a list of ``questions``; an
        ``epsilon`` or ``odds`` for the one arm in which the device randomises, or a list of
        ``arms``.
    Edges: an epsilon is shared equally by several questions.  Definitions never change; a poll with
        another word is another poll.  ``show_sent`` says when a respondent sees what is sent:
        "after" sending, or "before", which lets people choose the answer by what it would send.
    Proof: polls.md.

    >>> poll = Poll("commute", "Have you ever travelled without a ticket?", epsilon=1)
    >>> print(poll.arms[0].designs[0].words)
    your true answer is sent 19 times out of 26
    >>> Poll.from_json(poll.to_json()) == poll
    True
    """

    name: str
    title: str
    intro: str
    language: str
    once: str
    show_sent: str
    people: int | None
    version: int
    questions: tuple[PollQuestion, ...]
    arms: tuple[PollArm, ...]

    def __init__(
        self,
        name: str,
        text: str | None = None,
        *,
        answers: Iterable[str] | None = None,
        range: Sequence[Number] | None = None,  # noqa: A002 - the word for it
        unit: str = "",
        bins: Sequence[Number] | None = None,
        questions: Iterable[PollQuestion] | None = None,
        epsilon: Number | None = None,
        odds: Number | None = None,
        arms: Iterable[Arm] | None = None,
        once: str = "browser",
        show_sent: str = AFTER,
        title: str = "",
        intro: str = "",
        language: str = "en",
        people: int | None = None,
    ) -> None:
        _one_of(show_sent, SHOW_SENT, "show_sent", _WHEN)
        if (text is None) == (questions is None):
            raise PollError(
                "a poll has one question in text, or a list of questions.",
                remedy="Give Poll('commute', 'Have you ever ...?', epsilon=1) or questions=[...].",
            )
        if text is not None:
            one = PollQuestion(name, text, answers=answers, range=range, unit=unit, bins=bins)
            questions = (one,)
        assert questions is not None
        known = tuple(questions)
        self._keep(
            name=name,
            questions=known,
            arms=tuple(
                arm.for_questions(known, show_sent=show_sent)
                for arm in _arms(known, epsilon=epsilon, odds=odds, arms=arms)
            ),
            once=once,
            show_sent=show_sent,
            version=written_poll.VERSION,
            title=title or (known[0].text if known else ""),
            intro=intro,
            language=language,
            people=people,
        )

    def _keep(
        self,
        *,
        name: str,
        questions: tuple[PollQuestion, ...],
        arms: tuple[PollArm, ...],
        once: str,
        show_sent: str,
        version: int,
        title: str,
        intro: str,
        language: str,
        people: int | None,
    ) -> None:
        _one_of(show_sent, SHOW_SENT, "show_sent", _WHEN)
        _check_names([each.name for each in questions], "questions", MOST_QUESTIONS)
        _check_names([each.name for each in arms], "arms", MOST_ARMS)
        for arm in arms:
            if len(arm.designs) != len(questions):
                raise written_poll.unreadable()
            for question, design in zip(questions, arm.designs, strict=True):
                check_fits(question, design, show_sent=show_sent)
            _check_own_chance(arm)
        _one_of(once, ONCE, "once", _WHO)
        self.__dict__.update(
            name=read_name(name, "a poll"),
            questions=questions,
            arms=_lowest_terms(arms),
            once=once,
            show_sent=show_sent,
            version=version,
            title=read_text(title, "the title", LONGEST_TEXT),
            intro=read_text(intro, "the introduction", 5 * LONGEST_TEXT, empty=True),
            language=read_text(language, "the language", 35),
            people=None if people is None else whole(people, "people", at_least=1),
        )
        if len(self.to_json()) > written_poll.LONGEST:
            raise PollError(
                f"the definition would be longer than {written_poll.LONGEST} characters.",
                remedy="Ask fewer questions, with fewer answers or coarser ranges, in fewer arms.",
            )

    def __setattr__(self, name: str, value: object) -> None:
        """A poll is frozen: its mark stands for what it is."""
        raise AttributeError(f"a poll cannot be changed: {name}")

    # what it promises

    @property
    def ratio(self) -> Fraction | None:
        """The largest ratio of two chances of one report; None without a bound."""
        found = [arm.ratio for arm in self.arms]
        return None if None in found else max(each for each in found if each is not None)

    @property
    def epsilon(self) -> Fraction | float:
        """What a report costs who sends it, in the dearest arm, rounded up; infinite where a
        question is asked directly.
        """
        return _logarithm(self.ratio)

    def question(self, name: str) -> PollQuestion:
        """One question by name."""
        for each in self.questions:
            if each.name == name:
                return each
        raise PollError(
            f"there is no question {str(name)[:40]!r}.",
            remedy=f"The questions are: {', '.join(each.name for each in self.questions)}.",
        )

    # the report

    @property
    def shares(self) -> int:
        """The sum of the shares of the arms; which arm it is, is drawn below it."""
        return sum(arm.share for arm in self.arms)

    @cached_property
    def widths(self) -> tuple[int, ...]:
        """How many digits of a report tell the arm, and then each question."""
        every = zip(*(arm.designs for arm in self.arms), strict=True)
        each = (max(design.report_width for design in designs) for designs in every)
        return len(str(len(self.arms) - 1)), *each

    def client(self, take: Take = secret_bytes) -> Client:
        """One respondent: the arm and all chance is drawn at once, and kept.

        >>> client = Poll("commute", "Have you ever ...?", odds=3).client(lambda count: bytes(count))
        >>> client.respond({"commute": "yes"}), client.respond({"commute": "no"})
        ('00', '00')
        """
        return Client(self, take)

    def written(self, arm: int, reports: Sequence[int]) -> str:
        """A report as text: the arm, then each question's report, in fixed widths."""
        parts = zip((arm, *reports), self.widths, strict=True)
        return "".join(f"{part:0{width}d}" for part, width in parts)

    def read(self, report: object) -> tuple[int, tuple[int, ...]]:
        """The arm and the reports in a text that `written` made; anything else is refused."""
        sizes = self.widths
        if (
            isinstance(report, str)
            and len(report) == sum(sizes)
            and report.isascii()
            and report.isdecimal()
        ):
            ends = [sum(sizes[: place + 1]) for place in _places(sizes)]
            arm, *told = (
                int(report[end - size : end]) for end, size in zip(ends, sizes, strict=True)
            )
            if arm < len(self.arms):
                designs = self.arms[arm].designs
                if all(each < design.law.kinds for each, design in zip(told, designs, strict=True)):
                    return arm, tuple(told)
        raise written_poll.no_report(self.name, sum(sizes))

    def preview(self) -> str:
        """The respondent's page as text: what everybody will read once it is published.

        >>> print(Poll("commute", "Have you ever ...?", odds=9).preview())
        Have you ever ...?
        <BLANKLINE>
           9 of 10 answers are true.
           Choose: no / yes
           What a report costs: epsilon 2.2 (exactly ln(9)).
        <BLANKLINE>
        [Send] What was sent is shown after “Send”.
        <BLANKLINE>
        """
        return page_text(self)

    # in writing

    def to_dict(self) -> dict[str, Any]:
        """The definition as plain values; polls.md says what each field means."""
        return written_poll.written(self)

    @cached_property
    def _text(self) -> str:
        return canonical(self.to_dict())

    def to_json(self) -> str:
        """The definition as canonical text: equal polls have equal text."""
        return self._text

    @cached_property
    def mark(self) -> str:
        """The SHA-256 of the definition; a report names it, so that it cannot be counted for
        another poll.
        """
        return digest(self._text)

    @classmethod
    def from_json(cls, text: str) -> Poll:
        """Read a definition back, and check that its parts agree."""
        parts = written_poll.read(text)
        arms = tuple(PollArm(*arm) for arm in parts.pop("arms"))
        made = cls.__new__(cls)
        made._keep(arms=arms, **parts)  # noqa: SLF001 - its own
        if canonical(made.to_dict()) != canonical(written_poll.loaded(text)):
            raise written_poll.unreadable()
        return made

    @classmethod
    def from_toml(cls, text: str) -> Poll:
        """A poll from a file that people write; docs/polls.md has examples."""
        given = poll_file.read(text)
        return cls(arms=[Arm(*arm) for arm in given.pop("arms")] or None, **given)

    def to_toml(self) -> str:
        """The poll as a file that `from_toml` reads; titles and instructions that follow from the
        design are left out.
        """
        return poll_file.written(self)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Poll) and self.to_json() == other.to_json()

    def __hash__(self) -> int:
        return hash(self.to_json())

    def __repr__(self) -> str:
        found = self.epsilon
        price = short_up(found) if isinstance(found, Fraction) else "infinite"
        parts = f"questions: {len(self.questions)}, arms: {len(self.arms)}"
        return f"<Poll {self.name}: {parts}, epsilon {price}>"


def _arms(
    questions: Sequence[PollQuestion],
    *,
    epsilon: Number | None,
    odds: Number | None,
    arms: Iterable[Arm] | None,
) -> list[Arm]:
    if sum(each is not None for each in (epsilon, odds, arms)) != 1:
        raise PollError(
            "exactly one of epsilon, odds and arms must be given.",
            remedy="Give epsilon=1 or odds=3 for one arm in which the device randomises, or arms=[...].",
        )
    if arms is not None:
        return list(arms)
    if epsilon is not None:
        way = by_device(epsilon=positive(epsilon, "epsilon") / max(1, len(questions)))
    else:
        way = by_device(odds=odds)
    return [Arm("randomised", way)]


def _lowest_terms(arms: Sequence[PollArm]) -> tuple[PollArm, ...]:
    """The arms with shares that have no common factor, so that equal odds have equal text."""
    common = math.gcd(*(whole(arm.share, "share", at_least=1) for arm in arms))
    if sum(arm.share for arm in arms) > MOST_SHARES * max(1, common):
        raise PollError(
            f"the shares of the arms add up to more than {MOST_SHARES}.",
            remedy="Give small whole numbers, such as 3 and 1.",
        )
    return tuple(PollArm(arm.name, arm.share // common, arm.designs) for arm in arms)


def _check_own_chance(arm: PollArm) -> None:
    """Refuse two questions that people hide with one and the same chance: together their replies
    would tell more than both alone.
    """
    own = [
        " ".join(each.instructions.casefold().split()) for each in arm.designs if each.way == OWN
    ]
    if len(set(own)) != len(own):
        raise PollError(
            f"the arm {arm.name!r} hides two questions by hand with the same instructions: who compares the two replies learns whether the true answers are the same.",
            remedy="Give each question a harmless question of its own, or instructions that say to roll again.",
        )


def _one_of(value: object, allowed: Sequence[str], name: str, remedy: str) -> None:
    if value not in allowed:
        raise PollError(f"{name} must be one of {', '.join(allowed)}.", remedy=remedy)


def _check_names(names: Sequence[str], what: str, most: int) -> None:
    if not 1 <= len(names) <= most or len(set(names)) != len(names):
        raise PollError(
            f"a poll has 1 to {most} {what} with different names.", remedy="Name each of them once."
        )


def _product(designs: Iterable[AskedQuestion]) -> Fraction | None:
    made = Fraction(1)
    for each in designs:
        if each.ratio is None:
            return None
        made *= each.ratio
    return made


def _logarithm(ratio: Fraction | None) -> Fraction | float:
    if ratio is None:
        return math.inf
    return Fraction(0) if ratio == 1 else upper(lambda: ball(ratio).log())


def _places(sizes: Sequence[int]) -> Iterable[int]:
    return (place for place, _ in enumerate(sizes))
