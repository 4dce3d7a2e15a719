"""What the row *learning* trains on: rows in two parts, what is public of their columns, and how a
model is scored.

Ranges and levels are stated here, as a curator would state them; none is read off the rows.  This
file runs in the environments of the peers, so it knows nothing of Shoal.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

ADULT = Path(__file__).parents[3] / "shared" / "data"
"""Where the census extract is, if it is; it is never part of the project."""

RANGES = {
    "age": (17, 90), "fnlwgt": (0, 1_500_000), "education-num": (1, 16),
    "capital-gain": (0, 99_999), "capital-loss": (0, 4356), "hours-per-week": (1, 99),
}  # fmt: skip
FIVE = ("age", "education-num", "capital-gain", "capital-loss", "hours-per-week")


@dataclass(frozen=True)
class Problem:
    """Rows to train on and rows to be scored on, with the public facts of their columns."""

    train: pd.DataFrame
    test: pd.DataFrame
    ranges: dict[str, tuple[float, float]]
    levels: dict[str, list[Any]] = field(default_factory=dict)
    target: NDArray[Any] | None = None
    truth: NDArray[Any] | None = None
    target_range: tuple[float, float] = (0.0, 1.0)

    def scaled(self, rows: pd.DataFrame) -> NDArray[np.float64]:
        """Numbers moved to [-1, 1] by their ranges, and one column of zeros and ones per level."""
        made = []
        for name in rows.columns:
            if name in self.ranges:
                low, high = self.ranges[name]
                made.append((rows[name].clip(low, high).to_numpy() - low) / (high - low) * 2 - 1)
            else:
                made += [(rows[name] == level).to_numpy(float) for level in self.levels[name]]
        return np.column_stack(made).astype(np.float64)


def adult() -> Problem | None:
    """Income above 50,000 by fourteen columns; the levels are those that its documentation lists."""
    listed = ADULT / "adult_uci.names"
    if not listed.exists():
        return None
    lines = re.findall(r"^([a-z-]+): (.+)\.$", listed.read_text(), re.MULTILINE)
    names = [name for name, _ in lines]
    levels = {name: said.split(", ") for name, said in lines if name not in RANGES}
    parts = [
        pd.read_csv(
            ADULT / f"adult_uci_{part}.csv", names=[*names, "income"], skipinitialspace=True
        )
        for part in ("train", "test")
    ]
    train, test = (each[each.income.notna()] for each in parts)
    rich = [each.income.str.startswith(">50K").to_numpy().astype(int) for each in (train, test)]
    ranges = {name: (float(low), float(high)) for name, (low, high) in RANGES.items()}
    return Problem(train[names], test[names], ranges, levels, *rich)


def adult_numbers() -> Problem | None:
    """The five numbers of the same rows that are about the person; weights are left out."""
    whole = adult()
    if whole is None:
        return None
    columns = list(FIVE)
    ranges = {name: whole.ranges[name] for name in columns}
    return Problem(whole.train[columns], whole.train[columns], ranges)


def digits() -> Problem:
    """Pictures of digits, 64 numbers each, which scikit-learn brings along."""
    from sklearn.datasets import load_digits

    rows = load_digits().data
    names = [f"p{at}" for at in range(rows.shape[1])]
    frame = pd.DataFrame(rows, columns=names)
    return Problem(frame, frame, dict.fromkeys(names, (0.0, 16.0)))


def digit_classes() -> Problem:
    """Which of ten digits a picture shows, two thirds to train on."""
    from sklearn.datasets import load_digits

    found = load_digits()
    order = np.random.default_rng(25).permutation(len(found.data))
    frame = pd.DataFrame(found.data[order], columns=[f"p{at}" for at in range(64)])
    return _halved(frame, found.target[order], dict.fromkeys(frame.columns, (0.0, 16.0)), {})


def mixture() -> Problem:
    """Six normal laws of four numbers, long and slanted, 30,000 rows."""
    rng = np.random.default_rng(26)
    middles = rng.uniform(-0.7, 0.7, (6, 4))
    roots = rng.normal(0, 0.08, (6, 4, 4)) + 0.04 * np.eye(4)
    which = rng.choice(6, 30_000, p=rng.dirichlet(np.full(6, 3.0)))
    rows = middles[which] + np.einsum("nij,nj->ni", roots[which], rng.normal(0, 1, (30_000, 4)))
    frame = pd.DataFrame(np.clip(rows, -1, 1), columns=[f"m{at}" for at in range(4)])
    return _halved(frame, np.zeros(30_000), dict.fromkeys(frame.columns, (-1.0, 1.0)), {})


def diamonds() -> Problem:
    """Prices of 53,940 made-up stones: weight, sizes that nearly repeat it, and three grades."""
    rng = np.random.default_rng(20)
    count = 53_940
    carat = np.clip(np.exp(rng.normal(-0.4, 0.5, count)), 0.2, 3.0)
    side = 6.45 * np.cbrt(carat)
    cut, colour, clarity = (rng.integers(0, size, count) for size in (5, 7, 8))
    frame = pd.DataFrame(
        {
            "carat": carat,
            "depth": rng.normal(61.7, 1.4, count),
            "table": rng.normal(57.5, 2.2, count),
            "x": side * rng.normal(1, 0.01, count),
            "y": side * rng.normal(1, 0.01, count),
            "z": 0.617 * side * rng.normal(1, 0.015, count),
            "cut": [f"cut {at}" for at in cut],
            "colour": [f"colour {at}" for at in colour],
            "clarity": [f"clarity {at}" for at in clarity],
        }
    )
    price = 7500 * carat - 1500 + 80 * cut - 180 * colour + 260 * clarity
    price = np.clip(price + rng.normal(0, 400, count), 0, 25_000)
    ranges = {
        "carat": (0.0, 3.0), "depth": (50.0, 75.0), "table": (45.0, 75.0),
        "x": (0.0, 11.0), "y": (0.0, 11.0), "z": (0.0, 7.0),
    }  # fmt: skip
    sizes = {"cut": 5, "colour": 7, "clarity": 8}
    levels: dict[str, list[Any]] = {
        name: [f"{name} {at}" for at in range(size)] for name, size in sizes.items()
    }
    return _halved(frame, price, ranges, levels, target_range=(0.0, 25_000.0))


def generated() -> Problem:
    """Two classes by eight numbers of different widths and two categories, 40,000 rows."""
    rng = np.random.default_rng(21)
    count = 40_000
    widths = np.array([1.0, 0.7, 0.5, 0.3, 0.3, 0.2, 0.1, 0.1])
    numbers = rng.normal(0, 0.5, (count, 8)) * widths
    one, two = rng.integers(0, 6, count), rng.integers(0, 12, count)
    score = numbers @ np.array([2.0, -2.0, 1.5, 0, 2.0, 0, 3.0, 0])
    score = score - 1 + rng.normal(0, 1, 6)[one] + rng.normal(0, 0.5, 12)[two]
    label = (rng.random(count) < 1 / (1 + np.exp(-score))).astype(int)
    frame = pd.DataFrame({f"n{at}": numbers[:, at] for at in range(8)})
    frame["one"], frame["two"] = one, two
    levels: dict[str, list[Any]] = {"one": list(range(6)), "two": list(range(12))}
    ranges = {f"n{at}": (-2.0, 2.0) for at in range(8)}
    return _halved(frame, label, ranges, levels)


def friedman() -> Problem:
    """Friedman's first function of five of ten numbers, two of them together, 20,000 rows to train
    on and 10,000 to be scored on.
    """
    rng = np.random.default_rng(23)
    rows = rng.random((30_000, 10))
    number = 10 * np.sin(np.pi * rows[:, 0] * rows[:, 1]) + 20 * (rows[:, 2] - 0.5) ** 2
    number += 10 * rows[:, 3] + 5 * rows[:, 4] + rng.normal(0, 1, 30_000)
    frame = pd.DataFrame(rows, columns=[f"x{at}" for at in range(10)])
    ranges = dict.fromkeys(frame.columns, (0.0, 1.0))
    return _halved(frame, number, ranges, {}, target_range=(-5.0, 35.0))


def exclusive_or() -> Problem:
    """Whether one of two of ten numbers is large, but not both; one label in ten is wrong, and as
    many rows as of `friedman`.
    """
    rng = np.random.default_rng(24)
    rows = rng.random((30_000, 10))
    label = (rows[:, 0] > 0.5) ^ (rows[:, 1] > 0.5)
    label = np.where(rng.random(30_000) < 0.1, ~label, label).astype(int)
    frame = pd.DataFrame(rows, columns=[f"x{at}" for at in range(10)])
    return _halved(frame, label, dict.fromkeys(frame.columns, (0.0, 1.0)), {})


def clusters() -> Problem:
    """Twelve round clusters of different sizes and widths in six numbers, 30,000 rows."""
    rng = np.random.default_rng(22)
    middles = rng.uniform(-0.8, 0.8, (12, 6))
    which = rng.choice(12, 30_000, p=rng.dirichlet(np.full(12, 2.0)))
    rows = middles[which] + rng.normal(0, 1, (30_000, 6)) * rng.uniform(0.03, 0.15, 12)[which, None]
    frame = pd.DataFrame(np.clip(rows, -1, 1), columns=[f"c{at}" for at in range(6)])
    return Problem(frame, frame, dict.fromkeys(frame.columns, (-1.0, 1.0)))


def _halved(
    frame: pd.DataFrame,
    target: NDArray[Any],
    ranges: dict[str, tuple[float, float]],
    levels: dict[str, list[Any]],
    *,
    target_range: tuple[float, float] = (0.0, 1.0),
) -> Problem:
    """Two thirds to train on, the others to be scored on."""
    cut = len(frame) * 2 // 3
    train, test = frame.iloc[:cut], frame.iloc[cut:].reset_index(drop=True)
    return Problem(train, test, ranges, levels, target[:cut], target[cut:], target_range)


@dataclass(frozen=True)
class Task:
    """One kind of model on one problem: what is scored, and whether less of it is better."""

    problem: Callable[[], Problem | None]
    kind: str
    score: str
    digits: int = 4


TASKS = {
    "Adult, logistic": Task(adult, "logistic", "accuracy"),
    "Adult, additive": Task(adult, "additive", "AUC"),
    "Adult, naive Bayes": Task(adult, "bayes", "accuracy"),
    "generated, logistic": Task(generated, "logistic", "AUC"),
    "generated, additive": Task(generated, "additive", "AUC"),
    "Friedman1, additive": Task(friedman, "additive number", "R²"),
    "exclusive or, additive": Task(exclusive_or, "additive", "AUC"),
    "diamonds-like, linear": Task(diamonds, "linear", "R²"),
    "Adult, 8 clusters of five numbers": Task(adult_numbers, "clusters", "inertia"),
    "generated, 12 clusters": Task(clusters, "clusters", "inertia"),
    "digits, net": Task(digit_classes, "net", "accuracy"),
    "Adult, support vectors": Task(adult, "svm", "accuracy"),
    "diamonds-like, ridge": Task(diamonds, "ridge", "R²"),
    "generated, mixture of 6": Task(mixture, "mixture", "log-likelihood"),
    "digits, 5 components": Task(digits, "components", "share of variance"),
}
CLUSTERS = {"Adult, 8 clusters of five numbers": 8, "generated, 12 clusters": 12}
COMPONENTS = 5
MIXTURE = 6


def scored(task: str, problem: Problem, predict: Callable[[str], NDArray[Any]]) -> float:
    """The score of a model, from what it predicts: ``labels``, ``odds``, ``numbers``, ``densities`` as
    logarithms, ``centres`` in scaled columns, or ``components`` as lines.
    """
    kind = TASKS[task].score
    truth = problem.truth
    if kind == "accuracy":
        return float(np.mean(predict("labels") == truth))
    if kind == "AUC":
        from sklearn.metrics import roc_auc_score

        return float(roc_auc_score(truth, predict("odds")))
    if kind == "R²":
        assert truth is not None
        away = predict("numbers") - truth
        return float(1 - np.mean(away**2) / np.var(truth))
    if kind == "log-likelihood":
        return float(predict("densities").mean())
    rows = problem.scaled(problem.test)
    if kind == "inertia":
        centres = predict("centres")
        far = ((rows[:, None, :] - centres[None]) ** 2).sum(axis=2)
        return float(far.min(axis=1).sum()) / 4  # in whole ranges, not in halves
    centred = rows - rows.mean(axis=0)
    lines = np.linalg.qr(predict("components").T)[0]
    return float(((centred @ lines) ** 2).sum() / (centred**2).sum())
