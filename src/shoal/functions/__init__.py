"""Release of whole functions and of statistics that one row can move far, but hardly ever does."""

from shoal.functions.any_function import Privatized, privatize
from shoal.functions.bernstein import Bernstein
from shoal.functions.degree_choice import choose_operator
from shoal.functions.density import Distribution, KernelDensity, ReleasedDistribution
from shoal.functions.inverse_sensitivity import InverseSensitivity
from shoal.functions.loss_surface import LossSurface
from shoal.functions.means import ClippedMean, NarrowingMean, QuantileClippedMean
from shoal.functions.operator import Operator
from shoal.functions.propose_test_release import ProposeTestRelease
from shoal.functions.ratio import ReleasedRatio
from shoal.functions.regression import KernelRegression, PriestleyChao
from shoal.functions.regression_targets import LocalMean, SpacedCurve
from shoal.functions.released import ReleasedFunction
from shoal.functions.roc import ReleasedRoc, RocCurve
from shoal.functions.sample_and_aggregate import SampleAndAggregate, Smoothed
from shoal.functions.sampler import Sampled, Sampler
from shoal.functions.sampling_plan import SamplingPlan, plan_sampling
from shoal.functions.smooth import (
    SmoothArsinhNormal,
    SmoothCauchy,
    SmoothGaussian,
    SmoothLaplace,
    SmoothStatistic,
    TriangleCount,
    TrimmedMean,
)
from shoal.functions.smoothness import Smoothness
from shoal.functions.stable_histograms import StableHistogram, StableMode

__all__ = [
    "Bernstein",
    "ClippedMean",
    "Distribution",
    "InverseSensitivity",
    "KernelDensity",
    "KernelRegression",
    "LocalMean",
    "LossSurface",
    "NarrowingMean",
    "Operator",
    "PriestleyChao",
    "Privatized",
    "ProposeTestRelease",
    "QuantileClippedMean",
    "ReleasedDistribution",
    "ReleasedFunction",
    "ReleasedRatio",
    "ReleasedRoc",
    "RocCurve",
    "SampleAndAggregate",
    "Sampled",
    "Sampler",
    "SamplingPlan",
    "SmoothArsinhNormal",
    "SmoothCauchy",
    "SmoothGaussian",
    "SmoothLaplace",
    "SmoothStatistic",
    "Smoothed",
    "Smoothness",
    "SpacedCurve",
    "StableHistogram",
    "StableMode",
    "TriangleCount",
    "TrimmedMean",
    "choose_operator",
    "plan_sampling",
    "privatize",
]
