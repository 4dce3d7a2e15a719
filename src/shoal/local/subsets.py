"""Sets of answers as reports: the least variance for a choice among several, with exact odds for
any number of answers.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, Self

from shoal.errors import RangeError, ShapeError
from shoal.exact import Number, ball, non_negative, upper, whole
from shoal.local.client_randomness import Take, bits_below, number_below, secret_bytes
from shoal.local.intervals import Groups
from shoal.local.subset_size import best_chosen
from shoal.mechanisms.witness import NoiseWitness, meet
from shoal.sensitivity.claims import Answers

FORM = "shoal.local.subset"
VERSION = 1
_FAR = 2000
"""Members of sets from here on are searched for, and not walked to."""


@dataclass(frozen=True)
class Subsets:
    """A set of ``size`` answers is sent; one that holds the sender's has the weight ``inside``, any
    other ``outside``.

    A report is the rank of the set; `members` says which answers it holds.

    Guarantee: a report is epsilon-DP for the person who sends it (relation "change"), with
        ln(inside / outside), rounded up, as epsilon; the law is exact for any number of answers.
    Needs: inside > outside > 0, both whole.
    Edges: sets of one answer are k-ary randomized response.  That a report was sent at all is not
        hidden.
    Reference: Ye and Barg 2018; Wang et al. 2019.  Proof: subsets.md.

    >>> sets = Subsets.for_odds(3, answers=["never", "once", "a few times", "often", "always"])
    >>> sets.size, sets.kinds, sets.members(0)
    (1, 5, ('never',))
    """

    answers: tuple[str, ...]
    size: int
    inside: int
    outside: int

    def __post_init__(self) -> None:
        names = tuple(self.answers)
        object.__setattr__(self, "answers", names)
        if len(names) < 2 or len(set(names)) != len(names):
            raise ShapeError(
                "two or more different answers are needed.", remedy="Name each answer once."
            )
        whole(self.size, "size", at_least=1)
        whole(self.outside, "outside", at_least=1)
        whole(self.inside, "inside", at_least=1)
        if self.size >= len(names):
            raise RangeError(
                f"sets of {self.size} among {len(names)} answers were asked for.",
                remedy=f"Choose sets of 1 to {len(names) - 1} answers.",
            )
        if self.inside <= self.outside:
            raise RangeError(
                "sets with the answer must be likelier than sets without it.",
                remedy="Give inside a larger weight than outside.",
            )

    @classmethod
    def for_odds(cls, odds: Number, *, answers: Iterable[str], size: int | None = None) -> Self:
        """Sets with these odds, of the best size or a given one."""
        ratio, names = non_negative(odds, "odds"), tuple(answers)
        if ratio <= 1:
            raise RangeError(
                "odds of at most 1 to 1 were asked for; such reports tell nothing.",
                remedy="Give odds above 1.",
            )
        chosen = best_chosen(len(names), ratio) if size is None else size
        return cls(names, chosen, ratio.numerator, ratio.denominator)

    # the law

    @cached_property
    def _holding(self) -> int:
        """How many sets hold a given answer."""
        return math.comb(len(self.answers) - 1, self.size - 1)

    @cached_property
    def kinds(self) -> int:
        """How many reports there are."""
        return math.comb(len(self.answers), self.size)

    @cached_property
    def total(self) -> int:
        """The sum of the weights of all sets, the same under every answer."""
        return self._holding * self.inside + (self.kinds - self._holding) * self.outside

    @property
    def ratio(self) -> Fraction:
        """The largest ratio of two chances of one report."""
        return Fraction(self.inside, self.outside)

    @cached_property
    def epsilon(self) -> Fraction:
        """Its logarithm, rounded up."""
        return upper(lambda: ball(self.ratio).log())

    @property
    def note(self) -> str:
        """No report excludes an answer for sure."""
        return ""

    @cached_property
    def support(self) -> tuple[Fraction, Fraction]:
        """The chances that a report holds the sender's answer, and that it holds a given other
        one.
        """
        own = Fraction(self._holding * self.inside, self.total)
        others = len(self.answers) - 1
        other = own * Fraction(self.size - 1, others) + (1 - own) * Fraction(self.size, others)
        return own, other

    @property
    def variation(self) -> Fraction:
        """The largest total variation between the reports of two answers."""
        own, other = self.support
        return own - other

    def chance(self, answer: int, report: int) -> Fraction:
        """The exact chance of a report under an answer."""
        held = answer in set_of(self._read(report), self.size)
        return Fraction(self.inside if held else self.outside, self.total)

    def members(self, report: int) -> tuple[str, ...]:
        """The answers in the set of this rank, in their order."""
        return tuple(self.answers[place] for place in set_of(self._read(report), self.size))

    def told(self, report: int) -> str:
        """What a report says, in words."""
        return " or ".join(self.members(report))

    def _read(self, report: int) -> int:
        if not 0 <= report < self.kinds:
            raise ShapeError(
                f"reports are whole numbers from 0 to {self.kinds - 1}.",
                remedy="Give the rank of a set.",
            )
        return report

    # sending

    def place(self, answer: int, drawn: int) -> int:
        """The report that a number below ``total`` leads to under an answer."""
        border = self._holding * self.inside
        if drawn < border:
            others = set_of(drawn // self.inside, self.size - 1)
            own: tuple[int, ...] = (answer,)
        else:
            others, own = set_of((drawn - border) // self.outside, self.size), ()
        return rank_of((*(each + (each >= answer) for each in others), *own))

    def report(self, answer: int, *, take: Take = secret_bytes) -> int:
        """One report from a stream of bytes, as a client in any language makes it.

        >>> Subsets(("a", "b", "c"), 2, 3, 1).report(2, take=lambda count: bytes(count))
        1
        """
        if not 0 <= answer < len(self.answers):
            raise ShapeError(
                f"answers are whole numbers from 0 to {len(self.answers) - 1}.",
                remedy="Number them from 0.",
            )
        (told,) = meet(
            lambda: [self.place(answer, number_below(self.total, take))],
            lambda: NoiseWitness(self, ("subsets",), [answer], Answers()),
        )
        return told

    # undoing

    @cached_property
    def worths(self) -> tuple[Fraction, Fraction]:
        """By what a report counts for an answer that it does not hold, and for one that it does."""
        own, other = self.support
        return -other / (own - other), (1 - other) / (own - other)

    def worth(self, report: int, answer: int) -> Fraction:
        """By what a report counts for an answer; the mean over all reports is unbiased for its
        share.
        """
        return self.worths[answer in set_of(self._read(report), self.size)]

    def groups(self, counts: Mapping[int, int]) -> tuple[Groups, ...]:
        """For each answer what reports count for it, and how many count so much; counts are by the
        rank of the report.
        """
        held = [0] * len(self.answers)
        for report, count in counts.items():
            for place in set_of(self._read(report), self.size):
                held[place] += count
        people, (less, more) = sum(counts.values()), self.worths
        return tuple(((less, people - each), (more, each)) for each in held)

    def variances(self, shares: Sequence[Number], *, reports: int) -> tuple[Fraction, ...]:
        """The variance of each estimated share over so many reports of people drawn from a
        population.
        """
        known = [non_negative(share, "a share") for share in shares]
        own, other = self.support
        less, more = self.worths
        return tuple(
            (less**2 + (other + share * (own - other)) * (more**2 - less**2) - share**2) / reports
            for share in known
        )

    def posterior(self, report: int, prior: Sequence[Number]) -> tuple[Fraction, ...]:
        """How likely each answer of one person is after a report, given how likely it was
        before.
        """
        known = [non_negative(share, "a share") for share in prior]
        if len(known) != len(self.answers) or sum(known) != 1:
            raise ShapeError(
                f"{len(self.answers)} shares that add up to 1 are needed.",
                remedy="Give one exact share, such as '1/10', for each answer.",
            )
        held = set_of(self._read(report), self.size)
        joint = [
            share * (self.inside if place in held else self.outside)
            for place, share in enumerate(known)
        ]
        return tuple(each / sum(joint) for each in joint)

    # in writing

    def to_dict(self) -> dict[str, Any]:
        """The odds as plain values; numbers that carry them are texts of decimal digits."""
        return {
            "form": FORM,
            "version": VERSION,
            "answers": list(self.answers),
            "size": self.size,
            "inside": str(self.inside),
            "outside": str(self.outside),
            "total": str(self.total),
            "bits": bits_below(self.total),
            "kinds": str(self.kinds),
        }

    def to_json(self) -> str:
        """The same as canonical text: equal odds have equal text."""
        return json.dumps(self.to_dict(), ensure_ascii=False, separators=(",", ":"))

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Read odds back, and check that their parts agree."""
        try:
            found = json.loads(text)
            made = cls(
                tuple(found["answers"]), found["size"], int(found["inside"]), int(found["outside"])
            )
        except (KeyError, TypeError, ValueError):
            raise _unreadable() from None
        if made.to_dict() != found:
            raise _unreadable()
        return made


def set_of(rank: int, size: int) -> tuple[int, ...]:
    """The set of this rank among the sets of ``size`` numbers from 0, in order.

    >>> [set_of(rank, 2) for rank in range(4)]
    [(0, 1), (0, 2), (1, 2), (0, 3)]
    """
    found: list[int] = []
    left, member, sets = rank, _FAR, 0
    for count in range(size, 0, -1):
        if member >= _FAR:
            member = _largest(left, count)
            sets = math.comb(
                member, count
            )  # so many sets of ``count`` numbers lie below ``member``
        while sets > left:  # a few steps down, each of one division
            sets = sets * (member - count) // member
            member -= 1
        found.append(member)
        left -= sets
        if member < _FAR:
            sets = sets * count // member if member else 0
            member -= 1
    return tuple(reversed(found))


def rank_of(members: Iterable[int]) -> int:
    """The rank of a set of numbers among the sets of its size.

    >>> rank_of((3, 0)), rank_of(set_of(10**30, 7))
    (3, 1000000000000000000000000000000)
    """
    return sum(math.comb(member, place) for place, member in enumerate(sorted(members), 1))


def _largest(rank: int, count: int) -> int:
    """The largest c with C(c, count) <= rank."""
    low, high = count - 1, count
    while math.comb(high, count) <= rank:
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if math.comb(middle, count) <= rank else (low, middle)
    return low


def _unreadable() -> RangeError:
    return RangeError(
        f"the text is not a subset form of version {VERSION}, or its parts disagree.",
        remedy="Give what to_json wrote, unchanged.",
    )
