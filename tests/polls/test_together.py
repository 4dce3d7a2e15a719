"""Arms joined: they cover, they are unbiased, and open answers stay apart."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import product

from tests.polls.samples import FARE

from shoal.polls import Arm, Poll, PollQuestion, Results, by_device, directly


def test_the_combination_of_arms_covers_and_is_unbiased_with_few_people_in_each() -> None:
    arms = [Arm("one", by_device(odds=3)), Arm("two", by_device(odds=9))]
    poll = Poll("two", title="T", questions=[FARE], arms=arms)
    people, truth = 6, Fraction(1, 10)
    missed, mean = Fraction(0), Fraction(0)
    said = [
        arm.designs[0].law.chance(0, 1) * (1 - truth) + arm.designs[0].law.chance(1, 1) * truth
        for arm in poll.arms
    ]
    for one, two in product(range(people + 1), repeat=2):
        chance = Fraction(1)
        for count, share in ((one, said[0]), (two, said[1])):
            chance *= math.comb(people, count) * share**count * (1 - share) ** (people - count)
        cells = {"00": people - one, "01": one, "10": people - two, "11": two}
        both = Results(poll, cells, is_open=True)["fare"].together[1]
        assert both.value is not None
        assert both.always is not None
        mean += chance * both.value
        missed += chance * (not both.interval[0] <= truth <= both.interval[1])
        assert both.interval[1] - both.interval[0] <= 1
    assert mean == truth
    assert missed <= Fraction(1, 20)


def test_pairs_together_leave_out_an_arm_that_asks_openly_what_another_hides() -> None:
    ways = by_device(odds=3)
    poll = Poll(
        "pairs",
        title="T",
        questions=[FARE, PollQuestion("fine", "Fined?")],
        arms=[
            Arm("one", ways),
            Arm("two", by_device(odds=2)),
            Arm("half", {"fare": directly(), "fine": ways}),
        ],
    )
    cells = {"000": 9, "011": 5, "100": 8, "101": 6}
    with_half = Results(poll, {**cells, "211": 50}, is_open=False).cross_tab("fare", "fine")
    without = Results(poll, cells, is_open=False).cross_tab("fare", "fine")
    assert with_half.together == without.together != ()
