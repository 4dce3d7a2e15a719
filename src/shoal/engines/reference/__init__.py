"""The slow engine in plain Python: what it says is true, and the others must agree with it."""

from shoal.engines.reference.engine import Reference

__all__ = ["Reference"]
