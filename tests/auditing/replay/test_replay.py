"""Record and play over every mechanism, local protocol and function: right inputs pass, and inputs
moved too far do not.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
import pytest
from tests.contracts.mechanisms import CASES as CONTRACT
from tests.functions.ready import CASES as READY
from tests.functions.ready import columns
from tests.local.designs import CASES as DESIGNS

import shoal
from shoal import Pure
from shoal.auditing.replay import replay
from shoal.auditing.replay.recorder import Recorder
from shoal.functions import (
    Bernstein,
    InverseSensitivity,
    NarrowingMean,
    ProposeTestRelease,
    QuantileClippedMean,
    SampleAndAggregate,
    SmoothArsinhNormal,
    SmoothCauchy,
    SmoothGaussian,
    SmoothLaplace,
    StableHistogram,
    StableMode,
    TriangleCount,
    TrimmedMean,
    privatize,
)
from shoal.local import Subsets, TransitionMatrix
from shoal.local.protocols.attributes import FakedAttributes, SampledAttributes, SplitAttributes
from shoal.local.protocols.bloom import BloomRappor
from shoal.local.protocols.heavy_hitters import HeavyHitters
from shoal.local.protocols.numeric import (
    Coordinates,
    Hybrid,
    NoisyNumber,
    OneBit,
    Piecewise,
    UnitVector,
)
from shoal.local.protocols.oracles import (
    HadamardResponse,
    KaryResponse,
    LocalHash,
    Rappor,
    SubsetSelection,
    UnaryEncoding,
)
from shoal.local.protocols.ranges import IntervalTree, SquareWave
from shoal.local.protocols.repeated import RepeatedHash, RepeatedResponse
from shoal.noise import seam

Run = Callable[[Any], Any]


# mechanisms: a value, a neighbour at the sensitivity, and one just beyond it

ADDITIVE: dict[str, Any] = {
    "laplace": shoal.Laplace(scale=3, sensitivity=2),
    "geometric": shoal.Geometric(scale=3, sensitivity=2),
    "truncated": shoal.TruncatedGeometric(scale=3, sensitivity=2, low=0, high=9),
    "gaussian": shoal.Gaussian(sigma=3, sensitivity=2),
    "discrete gaussian": shoal.DiscreteGaussian(sigma=3, sensitivity=2),
    "staircase": shoal.Staircase(epsilon=1, sensitivity=2),
}
REALS = ("laplace", "gaussian", "staircase")


@pytest.mark.parametrize("name", ADDITIVE)
def test_an_integer_may_move_by_the_sensitivity_and_no_further(name: str) -> None:
    run: Run = ADDITIVE[name].release
    assert replay(run, [(5, 7), (7, 5)]).worst == 1
    assert replay(run, [(5, 8)]).verdict.refuted


@pytest.mark.parametrize("name", REALS)
def test_a_real_may_move_by_the_sensitivity_and_no_further(name: str) -> None:
    run: Run = ADDITIVE[name].release
    found = replay(run, [(0.1, 2.1), (0.3, 2.3), (-7.77, -5.77)])
    assert found.differences == ()
    assert found.worst > Fraction(999, 1000)
    assert replay(run, [(0.1, 2.101)]).verdict.refuted


@pytest.mark.parametrize(
    ("name", "within", "beyond"),
    [
        ("laplace", [1, 1, 0], [1, 1, 1]),
        ("geometric", [2, 0, 0], [2, 1, 0]),
        ("gaussian", [2, 0, 0], [2, 1, 0]),
        ("discrete gaussian", [1, 1, 1], [2, 0, 1]),
    ],
)
def test_a_vector_moves_in_the_norm_of_its_noise(
    name: str, within: list[int], beyond: list[int]
) -> None:
    run: Run = ADDITIVE[name].release
    zero = np.zeros(3, dtype=np.int64)
    assert not replay(run, [(zero, np.array(within))]).verdict.refuted
    assert replay(run, [(zero, np.array(beyond))]).verdict.refuted
    assert replay(run, [(zero, zero[:2])]).verdict.refuted
    if name in REALS:
        real = np.array([0.1, 0.2, 0.3])
        assert not replay(run, [(real, real + within)]).verdict.refuted
        assert replay(run, [(real, real + beyond)]).verdict.refuted


CHOICES = [
    shoal.Exponential(epsilon=1, sensitivity=2),
    shoal.PermuteAndFlip(epsilon=1, sensitivity=2),
    shoal.NoisyMax(epsilon=1, sensitivity=2),
    shoal.NoisyMax(epsilon=1, sensitivity=2, noise="exponential"),
    shoal.TopK(k=2, epsilon=1, sensitivity=2),
]


@pytest.mark.parametrize("mechanism", CHOICES, ids=repr)
def test_every_score_may_move_by_the_sensitivity_and_none_further(mechanism: Any) -> None:
    assert replay(mechanism.release, [([1, 2, 3], [3, 0, 5])]).worst == 1
    assert replay(mechanism.release, [([1, 2, 3], [3, -1, 5])]).verdict.refuted
    assert replay(mechanism.release, [([1, 2, 3], [1, 2])]).verdict.refuted


def test_a_histogram_moves_by_its_relation() -> None:
    table = shoal.Histogram.for_epsilon(1)
    run: Run = lambda rows: table.release(rows, categories="abc")  # noqa: E731
    assert replay(run, [(list("aab"), list("aa"))]).worst == 1
    assert replay(run, [(list("aab"), list("aac"))]).verdict.refuted


def test_a_run_of_questions_moves_by_its_sensitivity_and_its_threshold_not_at_all() -> None:
    sparse = shoal.SparseVector(epsilon=1, sensitivity=2, positives=3, numeric=True)

    def run(values: list[int]) -> Any:
        started = sparse.start(threshold=-1000)
        return [started.answer(value) for value in values]

    found = replay(run, [([1, 2.5, -3], [3, 0.5, -3])])
    assert found.differences == ()
    assert found.noises == 7
    assert replay(run, [([1, 2, -3], [1, 5, -3])]).verdict.refuted


@pytest.mark.parametrize("name", CONTRACT)
def test_a_mechanism_draws_nothing_that_a_witness_is_not_told_of(name: str) -> None:
    with seam.use(Recorder(name)) as recorder:
        CONTRACT[name].use(CONTRACT[name].make())
    assert isinstance(recorder, Recorder)
    assert recorder.met
    assert recorder.drawn == []


# local protocols: anybody's answer may be any other

ORACLES = [
    KaryResponse.for_epsilon(1, size=4),
    HadamardResponse.for_epsilon(1, size=4),
    LocalHash.for_epsilon(1, size=9),
    SubsetSelection.for_epsilon(1, size=5),
    UnaryEncoding.for_epsilon(1, size=5),
    Rappor.of(size=4, noise="1/2", one="3/4", zero="1/4"),
]
TEXTS = ["rum", "tea", "ale"]
BLOOM = BloomRappor.of(bits=6, hashes=2, cohorts=3, noise="1/2", one="3/4", zero="1/4")
COHORTS = np.array([0, 1, 2])
HASHED = RepeatedHash.for_epsilons(2, single=1, size=10)
LOCAL: dict[str, Run] = {
    **{type(each).__name__: each.report for each in ORACLES},
    **{name: case.design.release for name, case in DESIGNS.items()},
    "response": shoal.RandomizedResponse(truth="3/4").release,
    "matrix, one by one": lambda v: [TransitionMatrix.for_truth("3/4").report(int(x)) for x in v],
    "subsets": lambda v: [Subsets(("a", "b", "c"), 2, 3, 1).report(int(x)) for x in v],
    "wave": SquareWave.for_epsilon(1, bins=8).report,
    "tree": IntervalTree.for_epsilon(1, size=8).report,
    "duchi": OneBit.for_epsilon(1, low=0, high=2).report,
    "piecewise": Piecewise.for_epsilon(1, low=0, high=2).report,
    "hybrid": Hybrid.for_epsilon(1, low=0, high=2).report,
    "heavy": HeavyHitters.for_epsilon(1, bits=8).report,
    "permanent": lambda v: RepeatedResponse.for_epsilons(2, single=1, size=4).permanent(v),
    "hashed": lambda v: HASHED.report(HASHED.start(len(v)), v),
    "bloom": lambda v: BLOOM.report([TEXTS[int(x)] for x in v], cohorts=COHORTS),
    "coordinates": lambda v: Coordinates.for_epsilon(1, dimensions=2, low=0, high=2).report(
        np.stack([v, v], axis=1)
    ),
    "directions": lambda v: UnitVector.for_epsilon(2, dimensions=2).report(
        np.stack([v + 1, 2 - v], axis=1)
    ),
    "split": lambda v: SplitAttributes.for_epsilon(1, sizes=[3, 3]).report(
        np.stack([v, v], axis=1)
    ),
    "sampled": lambda v: SampledAttributes.for_epsilon(1, sizes=[3, 3]).report(
        np.stack([v, v], axis=1)
    ),
    "faked": lambda v: FakedAttributes.for_epsilon(1, sizes=[3, 3]).report(
        np.stack([v, v], axis=1)
    ),
}


@pytest.mark.parametrize("name", LOCAL)
def test_a_report_hides_any_answer_and_nothing_else_depends_on_it(name: str) -> None:
    one, two = np.array([0, 1, 1]), np.array([1, 0, 1])
    found = replay(LOCAL[name], [(one, two), (two, one)], repeats=4)
    assert [str(each) for each in found.differences] == []
    assert found.noises > 0
    assert found.errors == 0


def test_how_many_people_report_is_not_hidden() -> None:
    assert replay(LOCAL["KaryResponse"], [(np.array([0, 1]), np.array([0]))]).verdict.refuted


def test_odds_above_those_claimed_are_found() -> None:
    class Greedy(KaryResponse):
        """Says that it has smaller odds than it has."""

        def chance(self, value: int, report: Any) -> Fraction:
            own = Fraction(9, 10)
            return own if value == report else (1 - own) / (self.size - 1)

    found = replay(
        Greedy(4, Fraction(3)).report, [(np.array([0, 0, 0]), np.array([1, 2, 3]))], repeats=9
    )
    assert found.verdict.refuted


def test_noise_on_a_persons_own_number_spans_its_range() -> None:
    run: Run = NoisyNumber.laplace(1, low=0, high=2).report
    assert replay(run, [(np.array([0.0]), np.array([2.0]))]).worst == 1
    assert not replay(run, [(np.array([-9.0]), np.array([9.0]))]).verdict.refuted


# functions

AGES = [18, 20, 21, 25, 25, 30, 31, 44, 60, 61, 90]
CHANGED = [([*AGES[:at], other, *AGES[at + 1 :]]) for at in (0, 5, 10) for other in (0, 33, 120)]
MEDIAN = TrimmedMean.median(size=11, low=0, high=120)
GRAPHS = [[(0, 1), (1, 2), (0, 2), (2, 3)], [(0, 1), (1, 2), (2, 3)]]
INVERSE = InverseSensitivity.median(epsilon=1, size=11, low=0, high=120, points=61)
SMOOTH: dict[str, Any] = {
    "cauchy": SmoothCauchy(epsilon=1),
    "laplace": SmoothLaplace(epsilon=1, delta="1e-3"),
    "gaussian": SmoothGaussian(epsilon=1, delta="1e-3"),
    "arsinh": SmoothArsinhNormal(rho=1),
}
CHANGING: dict[str, Run] = {
    **{name: partial(made.release, MEDIAN) for name, made in SMOOTH.items()},
    "inverse": INVERSE.release,
    "quantile clipped": QuantileClippedMean(rho="0.5", size=11, low=0, high=120, points=65).release,
    "narrowing": NarrowingMean(rho="0.5", size=11, low=0, high=120, spread=20).release,
    "test": lambda rows: ProposeTestRelease(epsilon=9, delta="0.2", bound=30).release(MEDIAN, rows),
    "stable": StableHistogram(epsilon=1, delta="0.2", relation="change").release,
    "mode": StableMode(epsilon=9, delta="0.4", relation="change").release,
    "blocks": lambda rows: SampleAndAggregate(
        aggregator=InverseSensitivity.median(epsilon=1, size=5, low=0, high=120, points=13),
        otherwise=5,
        relation="change",
    ).release(lambda block: sum(block) / len(block), rows),
    "any function": privatize(
        lambda rows: sum(rows) / 11, epsilon=1, sensitivity=Fraction(120, 11)
    ).release,
}


@pytest.mark.parametrize("name", CHANGING)
def test_a_statistic_shows_a_changed_row_through_its_noise_only(name: str) -> None:
    found = replay(
        CHANGING[name], [(AGES, other) for other in CHANGED], relation="change", repeats=2
    )
    assert [str(each) for each in found.differences] == []
    assert found.noises > 0
    assert found.errors == 0


def test_rows_that_come_and_go_show_through_noise_only() -> None:
    pairs = [
        (list("aaabbc"), list("aabbc")),
        (list("aaabbc"), list("aaabb")),
        (list("aab"), list("aa")),
    ]
    for made in (StableHistogram(epsilon=1, delta="0.4"), StableMode(epsilon=9, delta="0.4")):
        found = replay(
            made.release, pairs + [(b, a) for a, b in pairs], relation="add_remove", repeats=3
        )
        assert [str(each) for each in found.differences] == []


def test_a_graph_shows_an_edge_through_noise_only() -> None:
    triangles = TriangleCount(nodes=5)
    run: Run = lambda edges: SmoothCauchy(epsilon=1).release(triangles, edges)  # noqa: E731
    assert not replay(run, [(GRAPHS[0], GRAPHS[1])]).verdict.refuted


@pytest.mark.parametrize("name", READY)
def test_a_released_function_shows_a_row_through_its_noise_only(name: str) -> None:
    case = READY[name]
    for relation in case.relations:
        made = case.make(Pure(1), relation)
        rows = case.rows[:: max(1, len(case.rows) // 6)][:6]
        other = [rows[-1], *rows[1:]] if relation == "change" else rows[1:]

        def run(data: list[tuple[Any, ...]], made: Any = made) -> Any:
            return made.release(*columns(data))

        found = replay(run, [(rows, other), (other, rows)], relation=relation)
        assert [str(each) for each in found.differences] == []
        assert found.noises > 0


def test_a_bernstein_release_moves_by_its_sensitivity() -> None:
    made = Bernstein.for_epsilon(1, sensitivity=1, degree=1)
    run: Run = made.release
    assert replay(run, [(np.array([1.0, 0.0]), np.array([0.0, 0.0]))]).worst <= 1
    assert replay(run, [(np.array([1.0, 1.5]), np.array([0.0, 0.0]))]).verdict.refuted


def test_a_statistic_that_says_it_moves_less_than_it_does_is_found() -> None:
    class Modest(TrimmedMean):
        """Says that no row moves it by more than a step."""

        def reading(self, data: Any) -> Any:
            return replace(super().reading(data), span=lambda _: 1)

    modest = Modest.median(size=11, low=0, high=120)
    pairs = [(AGES, other) for other in CHANGED]
    for statistic, refuted in ((MEDIAN, False), (modest, True)):
        smooth = replay(partial(SMOOTH["cauchy"].release, statistic), pairs)
        testing = ProposeTestRelease(epsilon=1, delta="0.1", bound=1)
        tested = replay(partial(testing.release, statistic), pairs)
        assert (smooth.verdict.refuted, tested.verdict.refuted) == (refuted, refuted)


def test_a_mode_that_is_told_without_distance_is_found() -> None:
    class Bold(StableMode):
        """Says that every lead is safe."""

        def safe_changes(self, lead: int) -> int:
            return 5 + 0 * lead

    pairs = [(list("ab"), list("abb"))]
    assert not replay(StableMode(epsilon=9, delta="0.4").release, pairs).verdict.refuted
    assert replay(Bold(epsilon=9, delta="0.4").release, pairs).verdict.refuted


def test_a_category_that_one_row_brings_with_too_heavy_a_count_is_found() -> None:
    made = StableHistogram(epsilon=1, delta="0.2")

    def doubled(rows: list[str]) -> Any:
        return made.release([row for row in rows for _ in range(2)])

    found = replay(doubled, [(list("aab"), list("aa"))])
    assert {each.found.split(" moved")[0] for each in found.differences} == {
        "the input in l1",
        "1 keys on one side alone",
    }
