"""From outside: what reports prove about the epsilon of a local protocol never exceeds its claim,
and odds 30 % off show.

The event is the set of reports that tell two values apart best, by the published law.
Clopper-Pearson gives a lower bound of its chance under one value and an upper bound under the
other; the logarithm of their ratio is wrong once in a million.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from scipy import stats
from tests.local.designs import CASES
from tests.local.protocols.oracles.small import EVERY

from shoal.local import Subsets, TransitionMatrix, one_bit
from shoal.local.protocols.numeric import Hybrid, OneBit, Piecewise
from shoal.local.protocols.oracles import Rappor, UnaryEncoding
from shoal.noise import seam

pytestmark = pytest.mark.audit
RISK = 1e-6
TRIALS = 200_000
FAULT = Fraction(13, 10)

Chance = Callable[[int, Any], Fraction]


def lower_epsilon(hits: int, misses: int, trials: int) -> float:
    """What ``hits`` under one value and ``misses`` under the other prove about epsilon."""
    low = stats.beta.ppf(RISK / 2, hits, trials - hits + 1) if hits else 0.0
    high = stats.beta.ppf(1 - RISK / 2, misses + 1, trials - misses) if misses < trials else 1.0
    return math.log(low / high) if low > 0 else -math.inf


def proven(made: Callable[[int], Any], chance: Chance, pair: tuple[int, int]) -> float:
    """What so many reports under each of two values prove, by the event of the published law."""
    one, two = (_counted(made(value)) for value in pair)
    ratios = {}
    for key, (report, _) in {**one, **two}.items():
        under = chance(pair[0], report), chance(pair[1], report)
        ratios[key] = under[0] / under[1] if under[1] else math.inf
    best = max(ratios.values())
    event = {key for key, ratio in ratios.items() if ratio == best}
    hits, misses = (
        sum(count for key, (_, count) in side.items() if key in event) for side in (one, two)
    )
    return lower_epsilon(hits, misses, TRIALS)


def _counted(reports: Any) -> dict[bytes, tuple[Any, int]]:
    kinds, counts = np.unique(reports, axis=0, return_counts=True)
    return {kind.tobytes(): (kind, int(count)) for kind, count in zip(kinds, counts, strict=True)}


@pytest.mark.parametrize("name", EVERY)
def test_an_oracle_proves_nearly_its_epsilon_and_never_more(name: str) -> None:
    oracle = EVERY[name]
    with seam.seeded(f"audit {name}"):
        found = proven(
            lambda value: oracle.report(np.full(TRIALS, value)),
            oracle.chance,
            (0, oracle.size - 1),
        )
    assert found <= math.log(oracle.odds)
    assert found > 0.6 * math.log(oracle.odds)


@pytest.mark.parametrize(
    "name", [n for n, each in EVERY.items() if not isinstance(each, UnaryEncoding | Rappor)]
)
def test_an_oracle_whose_clients_have_other_odds_is_found_out(name: str) -> None:
    oracle = EVERY[name]
    faulty = replace(oracle, odds=oracle.odds * FAULT)
    with seam.seeded(f"fault {name}"):
        found = proven(
            lambda value: faulty.report(np.full(TRIALS, value)),
            oracle.chance,
            (0, oracle.size - 1),
        )
    assert found > math.log(oracle.odds)


@pytest.mark.parametrize("own", ["optimised unary", "symmetric unary"])
def test_bits_with_other_odds_are_found_out(own: str) -> None:
    oracle = EVERY[own]
    assert isinstance(oracle, UnaryEncoding)
    chance = oracle.own * FAULT / (1 - oracle.own + oracle.own * FAULT)
    faulty = UnaryEncoding(oracle.size, own=chance, other=oracle.other)
    with seam.seeded(f"fault {own}"):
        found = proven(
            lambda value: faulty.report(np.full(TRIALS, value)),
            oracle.chance,
            (0, oracle.size - 1),
        )
    assert found > math.log(oracle.odds)


MATRICES: dict[str, TransitionMatrix] = {
    **{name: case.design.matrix for name, case in CASES.items() if math.isfinite(case.epsilon)},
    "one bit": one_bit([str(i) for i in range(11)], 3),
    "ten answers": TransitionMatrix.for_epsilon(1, size=10),
}


def _pair(matrix: TransitionMatrix) -> tuple[int, int]:
    """Two answers whose reports have the largest ratio."""
    size = len(matrix.answers)
    return max(
        ((a, b) for a in range(size) for b in range(size)),
        key=lambda pair: max(
            matrix.chance(pair[0], y) / matrix.chance(pair[1], y) for y in range(matrix.kinds)
        ),
    )


@pytest.mark.parametrize("name", MATRICES)
def test_a_design_proves_nearly_its_epsilon_and_never_more(name: str) -> None:
    matrix = MATRICES[name]
    assert matrix.ratio is not None
    with seam.seeded(f"audit {name}"):
        found = proven(
            lambda value: matrix.release(np.full(TRIALS, value)),
            lambda answer, report: matrix.chance(answer, int(report)),
            _pair(matrix),
        )
    assert 0.6 * math.log(matrix.ratio) < found <= math.log(matrix.ratio)


@pytest.mark.parametrize("odds", [2, 3, Fraction(19, 7)])
def test_a_design_with_other_odds_is_found_out(odds: Fraction) -> None:
    claimed = TransitionMatrix.for_truth(Fraction(odds) / (odds + 1))
    faulty = TransitionMatrix.for_truth(odds * FAULT / (odds * FAULT + 1))
    with seam.seeded(f"fault {odds}"):
        found = proven(
            lambda value: faulty.release(np.full(TRIALS, value)),
            lambda answer, report: claimed.chance(answer, int(report)),
            (0, 1),
        )
    assert found > math.log(odds)


def _sent(law: Subsets, value: int) -> Any:
    return np.array([law.report(value) for _ in range(TRIALS)])


@pytest.mark.parametrize("size", [2, 3])
def test_sets_prove_nearly_their_epsilon_and_never_more_and_other_odds_show(size: int) -> None:
    law = Subsets(tuple("abcdef"), size, 11, 4)
    faulty = Subsets(tuple("abcdef"), size, 143, 40)
    with seam.seeded(f"sets {size}"):
        found, fault = (
            proven(lambda value: _sent(each, value), lambda x, y: law.chance(x, int(y)), (0, 5))  # noqa: B023 - used before the next turn
            for each in (law, faulty)
        )
    assert 0.6 * math.log(law.ratio) < found <= math.log(law.ratio) < fault


NUMERIC = {
    "one bit": OneBit.for_epsilon(1, low=-1, high=1),
    "piecewise": Piecewise(Fraction(-1), Fraction(1), Fraction(4), 16, 5),
    "hybrid": Hybrid.for_epsilon(2, low=-1, high=1),
}


@pytest.mark.parametrize("name", NUMERIC)
def test_a_number_proves_nearly_its_epsilon_and_never_more(name: str) -> None:
    mechanism = NUMERIC[name]
    ends = (0, mechanism.levels)
    with seam.seeded(f"audit {name}"):
        found = proven(
            lambda level: mechanism.report(
                np.full(TRIALS, float(mechanism.low if level == 0 else mechanism.high))
            ),
            lambda level, report: mechanism.chance(level, int(report)),
            ends,
        )
    assert found <= math.log(mechanism.odds)
    assert found > 0.6 * math.log(mechanism.odds)
