"""Record and play: a program runs on two neighbours with the same randomness, and every input of a
noise is compared.
"""

from shoal.auditing.replay.primitive import primitive
from shoal.auditing.replay.replayed_runs import ReplayDifference, ReplayResult, replay

__all__ = ["ReplayDifference", "ReplayResult", "primitive", "replay"]
