"""One respondent's client: bytes and answers become the text of a report, the same in every
language.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from itertools import accumulate
from typing import TYPE_CHECKING

from shoal.errors import PollError
from shoal.local import number_below
from shoal.local.client_randomness import Take, secret_bytes
from shoal.noise import one_below
from shoal.polls.protocol import DEVICE, OWN, AskedQuestion

if TYPE_CHECKING:
    from shoal.polls.poll import Poll, PollArm


class Client:
    """The chance of one respondent, drawn once: changing an answer before sending draws nothing
    anew.

    Bytes are taken in this order: the arm, then one number for each question that the device
    randomises, in the order of the questions.  Neither what is drawn nor how many bytes are taken
    depends on an answer.
    """

    def __init__(self, poll: Poll, take: Take) -> None:
        self.poll = poll
        ends = list(accumulate(arm.share for arm in poll.arms))
        self._place = bisect_right(ends, number_below(poll.shares, take))
        self._drawn = [
            number_below(design.law.total, take) if design.way == DEVICE else 0
            for design in self.arm.designs
        ]

    @property
    def arm(self) -> PollArm:
        """The arm that chance has chosen."""
        return self.poll.arms[self._place]

    def respond(self, answers: Mapping[str, object]) -> str:
        """The text to send for these answers, by the names of the questions.

        Where the respondent randomises by hand the answer is what comes of it, one of the design's
        reports.
        """
        return self.respond_by_place(self._places(answers))

    def shown(self, answers: Mapping[str, object]) -> dict[str, str]:
        """What is sent for each question, in words: for the respondent to see when the poll's
        ``show_sent`` says, which is after it was sent unless the poll says otherwise.
        """
        told = self._reports(self._places(answers))
        return {
            design.question: design.law.told(report)
            for design, report in zip(self.arm.designs, told, strict=True)
        }

    def rehearse(self, answers: Mapping[str, object], *, take: Take = secret_bytes) -> str:
        """The text for true answers to all questions; where the respondent would roll dice, they
        are rolled here.

        For rehearsals and simulations: a device that does this knows the answer that the design
        keeps from it.
        """
        places = []
        if set(answers) != {design.question for design in self.arm.designs}:
            raise self._incomplete()
        for design in self.arm.designs:
            place = self.poll.question(design.question).place(answers[design.question])
            places.append(design.law.report(place, take=take) if design.way == OWN else place)
        return self.respond_by_place(places)

    def respond_by_place(self, places: Sequence[int]) -> str:
        """The same for answers by their places, counted from 0."""
        return self.poll.written(self._place, self._reports(places))

    def _reports(self, places: Sequence[int]) -> list[int]:
        return [
            design.law.place(place, drawn) if design.way == DEVICE else place
            for design, place, drawn in zip(self.arm.designs, places, self._drawn, strict=True)
        ]

    def _places(self, answers: Mapping[str, object]) -> list[int]:
        names = [design.question for design in self.arm.designs]
        if set(answers) != set(names):
            raise self._incomplete()
        return [self._place_of(design, answers[design.question]) for design in self.arm.designs]

    def _incomplete(self) -> PollError:
        names = [design.question for design in self.arm.designs]
        return PollError(
            "one answer to each question is needed, and no other.",
            remedy=f"Answer: {', '.join(names)}.",
        )

    def _place_of(self, design: AskedQuestion, answer: object) -> int:
        if design.way != OWN:
            return self.poll.question(design.question).place(answer)
        if answer not in design.choices:
            raise PollError(
                f"the answer to {design.question!r} is not one of the replies of its design.",
                remedy=f"Give one of: {', '.join(design.choices)}.",
            )
        return design.choices.index(str(answer))


def once_number() -> str:
    """A secret number of 32 hexadecimal digits: an invitation, or what a browser keeps to report
    once.
    """
    return f"{one_below(1 << 128):032x}"
