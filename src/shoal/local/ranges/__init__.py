"""Ranges, quantiles and distributions of ordered values."""

from shoal.local.ranges.hierarchy import IntervalTree, TreeEstimate
from shoal.local.ranges.wave import SquareWave, WaveEstimate

__all__ = ["IntervalTree", "SquareWave", "TreeEstimate", "WaveEstimate"]
