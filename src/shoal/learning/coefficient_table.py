"""Coefficients in the units of the columns, with intervals that cover sampling and noise."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import NormalDist
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from shoal.exact import Number, open_unit
from shoal.learning.exact_sums import Floats
from shoal.learning.feature_columns import FeatureColumn
from shoal.learning.row_designs import LinearDesign


class Coefficient(NamedTuple):
    """One coefficient in the units of the columns: its estimate, its standard error, and an interval
    that covers sampling and noise.

    Where ``identified`` is false the rows and the budget do not tell it, and its interval means
    nothing.
    """

    name: str
    estimate: float
    standard_error: float
    low: float
    high: float
    identified: bool


def column_units(design: LinearDesign, target: FeatureColumn | None = None) -> Floats:
    """The matrix from coefficients of scaled columns to those of the columns themselves.

    A target is scaled too; its middle is still to be added to the intercept.
    """
    half = 1.0 if target is None else float(target.half)
    units = np.eye(design.size) * half
    by_name = {each.name: each for each in design.columns}
    for block in design.blocks:
        if block.linear:
            column = by_name[block.name]
            wide = float(column.half) or 1.0
            units[block.start, block.start] = half / wide
            units[-1, block.start] = -half * float(column.middle) / wide
    return units


def coefficient_table(
    names: Sequence[str],
    values: Floats,
    covariance: Floats,
    identified: NDArray[np.bool_],
    confidence: Number,
) -> list[Coefficient]:
    """Every coefficient with its interval; ``values`` has the intercept last."""
    sure = float(open_unit(confidence, "confidence"))
    wide = NormalDist().inv_cdf((1 + sure) / 2)
    errors = np.sqrt(np.maximum(np.diag(covariance), 0))
    return [
        Coefficient(name, float(v), float(e), float(v - wide * e), float(v + wide * e), bool(ok))
        for name, v, e, ok in zip([*names, "(intercept)"], values, errors, identified, strict=True)
    ]
