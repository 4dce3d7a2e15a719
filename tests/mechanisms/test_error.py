"""`error` is the exact quantile of what was off, and `for_error` turns it around on the safe
side.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from flint import arb
from scipy import stats
from tests.mechanisms import laws
from tests.mechanisms.record import landing

from shoal import (
    AboveThreshold,
    DiscreteGaussian,
    Exponential,
    Gaussian,
    Geometric,
    Grid,
    Histogram,
    Laplace,
    NoisyMax,
    PermuteAndFlip,
    RandomizedResponse,
    SparseVector,
    Staircase,
    TopK,
    TruncatedGeometric,
)
from shoal.errors import CalibrationError, RangeError, ShapeError
from shoal.exact import ball
from shoal.mechanisms.additive import Additive
from shoal.mechanisms.selection import Selection
from shoal.noise import seam

CONFIDENCES: list[str | Fraction] = [
    "1e-300",
    "0.01",
    "0.5",
    "0.95",
    "0.999999",
    Fraction(10**40 - 1, 10**40),
]

ADDITIVE: list[Additive] = [
    Laplace(scale="1/2", sensitivity=1),
    Laplace(scale=7, sensitivity=1),
    Laplace(scale="0.001", sensitivity=1),
    Geometric(scale=3, sensitivity=2),
    Gaussian(sigma="0.4", sensitivity=1),
    Gaussian(sigma=9, sensitivity=1),
    DiscreteGaussian(sigma="0.4", sensitivity=1),
    DiscreteGaussian(sigma=9, sensitivity=1),
    DiscreteGaussian(sigma=200, sensitivity=1),
    Staircase(epsilon=1, sensitivity=5),
    Staircase(epsilon=9, sensitivity=2),
]


def coverage(mechanism: Additive, steps: int, size: int) -> laws.Bounds:
    """P(all noises of integers are at most so many steps), summed from the law that is drawn."""
    _, law = landing(mechanism, 0)

    def chance() -> arb:
        weight = getattr(laws, law.name)(*law.parameters)
        within: arb = sum((2 * weight(x) for x in range(1, steps + 1)), weight(0))
        return within**size

    return laws.bounds(chance)


@pytest.mark.parametrize("mechanism", ADDITIVE, ids=repr)
@pytest.mark.parametrize("confidence", CONFIDENCES, ids=str)
@pytest.mark.parametrize("size", [1, 10])
def test_the_error_on_integers_is_the_exact_quantile(
    mechanism: Additive, confidence: str | Fraction, size: int
) -> None:
    if isinstance(mechanism, Staircase) and size > 1:
        with pytest.raises(ShapeError):
            mechanism.error(confidence, size=size, integers=True)
        return
    steps = mechanism.error(confidence, size=size, integers=True)
    assert isinstance(steps, int)
    assert coverage(mechanism, steps, size)[0] >= Fraction(confidence)
    assert steps == 0 or coverage(mechanism, steps - 1, size)[1] < Fraction(confidence)


@pytest.mark.parametrize("confidence", ["0.3", "0.95", "0.999999"])
def test_the_error_of_a_wide_discrete_gaussian_is_at_most_one_step_above_the_quantile(
    confidence: str,
) -> None:
    mechanism = DiscreteGaussian(sigma=300, sensitivity=1)
    steps = int(mechanism.error(confidence, integers=True))
    weights = np.exp(-(np.arange(0, 6000, dtype=np.float64) ** 2) / (2 * 300**2))
    sums = (2 * np.cumsum(weights) - 1) / (2 * weights.sum() - 1)
    assert sums[steps] >= float(confidence) > sums[steps - 2]


REALS: list[tuple[Additive, Any]] = [
    (Laplace(scale=3, sensitivity=1), stats.laplace(scale=3)),
    (Laplace(scale="1e-9", sensitivity=1), stats.laplace(scale=1e-9)),
    (Gaussian(sigma=3, sensitivity=1), stats.norm(scale=3)),
    (DiscreteGaussian(sigma=3, sensitivity=1), stats.norm(scale=3)),
]


@pytest.mark.parametrize(("mechanism", "continuous"), REALS, ids=[repr(m) for m, _ in REALS])
@pytest.mark.parametrize("confidence", [0.01, 0.5, 0.95, 0.999999])
@pytest.mark.parametrize("size", [1, 7])
def test_the_error_on_reals_is_that_of_the_continuous_law(
    mechanism: Additive, continuous: Any, confidence: float, size: int
) -> None:
    quantile = continuous.ppf((1 + confidence ** (1 / size)) / 2)
    found = mechanism.error(confidence, size=size)
    assert quantile <= found * (1 + 1e-9)
    assert found <= quantile * (1 + 1e-9) + 2 * float(mechanism._on_grid(size)[0].spacing)


@pytest.mark.parametrize("mechanism", ADDITIVE, ids=repr)
def test_as_many_answers_as_promised_are_within_the_error(mechanism: Additive) -> None:
    with seam.seeded("coverage"):
        noise = np.abs([mechanism.release(0) for _ in range(20_000)])
    for confidence in (0.5, 0.9, 0.99):
        error = mechanism.error(confidence, integers=True)
        slack = 5 * math.sqrt(confidence * (1 - confidence) / len(noise))
        assert (noise <= error).mean() >= confidence - slack
        assert error == 0 or (noise <= error - 1).mean() < confidence + slack


@pytest.mark.parametrize(("mechanism", "continuous"), REALS, ids=[repr(m) for m, _ in REALS])
def test_the_textbook_bound_is_never_below_the_quantile_of_the_continuous_law(
    mechanism: Any, continuous: Any
) -> None:
    for confidence in (0.5, 0.95, 0.9999):
        for size in (1, 10):
            quantile = continuous.ppf((1 + confidence ** (1 / size)) / 2)
            assert mechanism.textbook_error(confidence, size=size) >= quantile * (1 - 1e-12)


def test_the_error_on_a_coarse_grid_includes_the_rounding_to_it() -> None:
    mechanism = Laplace(scale="0.001", sensitivity="0.001", grid=Grid(0))
    assert mechanism.error("0.5") == 1.5  # one step of noise at least, and half of one by rounding
    assert Laplace(scale="1e-9", sensitivity=0, grid=Grid(0)).error("0.999") == 0.5


def test_a_clamped_answer_is_never_off_by_more_than_the_range() -> None:
    mechanism = TruncatedGeometric(scale=100, sensitivity=1, low=0, high=10)
    assert mechanism.error("0.99") == 10
    assert TruncatedGeometric(scale=1, sensitivity=1, low=0, high=10).error("0.95") == 3


def test_more_confidence_is_never_a_smaller_error() -> None:
    for mechanism in ADDITIVE:
        errors = [mechanism.error(c, integers=True) for c in CONFIDENCES]
        assert errors == sorted(errors)


# selection

SELECTIONS: list[Selection] = [
    Exponential(epsilon=1, sensitivity=1),
    Exponential(epsilon="0.1", sensitivity=3, monotone=True),
    PermuteAndFlip(epsilon=1, sensitivity=1),
    NoisyMax(epsilon=1, sensitivity=1, noise="gumbel"),
    NoisyMax(epsilon=1, sensitivity=1, noise="exponential"),
]


def chance_of_the_best(mechanism: Selection, gap: Fraction, candidates: int) -> laws.Bounds:
    """All others at the same distance behind the best: the chance that the best is chosen."""

    def chance() -> arb:
        weight = ball(-gap * mechanism.rate).exp()
        if (
            isinstance(mechanism, PermuteAndFlip)
            or getattr(mechanism, "noise", "") == "exponential"
        ):
            return sum(
                (
                    math.comb(candidates - 1, others)
                    * weight**others
                    * (1 - weight) ** (candidates - 1 - others)
                    / (others + 1)
                    for others in range(candidates)
                ),
                arb(0),
            )
        return 1 / (1 + (candidates - 1) * weight)

    return laws.bounds(chance)


@pytest.mark.parametrize("mechanism", SELECTIONS, ids=repr)
@pytest.mark.parametrize("confidence", ["0.4", "0.95", "0.999999", Fraction(10**30 - 1, 10**30)])
@pytest.mark.parametrize("candidates", [3, 50])
def test_the_error_of_a_choice_is_the_quantile_for_the_worst_scores(
    mechanism: Selection, confidence: str | Fraction, candidates: int
) -> None:
    gap = Fraction(mechanism.error(confidence, candidates=candidates))
    assert chance_of_the_best(mechanism, gap, candidates)[0] >= Fraction(confidence)
    less = gap * (1 - Fraction(1, 10**12))
    assert chance_of_the_best(mechanism, less, candidates)[1] < Fraction(confidence)


@pytest.mark.slow
@pytest.mark.parametrize("kind", [Exponential, PermuteAndFlip, NoisyMax])
def test_no_scores_are_worse_than_all_others_just_out_of_reach(kind: type[Selection]) -> None:
    """By sampling scores: the chance of a choice within the error is never below the confidence."""
    mechanism = kind(epsilon=1, sensitivity=1)
    error = mechanism.error("0.9", candidates=5)
    scores_tried = [
        [0, -error - 0.01, -error - 0.01, -error - 0.01, -error - 0.01],
        [0, 0, -error - 0.01, -error - 0.01, -error - 0.01],
        [0, -error / 2, -error - 0.01, -2 * error, -error - 0.01],
    ]
    with seam.seeded("worst scores"):
        for scores in scores_tried:
            chosen = [scores[mechanism.release(scores)] for _ in range(4000)]
            good = np.mean([score >= -error for score in chosen])
            assert good >= 0.9 - 5 * math.sqrt(0.09 / 4000)


@pytest.mark.slow
@pytest.mark.parametrize("confidence", ["0.5", "0.9", "0.999"])
def test_the_error_of_laplace_noisy_max_and_of_top_k_is_a_bound(confidence: str) -> None:
    with seam.seeded("bounds of errors"):
        for mechanism in (NoisyMax(epsilon=1, sensitivity=1), TopK(k=2, epsilon=1, sensitivity=1)):
            gap = mechanism.error(confidence, candidates=4)
            scores = [0.0, 0.0, -gap - 0.01, -gap - 0.01]
            if not isinstance(mechanism, TopK):
                scores[1] = scores[2]
            best = [name for name, score in enumerate(scores) if score == 0.0]
            kept = 0
            for _ in range(2000):
                chosen = mechanism.release(scores)
                kept += set(chosen if isinstance(chosen, list) else [chosen]) <= set(best)
            assert kept / 2000 >= float(confidence) - 5 * math.sqrt(0.25 / 2000)


@pytest.mark.parametrize(
    "mechanism",
    [*SELECTIONS, NoisyMax(epsilon=1, sensitivity=1), TopK(k=3, epsilon=1, sensitivity=1)],
    ids=repr,
)
@pytest.mark.parametrize("candidates", [3, 1000])
def test_the_textbook_bound_of_a_choice_is_never_below_its_error(
    mechanism: Selection, candidates: int
) -> None:
    for confidence in ("0.5", "0.95", Fraction(10**9 - 1, 10**9)):
        quoted = mechanism.textbook_error(confidence, candidates=candidates)
        assert quoted >= mechanism.error(confidence, candidates=candidates)


def test_a_choice_by_lot_is_sure_enough_for_a_low_confidence() -> None:
    for mechanism in SELECTIONS:
        assert mechanism.error("0.5", candidates=2) == 0
        assert mechanism.error("1e-300", candidates=7) == 0
        assert mechanism.error("0.99", candidates=1) == 0
    assert TopK(k=2, epsilon=1, sensitivity=1).error("0.01", candidates=4) > 0


# sparse vector


@pytest.mark.parametrize("confidence", ["0.8", "0.95"])
def test_a_run_calls_no_question_wrong_that_is_further_off_than_its_error(confidence: str) -> None:
    mechanism = AboveThreshold(epsilon=5, sensitivity=1)
    error = mechanism.error(confidence, questions=10)
    wrong = 0
    with seam.seeded("sparse error"):
        for _ in range(1500):
            run = mechanism.start(threshold=0)
            below = [run.ask(-error - 1e-9) for _ in range(9) if not run.spent]
            wrong += any(below) or not run.ask(error + 1e-9)
    assert wrong / 1500 <= 1 - float(confidence) + 5 * math.sqrt(0.25 / 1500)


def test_the_error_of_a_run_is_that_of_both_noises_together() -> None:
    mechanism = SparseVector(epsilon=3, sensitivity=1, positives=2)
    threshold = stats.laplace(scale=float(mechanism.threshold_scale)).ppf(0.5 + 0.975 / 2)
    question = stats.laplace(scale=float(mechanism.question_scale)).ppf(0.5 + 0.975 ** (1 / 20) / 2)
    assert mechanism.error("0.95", questions=20) == pytest.approx(threshold + question, rel=1e-9)
    assert mechanism.error("0.95", questions=20) > threshold + question


# turned around

TARGETS = [
    (Laplace, {"integers": True}, 5),
    (Laplace, {}, "0.3"),
    (Laplace, {"grid": Grid(-4)}, "0.3"),
    (Laplace, {"size": 8}, 20),
    (Geometric, {}, 12),
    (Gaussian, {"integers": True}, 5),
    (Gaussian, {}, "1e-6"),
    (DiscreteGaussian, {"integers": True}, 40),
    (DiscreteGaussian, {}, 2),
    (Staircase, {}, 2),
    (Staircase, {"integers": True}, 7),
]


@pytest.mark.parametrize(("kind", "options", "target"), TARGETS, ids=str)
def test_a_mechanism_for_an_error_has_it_and_a_little_more_noise_does_not(
    kind: type[Additive], options: dict[str, Any], target: Any
) -> None:
    asked = {name: value for name, value in options.items() if name != "grid"}
    mechanism = kind.for_error(target, confidence="0.95", sensitivity=1, **options)
    assert mechanism.error("0.95", **asked) <= Fraction(target)
    wider = kind._with(mechanism.spread * Fraction(1001, 1000), 1, mechanism.grid)
    assert wider.error("0.95", **asked) > Fraction(target)


@pytest.mark.parametrize("kind", [Exponential, PermuteAndFlip, NoisyMax])
def test_a_choice_for_an_error_has_it_and_a_smaller_epsilon_does_not(
    kind: type[Selection],
) -> None:
    mechanism = kind.for_error(10, confidence="0.9", candidates=30, sensitivity=2)
    assert mechanism.error("0.9", candidates=30) <= 10
    less = kind(epsilon=mechanism.epsilon * Fraction(999, 1000), sensitivity=2)
    assert less.error("0.9", candidates=30) > 10


def test_the_others_for_an_error_have_it_too() -> None:
    top = TopK.for_error(10, confidence="0.9", candidates=30, sensitivity=2, k=3)
    assert 9.99 < top.error("0.9", candidates=30) <= 10
    run = SparseVector.for_error(10, confidence="0.9", questions=99, sensitivity=2, positives=2)
    assert 9.99 < run.error("0.9", questions=99) <= 10
    table = Histogram.for_error(10, confidence="0.9", cells=99)
    assert table.error("0.9", cells=99) == 10
    clamped = TruncatedGeometric.for_error(5, confidence="0.9", sensitivity=1, low=0, high=99)
    assert clamped.error("0.9") == 5
    for target in (0.05, 0.3, "1/7"):
        poll = RandomizedResponse.for_error(target, confidence="0.9", answers=5000, categories=3)
        found = poll.error("0.9", answers=5000)
        assert found <= float(Fraction(str(target))) * (1 + 1e-15)
        assert found >= float(Fraction(str(target))) * (1 - 1e-15)


def test_an_error_that_cannot_be_reached_or_missed_is_refused() -> None:
    with pytest.raises(CalibrationError, match="below 1"):
        Geometric.for_error("0.5", confidence="0.9", sensitivity=1)
    with pytest.raises(CalibrationError, match="grid"):
        Laplace.for_error(1, confidence="0.9", sensitivity=1, grid=Grid(2))
    with pytest.raises(CalibrationError, match="lot"):
        Exponential.for_error(1, confidence="0.2", candidates=5, sensitivity=1)
    with pytest.raises(CalibrationError, match="even true answers"):
        RandomizedResponse.for_error("0.001", confidence="0.95", answers=100)
    with pytest.raises(RangeError, match="integers"):
        Geometric(scale=1, sensitivity=1).error("0.9", integers=False)
