"""What one run may cost, where the best of a secret number of them is released."""

from __future__ import annotations

from fractions import Fraction
from functools import cache

from shoal.accounting.calibration import calibrate
from shoal.events import Gaussian, RepeatAndSelect, StatedPure
from shoal.measures import Approx, Pure


@cache
def run_mu(target: Approx, mean: int) -> Fraction:
    """The most that one run may cost, as a mu, so that the best of a Poisson number of them keeps to
    the target.
    """
    sigma = calibrate(
        lambda sigma: RepeatAndSelect(Gaussian(sigma, 1), "poisson", mean=mean),
        target,
        safer="larger",
        start=8,
        bits=10,
    )
    return 1 / sigma


@cache
def run_epsilon(target: Pure, mean: int) -> Fraction:
    """The most that one run may cost, as an epsilon, so that the best of a Poisson number of them
    keeps to the target.
    """
    return calibrate(
        lambda epsilon: RepeatAndSelect(StatedPure(epsilon), "poisson", mean=mean),
        target,
        safer="smaller",
        start=target.epsilon / (1 + mean),
        bits=20,
    )
