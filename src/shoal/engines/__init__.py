"""An engine computes the rows of a plan exactly, and knows nothing of privacy."""

from shoal.engines.engine import Engine

__all__ = ["Engine"]
