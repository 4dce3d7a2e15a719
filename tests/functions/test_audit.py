"""From outside: what many releases on two neighbours prove about epsilon; see
tests/mechanisms/test_audit.py.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from tests.mechanisms.test_audit import FAULT, lower_epsilon

from shoal import Pure
from shoal.functions import (
    Bernstein,
    Distribution,
    KernelDensity,
    KernelRegression,
    LossSurface,
    PriestleyChao,
    RocCurve,
)
from shoal.noise import seam

pytestmark = pytest.mark.audit
TRIALS = 12_000
Release = Callable[[Any], Any]


def _two_sums(released: Any) -> Any:
    part, over = (np.array(f.coefficients) for f in (released.part, released.over))
    return np.concatenate([over + part, over - part]) / 2


ATTACKS: dict[str, tuple[Callable[[Any], Any], Release, Release, Callable[[Any], bool]]] = {
    "bernstein": (
        lambda e: Bernstein.for_epsilon(e, sensitivity=1, degree=1),
        lambda made: made.release(np.array([1.0, 0.0])),
        lambda made: made.release(np.array([0.0, 0.0])),
        lambda found: found.coefficients[0] >= 1,
    ),
    "regression": (
        lambda e: KernelRegression(budget=Pure(e), relation="change", low=-1, high=1, degree=3),
        lambda made: made.release(np.array([0.0]), np.array([1.0])),
        lambda made: made.release(np.array([1.0]), np.array([-1.0])),
        lambda found: bool(_two_sums(found)[0] >= 1 and _two_sums(found)[7] <= 0),
    ),
    "priestley-chao": (
        lambda e: PriestleyChao(budget=Pure(e), relation="change", low=-1, high=1, degree=1),
        lambda made: made.release(np.array([0.0]), np.array([1.0])),
        lambda made: made.release(np.array([0.0]), np.array([-1.0])),
        lambda found: found.coefficients[0] >= 2,
    ),
    "density": (
        lambda e: KernelDensity(budget=Pure(e), relation="change", degree=1),
        lambda made: made.release(np.array([0.0])),
        lambda made: made.release(np.array([1.0])),
        lambda found: found.coefficients[0] >= 2 and found.coefficients[1] <= 0,
    ),
    "distribution": (
        lambda e: Distribution(budget=Pure(e), relation="change", cells=2, low=0, high=1),
        lambda made: made.release(np.array([0.0])),
        lambda made: made.release(np.array([1.0])),
        lambda found: found.counts[0] >= 1 and found.counts[1] <= 0,
    ),
    "roc": (
        lambda e: RocCurve(budget=Pure(e), relation="add_remove", cells=2),
        lambda made: made.release(np.array([0.0]), np.array([True])),
        lambda made: made.release(np.array([]), np.array([], dtype=bool)),
        lambda found: found.positives[0] >= 1,
    ),
    "surface": (
        lambda e: LossSurface(
            budget=Pure(e), relation="change", loss="logistic", domain=[(-1, 1)], degree=1
        ),
        lambda made: made.release(np.array([[1.0]]), np.array([1.0])),
        lambda made: made.release(np.array([[1.0]]), np.array([-1.0])),
        lambda found: found.coefficients[0] >= 1.31326 and found.coefficients[1] <= 0.31327,
    ),
}


def attacked(name: str, epsilon: Fraction) -> float:
    make, on_one, on_other, event = ATTACKS[name]
    made = make(epsilon)
    with seam.seeded("functions"):
        hits = sum(event(on_one(made)) for _ in range(TRIALS))
        misses = sum(event(on_other(made)) for _ in range(TRIALS))
    return lower_epsilon(hits, misses, TRIALS)


@pytest.mark.parametrize("name", ATTACKS)
def test_no_attack_proves_more_than_the_claim(name: str) -> None:
    assert attacked(name, Fraction(1)) <= 1


@pytest.mark.parametrize("name", ATTACKS)
def test_the_same_attack_catches_noise_thirty_percent_too_small(name: str) -> None:
    assert attacked(name, FAULT) > 1
