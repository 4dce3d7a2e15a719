"""Mechanisms that do not keep what they claim, as people have written them: each with two
neighbours, its claim, and samples that suffice.

They draw in doubles, many outputs at once; what is wrong with them is not the doubles.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from shoal import Approx, Measure, Pure

Draw = np.random.Generator
Make = Callable[[Draw, Any, int], Any]


@dataclass(frozen=True)
class Broken:
    """A mechanism that claims too much."""

    name: str
    wrong: str
    make: Make
    d0: Any
    d1: Any
    claim: Measure
    samples: int


def half_noise(draw: Draw, count: int, n: int) -> Any:
    return count + draw.laplace(0, 0.5, n)


def wrong_sensitivity(draw: Draw, rows: list[float], n: int) -> Any:
    """A sum of values up to 3, with noise for values up to 1."""
    return sum(rows) + draw.laplace(0, 1, n)


def answer_before_clamp(draw: Draw, rows: list[float], n: int) -> Any:
    """Noise for values clamped to [0, 1]; the clamp comes after the sum."""
    return np.clip(sum(rows) + draw.laplace(0, 1, n), 0, len(rows))


def noisy_max(draw: Draw, scores: list[int], n: int) -> Any:
    """Scores move by 1 either way, so the noise should have scale 2 / epsilon."""
    return np.argmax(np.array(scores) + draw.laplace(0, 1, (n, len(scores))), axis=1)


def linear_choice(draw: Draw, scores: list[int], n: int) -> Any:
    """Weights are the scores themselves, not their exponentials."""
    weights = np.array(scores, dtype=float)
    return draw.choice(len(scores), n, p=weights / weights.sum())


def no_threshold(draw: Draw, rows: list[str], n: int) -> Any:
    """Every town with a row is listed, with a noisy count."""
    towns = sorted(set(rows))
    noise = draw.laplace(0, 1, (n, len(towns)))
    return [{town: rows.count(town) + each[at] for at, town in enumerate(towns)} for each in noise]


def misused_composition(draw: Draw, counts: list[int], n: int) -> Any:
    """Many answers at epsilon / sqrt(k) each: the theorem's factor sqrt(2 ln 1/delta) is
    forgotten.
    """
    return np.array(counts) + draw.laplace(0, len(counts) ** 0.5, (n, len(counts)))


def _sparse(draw: Draw, answers: list[int], n: int, *, first: float, second: float, stop: int | None, numeric: bool = False) -> list[Any]:  # fmt: skip
    """Is each answer, with noise of scale ``second``, above a threshold with noise of scale
    ``first``? Stops after so many that are.
    """
    threshold = draw.laplace(0, first, (n, 1))
    noise = draw.laplace(0, second or 1, (n, len(answers)))
    noisy = np.array(answers) + (noise if second else 0 * noise)
    above = noisy >= threshold
    stopped = np.asarray(np.cumsum(above, axis=1) - above >= (stop or len(answers) + 1))
    told = []
    for row, values, ends in zip(above.tolist(), noisy.tolist(), stopped.tolist(), strict=True):
        said = [
            (value if numeric else True) if yes else False
            for yes, value, end in zip(row, values, ends, strict=True)
            if not end
        ]
        told.append(tuple(said))
    return told


def sparse_numeric(draw: Draw, answers: list[int], n: int) -> Any:
    """Variant 3 of Lyu, Su and Li: the noisy answer that was above is told."""
    return _sparse(draw, answers, n, first=2, second=2, stop=1, numeric=True)


def sparse_small_noise(draw: Draw, answers: list[int], n: int) -> Any:
    """Variant 4: the noise of the answers does not grow with the number of those above."""
    return _sparse(draw, answers, n, first=4, second=4 / 3, stop=5)


def sparse_no_noise(draw: Draw, answers: list[int], n: int) -> Any:
    """Variant 5: no noise on the answers, no end."""
    return _sparse(draw, answers, n, first=2, second=0, stop=None)


def sparse_no_stop(draw: Draw, answers: list[int], n: int) -> Any:
    """Variant 6: any number of answers above."""
    return _sparse(draw, answers, n, first=2, second=2, stop=None)


ONE = Pure(1)
BROKEN = (
    Broken("half noise", "Laplace noise of half the scale", half_noise, 0, 1, ONE, 2_000),
    Broken("wrong sensitivity", "values up to 3, noise for values up to 1", wrong_sensitivity, [0.0], [3.0], ONE, 1_000),
    Broken("sparse vector, variant 3", "the noisy answer is published", sparse_numeric, [-2] * 20 + [0], [-1] * 20 + [0], ONE, 150_000),
    Broken("sparse vector, variant 4", "noise does not grow with the answers above", sparse_small_noise, [0] * 5 + [1] * 5, [1] * 5 + [0] * 5, ONE, 20_000),
    Broken("sparse vector, variant 5", "no noise on the answers", sparse_no_noise, [0, 1], [1, 0], ONE, 1_000),
    Broken("sparse vector, variant 6", "no end to the answers above", sparse_no_stop, [0] * 8 + [1] * 8, [1] * 8 + [0] * 8, ONE, 40_000),
    Broken("noisy max", "half of the noise", noisy_max, [1] + [-1] * 9, [0] * 10, ONE, 10_000),
    Broken("missing threshold", "keys are published however few people have them", no_threshold, ["Aldam"] * 5, ["Aldam"] * 5 + ["Brook"], Approx(1, "1e-6"), 1_000),
    Broken("answer before clamp", "the clamp comes after the sum", answer_before_clamp, [0.0, 0.0, 0.0, 0.0], [4.0, 0.0, 0.0, 0.0], ONE, 1_000),
    Broken("advanced composition, misused", "30 answers at epsilon / sqrt(30) each", misused_composition, [0] * 30, [1] * 30, Approx(1, "1e-5"), 20_000),
    Broken("exponential without exp", "chosen in proportion to the scores", linear_choice, [0, 10], [1, 9], ONE, 1_000),
)  # fmt: skip
