from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from tests.local.designs import CASES

from shoal.errors import CalibrationError, RangeError
from shoal.local import (
    compare_designs,
    crosswise,
    epsilon_for_margin,
    for_epsilon,
    forced,
    margin,
    people_for_exact_margin,
    people_for_margin,
    people_for_power,
    power,
    warner,
)
from shoal.noise.seam import seeded

TENTH = Fraction(1, 10)


@pytest.mark.parametrize(
    ("design", "people"),
    [
        (for_epsilon(2), 1157),
        (forced("2/3"), 1719),
        (warner("3/4"), 3586),
        (crosswise("1/4"), 3586),
        (for_epsilon(1), 4315),
        (for_epsilon("0.5"), 17107),
    ],
)
def test_three_points_at_a_tenth_need_the_people_of_the_published_table(
    design: object, people: int
) -> None:
    found = people_for_margin(design, prevalence=TENTH, margin="0.03")  # type: ignore[arg-type]
    assert abs(found - people) <= 1


@pytest.mark.parametrize("name", ["warner", "forced", "crosswise", "mangat"])
def test_so_many_people_reach_the_margin_and_one_fewer_do_not(name: str) -> None:
    design = CASES[name].design
    people = people_for_margin(design, prevalence=TENTH, margin="0.04")
    assert margin(design, prevalence=TENTH, people=people) <= 0.04
    assert margin(design, prevalence=TENTH, people=people - 1) > 0.04


def test_the_exact_interval_needs_a_few_more_people_and_then_is_narrow_enough() -> None:
    design = warner("3/4")
    plain = people_for_margin(design, prevalence=TENTH, margin="0.05")
    people = people_for_exact_margin(design, prevalence=TENTH, margin="0.05")
    assert plain < people < 1.1 * plain
    told = round((design.floor + design.lean * TENTH) * people)
    low, high = design.estimate_from_counts([people - told, told])["yes"].interval(cut=False)
    assert (high - low) / 2 <= 0.05 + 1e-12


def test_more_privacy_needs_more_people() -> None:
    needed = [
        people_for_margin(for_epsilon(epsilon), prevalence=TENTH, margin="0.03")
        for epsilon in ("0.25", "0.5", "1", "2", "4")
    ]
    assert needed == sorted(needed, reverse=True)


@pytest.mark.parametrize("groups", [False, True])
def test_power_is_how_often_simulated_surveys_notice(groups: bool) -> None:
    design, people, surveys = forced("2/3"), 600, 6000
    shares = (Fraction(1, 5), TENTH)
    told = [float(design.floor + design.lean * share) for share in shares]
    stated = power(design, prevalence=shares[0], other=shares[1], people=people, groups=groups)
    draw = np.random.default_rng(5)
    counts = [draw.binomial(people, chance, surveys) / people for chance in told]
    if groups:
        pooled = (counts[0] + counts[1]) / 2
        error = np.sqrt(2 * pooled * (1 - pooled) / people)
        noticed = np.abs(counts[0] - counts[1]) > 1.959964 * error
    else:
        noticed = np.abs(counts[0] - told[1]) > 1.959964 * math.sqrt(
            told[1] * (1 - told[1]) / people
        )
    assert 0.3 < stated < 0.999
    assert noticed.mean() == pytest.approx(stated, abs=0.03)


def test_people_for_power_is_the_least_that_reaches_it() -> None:
    found = people_for_power(warner(), prevalence="0.2", other="0.1", groups=True)
    for people, reached in ((found, True), (found - 1, False)):
        value = power(warner(), prevalence="0.2", other="0.1", people=people, groups=True)
        assert (value >= 0.8) is reached


def test_the_epsilon_for_a_margin_is_the_least_that_reaches_it() -> None:
    design = epsilon_for_margin(prevalence=TENTH, margin="0.03", people=3586)
    assert float(design.epsilon) == pytest.approx(math.log(3), abs=1e-3)
    assert people_for_margin(design, prevalence=TENTH, margin="0.03") <= 3586
    weaker = for_epsilon(Fraction(design.epsilon) - Fraction(1, 500))
    assert people_for_margin(weaker, prevalence=TENTH, margin="0.03") > 3586


def test_a_comparison_is_sorted_and_says_how_many_times_more_people() -> None:
    plans = compare_designs(
        [warner(), forced("2/3"), for_epsilon(2)], prevalence=TENTH, margin="0.03"
    )
    assert [plan.people for plan in plans] == sorted(plan.people for plan in plans)
    assert plans[0].factor == pytest.approx(1157 / 384.15, rel=0.01)
    assert all(plan.exact_people >= plan.people for plan in plans)


def test_a_target_that_nobody_can_reach_is_refused() -> None:
    with pytest.raises(CalibrationError):
        epsilon_for_margin(prevalence=TENTH, margin="0.001", people=50)
    with pytest.raises(CalibrationError):
        people_for_margin(for_epsilon("0.001"), prevalence=TENTH, margin="0.0001")
    with pytest.raises(RangeError):
        people_for_power(warner(), prevalence="0.1", other="0.1")


def test_the_margin_is_that_of_simulated_surveys() -> None:
    design, people, surveys = forced("2/3"), 400, 3000
    with seeded("margin"):
        told = design.release(np.zeros(people * surveys, dtype=int)).reshape(surveys, people)
    found = (told.mean(axis=1) - float(design.floor)) / float(design.lean)
    assert 1.959964 * found.std() == pytest.approx(
        margin(design, prevalence=0, people=people), rel=0.06
    )
