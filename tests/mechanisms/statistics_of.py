"""Goodness of fit with power: how likely are draws so far from a law?"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import stats

ACCEPT = 1e-6
"""A true law gives less once in a million seeds; ours are fixed."""
REJECT = 1e-12
"""What a scale 30 % off must fall below."""


CELLS = 60


def p_value(sample: NDArray[Any], distribution: Callable[[float], float]) -> float:
    """Chi-square over about 60 equally likely cells of a law on the line, given by P(X <= x).

    Cells end at values of the sample, at the first one where the law has gained its share.
    """
    values, counts = np.unique(sample, return_counts=True)
    seen = np.concatenate([[0], np.cumsum(counts)])
    ends, reached = [0], [0.0]
    while reached[-1] + 1 / CELLS < 1:
        wanted = reached[-1] + 1 / CELLS
        end = bisect_left(values, wanted, lo=ends[-1], key=lambda x: distribution(float(x))) + 1
        if end >= len(values):
            break
        ends.append(end)
        reached.append(distribution(float(values[end - 1])))
    ends.append(len(values))
    reached.append(1.0)
    observed = np.diff(seen[ends])
    expected = np.diff(reached) * len(sample)
    return chi_square(list(observed), list(expected))


def p_value_of_choices(sample: Iterable[Hashable], law: Mapping[Any, float]) -> float:
    """Chi-square of choices against their probabilities, rare ones taken together."""
    counts = Counter(sample)
    total = sum(counts.values())
    assert set(counts) <= set(law)
    common = [choice for choice in law if law[choice] * total >= 10]
    observed = [float(counts[choice]) for choice in common]
    expected = [law[choice] * total for choice in common]
    if total - sum(expected) > 1:
        observed.append(total - sum(observed))
        expected.append(total - sum(expected))
    return chi_square(observed, expected)


def chi_square(observed: list[Any], expected: list[float]) -> float:
    far = sum((o - e) ** 2 / max(e, 1e-9) for o, e in zip(observed, expected, strict=True))
    return float(stats.chi2.sf(far, max(1, len(observed) - 1)))
