"""Releases from disjoint parts: the worst part at each delta, and no lower end that nothing
attains.
"""

from __future__ import annotations

import math
from fractions import Fraction

import pytest

from shoal.accounting import account
from shoal.accounting.comparison import compare
from shoal.events import (
    Event,
    Gaussian,
    Geometric,
    Group,
    Laplace,
    Parallel,
    PoissonSampled,
    Repeated,
    StatedApprox,
    StatedPure,
)
from shoal.measures import gaussian_epsilon_up

NOISE = Gaussian(sigma=1, sensitivity=1)
SHARP = Laplace(scale="0.25", sensitivity=1, steps=2**40)


@pytest.mark.parametrize("delta", ["1e-1", "1e-3", "1e-4", "1e-6", "1e-12"])
def test_one_row_in_unlike_parts_costs_what_the_worst_part_costs_at_this_delta(delta: str) -> None:
    found = account(Parallel([NOISE, SHARP]), relation="add_remove").epsilon(delta=delta)
    laplace = 4 + 2 * math.log1p(-float(delta))
    exact = max(float(gaussian_epsilon_up(1, delta)), laplace)
    assert float(found.epsilon) == pytest.approx(exact, abs=1e-6)
    assert found.lower is not None
    assert float(found.lower) == pytest.approx(exact, abs=1e-6)
    assert found.lower <= exact + 1e-9


def test_the_worst_part_depends_on_delta() -> None:
    both, noise, sharp = (
        account(event, relation="add_remove") for event in (Parallel([NOISE, SHARP]), NOISE, SHARP)
    )
    for delta in ("1e-2", "1e-8"):
        each = [one.epsilon(delta=delta).epsilon for one in (noise, sharp)]
        assert float(both.epsilon(delta=delta).epsilon) == pytest.approx(float(max(each)), abs=1e-6)
    assert noise.epsilon(delta="1e-2").epsilon < sharp.epsilon(delta="1e-2").epsilon
    assert noise.epsilon(delta="1e-8").epsilon > sharp.epsilon(delta="1e-8").epsilon
    assert both.delta(epsilon=2).delta == max(one.delta(epsilon=2).delta for one in (noise, sharp))


def test_parts_of_several_releases_are_told_by_themselves() -> None:
    many = Repeated(Laplace(scale=10, sensitivity=1, steps=2**40), 50)
    found = account(Parallel([many, NOISE]), relation="add_remove").epsilon(delta="1e-6")
    each = [
        account(part, relation="add_remove").epsilon(delta="1e-6").epsilon for part in (many, NOISE)
    ]
    assert float(found.epsilon) == pytest.approx(float(max(each)), abs=1e-4)


@pytest.mark.slow
@pytest.mark.parametrize("extra", [SHARP, Gaussian(sigma=2, sensitivity=1), StatedPure("0.1")])
def test_several_such_releases_cost_at_least_every_part_so_often_and_claim_no_lower_end(
    extra: Event,
) -> None:
    lines = account([Parallel([NOISE, SHARP]), extra], relation="add_remove")
    found = lines.epsilon(delta="1e-4")
    for part in (NOISE, SHARP):
        alone = account([part, extra], relation="add_remove").epsilon(delta="1e-4")
        assert alone.lower is None or found.epsilon >= alone.lower
    assert found.lower is None
    assert not lines.laws_are_known


@pytest.mark.slow
def test_an_account_that_grows_by_parts_is_the_account_of_all() -> None:
    parts = Parallel([NOISE, SHARP])
    grown = account(parts, relation="add_remove").plus(NOISE)
    other = account(NOISE, relation="add_remove").plus(parts)
    whole = account([parts, NOISE], relation="add_remove")
    assert grown.epsilon(delta="1e-4") == whole.epsilon(delta="1e-4")
    assert grown.epsilon(delta="1e-4").lower is None
    assert other.epsilon(delta="1e-4").lower is None
    assert float(other.epsilon(delta="1e-4").epsilon) == pytest.approx(
        float(whole.epsilon(delta="1e-4").epsilon), abs=1e-4
    )


@pytest.mark.parametrize(
    ("parts", "worst"),
    [
        ([Gaussian(2, 1), Gaussian(1, 1), Gaussian(3, 1)], Gaussian(1, 1)),
        ([Laplace(2, 1, steps=2**40), Laplace(1, 1, steps=2**40)], Laplace(1, 1, steps=2**40)),
        ([Geometric(1, 1), Laplace(2, 1, steps=2**40)], Geometric(1, 1)),
    ],
)
def test_where_one_part_is_worst_at_every_delta_many_releases_attain_it(
    parts: list[Event], worst: Event
) -> None:
    found = account(Repeated(Parallel(parts), 20), relation="add_remove")
    alone = account(Repeated(worst, 20), relation="add_remove")
    assert found.laws_are_known
    assert float(found.epsilon(delta="1e-6").epsilon) == pytest.approx(
        float(alone.epsilon(delta="1e-6").epsilon), abs=1e-4
    )
    assert found.epsilon(delta="1e-6").lower is not None


def test_a_row_that_changes_costs_the_worst_two_parts_together() -> None:
    parts = Parallel([NOISE, SHARP])
    pair = account([NOISE, SHARP], relation="change").epsilon(delta="1e-6")
    twice = Parallel([NOISE, NOISE, SHARP])
    for found in (parts, twice):
        cost = account(found, relation="change").epsilon(delta="1e-6")
        assert float(cost.epsilon) == pytest.approx(float(pair.epsilon), abs=1e-4)
        assert cost.lower is None


def test_two_rows_that_leave_may_leave_one_part() -> None:
    narrow = Gaussian(sigma=1, sensitivity=1, relation="add_remove")
    parts = Parallel([narrow, Laplace(scale=5, sensitivity=1, steps=2**40, relation="add_remove")])
    changed = account(parts, relation="change").epsilon(delta="1e-6")
    group = account(Group(narrow, 2)).epsilon(delta="1e-6")
    assert float(changed.epsilon) == pytest.approx(float(group.epsilon), abs=1e-4)
    assert changed.epsilon >= group.epsilon * (1 - Fraction(1, 10**9))


def test_a_part_that_may_fail_claims_no_lower_end() -> None:
    parts = Parallel([NOISE, StatedApprox(1, "1e-8")])
    found = account(parts, relation="add_remove").epsilon(delta="1e-6")
    noise = account(NOISE, relation="add_remove").epsilon(delta="1e-6")
    assert noise.epsilon <= found.epsilon <= noise.epsilon + Fraction(1, 100)
    assert found.lower is None
    assert compare(account(parts, relation="add_remove"), delta="1e-6").lower is None


def test_unlike_parts_of_one_sample_are_not_sampled_point_by_point() -> None:
    sampled = PoissonSampled(Parallel([NOISE, SHARP]), "0.01")
    found = account(sampled).epsilon(delta="1e-6")
    worst = account(PoissonSampled(NOISE, "0.01")).epsilon(delta="1e-6")
    assert found.epsilon >= worst.epsilon
    assert found.lower is None
