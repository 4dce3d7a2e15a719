"""The density of the exact minimiser of a tilted loss."""

from __future__ import annotations

from typing import Any

import numpy as np

from shoal.learning.feature_columns import STEPS
from shoal.learning.objective_plan import ObjectivePlan


def log_density(plan: ObjectivePlan, theta: Any, matrix: Any, second: Any) -> float:
    """Of the exact minimiser at theta, by the definition of its loss and with the noise of the plan:
    that of the tilt which puts the minimum there, times how fast that tilt changes.
    """
    rows = matrix / STEPS
    share = 1 / (1 + np.exp(-(rows @ theta)))
    tilt = -((share - second) @ rows + float(plan.ridge) * theta)
    curved = (rows * (share * (1 - share))[:, None]).T @ rows
    curved += float(plan.ridge) * np.eye(len(theta))
    found = float(np.linalg.slogdet(curved)[1])
    for places, rate in plan.groups:
        size, high = len(places), float(rate)
        largest = float(np.abs(tilt[list(places)]).max())
        constant = size * np.log(high / 2) - float(np.log(np.arange(1, size + 1)).sum())
        found += constant - high * largest
    return found
