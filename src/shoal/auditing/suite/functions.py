"""Every release of `shoal.functions`, on two neighbours that its sensitivity is about."""

from __future__ import annotations

from typing import Any

import numpy as np

from shoal.auditing.suite.case import Case
from shoal.exact import Grid
from shoal.functions import (
    Bernstein,
    Distribution,
    InverseSensitivity,
    KernelDensity,
    KernelRegression,
    LossSurface,
    NarrowingMean,
    PriestleyChao,
    ProposeTestRelease,
    QuantileClippedMean,
    RocCurve,
    SampleAndAggregate,
    SmoothArsinhNormal,
    SmoothCauchy,
    Smoothed,
    SmoothGaussian,
    SmoothLaplace,
    StableHistogram,
    StableMode,
    TrimmedMean,
    privatize,
)
from shoal.measures import Pure

FEW = 4_000
MEDIAN = TrimmedMean.median(size=3, low=0, high=64, grid=Grid(0))
SMALL = TrimmedMean.median(size=3, low=0, high=1, grid=Grid(0))
LONE = TrimmedMean.median(size=1, low=0, high=64, grid=Grid(0))
ONE, OTHER = (0, 64, 64), (0, 0, 64)


def _curve(made: Any, data: Any) -> tuple[float, ...]:
    """The coefficients of a released function: all that is told of it."""
    return tuple(float(each) for each in np.ravel(made.release(*data).coefficients))


def _ratio(made: KernelRegression, data: Any) -> tuple[float, ...]:
    found = made.release(*data)
    both = [*np.ravel(found.part.coefficients), *np.ravel(found.over.coefficients)]
    return tuple(float(each) for each in both)


def _smooth(made: Any, data: Any) -> float:
    return float(made.release(MEDIAN, data, clamped=False))


def _mean(made: Any, data: Any) -> tuple[float, float, float]:
    found = made.release(data)
    return float(found.value), float(found.low), float(found.high)


_X0, _X1 = np.array([0.0]), np.array([1.0])
FUNCTIONS = (
    Case(
        "bernstein",
        ("Bernstein",),
        lambda: Bernstein.for_epsilon(1, sensitivity=1, degree=1),
        (np.array([0.0, 0.0]),),
        (np.array([1.0, 0.0]),),
        act=_curve,
        samples=FEW,
    ),
    Case(
        "kernel density",
        ("KernelDensity",),
        lambda: KernelDensity(budget=Pure(1), relation="change", degree=1),
        (_X0,),
        (_X1,),
        act=_curve,
        samples=FEW,
    ),
    Case(
        "distribution",
        ("Distribution",),
        lambda: Distribution(budget=Pure(1), relation="change", cells=2, low=0, high=1),
        _X0,
        _X1,
        act=lambda made, data: tuple(float(each) for each in made.release(data).counts),
        samples=FEW,
    ),
    Case(
        "kernel regression",
        ("KernelRegression",),
        lambda: KernelRegression(budget=Pure(1), relation="change", low=-1, high=1, degree=1),
        (_X0, _X1),
        (_X1, -_X1),
        act=_ratio,
        samples=FEW,
    ),
    Case(
        "priestley and chao",
        ("PriestleyChao",),
        lambda: PriestleyChao(budget=Pure(1), relation="change", low=-1, high=1, degree=1),
        (_X0, _X1),
        (_X0, -_X1),
        act=_curve,
        samples=FEW,
    ),
    Case(
        "loss surface",
        ("LossSurface",),
        lambda: LossSurface(
            budget=Pure(1), relation="change", loss="logistic", domain=[(-1, 1)], degree=1
        ),
        (np.array([[1.0]]), _X1),
        (np.array([[1.0]]), -_X1),
        act=_curve,
        samples=FEW,
    ),
    Case(
        "roc curve",
        ("RocCurve",),
        lambda: RocCurve(budget=Pure(1), relation="add_remove", cells=2),
        ([0.0], [True]),
        ([], []),
        act=lambda made, data: tuple(
            float(each)
            for each in made.release(
                np.array(data[0], dtype=float), np.array(data[1], dtype=bool)
            ).positives
        ),
        samples=FEW,
    ),
    Case(
        "inverse sensitivity",
        ("InverseSensitivity",),
        lambda: InverseSensitivity.median(
            epsilon=1, size=3, low=0, high=15, points=16, radius=0, grid=Grid(0)
        ),
        (14, 15, 15),
        (0, 14, 15),
        samples=FEW,
    ),
    Case(
        "smooth cauchy",
        ("SmoothCauchy",),
        lambda: SmoothCauchy(epsilon=1),
        ONE,
        OTHER,
        act=_smooth,
        samples=FEW,
    ),
    Case(
        "smooth laplace",
        ("SmoothLaplace",),
        lambda: SmoothLaplace(epsilon=1, delta="0.01", share="0.95"),
        ONE,
        OTHER,
        act=_smooth,
        samples=FEW,
    ),
    Case(
        "smooth gaussian",
        ("SmoothGaussian",),
        lambda: SmoothGaussian(epsilon=1, delta="0.05", share="0.97"),
        ONE,
        OTHER,
        act=_smooth,
        samples=FEW,
    ),
    Case(
        "smooth arsinh-normal",
        ("SmoothArsinhNormal",),
        lambda: SmoothArsinhNormal(rho="1/2", bend="1/10", share="0.99"),
        ONE,
        OTHER,
        act=_smooth,
        samples=FEW,
    ),
    Case(
        "propose, test, release",
        ("ProposeTestRelease",),
        lambda: ProposeTestRelease(epsilon=1, delta="1e-6", bound=1, share="0.05"),
        (1, 1, 0),
        (1, 0, 0),
        act=lambda made, data: made.release(SMALL, data),
        samples=FEW,
    ),
    Case(
        "sample and aggregate",
        ("SampleAndAggregate", "Smoothed"),
        lambda: SampleAndAggregate(aggregator=Smoothed(SmoothCauchy(epsilon=1), LONE), otherwise=0),
        [0],
        [64],
        act=lambda made, data: made.release(lambda rows: rows[0], data),
        samples=FEW,
    ),
    Case(
        "stable histogram",
        ("StableHistogram",),
        lambda: StableHistogram(epsilon=1, delta="1e-6"),
        ["a"] * 59,
        ["a"] * 60,
        samples=FEW,
    ),
    Case(
        "stable mode",
        ("StableMode",),
        lambda: StableMode(epsilon=1, delta="1e-6"),
        0,
        1,
        act=lambda made, more: made.release(["a"] * (made.threshold + more)),
        samples=FEW,
    ),
    Case(
        "quantile-clipped mean",
        ("QuantileClippedMean",),
        lambda: QuantileClippedMean(
            rho="1/2", size=1, low=0, high=64, rank=1, points=2, share="0.98", grid=Grid(0)
        ),
        [0],
        [64],
        act=_mean,
        samples=FEW,
    ),
    Case(
        "narrowing mean",
        ("NarrowingMean",),
        lambda: NarrowingMean(
            rho="1/2", size=1, low=0, high=64, spread=64, rounds=2, share="0.01", grid=Grid(0)
        ),
        [0],
        [64],
        act=_mean,
        samples=FEW,
    ),
    Case(
        "privatized function",
        ("Privatized",),
        lambda: privatize(lambda rows: sum(rows) / len(rows), budget=Pure(1), sensitivity=1),
        [0.0, 1.0],
        [0.0, -1.0],
        samples=FEW,
    ),
)
