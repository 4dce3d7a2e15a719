"""From outside: what the reports of whole clients prove about epsilon never exceeds the poll's
claim, and odds 30 % off show.
"""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction

import pytest
from tests.local.protocols.test_audit import FAULT, lower_epsilon
from tests.polls.samples import AGE, FARE, HOURS, MODE, polls

from shoal.noise import seam
from shoal.polls import Arm, Poll, by_device

pytestmark = pytest.mark.audit
TRIALS = 60_000
POLLS = polls()
HONEST = ("simplest", "words", "sets", "number", "bins", "several", "arms", "many")


def sent(poll: Poll, answers: dict[str, object]) -> Counter[str]:
    """The texts that whole clients send, each with chance of its own; dice are rolled where a
    design has them.
    """
    return Counter(poll.client().rehearse(answers) for _ in range(TRIALS))


def chance(poll: Poll, text: str, answers: dict[str, object]) -> Fraction:
    arm, reports = poll.read(text)
    found = Fraction(poll.arms[arm].share, poll.shares)
    for design, report in zip(poll.arms[arm].designs, reports, strict=True):
        place = poll.question(design.question).place(answers[design.question])
        found *= design.law.chance(place, report)
    return found


def proven(claimed: Poll, used: Poll, one: dict[str, object], two: dict[str, object]) -> float:
    """What reports of two lists of answers prove about epsilon, by the event of the claimed law."""
    sides = sent(used, one), sent(used, two)
    ratios = {
        text: chance(claimed, text, one) / chance(claimed, text, two)
        for text in {*sides[0], *sides[1]}
    }
    best = max(ratios.values())
    event = {text for text, ratio in ratios.items() if ratio == best}
    hits, misses = (sum(side[text] for text in event) for side in sides)
    return lower_epsilon(hits, misses, TRIALS)


def ends(poll: Poll) -> tuple[dict[str, object], dict[str, object]]:
    """Answers that differ in every question that no arm asks directly: its first, and its last."""
    direct = {name for arm in poll.arms if arm.name != "direct" for name in arm.direct}
    one: dict[str, object] = {each.name: each.answers[0] for each in poll.questions}
    other = {each.name: each.answers[-1] for each in poll.questions if each.name not in direct}
    return one, {**one, **other}


@pytest.mark.parametrize("name", HONEST)
def test_whole_clients_prove_nearly_the_epsilon_of_the_poll_and_never_more(name: str) -> None:
    poll = POLLS[name]
    if name == "arms":  # without the arm that hides nothing
        arms = [Arm("device", by_device(odds=3)), Arm("other", by_device(odds=2))]
        poll = Poll("arms", title="Arms", questions=[FARE], arms=arms)
    ratio = poll.ratio
    assert ratio is not None
    with seam.seeded(f"audit {name}"):
        found = proven(poll, poll, *ends(poll))
    assert found <= math.log(ratio)
    assert found > 0.5 * math.log(ratio)


@pytest.mark.parametrize(
    ("question", "odds", "size"),
    [(FARE, Fraction(3), None), (MODE, Fraction(3), 1), (MODE, Fraction(2), 2), (HOURS, Fraction(3), None), (AGE, Fraction(2), None)],
)  # fmt: skip
def test_a_client_with_other_odds_than_the_published_ones_is_found_out(
    question: object, odds: Fraction, size: int | None
) -> None:
    def made(ratio: Fraction) -> Poll:
        way = by_device(odds=ratio, size=size)
        return Poll("a", title="A", questions=[question], arms=[Arm("one", way)])  # type: ignore[list-item]

    claimed, faulty = made(odds), made(odds * FAULT)
    with seam.seeded(f"fault {odds} {size}"):
        found = proven(claimed, faulty, *ends(claimed))
    assert found > math.log(odds)
