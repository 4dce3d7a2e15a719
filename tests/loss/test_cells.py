"""One loss on a grid: its masses, and the order between its two twins and the truth."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from flint import arb
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.integrate import quad

from shoal.exact import at_precision, ball
from shoal.loss import AtomicLoss, LaplaceLoss, NormalLoss, SampledNormalLoss
from shoal.loss.cells import RELATIVE_ERROR, Cells, Lattice
from shoal.loss.loss_sources import normal_masses
from shoal.measures import gaussian_delta_down, gaussian_delta_up

SMALLEST = 1e-25


def delta_of(lattice: Lattice, epsilon: float) -> float:
    losses = lattice.origin + lattice.step * np.arange(len(lattice.weights))
    over = losses > epsilon
    kept = lattice.weights[over] * -np.expm1(epsilon - losses[over])
    return float(kept.sum()) + lattice.infinite


def normal_mass(low: float, high: float) -> float:
    def exact() -> arb:
        root = arb(2).sqrt()
        if low > 0:
            return ((ball(Fraction(low)) / root).erfc() - (ball(Fraction(high)) / root).erfc()) / 2
        return ((-ball(Fraction(high)) / root).erfc() - (-ball(Fraction(low)) / root).erfc()) / 2

    return float(at_precision(400, lambda: exact().mid()))


@given(st.floats(-35, 35), st.floats(-14, 1))
def test_the_mass_of_a_normal_cell_is_far_within_the_error_that_is_paid_for(
    low: float, log_width: float
) -> None:
    high = low + 10**log_width
    if high == low:
        return
    mass = normal_masses(np.array([low, high]))[0]
    # the width itself is only as exact as its ends
    own = 2.0**-52 * max(abs(low), abs(high)) / (high - low)
    assert abs(mass / normal_mass(low, high) - 1) < RELATIVE_ERROR / 4 + own


@pytest.mark.parametrize("mu", [0.01, 0.3, 1.0, 4.0])
@pytest.mark.parametrize("step", [0.001, 0.05, 0.7])
def test_the_twins_of_a_normal_loss_enclose_its_closed_form(mu: float, step: float) -> None:
    cells = NormalLoss(mu).cells(step, SMALLEST)
    for epsilon in np.linspace(0, 3 * mu, 7):
        low = delta_of(cells.optimistic(), epsilon) * (1 - 4 * RELATIVE_ERROR)
        high = delta_of(cells.pessimistic(), epsilon) * (1 + 4 * RELATIVE_ERROR)
        assert low <= gaussian_delta_up(Fraction(mu), Fraction(epsilon))
        assert high >= gaussian_delta_down(Fraction(mu), Fraction(epsilon))


@pytest.mark.parametrize("removed", [True, False])
def test_the_twins_of_a_sampled_normal_loss_enclose_its_integral(removed: bool) -> None:
    rate, mu = 0.2, 1.25
    source = SampledNormalLoss(rate, mu, removed)

    def plain(x: float) -> float:
        return math.exp(-x * x / 2) / math.sqrt(2 * math.pi)

    def mixed(x: float) -> float:
        return (1 - rate) * plain(x) + rate * plain(x - mu)

    first, second = (mixed, plain) if removed else (plain, mixed)
    for step in (0.002, 0.05):
        cells = source.cells(step, SMALLEST)
        for epsilon in (0.0, 0.05, 0.15, 0.6):
            truth = quad(
                lambda x, e=epsilon: max(0.0, first(x) - math.exp(e) * second(x)),
                -12,
                14,
                limit=400,
                points=[-2, -1, 0, 0.5, 1, 2, 3],
            )[0]
            assert delta_of(cells.optimistic(), epsilon) <= truth + 1e-9
            assert delta_of(cells.pessimistic(), epsilon) >= truth - 1e-9


@given(
    st.lists(st.tuples(st.floats(1e-6, 1), st.floats(0, 1)), min_size=1, max_size=12),
    st.floats(0.01, 2),
    st.floats(-1, 20),
)
def test_any_cells_lie_between_their_twins(
    drawn: list[tuple[float, float]], step: float, epsilon: float
) -> None:
    mass = np.array([mass for mass, _ in drawn])
    place = np.array([place for _, place in drawn])
    cells = Cells(step, -1.0, mass / mass.sum(), place)
    left = -1.0 + step * np.arange(len(mass))
    mean_y = np.exp(-left) * (1 - place * -np.expm1(-step))
    merged = float((cells.mass * np.clip(1 - np.exp(epsilon) * mean_y, 0, None)).sum())
    spread = _at_ends(cells, place, epsilon)
    assert delta_of(cells.optimistic(), epsilon) <= merged + 1e-9
    assert delta_of(cells.pessimistic(), epsilon) >= spread - 1e-9


def _at_ends(cells: Cells, place: NDArray[np.float64], epsilon: float) -> float:
    left = cells.origin + cells.step * np.arange(len(place))
    at_left = np.clip(-np.expm1(epsilon - left), 0, None) * (left > epsilon)
    at_right = np.clip(-np.expm1(epsilon - left - cells.step), 0, None)
    return float((cells.mass * ((1 - place) * at_left + place * at_right)).sum())


def test_masses_are_kept() -> None:
    for source in (NormalLoss(0.5), LaplaceLoss(0.7), SampledNormalLoss(0.1, 1.0, True)):
        cells = source.cells(0.01, SMALLEST)
        for twin in (cells.pessimistic(), cells.optimistic()):
            assert twin.weights.min() >= 0
            assert twin.weights.sum() + twin.infinite == pytest.approx(1, abs=1e-12)


def test_atoms_on_grid_points_have_equal_twins() -> None:
    cells = AtomicLoss(((0.5, 0.7), (-0.5, 0.3)), unit=1.0).cells(0.25, SMALLEST)
    assert (cells.pessimistic().weights == cells.optimistic().weights).all()


def test_laplace_cells_have_the_mass_and_ratio_of_the_law() -> None:
    epsilon, step = 0.8, 0.1
    cells = LaplaceLoss(epsilon).cells(step, SMALLEST)
    for k, (mass, place) in enumerate(zip(cells.mass, cells.place, strict=True)):
        x = -epsilon + k * step
        ends = np.array([x, min(x + step, epsilon)])
        inner = float(np.diff(np.exp((ends - epsilon) / 2))[0]) / 2
        atoms = (math.exp(-epsilon) / 2 if k == 0 else 0.0) + (
            0.5 if k == len(cells.mass) - 1 else 0
        )
        assert mass == pytest.approx(inner + atoms, rel=1e-12)
        assert 0 <= place <= 1
