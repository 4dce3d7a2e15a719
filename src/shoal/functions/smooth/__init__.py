"""Statistics that most datasets hold still: noise that follows how far this one can move,
smoothly.
"""

from shoal.functions.smooth.arsinh import SmoothArsinhNormal
from shoal.functions.smooth.cauchy import SmoothCauchy
from shoal.functions.smooth.gaussian import SmoothGaussian
from shoal.functions.smooth.laplace import SmoothLaplace
from shoal.functions.smooth.mechanism import Smooth
from shoal.functions.smooth.statistic import Reading, SmoothStatistic, smooth_steps
from shoal.functions.smooth.triangles import TriangleCount
from shoal.functions.smooth.trimmed import TrimmedMean

__all__ = [
    "Reading",
    "Smooth",
    "SmoothArsinhNormal",
    "SmoothCauchy",
    "SmoothGaussian",
    "SmoothLaplace",
    "SmoothStatistic",
    "TriangleCount",
    "TrimmedMean",
    "smooth_steps",
]
