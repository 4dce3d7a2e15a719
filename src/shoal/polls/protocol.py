"""How a question is asked: by the device, by the respondent's own dice, or directly."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

from shoal.errors import PollError
from shoal.exact import Number, ball, is_below, positive, rational
from shoal.local import (
    Design,
    EvenOdds,
    Odds,
    Subsets,
    TableOdds,
    TransitionMatrix,
    odds_down,
    odds_in_words,
    one_bit,
)
from shoal.local.design import DICE, HARMLESS, times
from shoal.polls.poll_question import LONGEST_TEXT, PollQuestion, read_text

DEVICE, OWN, DIRECT = "device", "own", "direct"
Law = TransitionMatrix | Subsets

MOST_ODDS, MOST_EPSILON = 10**12, 27
"""Beyond them nothing is hidden; e^27 is below 10^12."""

_READABLE = (20, 100, 1000, 10**6)
"""Odds made for an epsilon have the first of these as their largest denominator that costs at most
1 % of it.
"""


@dataclass(frozen=True)
class PollProtocol:
    """What the researcher says about how to ask; `by_device`, `by_own` and `directly` make it."""

    kind: str
    odds: Fraction | None = None
    size: int | None = None
    design: Design | None = None
    title: str = ""
    instructions: str = ""

    def law_for(self, question: PollQuestion) -> Law:
        """The chances of every report under every answer of a question."""
        if self.kind == DIRECT:
            return TransitionMatrix.of_odds(
                EvenOdds(len(question.answers), 1, 0), answers=question.answers
            )
        if self.design is not None:
            return _renamed(self.design, question)
        assert self.odds is not None
        if question.scale is not None:
            return one_bit(question.answers, self.odds)
        sets = Subsets.for_odds(self.odds, answers=question.answers, size=self.size)
        if sets.size > 1:
            return sets
        return TransitionMatrix.of_odds(
            EvenOdds(len(question.answers), sets.inside, sets.outside), answers=question.answers
        )


def by_device(
    *,
    epsilon: Number | None = None,
    odds: Number | None = None,
    size: int | None = None,
    design: Design | None = None,
) -> PollProtocol:
    """The respondent's device randomises, for an epsilon, for exact odds, or as a design says.

    A choice is told by sets of the best ``size`` (sets of one are k-ary randomized response, of two
    answers Warner's design), a range by one bit.  Odds of 3 mean that a report is at most 3 times
    as likely under one answer as under another; they cost ln 3.

    >>> by_device(epsilon=1).odds
    Fraction(19, 7)
    """
    if sum(each is not None for each in (epsilon, odds, design)) != 1:
        raise PollError(
            "exactly one of epsilon, odds and design must be given.",
            remedy="Give by_device(epsilon=1), by_device(odds=3) or by_device(design=shoal.local.forced()).",
        )
    if design is not None and size is not None:
        raise PollError("a design has no size of sets.", remedy="Leave one of them out.")
    if design is not None:
        return PollProtocol(DEVICE, design=design)
    if epsilon is not None:
        return PollProtocol(DEVICE, odds=readable_odds(epsilon), size=size)
    assert odds is not None
    found = rational(odds, "odds")
    if found > MOST_ODDS or found.denominator > MOST_ODDS:
        raise _too_much("odds")
    return PollProtocol(DEVICE, odds=found, size=size)


def _too_much(what: str) -> PollError:
    return PollError(
        f"{what} must be such that the odds are at most 10^12, with a denominator of at most 10^12.",
        remedy="Choose odds such as 3 or 19/7, or an epsilon such as 1; ask directly where nothing is to be hidden.",
    )


def by_own(
    design: Design, *, harmless: str = "", instructions: str = "", title: str = ""
) -> PollProtocol:
    """The respondent randomises by hand, as the design's instructions say or others that fit its
    odds; the device knows nothing.

    Needs: for the crosswise, triangular and unrelated designs the ``harmless`` question, or
        instructions that hold it.
    Edges: a one-sided design, such as the triangular one, costs an infinite epsilon, and the page
        says so.

    >>> from shoal.local import crosswise
    >>> print(by_own(crosswise("1/4"), harmless="Was your mother born in spring?").instructions)
    The harmless question: Was your mother born in spring?
    Answer both questions in your mind; the harmless one has 'yes' 1 time out of 4. Say only whether the two answers are the same.
    """
    if not isinstance(design, Design):
        raise PollError(
            "by_own needs a design.", remedy="Give one such as shoal.local.crosswise('1/4')."
        )
    if not isinstance(harmless, str) or not isinstance(instructions, str):
        raise PollError(
            "the harmless question and the instructions must be text.", remedy="Write them out."
        )
    asked, told = harmless.strip(), instructions.strip()
    if design.source == HARMLESS and not asked and not told:
        raise PollError(
            f"the design {design.name!r} needs a harmless question.",
            remedy="Give harmless=, a question whose answer nobody else knows and whose chance you do, such as a mother's month of birth.",
        )
    if asked and design.source != HARMLESS:
        raise PollError(
            f"the design {design.name!r} has no harmless question.", remedy="Give instructions."
        )
    if asked:
        told = f"The harmless question: {asked}\n{told or design.instructions}"
    return PollProtocol(OWN, design=design, instructions=told, title=title)


def directly() -> PollProtocol:
    """The answer is sent as it is, and the page says so; epsilon is infinite."""
    return PollProtocol(DIRECT)


def readable_odds(epsilon: Number) -> Fraction:
    """Odds at or just below e^epsilon in small numbers: those that people are told.

    >>> readable_odds(1), readable_odds("0.01")
    (Fraction(19, 7), Fraction(101, 100))
    """
    price = positive(epsilon, "epsilon")
    if price > MOST_EPSILON:
        raise _too_much("epsilon")
    for largest in _READABLE:
        found = odds_down(price, largest=largest)
        if found > 1 and _costs_most_of(found, price):
            return found
    if found <= 1:
        raise PollError(
            "an epsilon this small leaves nothing to be learned.",
            remedy="Choose an epsilon of 0.001 or more.",
        )
    return found


def _costs_most_of(odds: Fraction, epsilon: Fraction) -> bool:
    return is_below(lambda: ball(epsilon * Fraction(99, 100)), lambda: ball(odds).log())


def _renamed(design: Design, question: PollQuestion) -> TransitionMatrix:
    """The matrix of a design with the answers of the question; reports named like answers are
    renamed with them.
    """
    matrix = design.matrix
    if question.scale is not None or matrix.odds.answers != len(question.answers):
        raise PollError(
            f"the design {design.name!r} has {matrix.odds.answers} answers; the question {question.name!r} has {len(question.answers)}"
            + (" numbers." if question.scale is not None else "."),
            remedy="Choose a design for as many answers, or let the device randomise.",
        )
    same = matrix.reports == matrix.answers
    return TransitionMatrix.of_odds(
        _simplest(matrix.odds, named_alike=same),
        answers=question.answers,
        reports=question.answers if same else matrix.reports,
    )


def _simplest(odds: Odds, *, named_alike: bool) -> Odds:
    """The same odds in one form, so that equal odds have equal text: in lowest terms, and even
    where they are.
    """
    rows = [odds.row(answer) for answer in range(odds.answers)]
    common = math.gcd(*(weight for row in rows for weight in row))
    same, other = rows[0][0] // common, rows[0][1] // common
    even = EvenOdds(len(rows), same, other)
    if named_alike and all(
        odds.row(answer) == tuple(common * weight for weight in even.row(answer))
        for answer in range(len(rows))
    ):
        return even
    return TableOdds(tuple(tuple(weight // common for weight in row) for row in rows))


BEFORE, AFTER = "before", "after"
SHOW_SENT = (AFTER, BEFORE)
"""When the page shows what is sent.  Before sending, a respondent who dislikes what would be sent
can choose the other answer, which no estimate undoes; so polls show it afterwards unless asked.
"""

_INSTRUCTIONS = {
    (
        DEVICE,
        BEFORE,
    ): "Choose your true answer. Your device then draws by chance what is sent; both are shown to you before anything leaves.",
    (
        DEVICE,
        AFTER,
    ): "Choose your true answer. Your device draws by chance what is sent, and shows it to you as soon as it was sent.",
    (DIRECT, BEFORE): "Your answer is sent as it is. It is not hidden.",
    (DIRECT, AFTER): "Your answer is sent as it is. It is not hidden.",
}
_TITLES = {
    DEVICE: "Your device randomises",
    OWN: "You randomise yourself",
    DIRECT: "Asked directly",
}


@dataclass(frozen=True)
class AskedQuestion:
    """One question as one arm of a poll asks it: all that a client must know.

    ``law`` has the chance of every report under every answer.  Where the way is "own" the client is
    given the report itself.
    """

    question: str
    way: str
    title: str
    instructions: str
    words: str
    law: Law

    @property
    def ratio(self) -> Fraction | None:
        """The largest ratio of two chances of one report; None where there is no bound."""
        return self.law.ratio

    @property
    def choices(self) -> tuple[str, ...]:
        """What the respondent chooses from: the true answers, or for one's own dice the reports."""
        if self.way == OWN:
            assert isinstance(self.law, TransitionMatrix)
            return self.law.reports
        return self.law.answers

    @property
    def report_width(self) -> int:
        """How many digits the largest report has."""
        return len(str(self.law.kinds - 1))


def asked(
    question: PollQuestion, way: PollProtocol, *, anew: str = "", show_sent: str = AFTER
) -> AskedQuestion:
    """A way of asking, applied to a question and put into words; ``anew`` is said where dice are
    rolled for several questions.
    """
    law, kind = way.law_for(question), way.kind
    words = law_in_words(law, kind)
    if kind != OWN:
        told = _INSTRUCTIONS[kind, show_sent]
        return AskedQuestion(question.name, kind, _TITLES[kind], told, words, law)
    assert way.design is not None
    told = way.instructions or way.design.instructions
    if anew and way.design.source == DICE:
        told = f"{told}\n{anew}"
    title = way.title or f"{_TITLES[OWN]}: {way.design.name}"
    return AskedQuestion(question.name, kind, title, told, words, law)


def check_fits(question: PollQuestion, found: AskedQuestion, *, show_sent: str) -> None:
    """Refuse a way of asking that is not one for this question, or whose words are not those of its
    odds and of when it shows what is sent.
    """
    law = found.law
    direct = PollProtocol(DIRECT).law_for(question)
    ranged = question.scale is not None and found.way == DEVICE
    if (
        found.question != question.name
        or law.answers != question.answers
        or found.words != law_in_words(law, found.way)
        or (found.way == OWN and (isinstance(law, Subsets) or question.scale is not None))
        or (
            found.way != OWN
            and (found.title, found.instructions)
            != (_TITLES[found.way], _INSTRUCTIONS[found.way, show_sent])
        )
        or (found.way == DIRECT and law != direct)
        or (found.way == DEVICE and law.ratio == 1)
        or (ranged and (law.ratio is None or law != one_bit(question.answers, law.ratio)))
    ):
        raise PollError(
            f"the odds of the question {question.name!r} do not fit it, or the words do not fit the odds.",
            remedy="Make the poll anew from its questions and arms.",
        )
    if question.scale is None and isinstance(law, TransitionMatrix):
        law.worth(0, 0)  # refused where the odds do not tell the answers apart
    read_text(found.title, "the title of a way", 200)
    read_text(found.instructions, "the instructions", LONGEST_TEXT)


def law_in_words(law: Law, way: str) -> str:
    """What is sent how often, for the respondent."""
    if way == DIRECT:
        return "your true answer is always sent"
    if isinstance(law, Subsets):
        own, other = law.support
        return (
            f"{law.size} of the {len(law.answers)} answers are sent together: your true answer is among them {times(own)}, "
            f"and each of the others {times(other)}"
        )
    if law.kinds == 2 and len(law.answers) > 2:
        first, last = law.chance(0, 1), law.chance(len(law.answers) - 1, 1)
        return (
            f"only one of two words is sent, {law.reports[0]!r} or {law.reports[1]!r}: the higher your number, the likelier is {law.reports[1]!r}, "
            f"from {times(first)} at {law.answers[0]} to {times(last)} at {law.answers[-1]}"
        )
    return odds_in_words(law)
