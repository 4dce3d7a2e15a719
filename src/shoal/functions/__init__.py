"""Release of whole functions and of statistics that one row can move far, but hardly ever does."""

from shoal.functions.aggregate import SampleAndAggregate, Smoothed
from shoal.functions.inverse import InverseSensitivity
from shoal.functions.means import ClippedMean, NarrowingMean, QuantileClippedMean
from shoal.functions.smooth import (
    SmoothArsinhNormal,
    SmoothCauchy,
    SmoothGaussian,
    SmoothLaplace,
    Statistic,
    TriangleCount,
    TrimmedMean,
)
from shoal.functions.stable import StableHistogram, StableMode
from shoal.functions.testing import ProposeTestRelease

__all__ = [
    "ClippedMean",
    "InverseSensitivity",
    "NarrowingMean",
    "ProposeTestRelease",
    "QuantileClippedMean",
    "SampleAndAggregate",
    "SmoothArsinhNormal",
    "SmoothCauchy",
    "SmoothGaussian",
    "SmoothLaplace",
    "Smoothed",
    "StableHistogram",
    "StableMode",
    "Statistic",
    "TriangleCount",
    "TrimmedMean",
]
