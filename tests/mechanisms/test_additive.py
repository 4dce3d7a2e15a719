"""Privacy by arithmetic: the exact output laws of neighbours, held against the claim."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from flint import arb
from tests.mechanisms import laws
from tests.mechanisms.record import Law, landing, recorded

from shoal import (
    Approx,
    DiscreteGaussian,
    Gaussian,
    Geometric,
    Grid,
    Histogram,
    Laplace,
    Norm,
    Sensitivity,
    Staircase,
    TruncatedGeometric,
)
from shoal.exact import ball
from shoal.measures import gaussian_delta_down, gaussian_delta_up

TIGHT = Fraction(999, 1000)
MESH = 48
"""Real values are tried at multiples of 1/48, which meets the boundaries of thirds and of quarters.
"""


def whole_pairs(sensitivity: int) -> Iterator[tuple[int, int]]:
    values = range(-3, 4)
    return ((a, b) for a in values for b in values if abs(a - b) <= sensitivity)


def real_pairs(sensitivity: Fraction) -> Iterator[tuple[Fraction, Fraction]]:
    reach = int(sensitivity * MESH)
    for start in range(-3 * MESH, 3 * MESH):
        for moved in range(-reach, reach + 1):
            yield Fraction(start, MESH), Fraction(start + moved, MESH)


def places_of(mechanism: Any, values: set[Any]) -> tuple[dict[Any, int], Law]:
    """Where each single value lands, and the law of its noise, the same for all."""
    landed = {value: landing(mechanism, value) for value in values}
    (law,) = {law for _, law in landed.values()}
    return {value: places[0] for value, (places, _) in landed.items()}, law


def worst_laplace_loss(mechanism: Laplace, pairs: list[tuple[Any, Any]]) -> Fraction:
    """ln p/q of a discrete Laplace law shifted by m steps is at most m / scale, and reaches it."""
    places, law = places_of(mechanism, {value for pair in pairs for value in pair})
    assert law.name == "discrete_laplace"
    return max(abs(places[a] - places[b]) for a, b in pairs) / law.scale


# Laplace and geometric noise


@pytest.mark.parametrize("sensitivity", [1, 2, 3])
@pytest.mark.parametrize("kind", [Laplace, Geometric])
@pytest.mark.parametrize("epsilon", ["0.1", "1", "7/3"])
def test_noise_on_integers_loses_exactly_epsilon(
    kind: type[Laplace], sensitivity: int, epsilon: str
) -> None:
    mechanism = kind.for_epsilon(epsilon, sensitivity=sensitivity)
    pairs = list(whole_pairs(sensitivity))
    assert worst_laplace_loss(mechanism, pairs) == mechanism.cost.epsilon == Fraction(epsilon)


@pytest.mark.parametrize("scale", [Fraction(1, 2), Fraction(3), Fraction(41, 7)])
@pytest.mark.parametrize("moved", [1, 2, 3])
def test_the_shifted_laplace_law_has_no_larger_ratio_than_its_shift_over_its_scale(
    scale: Fraction, moved: int
) -> None:
    def worst() -> arb:
        weight = laws.discrete_laplace(scale)
        return laws.largest(laws.loss(weight(x), weight(x - moved)) for x in range(-40, 41))

    assert laws.exact(laws.bounds(worst), moved / scale)


@pytest.mark.slow
@pytest.mark.parametrize(
    "grid", [None, Grid(-3), Grid(-2), Grid(-1), Grid(0), Grid(2)], ids=lambda g: f"grid {g}"
)
@pytest.mark.parametrize("sensitivity", ["1/3", "1/4", "5/6", "1"])
def test_noise_on_the_grid_loses_at_most_epsilon(sensitivity: str, grid: Grid | None) -> None:
    mechanism = Laplace.for_epsilon("0.7", sensitivity=sensitivity, grid=grid)
    worst = worst_laplace_loss(mechanism, list(real_pairs(Fraction(sensitivity))))
    claim = mechanism.cost.epsilon
    assert TIGHT * claim <= worst <= claim
    if grid is not None and grid.exponent >= -3:
        assert worst == claim  # the mesh is fine enough to reach the worst landing


@pytest.mark.parametrize("grid", [None, Grid(-2), Grid(0)], ids=lambda g: f"grid {g}")
@pytest.mark.parametrize("size", [2, 3])
def test_a_vector_loses_at_most_epsilon_however_the_movement_is_split(
    size: int, grid: Grid | None
) -> None:
    sensitivity = Fraction(1, 3)
    mechanism = Laplace.for_epsilon(2, sensitivity=sensitivity, grid=grid)
    reach = int(sensitivity * MESH)
    landed = {x: landing(mechanism, np.full(size, x / MESH)) for x in range(-MESH, MESH + reach)}
    assert all(len(set(places)) == 1 for places, _ in landed.values())
    (scale,) = {law.scale for _, law in landed.values()}
    furthest = [
        max(abs(landed[x][0][0] - landed[x + moved][0][0]) for x in range(-MESH, MESH))
        for moved in range(reach + 1)
    ]
    splits = itertools.product(range(reach + 1), repeat=size)
    worst = max(sum(furthest[part] for part in split) for split in splits if sum(split) <= reach)
    assert 2 * TIGHT <= worst / scale <= 2
    assert grid is None or worst / scale == 2


def test_forgetting_to_widen_the_noise_would_lose_more_than_epsilon() -> None:
    mechanism = Laplace.for_epsilon(1, sensitivity="1/3", grid=Grid(-2))
    places, law = places_of(mechanism, {v for pair in real_pairs(Fraction(1, 3)) for v in pair})
    moved = max(abs(places[a] - places[b]) for a, b in real_pairs(Fraction(1, 3)))
    narrow = mechanism.scale / Fraction(1, 4)
    assert moved == 2
    assert moved / law.scale == 1 < moved / narrow


def test_sensitivity_zero_costs_nothing_and_is_still_noisy() -> None:
    for mechanism in (Laplace(scale=2, sensitivity=0), Gaussian(sigma=2, sensitivity=0)):
        assert mechanism.cost == type(mechanism.cost)(0)
        grid = mechanism._on_grid(1)[0]
        _, law = landing(mechanism, 0.0)
        wanted = 2 / grid.spacing
        assert law.scale == (wanted if isinstance(mechanism, Laplace) else wanted**2)


# truncated geometric noise and histograms


def truncated_law(scale: Fraction, low: int, high: int, value: int) -> list[Any]:
    at_most = [laws.laplace_at_most(scale, place - value) for place in range(low, high)]
    return [at_most[0], *(b - a for a, b in itertools.pairwise(at_most)), 1 - at_most[-1]]


@pytest.mark.parametrize("sensitivity", [1, 2])
def test_a_clamped_answer_loses_exactly_epsilon(sensitivity: int) -> None:
    low, high = 0, 5
    mechanism = TruncatedGeometric.for_epsilon("0.5", sensitivity=sensitivity, low=low, high=high)
    with recorded() as drawn:
        landed = {value: mechanism.release(value) for value in range(-2, 8)}
    assert landed == {value: min(high, max(low, value)) for value in range(-2, 8)}
    (law,) = set(drawn)

    def worst() -> arb:
        tables = {value: truncated_law(law.scale, low, high, value) for value in range(-2, 8)}
        return laws.largest(
            laws.loss(here, there)
            for a in tables
            for b in tables
            if abs(a - b) <= sensitivity
            for here, there in zip(tables[a], tables[b], strict=True)
        )

    assert laws.exact(laws.bounds(worst), Fraction(1, 2))


@pytest.mark.parametrize(("relation", "moved"), [("add_remove", 1), ("change", 2)])
def test_a_histogram_loses_exactly_epsilon(relation: str, moved: int) -> None:
    rows = ["a", "b", "b", "d"]
    categories = ["a", "b", "c"]
    removed = [rows[:place] + rows[place + 1 :] for place in range(len(rows))]
    added = [[*rows, row] for row in "abcd"]
    changed = [[*rest, row] for rest in removed for row in "abcd"]
    neighbours = removed + added if relation == "add_remove" else changed
    with recorded() as drawn:
        mechanism = Histogram.for_epsilon(1, relation=relation)
        here = mechanism.release(rows, categories=categories)
        tables = [mechanism.release(other, categories=categories) for other in neighbours]
    (law,) = set(drawn)
    worst = max(sum(abs(here[c] - table[c]) for c in categories) for table in tables)
    assert worst == moved
    assert worst / law.scale == mechanism.cost.epsilon == 1


# staircase noise


@pytest.mark.parametrize("epsilon", [Fraction(1, 2), Fraction(3), Fraction(9)])
@pytest.mark.parametrize("gamma", [None, Fraction(1), Fraction(1, 7)])
@pytest.mark.parametrize("sensitivity", [1, 2, 5])
def test_stairs_on_integers_lose_exactly_epsilon(
    sensitivity: int, gamma: Fraction | None, epsilon: Fraction
) -> None:
    mechanism = Staircase(epsilon=epsilon, sensitivity=sensitivity, gamma=gamma)
    places, law = places_of(mechanism, set(range(-3, 4)))
    assert all(places[value] == value for value in places)
    assert law.parameters[:2] == (epsilon, sensitivity)
    stairs_lose(epsilon, sensitivity, law)


def stairs_lose(epsilon: Fraction, moved: int, law: Law) -> None:
    """The worst ratio of the law moved by up to so many steps is e^epsilon, and no more."""

    def worst() -> arb:
        weight = laws.staircase(*law.parameters)
        reach = range(-6 * moved - 6, 6 * moved + 7)
        return laws.largest(
            laws.loss(weight(x), weight(x - shift)) for x in reach for shift in range(1, moved + 1)
        )

    assert laws.exact(laws.bounds(worst), epsilon)


@pytest.mark.parametrize("grid", [Grid(-3), Grid(-2), Grid(0)], ids=str)
def test_stairs_on_the_grid_lose_exactly_epsilon(grid: Grid) -> None:
    mechanism = Staircase(epsilon=2, sensitivity="1/3", grid=grid)
    pairs = list(real_pairs(Fraction(1, 3)))
    places, law = places_of(mechanism, {value for pair in pairs for value in pair})
    moved = max(abs(places[a] - places[b]) for a, b in pairs)
    assert moved == law.parameters[1]
    stairs_lose(Fraction(2), moved, law)


def test_stairs_are_no_wider_than_their_sensitivity_in_steps() -> None:
    mechanism = Staircase(epsilon=2, sensitivity="1/3")
    pairs = list(real_pairs(Fraction(1, 3)))
    places, law = places_of(mechanism, {value for pair in pairs for value in pair})
    moved = max(abs(places[a] - places[b]) for a, b in pairs)
    assert moved <= law.parameters[1] <= moved * (1 + Fraction(1, 10**12))


@pytest.mark.parametrize("width", [1, 2, 7, 3_000_000])
@pytest.mark.parametrize("gamma", ["1/1000", "0.3", "1"])
def test_the_event_of_a_staircase_describes_the_law_that_is_drawn(width: int, gamma: str) -> None:
    mechanism = Staircase(epsilon=1, sensitivity=width, gamma=gamma)
    _, law = landing(mechanism, 0)
    heavy = sum(place < mechanism.event.gamma * width for place in range(min(width, 10**4)))
    assert min(law.parameters[2], 10**4) == heavy or width > 10**4
    assert law.parameters[2] - 1 < mechanism.event.gamma * width <= law.parameters[2]


# Gaussian noise

EPSILONS = [Fraction(0), Fraction(1, 2), Fraction(1), Fraction(3)]


def window(sigma: Fraction) -> range:
    reach = int(16 * sigma) + 8
    return range(-reach, reach + 1)


def profile(law: Law, moved: int, epsilon: Fraction, reach: range) -> laws.Bounds:
    """The hockey-stick divergence of a law from itself so many steps on; a window holds all but
    10^-50.
    """

    def delta() -> arb:
        weight = getattr(laws, law.name)(*law.parameters)
        return laws.hockey_stick(((weight(x), weight(x - moved)) for x in reach), epsilon)

    return laws.bounds(delta)


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize(
    ("sigma", "sensitivity"), [("1/2", 1), ("1.3", 1), ("4", 1), ("4", 3), ("10", 2)]
)
def test_the_rounded_normal_on_integers_keeps_the_gaussian_profile(
    sigma: str, sensitivity: int, epsilon: Fraction
) -> None:
    mechanism = Gaussian(sigma=sigma, sensitivity=sensitivity)
    _, law = landing(mechanism, 3)
    assert law == Law("rounded_gaussian", (Fraction(sigma) ** 2,))
    low, high = profile(law, sensitivity, epsilon, window(Fraction(sigma)))
    claim = gaussian_delta_up(mechanism.cost.mu, epsilon)
    assert high <= claim
    assert Fraction(sigma) < 4 or low >= claim * Fraction(8, 10)


def half_line(sigma: Fraction, moved: int, epsilon: Fraction) -> arb:
    """What the best half line of the lattice tells the rounded law from itself, so many steps
    on.
    """
    best = int(Fraction(moved, 2) + epsilon * sigma**2 / moved)
    half = Fraction(1, 2)
    return laws.largest(
        laws.normal_at_least(sigma, place - moved - half)
        - ball(epsilon).exp() * laws.normal_at_least(sigma, place - half)
        for place in (best, best + 1)
    )


@pytest.mark.slow
@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("sensitivity", ["1/3", "1", "3/4"])
def test_the_rounded_normal_on_the_grid_has_the_gaussian_profile(
    sensitivity: str, epsilon: Fraction
) -> None:
    mechanism = Gaussian(sigma="0.6", sensitivity=sensitivity)
    pairs = list(real_pairs(Fraction(sensitivity)))
    places, law = places_of(mechanism, {value for pair in pairs for value in pair})
    moved = max(abs(places[a] - places[b]) for a, b in pairs)
    sigma = mechanism._on_grid(1)[1]
    assert law == Law("rounded_gaussian", (sigma**2,))
    low, high = laws.bounds(lambda: half_line(sigma, moved, epsilon))
    assert high <= gaussian_delta_up(mechanism.cost.mu, epsilon)
    assert low >= gaussian_delta_down(mechanism.cost.mu, epsilon) * TIGHT


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_two_rounded_normals_keep_the_gaussian_profile_together(epsilon: Fraction) -> None:
    diagonal = Sensitivity(Fraction("1.41421356237309504881"), Norm.L2, None, 2)
    mechanism = Gaussian(sigma="1.5", sensitivity=diagonal)
    places, law = landing(mechanism, np.array([3, 4]))
    assert places == (3, 4)

    def delta() -> arb:
        weight = laws.rounded_gaussian(*law.parameters)
        reach = range(-17, 18)
        here, there = {x: weight(x) for x in reach}, {x: weight(x - 1) for x in reach}
        return laws.hockey_stick(
            ((here[x] * here[y], there[x] * there[y]) for x in reach for y in reach), epsilon
        )

    low, high = laws.bounds(delta)
    claim = gaussian_delta_up(mechanism.cost.mu, epsilon)
    assert claim / 2 < low <= high <= claim


@pytest.mark.parametrize("size", [1, 2, 5])
@pytest.mark.parametrize("kind", [Gaussian, DiscreteGaussian])
@pytest.mark.parametrize("grid", [None, Grid(-2), Grid(0)], ids=lambda g: f"grid {g}")
def test_vectors_on_the_grid_move_no_further_in_steps_than_their_noise_allows_for(
    kind: type[Gaussian | DiscreteGaussian], size: int, grid: Grid | None
) -> None:
    sensitivity = Fraction(1, 3)
    mechanism = kind(sigma=2, sensitivity=sensitivity, grid=grid)
    draws = np.random.default_rng(5)
    worst = Fraction(0)
    for _ in range(60):
        start = draws.integers(-MESH, MESH, size) / MESH
        way = draws.normal(size=size)
        way *= float(sensitivity) * (1 - 1e-12) / np.linalg.norm(way)
        (here, law), (there, _) = landing(mechanism, start), landing(mechanism, start + way)
        moved = sum((a - b) ** 2 for a, b in zip(here, there, strict=True))
        worst = max(worst, moved / law.scale)
    assert worst <= (sensitivity / 2) ** 2


@pytest.mark.parametrize(
    ("epsilon", "delta", "discrete"),
    [(1, "1e-6", "1.0197e-6"), (8, "1e-6", "3.0142e-6"), (3, "1e-3", "1.4728e-3")],
)
def test_the_discrete_gaussian_of_a_coarse_lattice_exceeds_the_continuous_profile(
    epsilon: int, delta: str, discrete: str
) -> None:
    """Why `Gaussian` rounds a continuous law; the figures stand in gaussian.md."""
    mechanism = Gaussian.for_budget(Approx(epsilon, delta), sensitivity=1)
    reach, parameters = window(mechanism.sigma), (mechanism.sigma**2,)
    low, high = profile(Law("discrete_gaussian", parameters), 1, Fraction(epsilon), reach)
    assert f"{float(low):.4e}" == f"{float(high):.4e}" == f"{float(discrete):.4e}"
    assert low > Fraction(delta)
    _, kept = profile(Law("rounded_gaussian", parameters), 1, Fraction(epsilon), reach)
    assert kept <= Fraction(delta)


# discrete Gaussian noise

ORDERS = [Fraction(101, 100), Fraction(2), Fraction(8), Fraction(40)]


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize(("sigma", "sensitivity"), [("1/2", 1), ("2", 1), ("3", 2), ("10", 3)])
def test_the_discrete_gaussian_has_exactly_the_divergences_of_its_rho(
    sigma: str, sensitivity: int, order: Fraction
) -> None:
    mechanism = DiscreteGaussian(sigma=sigma, sensitivity=sensitivity)
    _, law = landing(mechanism, 3)
    assert law == Law("discrete_gaussian", (Fraction(sigma) ** 2,))
    reach = window(Fraction(sigma) + order * sensitivity)  # p^order q^(1 - order) peaks far out

    def found() -> arb:
        weight = laws.discrete_gaussian(*law.parameters)
        return laws.divergence(((weight(x), weight(x - sensitivity)) for x in reach), order)

    low, high = laws.bounds(found)
    claim = order * mechanism.cost.rho
    assert laws.exact((low, high), claim) or claim / 2 < low <= high < claim
    if (order * sensitivity).denominator == 1:
        assert laws.exact((low, high), claim)


def test_the_event_of_a_discrete_gaussian_describes_the_law_that_is_drawn() -> None:
    mechanism = DiscreteGaussian(sigma=3, sensitivity="1/3", grid=Grid(-2))
    _, whole = landing(mechanism, 5)
    assert mechanism.event.sigma_squared == whole.scale == 9
    for size in (1, 4):
        event = mechanism.event_for(size=size, integers=False)
        _, law = landing(mechanism, np.zeros(size))
        assert event.sigma_squared == law.scale
        assert event.sensitivity_squared / event.sigma_squared == 2 * mechanism.cost.rho
        assert event.sensitivity_squared >= (Fraction(4, 3)) ** 2
