"""A tilted loss with 150 digits, by Python's decimals: its gradient and its minimiser."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np

from shoal.learning.feature_columns import STEPS
from shoal.learning.tilted_loss import Point, TiltedLoss

_FINE = 1 << 400


def true_share(score: Fraction) -> Fraction:
    score = max(Fraction(-400), min(score, Fraction(400)))  # beyond, 150 digits tell nothing
    with localcontext() as context:
        context.prec = 150
        place = Decimal(score.numerator) / Decimal(score.denominator)
        return Fraction(1 / (1 + (-place).exp()))


def true_gradient(loss: TiltedLoss, theta: Sequence[Fraction]) -> list[Fraction]:
    """The ridge holds all coefficients, that of the intercept among them."""
    found = [loss.ridge * t + loss.step * b for t, b in zip(theta, loss.tilt, strict=True)]
    for row, second in zip(loss.matrix.tolist(), loss.second.tolist(), strict=True):
        units = [Fraction(int(each), STEPS) for each in row]
        share = true_share(sum((u * t for u, t in zip(units, theta, strict=True)), Fraction(0)))
        found = [f + (share - second) * x for f, x in zip(found, units, strict=True)]
    return found


def true_minimiser(loss: TiltedLoss) -> list[Fraction]:
    """By steps of Newton with the curvature in doubles, until they are below 2^-300."""
    start, curved = loss._searched()
    theta = [Fraction(each) for each in start.tolist()]
    away = np.ones(len(theta))
    while np.abs(away).max() > 2.0**-300:
        slope = true_gradient(loss, theta)
        away = np.linalg.solve(curved, np.array([float(each) for each in slope]))
        moved = (t - Fraction(a) for t, a in zip(theta, away.tolist(), strict=True))
        theta = [Fraction(round(each * _FINE), _FINE) for each in moved]
    return theta


def coefficients(point: Point) -> list[Fraction]:
    return [Fraction(each, 1 << point.bits) for each in point.steps]


def is_no_longer(vector: Sequence[Fraction], most: Fraction) -> bool:
    return sum(each * each for each in vector) <= most * most
