from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from shoal.auditing.lattice import Formula, lattice
from shoal.auditing.reachable_doubles import naive_gaussian, naive_laplace
from shoal.errors import DataError, RangeError
from shoal.measures import Approx, GaussianDP, Measure, Pure, Renyi, ZeroConcentrated
from shoal.mechanisms import DiscreteGaussian, Gaussian, Geometric, Laplace
from shoal.noise.seam import seeded

DELTA = "1e-6"
SIGMA = float(Gaussian.for_budget(Approx(1, DELTA), sensitivity=1).sigma)
Numbers = NDArray[Any]


def drawn(
    noise: Callable[[Numbers], Numbers], truths: tuple[float, float], runs: int
) -> tuple[Numbers, Numbers]:
    with seeded(11):
        return noise(np.full(runs, truths[0])), noise(np.full(runs, truths[1]))


def by_inversion(scale: float) -> Callable[[Numbers], Numbers]:
    return lambda truths: naive_laplace(truths, scale)


def by_box_muller(sigma: float) -> Callable[[Numbers], Numbers]:
    return lambda truths: naive_gaussian(truths.reshape(1, -1), sigma).ravel()


def by_numpy(law: str, scale: float) -> Callable[[Numbers], Numbers]:
    generator = np.random.default_rng(5)
    return lambda truths: np.asarray(getattr(generator, law)(truths, scale))


@pytest.mark.parametrize(
    ("noise", "claim", "runs"),
    [
        (by_inversion(1.0), {"epsilon": 1}, 1000),
        (by_inversion(10.0), {"epsilon": "0.1"}, 10_000),
        (by_numpy("laplace", 1.0), {"epsilon": 1}, 1000),
        (by_numpy("laplace", 10.0), {"epsilon": "0.1"}, 10_000),
        (by_box_muller(SIGMA), {"epsilon": 1, "delta": DELTA}, 4000),
        (by_numpy("normal", SIGMA), {"epsilon": 1, "delta": DELTA}, 4000),
    ],
)
def test_noise_of_doubles_is_refuted_at_a_stated_number_of_runs(
    noise: Callable[[Numbers], Numbers], claim: dict[str, Any], runs: int
) -> None:
    assert lattice(*drawn(noise, (0.0, 1.0), runs), **claim).refuted


def test_a_gaussian_claim_is_refuted_too() -> None:
    zeros, ones = drawn(by_numpy("normal", 4.0), (0.0, 1.0), 20_000)
    assert lattice(zeros, ones, GaussianDP("0.25")).refuted


@pytest.mark.parametrize("law", ["numpy-laplace", "laplace"])
def test_where_the_formula_is_known_truths_far_from_zero_are_told_apart(law: str) -> None:
    noise = by_numpy("laplace", 1.0) if law == "numpy-laplace" else by_inversion(1.0)
    zeros, ones = drawn(noise, (41.0, 42.0), 20_000)
    assert not lattice(zeros, ones, epsilon=1).refuted
    found = lattice(zeros, ones, epsilon=1, formula=Formula(law, 1.0, (41.0, 42.0)))
    assert found.refuted
    assert dict(found.figures)["kind of event"] == "reach"


def test_pairs_of_normal_doubles_are_computed_back() -> None:
    zeros, ones = drawn(by_box_muller(40.0), (100.0, 101.0), 20_000)
    found = lattice(zeros, ones, epsilon="0.2", delta="1e-6", formula=Formula("box-muller", 40.0, (100.0, 101.0)))  # fmt: skip
    assert found.refuted
    assert dict(found.figures)["kind of event"] == "reach"


def test_coarse_noise_is_refuted_by_numbers_that_come_again() -> None:
    steps = np.log(np.arange(1, 64) / 64)
    generator = np.random.default_rng(3)

    def coarse(truths: Numbers) -> Numbers:
        return np.asarray(np.round(truths + generator.choice(steps, truths.size), 6))

    found = lattice(*drawn(coarse, (0.0, 0.7), 4000), epsilon=1)
    assert found.refuted
    assert float(dict(found.figures)["repeated answers, first"]) > 0.9


def test_noise_on_a_grid_that_is_rounded_before_it_is_added_is_told_by_sign_and_lowest_bit() -> (
    None
):
    generator = np.random.default_rng(8)

    def rounded(
        truths: Numbers,
    ) -> Numbers:  # multiples of 2^-53, which doubles above 1 cannot hold
        return np.asarray(
            truths + np.round(generator.normal(0, 4, truths.size) * 2.0**53) * 2.0**-53
        )

    found = lattice(*drawn(rounded, (0.0, 1.0), 20_000), epsilon=1, delta=DELTA)
    assert found.refuted
    assert dict(found.figures)["kind of event"] == "bits"


OURS: list[tuple[Any, float, dict[str, Any]]] = [
    (Laplace.for_epsilon(1, sensitivity=1), 1.0, {"epsilon": 1}),
    (Laplace.for_epsilon("0.1", sensitivity=1), 1.0, {"epsilon": "0.1"}),
    (Gaussian.for_budget(Approx(1, DELTA), sensitivity=1), 1.0, {"epsilon": 1, "delta": DELTA}),
    (Geometric.for_epsilon(1, sensitivity=1), 1, {"epsilon": 1}),
    (DiscreteGaussian(sigma=4, sensitivity=1), 1, {"epsilon": "1.4", "delta": DELTA}),
]


@pytest.mark.slow
@pytest.mark.parametrize(("mechanism", "step", "claim"), OURS, ids=lambda each: type(each).__name__)
@pytest.mark.parametrize("truth", [0, 41])
def test_noise_of_shoal_is_let_pass(
    mechanism: Any, step: Any, claim: dict[str, Any], truth: int
) -> None:
    with seeded(21):
        zeros, ones = (
            mechanism.release(np.full(20_000, each)) for each in (step * truth, step * truth + step)
        )
    assert not lattice(zeros, ones, **claim).refuted


@pytest.mark.audit
def test_exact_noise_is_refuted_no_more_often_than_the_confidence_allows() -> None:
    noise, alarms = Geometric.for_epsilon(1, sensitivity=1), 0
    for seed in range(200):
        with seeded(seed):
            zeros, ones = (noise.release(np.full(500, each)) for each in (0, 1))
        alarms += lattice(zeros, ones, epsilon=1, confidence="0.95").refuted
    assert alarms <= 19  # 5 % of 200, and three standard deviations


def test_too_little_noise_is_refuted_in_integers_too() -> None:
    with seeded(4):
        noise = Geometric.for_epsilon(2, sensitivity=1)
        zeros, ones = (noise.release(np.full(20_000, each)) for each in (0, 1))
    assert lattice(zeros, ones, epsilon=1).refuted


def test_whole_numbers_of_any_size_have_low_bits() -> None:
    zeros, ones = ([(1 << 80) * (1 + at % 7) + step for at in range(400)] for step in (0, 1))
    found = lattice(zeros, ones, epsilon=1)
    assert found.refuted
    assert dict(found.figures)["lowest bit of all, first"] == "2^80"
    assert dict(found.figures)["lowest bit of all, second"] == "2^0"


def test_answers_that_are_no_numbers_count_as_answers() -> None:
    zeros = [float("nan") if at % 2 else 0.0 for at in range(400)]
    assert lattice(zeros, [0.0] * 400, epsilon=1).refuted


def test_few_answers_are_refused() -> None:
    with pytest.raises(DataError, match="at least 100"):
        lattice([1.0] * 99, [1.0] * 200, epsilon=1)


def test_answers_that_are_words_are_refused() -> None:
    with pytest.raises(DataError, match="those of numbers"):
        lattice(["a"] * 200, ["b"] * 200, epsilon=1)


def test_an_unknown_formula_is_refused() -> None:
    with pytest.raises(RangeError, match="there is no formula"):
        Formula("ziggurat", 1.0, (0.0, 1.0))


@pytest.mark.slow
@pytest.mark.parametrize(
    "claim",
    [Pure("1.0987"), Approx("1.0987", "1e-9"), ZeroConcentrated("0.61"), GaussianDP("1.349"), Renyi({2: "0.848"})],
    ids=str,
)  # fmt: skip
def test_two_answers_together_are_tested_against_what_the_claim_says_of_two(claim: Measure) -> None:
    """A fair response at 3/4 keeps each claim; two of its answers tell more than one."""
    draw = np.random.default_rng(1)
    zeros, ones = (np.where(draw.random(20_000) < share, 0.0, 1.0) for share in (0.75, 0.25))
    told = lattice(zeros, ones, claim, formula=Formula("box-muller", 1.0, (0.0, 1.0)))
    assert not told.refuted
    worse = np.where(draw.random(20_000) < 0.01, 0.0, 1.0)
    assert lattice(zeros, worse, claim, formula=Formula("box-muller", 1.0, (0.0, 1.0))).refuted


def test_a_claim_that_says_nothing_of_two_answers_is_tested_on_one() -> None:
    draw = np.random.default_rng(2)
    zeros, ones = (draw.normal(truth, 1, 400) for truth in (0, 1))
    known = Formula("box-muller", 1.0, (0.0, 1.0))
    assert not lattice(zeros, ones, Approx(3, "0.6"), formula=known).refuted


def test_a_missing_answer_among_whole_numbers_is_an_answer() -> None:
    whole = [1 << 80, (1 << 80) + 1] * 100
    assert not lattice(whole, [*whole[:-1], None], epsilon=1).refuted
    assert lattice(whole, [None] * 200, epsilon=1).refuted
    assert not lattice([1, 2] * 100, [1, 2.0] * 100, epsilon=1).refuted
    assert not lattice([1, 2] * 100, [1, 2, 1, 2.0] * 50, epsilon=1).refuted
