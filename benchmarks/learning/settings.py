"""Settings of the models, tried on generated problems: ``python -m benchmarks.learning.settings
clusters [--times 2]``.

None of these problems is in the row *learning*, and no real rows are read.  Each line is a setting
and its mean loss beside scikit-learn without privacy, over problems of many shapes.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from sklearn.cluster import KMeans as PlainKMeans
from sklearn.linear_model import LogisticRegression as PlainLogistic
from sklearn.metrics import log_loss

from shoal import Choices, Range
from shoal.learning import (
    AdditiveClassifier,
    KMeans,
    LogisticRegression,
    additive_rounds,
    kmeans,
    posterior_rounds,
)
from shoal.learning.linear_moments import COUNTS

EPSILONS = ("0.1", "1")


@contextmanager
def changed(module: Any, values: dict[str, Any]) -> Iterator[None]:
    """A module with other settings, for a while."""
    before = {name: getattr(module, name) for name in values}
    for name, value in values.items():
        setattr(module, name, value)
    try:
        yield
    finally:
        for name, value in before.items():
            setattr(module, name, value)


def one_at_a_time(now: dict[str, Any], others: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The settings as they are, and then each of them changed while the others stay."""
    yield now
    for name, values in others.items():
        for value in values:
            if value != now[name]:
                yield {**now, name: value}


def cluster_problems() -> Iterator[tuple[Any, int]]:
    """Round clusters, clusters of very different widths, and skewed rows without any."""
    for seed, (size, wanted, count) in enumerate([(2, 4, 6000), (4, 8, 12_000), (6, 10, 20_000)]):
        rng = np.random.default_rng(100 + seed)
        middles = rng.uniform(-0.8, 0.8, (wanted, size))
        which = rng.choice(wanted, count, p=rng.dirichlet(np.full(wanted, 2.0)))
        for widths in (np.full(wanted, 0.1), rng.uniform(0.02, 0.3, wanted)):
            rows = middles[which] + rng.normal(0, 1, (count, size)) * widths[which, None]
            yield np.clip(rows, -1, 1), wanted
        skewed = np.clip(rng.exponential(0.3, (count, size)) - 1, -1, 1)
        skewed[:, 0] = np.where(rng.random(count) < 0.9, -1, skewed[:, 0])
        yield skewed, wanted


def clusters(times: int) -> None:
    """Inertia over that of scikit-learn, less 1."""
    problems = [
        (rows, wanted, PlainKMeans(wanted, n_init=3, random_state=0).fit(rows).inertia_)
        for rows, wanted in cluster_problems()
    ]
    now = {"TREE": kmeans.TREE, "LLOYD": kmeans.LLOYD, "REACH": kmeans.REACH}
    others = {
        "TREE": (Fraction(3, 10), Fraction(1, 2), Fraction(7, 10)),
        "LLOYD": (2, 4, 6),
        "REACH": (1.5, 2.5, 4.0),
    }
    for values in one_at_a_time(now, others):
        with changed(kmeans, values):
            _print(values, lambda epsilon: _inertia(problems, epsilon, times))


def _inertia(problems: list[Any], epsilon: str, times: int) -> float:
    found = []
    for rows, wanted, best in problems:
        for _ in range(times):
            model = KMeans(wanted, epsilon=epsilon, delta="1e-6", columns=Range(-1, 1)).fit(rows)
            far = model.transform(rows).min(axis=1)
            found.append(float(far @ far) / best - 1)
    return float(np.mean(found))


def class_problems() -> Iterator[tuple[Any, Any, dict[str, Any]]]:
    """Numbers and categories, few and many, balanced and not."""
    shapes = [(3, 2, 4, 10_000, -1.0), (6, 6, 8, 30_000, -1.5), (2, 10, 12, 40_000, -0.5)]
    for seed, (numbers, levels, size, count, start) in enumerate(shapes):
        rng = np.random.default_rng(200 + seed)
        data: dict[str, Any] = {
            f"n{at}": np.clip(
                rng.normal(rng.uniform(-0.5, 0.5), rng.uniform(0.1, 0.5), count), -1, 1
            )
            for at in range(numbers)
        }
        score = start + sum(rng.normal(0, 1.5) * each for each in data.values())
        facts: dict[str, Any] = dict.fromkeys(data, Range(-1, 1))
        for at in range(levels):
            codes = rng.choice(size, count, p=rng.dirichlet(np.full(size, 0.7)))
            data[f"c{at}"], facts[f"c{at}"] = codes, Choices(list(range(size)))
            score = score + rng.normal(0, 0.6, size)[codes]
        yield data, (rng.random(count) < 1 / (1 + np.exp(-score))).astype(int), facts


def _with_best_loss() -> list[Any]:
    """Problems as frames, with the log-loss that scikit-learn reaches on the same rows."""
    problems = []
    for data, labels, facts in class_problems():
        frame = pd.DataFrame(data)
        wide = pd.get_dummies(frame, columns=[n for n in frame if n.startswith("c")], dtype=float)
        plain = PlainLogistic(max_iter=1000).fit(wide, labels)
        problems.append((frame, labels, facts, log_loss(labels, plain.predict_proba(wide))))
    return problems


def logistic(times: int) -> None:
    """Log-loss above that of scikit-learn on the same rows."""
    problems = _with_best_loss()
    now = {"rounds": LogisticRegression().rounds, "POWER": posterior_rounds.POWER}
    for values in one_at_a_time(now, {"rounds": (8, 12, 24), "POWER": (0.0, 1.0)}):
        with changed(posterior_rounds, {"POWER": values["POWER"]}):
            _print(values, partial(_excess, problems, times=times, rounds=values["rounds"]))


def additive(times: int) -> None:
    """Log-loss of additive models above that of scikit-learn's logistic regression, which is the
    true model of these rows.
    """
    problems = _with_best_loss()
    now = {"rounds": AdditiveClassifier().rounds, "COUNTS": COUNTS}
    others = {"rounds": (6, 8, 16), "COUNTS": (Fraction(3, 100), Fraction(3, 20))}
    for values in one_at_a_time(now, others):
        with changed(additive_rounds, {"COUNTS": values["COUNTS"]}):
            trained = partial(_excess, problems, times=times, rounds=values["rounds"])
            _print(values, partial(trained, kind=AdditiveClassifier))


def _excess(
    problems: list[Any], epsilon: str, times: int, rounds: int, kind: Any = LogisticRegression
) -> float:
    found = []
    for frame, labels, facts, best in problems:
        for _ in range(times):
            model = kind(
                epsilon=epsilon, delta="1e-6", columns=facts, classes=[0, 1], rounds=rounds
            ).fit(frame, labels)
            found.append(log_loss(labels, model.predict_proba(frame)) - best)
    return float(np.mean(found))


def _print(values: dict[str, Any], loss: Callable[[str], float]) -> None:
    told = ", ".join(f"{name.lower()} {value}" for name, value in values.items())
    found = "  ".join(f"{loss(epsilon):.4f} at epsilon {epsilon}" for epsilon in EPSILONS)
    print(f"{told}: {found}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.learning.settings")
    parser.add_argument("what", choices=["additive", "clusters", "logistic"])
    parser.add_argument("--times", type=int, default=2, help="fits of each problem")
    chosen = parser.parse_args()
    {"additive": additive, "clusters": clusters, "logistic": logistic}[chosen.what](chosen.times)


if __name__ == "__main__":
    main()
