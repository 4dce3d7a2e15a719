"""Neighbour search: the pair of neighbouring tables on which a mechanism does worst, by enumeration
or guided search.
"""

from shoal.auditing.neighbours.domain import Domain, Neighbours, every_pair
from shoal.auditing.neighbours.objectives import losing, moving, sampling
from shoal.auditing.neighbours.worst_pair import Found, worst_pair

__all__ = [
    "Domain",
    "Found",
    "Neighbours",
    "every_pair",
    "losing",
    "moving",
    "sampling",
    "worst_pair",
]
