"""Release of whole functions and of statistics with unbounded global sensitivity."""

from shoal.functions.operator import Operator

__all__ = [
    "Operator",
]
