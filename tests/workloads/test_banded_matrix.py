"""Streams in which units return: exact sensitivities, exact measurements, and the least error."""

from __future__ import annotations

import itertools
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.accounting.participation import toeplitz_square
from shoal.errors import RangeError
from shoal.workloads import BandedMatrix, StreamMatrix
from shoal.workloads.banded_matrix import FIRST, MOST_BANDS, _coefficients


def dense(matrix: BandedMatrix) -> Any:
    """The whole matrix, of Python's whole numbers."""
    made = np.zeros((matrix.steps, matrix.steps), dtype=object)
    for at in range(matrix.steps):
        for lag, c in enumerate(matrix.coefficients[: matrix.steps - at]):
            made[at + lag, at] = c
    return made


def patterns(steps: int, apart: int) -> Any:
    """Every set of steps of which any two are at least so far apart."""
    for taken in itertools.product([0, 1], repeat=steps):
        places = [at for at, here in enumerate(taken) if here]
        if all(later - at >= apart for at, later in itertools.pairwise(places)):
            yield np.array(taken, dtype=object)


@st.composite
def matrices(draw: Any) -> BandedMatrix:
    steps, apart = draw(st.integers(1, 9)), draw(st.integers(1, 5))
    bands = draw(st.integers(1, min(steps, apart)))
    falling = sorted(draw(st.lists(st.integers(0, 9), min_size=bands, max_size=bands)))[::-1]
    return BandedMatrix((falling[0] + 1, *falling[1:]), steps, apart)


@given(matrices())
def test_no_unit_that_returns_moves_a_stream_further_and_one_moves_it_so_far(
    matrix: BandedMatrix,
) -> None:
    """Over all sets of steps; signs do not matter where no two columns meet."""
    whole = dense(matrix)
    found = max(
        int((whole @ each) @ (whole @ each)) for each in patterns(matrix.steps, matrix.separation)
    )
    assert found == matrix.squared_sensitivity
    priced = toeplitz_square(
        [Fraction(each) for each in matrix.coefficients], steps=matrix.steps,
        participations=matrix.participations, separation=matrix.separation,
    )  # fmt: skip
    assert priced.square == matrix.squared_sensitivity
    assert priced.attained


@given(matrices(), st.integers(0, 2**32))
def test_what_was_measured_gives_the_steps_back(matrix: BandedMatrix, seed: int) -> None:
    rng = np.random.default_rng(seed)
    vectors = list(rng.integers(-1000, 1000, (matrix.steps, 2)))
    measured = [matrix.measured(vectors[at::-1]) for at in range(matrix.steps)]
    assert (
        np.array(measured, dtype=object) == dense(matrix) @ np.array(vectors, dtype=object)
    ).all()
    told: list[Any] = []
    for each in measured:
        told.insert(0, matrix.undone(each.astype(float), told))
    assert np.array(told[::-1]) == pytest.approx(np.array(vectors), abs=1e-3)


def test_errors_are_those_of_the_whole_matrix() -> None:
    matrix = BandedMatrix.best(50, 12)
    inverse = np.linalg.inv(dense(matrix).astype(float))
    running = np.cumsum(inverse, axis=0)
    assert matrix.step_variances() == pytest.approx((inverse**2).sum(axis=1))
    assert matrix.running_variances() == pytest.approx((running**2).sum(axis=1))
    wanted = (running**2).sum(axis=1).mean() * matrix.squared_sensitivity
    assert matrix.mean_square == pytest.approx(wanted)


def test_the_largest_entries_are_measured_exactly() -> None:
    matrix = BandedMatrix.best(2000, 1000)
    largest = [np.array([matrix.largest, -matrix.largest])] * len(matrix.coefficients)
    exact = sum(matrix.coefficients) * matrix.largest
    assert matrix.measured(largest).tolist() == [exact, -exact]
    assert 2**61 < exact <= 2**62


def test_the_first_exponent_is_that_of_the_root_of_running_sums() -> None:
    whole = StreamMatrix(200).coefficients
    assert _coefficients(8, 200) == tuple(each >> 10 for each in whole)


@pytest.mark.parametrize(("steps", "apart"), [(200, 20), (60, 10), (2000, 20), (200, 200)])
def test_the_best_is_better_than_independent_noise_and_than_a_root_that_is_cut_off(
    steps: int, apart: int
) -> None:
    best = BandedMatrix.best(steps, apart)
    alone = BandedMatrix((FIRST,), steps, apart)
    cut = BandedMatrix(_coefficients(8, apart), steps, apart)
    assert best.mean_square <= cut.mean_square < alone.mean_square / 4
    assert len(best.coefficients) <= apart


def test_fewer_coefficients_can_be_asked_for_and_there_is_a_most() -> None:
    assert len(BandedMatrix.best(200, 20, most=5).coefficients) <= 5
    assert BandedMatrix.best(200, 20, most=1).coefficients == (FIRST,)
    assert len(BandedMatrix.best(3000, 2000).coefficients) <= MOST_BANDS


@pytest.mark.parametrize(
    ("coefficients", "steps", "apart"),
    [((3, 2, 1), 9, 2), ((3, 2, 1), 2, 9), ((1, 2), 9, 9), ((1, -1), 9, 9), ((0,), 9, 9), ((), 9, 9)],
)  # fmt: skip
def test_bands_in_which_a_unit_would_meet_itself_are_refused(
    coefficients: tuple[int, ...], steps: int, apart: int
) -> None:
    with pytest.raises(RangeError):
        BandedMatrix(coefficients, steps, apart)
