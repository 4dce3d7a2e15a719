"""Odds as people say them: 3 of 4 answers are true."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

from shoal.exact import short_up
from shoal.local import EvenOdds, Subsets, TransitionMatrix
from shoal.polls.protocol import DIRECT, OWN, AskedQuestion

if TYPE_CHECKING:
    from shoal.polls.poll import Poll, PollArm

SAYABLE = (2, 3, 4, 5, 6, 10)
"""People know parts of so many without thinking."""
_FINER = (20, 100, 1000)


@dataclass(frozen=True)
class SaidChance:
    """A chance as so many of so many, and the exact one in brackets where the words are rounded."""

    words: str
    exact: str

    def of(self, things: str, verb: str = "", rest: str = "") -> str:
        """The words with what is counted: "3 of 4 answers are true"."""
        one = self.words.removeprefix("about ").startswith("1 of ")
        forms = {"are": "is", "hold": "holds"}
        said = [self.words, things, forms.get(verb, verb) if one else verb, rest]
        return " ".join(each for each in said if each) + self.exact


def said_chance(chance: Fraction, *, up: bool = False) -> SaidChance:
    """A chance in numbers that people can say, exact where there are some, else about, with the
    exact one behind it; never none or all by rounding, and with ``up`` never less than it is.

    >>> said_chance(Fraction(3, 4)).words, said_chance(Fraction(19, 26)).of("answers", "are", "true")
    ('3 of 4', 'about 3 of 4 answers are true (exactly 19 of 26)')
    >>> said_chance(Fraction(22026, 22027)).words, said_chance(Fraction(5, 7), up=True).words
    ('all but 1 of 22,027', 'about 3 of 4')
    """
    if chance.denominator in (*SAYABLE, *_FINER[:2]):
        return SaidChance(f"{chance.numerator} of {chance.denominator}", "")
    side = math.ceil if up else round
    for known in (SAYABLE, *((each,) for each in _FINER)):
        near = [Fraction(side(chance * parts), parts) for parts in known]
        good = [each for each in near if 0 < each < 1 and abs(each - chance) < _slack(chance)]
        if good:
            best = min(good, key=lambda each: (abs(each - chance), each.denominator))
            words = f"{best.numerator} of {best.denominator}"
            return SaidChance(words, "") if best == chance else SaidChance(f"about {words}", _exact(chance))  # fmt: skip
    if 1 - chance < chance:
        return SaidChance(f"all but {_rare(1 - chance, side)}", "")
    return SaidChance(_rare(chance, math.floor if up else round), "")


def _slack(chance: Fraction) -> Fraction:
    """How far a rounded chance may lie from the true one: a quarter of the rarer side."""
    return min(chance, 1 - chance) / 4


def _exact(chance: Fraction) -> str:
    if chance.denominator > 10**4:
        return ""
    return f" (exactly {chance.numerator:,} of {chance.denominator:,})"


def _rare(chance: Fraction, side: Callable[[Fraction], int]) -> str:
    return f"{'' if chance.numerator == 1 else 'about '}1 of {side(1 / chance):,}"


def in_few_words(asked: AskedQuestion) -> str:
    """What the odds of a question mean, in one short sentence that needs no mathematics.

    >>> from shoal.polls import Poll
    >>> in_few_words(Poll("a", "Have you ever ...?", odds=9).arms[0].designs[0])
    '9 of 10 answers are true'
    """
    law = asked.law
    if asked.way == DIRECT:
        return "answers are sent as they are"
    if isinstance(law, Subsets):
        return said_chance(law.support[0]).of("sets", "hold", "the true answer")
    if _alike(law):
        things = "replies" if asked.way == OWN else "answers"
        return said_chance(law.chance(0, 0)).of(things, "are", "true")
    if law.ratio is None:
        return "a reply can give an answer away for sure"
    return guessed(law.ratio)


def _alike(law: TransitionMatrix) -> bool:
    """Whether every answer is sent as it is with the same chance."""
    if law.reports != law.answers:
        return False
    return isinstance(law.odds, EvenOdds) or (
        law.kinds == 2 and law.chance(0, 0) == law.chance(1, 1)
    )


def guessed(ratio: Fraction) -> str:
    """How often whoever guesses one of two equally common answers from a reply can be right.

    >>> guessed(Fraction(3))
    'a guess from one reply is right at most 3 of 4 times'
    """
    right = said_chance(ratio / (1 + ratio), up=True).of("times")
    return f"a guess from one reply is right at most {right}"


def poll_in_few_words(poll: Poll) -> str:
    """What a poll promises: of one hidden question its odds, of several how well a guess can be."""
    hidden = [arm for arm in poll.arms if len(arm.direct) < len(arm.designs)]
    if not hidden:
        return "answers are sent as they are"
    known = [arm.hidden_ratio for arm in hidden]
    ratios = [each for each in known if each is not None]
    if len(ratios) < len(known):
        return "a reply can give an answer away for sure"
    asked = {
        in_few_words(design) for arm in hidden for design in arm.designs if design.way != DIRECT
    }
    several = any(len(arm.designs) - len(arm.direct) > 1 for arm in hidden)
    return guessed(max(ratios)) if several or len(asked) > 1 else asked.pop()


def epsilon_in_few_digits(arm: PollArm) -> str:
    """The epsilon of what an arm hides, rounded up to hundredths, with the number it is exactly.

    >>> from shoal.polls import Poll
    >>> epsilon_in_few_digits(Poll("a", "Have you ever ...?", epsilon=1).arms[0])
    'epsilon 1 (exactly ln(19/7))'
    """
    found, ratio = arm.hidden_epsilon, arm.hidden_ratio
    if not isinstance(found, Fraction) or ratio is None:
        return "epsilon infinite"
    exact = f" (exactly ln({ratio}))" if ratio.denominator <= 10**4 and ratio > 1 else ""
    return f"epsilon {short_up(found, digits=2 if found < 1 else 3)}{exact}"
