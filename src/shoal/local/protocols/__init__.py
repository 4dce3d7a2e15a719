"""The catalogue of local protocols: frequencies, means, ranges, heavy hitters, several attributes
and repeated reports.

Surveys and polls need none of them; they stand on the files of ``shoal.local`` itself.
"""

from shoal.local.protocols.attributes import FakedAttributes, SampledAttributes, SplitAttributes
from shoal.local.protocols.bloom import BloomRappor
from shoal.local.protocols.heavy_hitters import HeavyHitters
from shoal.local.protocols.repeated import RepeatedHash, RepeatedResponse
from shoal.local.protocols.statistical import StatisticalQueries

__all__ = [
    "BloomRappor",
    "FakedAttributes",
    "HeavyHitters",
    "RepeatedHash",
    "RepeatedResponse",
    "SampledAttributes",
    "SplitAttributes",
    "StatisticalQueries",
]
