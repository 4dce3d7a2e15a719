"""How often the intervals of regressions hold the true coefficient, and how wide they are beside
those without privacy, on generated rows of five numbers.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from shoal import Range
from shoal.learning import LinearRegression, LogisticRegression

SIZES = (10_000, 100_000)
RANGES = {
    "ranges that fit": 1,
    "ranges three times as wide": 3,
    "ranges thirty times as wide": 30,
}
SLOPES = np.array([0.5, -0.3, 0.2, 0.0, 0.1])
NOISE = 0.3
MODELS = ("linear", "logistic")


def measured(model: str, size: int, half: int, times: int, seed: int) -> dict[str, float]:
    """Coverage and mean width of coefficients that are called identified, and their share."""
    rng = np.random.default_rng(seed)
    held, widths, told, seconds = [], [], 0, []
    price: dict[str, Any] = {"epsilon": 1, "delta": "1e-6", "columns": Range(-half, half)}
    slopes = SLOPES if model == "linear" else 3 * SLOPES
    truths = [*slopes, 0.1 if model == "linear" else -1.0]
    for _ in range(times):
        rows = np.column_stack([rng.uniform(-1, 1, (size, 5)), np.ones(size)])
        score = rows @ np.array(truths)
        start = time.process_time()
        if model == "linear":
            target: Any = score + rng.normal(0, NOISE, size)
            weights = np.full(size, NOISE**-2)
            fit: Any = LinearRegression(**price, target_range=(-2.5, 2.5))
        else:
            odds = 1 / (1 + np.exp(-score))
            target, weights = (rng.random(size) < odds).astype(int), odds * (1 - odds)
            fit = LogisticRegression(**price, classes=[0, 1], intervals=True)
        found = fit.fit(rows[:, :-1], target).coefficients()
        seconds.append(time.process_time() - start)
        plain = np.sqrt(np.diag(np.linalg.inv((rows * weights[:, None]).T @ rows)))
        for each, truth, error in zip(found, truths, plain, strict=True):
            told += 1
            if each.identified:
                held.append(each.low <= truth <= each.high)
                widths.append(each.standard_error / error)
    return {
        "coverage": float(np.mean(held)) if held else float("nan"),
        "width": float(np.mean(widths)) if widths else float("nan"),
        "identified": len(held) / told,
        "CPU s": float(np.median(seconds)),
    }
