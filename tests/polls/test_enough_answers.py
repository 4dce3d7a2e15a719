"""Too few answers: a rule that follows from the design, and holds whatever people answer."""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction

import pytest
from tests.polls.samples import AGE, FARE, HOURS, MODE

from shoal.local import crosswise, forced
from shoal.polls import Arm, Poll, PollQuestion, Results, by_device, by_own, directly
from shoal.polls.enough_answers import least_people

ONE = {
    "warner": (FARE, by_device(odds=3)),
    "sets": (MODE, by_device(odds=2, size=2)),
    "kary": (AGE, by_device(odds=9, size=1)),
    "range": (HOURS, by_device(odds=3)),
    "own": (FARE, by_own(crosswise("1/4"), harmless="Born in spring?")),
    "forced": (FARE, by_own(forced("2/3"))),
    "direct": (FARE, directly()),
}


def poll_of(question: PollQuestion, *ways: object) -> Poll:
    arms = [Arm(f"arm{place}", way) for place, way in enumerate(ways)]  # type: ignore[arg-type]
    return Poll("a", title="T", questions=[question], arms=arms)


def results(poll: Poll, *counts: Counter[int]) -> Results:
    cells = {
        poll.written(arm, [report]): count
        for arm, each in enumerate(counts)
        for report, count in each.items()
        if count
    }
    return Results(poll, cells, is_open=False)


def spread_out(kinds: int, people: int, tilt: int) -> Counter[int]:
    """So many reports, the first of two halves getting a part of ten."""
    first = people * tilt // 10
    return Counter({0: first, kinds - 1: people - first})


@pytest.mark.parametrize("name", ONE)
def test_with_enough_people_every_interval_is_at_most_half_of_the_scale(name: str) -> None:
    question, way = ONE[name]
    poll = poll_of(question, way)
    law = poll.arms[0].designs[0].law
    least = next(iter(results(poll)[question.name].arms.values()))[0].least
    ends = (question.scale.low, question.scale.high) if question.scale else (0, 1)
    for tilt in range(11):
        found = results(poll, spread_out(law.kinds, least, tilt))[question.name].arms["arm0"]
        for each in found:
            assert each.enough
            assert each.interval[1] - each.interval[0] <= float(ends[1] - ends[0]) / 2 + 1e-12


@pytest.mark.parametrize("name", ONE)
def test_with_one_fewer_hoeffdings_interval_is_wider_than_that(name: str) -> None:
    """The number by another road: the reach of Hoeffding's interval, in floats."""
    question, way = ONE[name]
    poll = poll_of(question, way)
    estimate = next(iter(results(poll)[question.name].arms.values()))[0]
    law, scale = poll.arms[0].designs[0].law, question.scale
    if scale is None:
        worths = [worth for worth, _ in law.groups({})[0]]
        reach = float(max(worths) - min(worths))
    else:
        reach = 2.0  # odds of 3 leave half of the difference: (3 + 1) / (3 - 1)
    least = estimate.least
    for people, narrow in ((least, True), (least - 1, False)):
        assert (2 * reach * math.sqrt(math.log(40) / 2 / people) <= 0.5) == narrow


def test_the_number_follows_from_the_design_and_never_from_what_was_reported() -> None:
    poll = poll_of(FARE, by_device(odds=3))
    numbers = {
        (each.least, each.enough)
        for yes in range(0, 119, 7)
        for each in results(poll, Counter({0: 118 - yes, 1: yes}))["fare"].arms["arm0"]
    }
    assert numbers == {(119, False)}


def test_arms_together_are_enough_before_each_of_them_is() -> None:
    poll = poll_of(FARE, by_device(odds=3), by_device(odds=3))
    found = results(poll, Counter({0: 60}), Counter({1: 59}))["fare"]
    assert [each.enough for rows in found.arms.values() for each in rows] == [False] * 4
    assert [(each.least, each.enough) for each in found.together] == [(119, True)] * 2
    assert not any(each.enough for each in found.differences)
    low, high = found.together[1].interval
    assert high - low <= 0.5


def test_an_arm_that_tells_more_needs_fewer() -> None:
    loud, quiet = ((Fraction(0), 0), (Fraction(1), 0)), ((Fraction(-1, 2), 0), (Fraction(3, 2), 0))
    ends = Fraction(0), Fraction(1)
    assert least_people([loud], ends) == 30
    assert least_people([quiet], ends) == 119
    mixed = [((Fraction(0), 5), (Fraction(1), 5)), ((Fraction(-1, 2), 5), (Fraction(3, 2), 5))]
    assert 30 < least_people(mixed, ends) < 119


def test_too_few_answers_are_said_to_be_so_and_counted_in_data() -> None:
    poll = poll_of(FARE, by_device(odds=3))
    few, enough = (results(poll, Counter({0: n, 1: n})) for n in (30, 60))
    assert "yes: too few answers yet (60 of 119)" in str(few)
    assert "too few" not in str(enough)
    said = few.to_dict()["questions"][0]["arms"]["arm0"][1]
    assert (said["least"], said["enough"], said["value"]) == (119, False, 0.5)
    assert few.to_csv().splitlines()[0].endswith(",least")
