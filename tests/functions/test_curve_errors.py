"""Few repetitions of the row *functions* of the benchmarks: errors beside those that diffpriv was
measured to have.
"""

from __future__ import annotations

import statistics

import numpy as np
import pytest
from benchmarks import functions

from shoal.noise import seam


@pytest.mark.slow
@pytest.mark.parametrize("rows", [100, 500, 5000])
def test_curves_err_a_small_part_of_what_diffpriv_errs(rows: int) -> None:
    """Random DP: 1/5, 1/5 and 1/10 of its medians; pure DP: less than its random one from 500 rows
    on.
    """
    several: dict[tuple[str, int], list[float]] = {}
    generator = np.random.default_rng(rows + 1)
    with seam.seeded(rows):
        for _ in range(9 if rows < 5000 else 3):
            for name, epsilon, error in functions.one_repetition(generator, rows):
                several.setdefault((name, epsilon), []).append(error)
    for (name, epsilon), errors in several.items():
        theirs, ours = functions.DIFFPRIV_ERRORS[rows, epsilon], statistics.median(errors)
        if name in (functions.SPACED, functions.MEAN):
            assert ours <= theirs / functions.PARTS[rows]
        elif name == functions.PURE and rows >= 500:
            assert ours <= theirs
    assert len(several) == 8


def test_the_true_curve_is_none_of_those_that_shapes_were_chosen_for() -> None:
    x = np.linspace(0, 1, 50)
    assert all(np.abs(curve(x) - functions.truth(x)).max() > 0.5 for curve in functions.IMAGINED)


def test_the_shares_of_the_benchmark_are_those_claimed() -> None:
    generator = np.random.default_rng(8)
    found = statistics.fmean(functions._beyond(generator, 19, 19) for _ in range(10))
    assert found == pytest.approx(1 / 20, rel=0.03)
