"""Propose, test, release."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

import pytest
from flint import arb
from tests.functions.smooth.enumerated import changed, rows
from tests.mechanisms.laws import discrete_laplace, hockey_stick, laplace_at_most
from tests.mechanisms.statistics_of import ACCEPT, REJECT, p_value_of_choices

from shoal import Approx, Grid, account
from shoal.errors import RangeError
from shoal.exact import at_precision
from shoal.functions import ProposeTestRelease, TrimmedMean
from shoal.functions.propose_test_release import distance_to_instability
from shoal.noise import seam

VALUES = 5
MEDIAN = TrimmedMean.median(size=7, low=0, high=VALUES - 1, grid=Grid(0))
MECHANISM = ProposeTestRelease(epsilon=3, delta="0.05", bound=1)
Data = tuple[int, ...]


def law(data: Data, mechanism: ProposeTestRelease = MECHANISM) -> dict[int | None, arb]:
    """The law of the answer before it is clamped."""
    reading = MEDIAN.reading(data)
    distance = distance_to_instability(reading, 1)
    failing = laplace_at_most(
        1 / (mechanism.share * mechanism.epsilon), mechanism.threshold - 1 - distance
    )
    noise = discrete_laplace(1 / ((1 - mechanism.share) * mechanism.epsilon))
    found: dict[int | None, arb] = {
        y: (1 - failing) * noise(y - reading.value) for y in range(-40, 46)
    }
    return {None: failing, **found}


def test_the_distance_to_instability_is_that_of_all_datasets() -> None:
    """By definition: how many changes until one change moves the median by more than the bound."""
    near, every = changed(VALUES), rows(7, VALUES)
    unstable = {
        x for x in every if any(abs(MEDIAN.value(x) - MEDIAN.value(y)) > 1 for y in near(x))
    }
    distance = dict.fromkeys(unstable, 0)
    front = set(unstable)
    while front:
        front = {y for x in front for y in near(x)} - distance.keys()
        distance.update(dict.fromkeys(front, 1 + max(distance.values())))
    assert max(distance.values()) >= 2
    for data in every:
        assert distance_to_instability(MEDIAN.reading(data), 1) == distance[data]


@pytest.mark.slow
def test_the_answer_is_private_for_all_neighbours() -> None:
    def worst() -> float:
        laws = {data: law(data) for data in rows(7, VALUES)}
        return max(
            float(
                hockey_stick(
                    zip(laws[x].values(), laws[y].values(), strict=True), Fraction(3)
                ).upper()
            )
            for x in laws
            for y in changed(VALUES)(x)
        )

    assert 0.001 < at_precision(128, worst) <= 0.05


def test_a_lower_threshold_would_not_be_private() -> None:
    """A dataset that just fails and one that is not stable, at delta 10^-4 with the threshold of
    0.05.
    """
    strict = ProposeTestRelease(epsilon=3, delta="1e-4", bound=1)
    assert strict.threshold > MECHANISM.threshold
    unstable, other = (0, 0, 0, 0, 4, 4, 4), (0, 0, 0, 4, 4, 4, 4)

    def lost() -> float:
        pairs = zip(law(unstable).values(), law(other).values(), strict=True)
        return float(hockey_stick(pairs, Fraction(3)).lower())

    assert at_precision(128, lost) > 1e-4


@pytest.mark.slow
def test_releases_have_this_law_and_no_other() -> None:
    data = (0, 1, 1, 2, 2, 2, 3)
    with seam.seeded("propose, test, release"):
        drawn = Counter(MECHANISM.release(MEDIAN, data) for _ in range(30_000))

    def clamped(mechanism: ProposeTestRelease) -> dict[float | None, float]:
        found: dict[float | None, float] = {}
        for place, chance in law(data, mechanism).items():
            kept = None if place is None else float(min(max(place, 0), VALUES - 1))
            found[kept] = found.get(kept, 0.0) + float(chance)
        return found

    sample = list(drawn.elements())
    assert p_value_of_choices(sample, clamped(MECHANISM)) > ACCEPT
    for epsilon in ("3.9", "2.3"):
        wrong = ProposeTestRelease(epsilon=epsilon, delta="0.05", bound=1)
        assert p_value_of_choices(sample, clamped(wrong)) < REJECT


@pytest.mark.parametrize("distance", [0, 1, 2, 30])
def test_the_chance_of_an_answer_is_known_in_advance(distance: int) -> None:
    def held() -> float:
        return float(1 - laplace_at_most(Fraction(2, 3), MECHANISM.threshold - 1 - distance))

    assert MECHANISM.chance(distance) == pytest.approx(at_precision(128, held), rel=1e-12)


def test_it_is_charged_as_two_noises_and_a_mass_that_may_fail() -> None:
    event = MECHANISM.event_for(MEDIAN)
    assert MECHANISM.cost == Approx(3, "0.05")
    assert account([event]).epsilon(delta="0.05").epsilon <= 3
    many = account(
        [ProposeTestRelease(epsilon="0.1", delta="1e-9", bound=1).event_for(MEDIAN)] * 100
    )
    assert many.epsilon(delta="1e-6").epsilon < 5


def test_a_bound_below_one_step_is_refused() -> None:
    with pytest.raises(RangeError, match="one step"):
        ProposeTestRelease(epsilon=1, delta="0.1", bound="0.5").release(MEDIAN, (0,) * 7)


def test_a_bound_that_nothing_exceeds_always_passes() -> None:
    wide = ProposeTestRelease(epsilon="0.01", delta="1e-9", bound=VALUES)
    with seam.seeded("wide"):
        assert None not in [wide.release(MEDIAN, (0, 0, 0, 0, 4, 4, 4)) for _ in range(50)]
