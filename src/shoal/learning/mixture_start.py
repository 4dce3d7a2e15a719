"""Where the components of a mixture begin: a fit to the boxes of a noisy tree, which are released
numbers.
"""

from __future__ import annotations

import numpy as np
from scipy.special import logsumexp
from sklearn.cluster import KMeans as PlainKMeans

from shoal.learning.exact_sums import Floats
from shoal.learning.feature_columns import STEPS
from shoal.learning.mixture_rounds import NARROWEST, Mixture

_ROUNDS = 30
_STARTS = 10


def first_mixture(boxes: Floats, counts: Floats, components: int) -> Mixture:
    """A mixture fitted to boxes in which rows are taken to be spread evenly."""
    held = np.maximum(counts, 1e-3)
    held = held / held.sum()
    middles = boxes.mean(axis=2) / STEPS
    within = (boxes[:, :, 1] - boxes[:, :, 0]) ** 2 / 12 / STEPS**2
    if len(middles) <= components:
        means = np.resize(middles, (components, middles.shape[1]))
        members = np.ones((len(middles), components)) / components
        return _weighted(middles, within, held, members, means)
    best, likeliest = None, -np.inf
    for start in range(_STARTS):
        plain = PlainKMeans(components, n_init=1, random_state=start)
        plain.fit(middles, sample_weight=held)
        members = np.eye(components)[plain.labels_]
        found = _weighted(middles, within, held, members, plain.cluster_centers_)
        for _ in range(_ROUNDS):
            members = _members(_box_densities(middles, within, found))
            found = _weighted(middles, within, held, members, found.means)
        told = float(held @ logsumexp(_box_densities(middles, within, found), axis=1))
        if best is None or told > likeliest:
            best, likeliest = found, told
    assert best is not None
    return best


def _weighted(
    middles: Floats, within: Floats, held: Floats, members: Floats, means: Floats
) -> Mixture:
    """Shares, means and covariances of boxes that belong to components by parts; ``means`` are those
    of components that have no box.
    """
    weights = members * held[:, None]
    shares = weights.sum(axis=0)
    sure = np.maximum(shares, 1e-9)[:, None]
    moved = np.where(shares[:, None] > 1e-6, weights.T @ middles / sure, means)
    made = []
    for at, mean in enumerate(moved):
        away = middles - mean
        part = weights[:, at] / float(sure[at, 0])
        spread = np.diag(part @ within) + (away * part[:, None]).T @ away
        made.append(spread + np.eye(len(mean)) * NARROWEST)
    return Mixture(np.maximum(shares, 1e-6) / np.maximum(shares, 1e-6).sum(), moved, np.array(made))


def _box_densities(middles: Floats, within: Floats, mixture: Mixture) -> Floats:
    """The mean logarithm of each component's share times its density, over each box."""
    spread = [np.diag(np.linalg.inv(each)) for each in mixture.covariances]
    return np.asarray(log_densities(middles, mixture) - 0.5 * within @ np.array(spread).T)


def _members(densities: Floats) -> Floats:
    """How much of each box belongs to each component."""
    odds = np.exp(densities - densities.max(axis=1, keepdims=True))
    return np.asarray(odds / odds.sum(axis=1, keepdims=True))


def log_densities(rows: Floats, mixture: Mixture) -> Floats:
    """The logarithm of each component's share times its density; one column per component."""
    lines = []
    size = rows.shape[1]
    for share, mean, root in zip(mixture.shares, mixture.means, mixture.roots, strict=True):
        away = np.linalg.solve(root, (rows - mean).T)
        wide = float(np.log(np.diag(root)).sum()) + size / 2 * np.log(2 * np.pi)
        lines.append(np.log(share) - wide - 0.5 * (away * away).sum(axis=0))
    return np.column_stack(lines)
