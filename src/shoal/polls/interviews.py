"""Replies that an interviewer wrote down, call by call, as reports that are counted once."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass

from shoal.errors import PollError
from shoal.ledger.entry import digest
from shoal.polls.poll import Poll, PollArm
from shoal.polls.protocol import DEVICE

CALL, ARM = "call", "arm"
_LONGEST = 10**7


@dataclass(frozen=True)
class EnteredReply:
    """One call: the report, and the number that counts it once."""

    report: str
    once: str


def read_replies(poll: Poll, text: str) -> list[EnteredReply]:
    r"""The replies in a CSV table: a column ``call``, another value in each line, and one column for
    each question; of several arms also the column ``arm``.

    Guarantee: the same call of the same poll has the same number, so that a file that is read twice
        is counted once.
    Needs: a poll whose answers people randomise by themselves, or are asked directly: where the
        device randomises, the true answer would have to be told to the interviewer.
    Edges: everything is read before anything is returned; a line that does not fit is named by its
        place, without its replies.

    >>> from shoal.local import coins
    >>> from shoal.polls import Arm, PollQuestion, by_own
    >>> fare = PollQuestion("fare", "Have you ever travelled without a ticket?")
    >>> poll = Poll("calls", questions=[fare], arms=[Arm("dice", by_own(coins()))])
    >>> [each.report for each in read_replies(poll, "call,fare\n1,yes\n2,no\n")]
    ['01', '00']
    """
    _check_by_hand(poll)
    if len(text) > _LONGEST:
        raise _unfit("the file is longer than 10 million characters", "Split it.")
    names = [question.name for question in poll.questions]
    needed = {CALL, *names, *([ARM] if len(poll.arms) > 1 else [])}
    lines = csv.DictReader(io.StringIO(text))
    found = set(lines.fieldnames or ())
    if found != needed:
        raise _unfit(
            "the columns of the replies do not fit the poll",
            f"Write these columns in the first line: {','.join([CALL, *sorted(needed - {CALL})])}.",
        )
    made: dict[str, EnteredReply] = {}
    for number, line in enumerate(lines, 2):
        call = (line[CALL] or "").strip()
        if not call or call in made:
            raise _unfit(f"line {number} has no call of its own", "Number the calls 1, 2, 3 …")
        place = _arm(poll, line.get(ARM), number)
        reports = [_place(poll.arms[place], name, line[name], number) for name in names]
        once = digest(f"{poll.mark}\ncall {call}")[:32]
        made[call] = EnteredReply(poll.written(place, reports), once)
    return list(made.values())


def _check_by_hand(poll: Poll) -> None:
    if poll.once == "invitation":
        raise _unfit(
            f"the poll {poll.name!r} is answered by invitation",
            "Open one invitation for each call and enter the reply there.",
        )
    drawn = [each.question for arm in poll.arms for each in arm.designs if each.way == DEVICE]
    if drawn:
        raise _unfit(
            f"the question {drawn[0]!r} is randomised by the respondent's device, so nobody may be told its answer",
            "Ask by phone with a design by hand, such as --design coins.",
        )


def _arm(poll: Poll, name: str | None, number: int) -> int:
    if len(poll.arms) == 1:
        return 0
    names = [arm.name for arm in poll.arms]
    if name not in names:
        raise _unfit(
            f"line {number} names no arm of the poll", f"Write one of: {', '.join(names)}."
        )
    return names.index(name)


def _place(arm: PollArm, question: str, reply: str | None, number: int) -> int:
    choices = arm.design(question).choices
    said = (reply or "").strip()
    if said not in choices:
        raise _unfit(
            f"line {number} has another reply to {question!r} than its design allows",
            f"Write one of: {', '.join(choices[:10])}.",
        )
    return choices.index(said)


def _unfit(problem: str, remedy: str) -> PollError:
    return PollError(f"{problem}; nothing was counted.", remedy=remedy)
