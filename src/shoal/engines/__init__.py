"""An engine computes the rows of a plan exactly, and knows nothing of privacy."""

from shoal.engines.csv_file import CsvFile
from shoal.engines.engine import Engine
from shoal.engines.limits import EngineLimits

__all__ = ["CsvFile", "Engine", "EngineLimits"]
