"""An engine computes the rows of a plan exactly, and knows nothing of privacy."""

from shoal.engines.csv_file import CsvFile
from shoal.engines.engine import Engine
from shoal.engines.limits import EngineLimits
from shoal.engines.listed_values import listed_choices

__all__ = ["CsvFile", "Engine", "EngineLimits", "listed_choices"]
