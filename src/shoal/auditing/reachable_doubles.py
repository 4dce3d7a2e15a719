"""The doubles that noise from the textbooks can reach: its formulas, and their inverses.

A uniform double has 2^53 values, so noise that is computed from it has at most as many, and they
lie unevenly.  Here the uniform numbers are computed back that would explain an answer, and their
neighbours are tried.  The ziggurat, which numpy's normal draws use, has no such inverse: 256 layers
together reach nearly every double but the smallest.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from shoal.noise import uniform_below

_STEP, _HALF_STEP = 2.0**-52, 2.0**-53
_NEAR = np.arange(-5, 6)
"""So many steps around a uniform number that is computed back are tried."""

Numbers = NDArray[np.float64]
Found = NDArray[np.bool_]


def naive_laplace(counts: Numbers, scale: float) -> Numbers:
    """The formula of the textbooks, by inversion, in doubles."""
    u = uniform_below(1 << 53, counts.size).reshape(counts.shape) * _HALF_STEP - 0.5
    u = np.where(u == -0.5, 0.25, u)
    return np.asarray(counts - scale * np.sign(u) * np.log(1 - 2 * np.abs(u)))


def laplace_can(answers: Numbers, count: float, scale: float) -> Found:
    """Whether `naive_laplace` can give each answer to this count."""
    away = answers - count
    steps = np.rint(np.exp(-np.abs(away) / scale) / _STEP)[..., None] + _NEAR
    u = np.clip(steps, 1, 2.0**52) * _STEP
    again = count - scale * np.sign(away)[..., None] * np.log(u)
    return np.asarray((again == answers[..., None]).any(axis=-1))


def numpy_laplace_can(answers: Numbers, count: float, scale: float) -> Found:
    """Whether numpy's ``laplace`` can give each answer to this count, but for the last bit of a few
    logarithms.

    It takes log(U + U) on the one side and log(2 - U - U) on the other, where 2 - U is rounded
    first: the results are multiples of 2^-52 on the one, and on the other those of 2^-53 that are
    no odd multiples of 2^-52.
    """
    away = answers - count
    steps = np.rint(np.exp(-np.abs(away) / scale) / _HALF_STEP)[..., None] + np.arange(-10, 11)
    below = (away < 0)[..., None]
    drawn = np.where(below, steps % 2 == 0, steps % 4 != 2) & (steps >= 1)
    again = count - scale * np.sign(away)[..., None] * np.log(
        np.clip(steps, 1, 2.0**53) * _HALF_STEP
    )
    return np.asarray(((again == answers[..., None]) & drawn).any(axis=-1))


def naive_gaussian(counts: Numbers, sigma: float) -> Numbers:
    """Box and Muller's formula in doubles: two uniform numbers make two normal ones, for two
    answers.
    """
    shape = (*counts.shape[:-1], counts.shape[-1] // 2)
    first, second = (uniform_below(1 << 53, math.prod(shape)).reshape(shape) for _ in range(2))
    return counts + sigma * np.stack(
        _box_muller((first + 1) * _HALF_STEP, second * _HALF_STEP), axis=-1
    ).reshape(counts.shape)


def _box_muller(first: Numbers, second: Numbers) -> tuple[Numbers, Numbers]:
    radius, angle = np.sqrt(-2 * np.log(first)), 2 * math.pi * second
    return radius * np.cos(angle), radius * np.sin(angle)


def gaussian_can(answers: Numbers, count: float, sigma: float) -> Found:
    """Whether `naive_gaussian` can give each pair of answers to this count."""
    pairs = answers.reshape(*answers.shape[:-1], -1, 2)
    one, two = (pairs[..., 0] - count) / sigma, (pairs[..., 1] - count) / sigma
    first = np.rint(np.exp(-(one**2 + two**2) / 2) / _HALF_STEP)
    second = np.rint(np.arctan2(two, one) / (2 * math.pi) % 1 / _HALF_STEP)
    found = np.zeros(one.shape, dtype=np.bool_)
    for near in _NEAR:
        u = np.clip(first + near, 1, 2.0**53)[..., None] * _HALF_STEP
        v = ((second[..., None] + _NEAR) % 2.0**53) * _HALF_STEP
        again = _box_muller(np.asarray(u, dtype=np.float64), np.asarray(v, dtype=np.float64))
        hit = (count + sigma * again[0] == pairs[..., :1]) & (
            count + sigma * again[1] == pairs[..., 1:]
        )
        found |= hit.any(axis=-1)
    return found
