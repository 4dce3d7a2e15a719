"""Ranges, quantiles and distributions of ordered values."""

from shoal.local.protocols.ranges.hierarchy import IntervalTree, TreeEstimate
from shoal.local.protocols.ranges.wave import SquareWave, WaveEstimate

__all__ = ["IntervalTree", "SquareWave", "TreeEstimate", "WaveEstimate"]
