"""Spark: the engine for tables that outgrow a machine."""

from shoal.engines.spark.dialect import SPARK
from shoal.engines.spark.engine import Spark
from shoal.engines.spark.sources import SparkTable

__all__ = ["SPARK", "Spark", "SparkTable"]
