"""Release of whole functions and of statistics that one row can move far, but hardly ever does."""

from shoal.functions.smooth import (
    SmoothArsinhNormal,
    SmoothCauchy,
    SmoothGaussian,
    SmoothLaplace,
    Statistic,
    TriangleCount,
    TrimmedMean,
)

__all__ = [
    "SmoothArsinhNormal",
    "SmoothCauchy",
    "SmoothGaussian",
    "SmoothLaplace",
    "Statistic",
    "TriangleCount",
    "TrimmedMean",
]
