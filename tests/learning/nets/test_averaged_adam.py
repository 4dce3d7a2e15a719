from __future__ import annotations

import numpy as np
import pytest

from shoal.errors import RangeError
from shoal.learning.nets.averaged_adam import (
    LARGEST_RATE,
    LARGEST_WEIGHT,
    AveragedAdam,
    read_learning_rate,
)


def test_no_weight_grows_beyond_its_bound() -> None:
    """With one that is infinite, 0 times it would be no number, for some rows and not for others."""
    path = AveragedAdam(np.zeros(2), 1e308)
    for sign in (1, 1, -1):
        path.step(np.array([sign, -sign]) * 1.0)
        assert np.abs(path.weights).max() <= LARGEST_WEIGHT
        assert np.abs(path.average).max() <= LARGEST_WEIGHT


def test_a_learning_rate_beyond_the_limit_is_refused() -> None:
    assert read_learning_rate(LARGEST_RATE) == LARGEST_RATE
    for wrong in ("10.01", "1e308", 0):
        with pytest.raises(RangeError, match="learning_rate"):
            read_learning_rate(wrong)


def test_it_goes_downhill_and_the_length_of_gradients_does_not_matter() -> None:
    ends = []
    for size in (1e-3, 1.0, 1e6):
        path = AveragedAdam(np.array([1.0, -2.0]), 0.05)
        for _ in range(200):
            path.step(size * path.weights)
        ends.append(path.average)
    assert max(np.abs(each).max() for each in ends) < 0.05
    assert np.allclose(ends[0], ends[2], atol=1e-6)


def test_noise_cancels_in_the_average() -> None:
    rng = np.random.default_rng(3)
    path, apart = AveragedAdam(np.zeros(400), 0.05), []
    for _ in range(300):
        path.step(5 * path.weights + rng.normal(0, 1, 400))
        apart.append((np.abs(path.average).mean(), np.abs(path.weights).mean()))
    average, last = np.array(apart[100:]).mean(axis=0)
    assert average < 0.8 * last
