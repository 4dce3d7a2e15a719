"""Quantiles on grids of up to 2^30 points: runs of equal loss say what every point would say, and no
neighbour moves the loss of any point further than is claimed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import examples
from tests.query.tables import made
from tests.query.test_quantiles import UNITS, losses_by_definition, neighbours

import shoal
from shoal.engines.reference import Reference
from shoal.mechanisms.witness import NoiseWitness
from shoal.noise.seam import use
from shoal.noise.source import Keystream
from shoal.plan import NO_WEIGHTS, ValueWeights
from shoal.query.pricing import priced
from shoal.query.quantiles import END_POINTS, EXTREME_POINTS, WITNESSED, PlacedQuantile, Runs
from shoal.sensitivity import Norm
from shoal.sensitivity.claims import Moves

STATISTICS = ["MEDIAN({})", "QUANTILE_CONT({}, 0.9)", "MIN({})", "MAX({})"]
KEYS: list[tuple[Any, ...]] = [("a",), ("b",), (None,)]


@cache
def places(
    statistic: str, column: str, unit: Any, law: str = "laplace", epsilon: int = 1
) -> tuple[PlacedQuantile, ...]:
    """A quantile and the ends of its interval: of ages from 0 to 6, or of spend, a real."""
    facts = {
        "age": shoal.Range(0, 6),
        "spend": shoal.Range(0, 500),
        "kind": shoal.Choices(["a", "b"]),
    }
    held = made([], protects=unit, budget=shoal.Approx(50, "1e-2"), columns=facts)
    ask = held.sql(f"SELECT kind, {statistic.format(column)} AS q FROM data GROUP BY kind")
    request = held.budget.request(epsilon=epsilon)
    return priced(ask.question, request, groups=3, law=law, ends=Fraction(9, 10)).places


@pytest.mark.parametrize("statistic", STATISTICS)
@given(counts=st.lists(st.integers(0, 4), min_size=7, max_size=7), epsilon=st.sampled_from([1, 40]))
def test_runs_have_the_loss_that_every_point_of_them_has_by_definition(
    statistic: str, counts: list[int], epsilon: int
) -> None:
    found = ValueWeights.of({at: n for at, n in enumerate(counts) if n}, points=True)
    for place in places(statistic, "age", shoal.Row(), epsilon=epsilon):
        runs, meant = place.runs(found), losses_by_definition(place, found)
        assert np.repeat(runs.losses, runs.lengths).tolist() == meant
        assert runs.starts.tolist() == (runs.lengths.cumsum() - runs.lengths).tolist()
        assert place.losses_at(found, np.arange(7)) == meant
        assert place.witnessed.tolist() == list(range(7))


def test_losses_beyond_64_bits_are_those_of_definition() -> None:
    place = places("MEDIAN({})", "age", shoal.Row())[0]
    fine = replace(place.place.aggregate, level=Fraction(10**18 // 3, 10**18))
    wide = replace(place, place=replace(place.place, aggregate=fine))
    found = ValueWeights.of({1: 10**6, 2: 5, 6: 10**9}, points=True)
    runs = wide.runs(found)
    assert runs.losses.dtype == object
    assert np.repeat(runs.losses, runs.lengths).tolist() == losses_by_definition(wide, found)
    assert 0 <= wide.choice(found) <= 6


def moved(before: Runs, after: Runs) -> list[int]:
    """How far the loss of every point moved, one number for each piece on which both are flat."""
    starts = np.union1d(before.starts, after.starts)
    pair = [
        each.losses[np.searchsorted(each.starts, starts, side="right") - 1]
        for each in (before, after)
    ]
    apart: list[int] = (pair[1] - pair[0]).tolist()
    return apart


SPENT = st.fixed_dictionaries(
    {
        "who": st.integers(1, 4),
        "kind": st.sampled_from(["a", "b", "?"]),
        "age": st.none(),
        "town": st.none(),
        "spend": st.none() | st.floats(-10, 510) | st.sampled_from([0.0, 250.0, 500.0]),
    }
)


@pytest.mark.slow
@pytest.mark.parametrize("law", ["laplace", "gaussian"])
@pytest.mark.parametrize("unit", UNITS, ids=str)
@pytest.mark.parametrize("statistic", STATISTICS)
@examples(6, many=40)
@given(data=st.lists(SPENT, max_size=8))
def test_no_neighbour_moves_the_loss_of_any_point_of_a_fine_grid_further_than_is_claimed(
    statistic: str, unit: Any, law: str, data: list[dict[str, Any]]
) -> None:
    """Exactly, on all runs: in whole units, with the claim that a witness is told."""
    twice = 2 if unit.relation == "change" else 1
    for place in places(statistic, "spend", unit, law):
        level = place.place.level
        pull = max(level, 1 - level) * level.denominator
        claim = place.spread.sensitivity.value * pull
        norm = place.spread.norm
        assert norm is (Norm.L1 if law == "laplace" else Norm.L2)
        found = Reference({"data": data}).weights(place.spread)
        for other in neighbours(data, unit):
            near = Reference({"data": other}).weights(place.spread)
            far = [
                Fraction(twice * max(map(abs, moved(*(place.runs(w.get(key, NO_WEIGHTS)) for w in (found, near))))))
                for key in KEYS
            ]  # fmt: skip
            assert norm.measure(far) <= norm.measure([claim])


def test_grids_are_as_fine_as_they_are_said_to_be() -> None:
    fine, low, high = places("MEDIAN({})", "spend", shoal.Row())
    assert 1 << 29 <= fine.place.points <= (1 << 30) + 1
    for end in (low, high):
        assert END_POINTS // 2 <= end.place.points <= END_POINTS + 1
    for place in places("MAX({})", "spend", shoal.Row())[:1]:
        assert EXTREME_POINTS // 2 <= place.place.points <= EXTREME_POINTS + 1
    whole = places("MEDIAN({})", "age", shoal.Row())[0].place
    assert (whole.points, whole.grid.step) == (7, Fraction(1))


class Watching(Keystream):
    """A witness that remembers what it was told."""

    def __init__(self) -> None:
        super().__init__(bytes(32), private=False)
        self.told: list[NoiseWitness] = []

    def meet(self, told: NoiseWitness, draw: Callable[[], Any]) -> Any:
        self.told.append(told)
        return draw()


def test_a_witness_is_told_the_losses_of_a_thousand_public_points_and_sees_a_person_among_them() -> (
    None
):
    place = places("MEDIAN({})", "spend", UNITS[0])[0]
    some: list[dict[str, Any]] = [
        {"who": who, "kind": "a", "age": None, "town": None, "spend": 100.0 + who / 7}
        for who in range(60)
    ]
    one = {"who": 99, "kind": "a", "age": None, "town": None, "spend": 333.3333}
    with use(Watching()) as watching:
        for data in (some, [*some, one]):
            place.release(Reference({"data": data}), [("a",)])
    first, second = watching.told  # type: ignore[attr-defined]
    assert len(first.given) == len(second.given) == WITNESSED
    assert isinstance(first.claim, Moves)
    assert first.claim.block == WITNESSED
    (movement,) = first.claim.check(
        first.given, second.given, other=second.claim, output=None, times=1
    )
    assert movement.within
    # One person with one row of two weighs half of what the bound allows: the witness sees it all.
    assert movement.share == Fraction(1, 4)


def test_the_median_of_ties_is_found_among_a_thousand_million_points() -> None:
    place = places("MEDIAN({})", "spend", shoal.Row(), epsilon=40)[0]
    data = [{"who": 1, "kind": "a", "age": None, "town": None, "spend": 123.456} for _ in range(99)]
    (found,) = place.release(Reference({"data": data}), [("a",)])
    assert abs(found - Fraction(123.456)) <= place.place.grid.step
