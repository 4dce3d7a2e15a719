"""Which datasets are neighbours, what is protected, and how far a function can move between
them.
"""

from shoal.sensitivity.bounded import (
    ball_mean,
    bounded_mean,
    bounded_sum,
    maximum,
    vector_mean,
)
from shoal.sensitivity.counting import count, counts, histogram
from shoal.sensitivity.exhaustive import Witness, of
from shoal.sensitivity.lipschitz import coordinates, lipschitz, selection_scores
from shoal.sensitivity.sensitivity import Norm, Relation, Sensitivity

__all__ = [
    "Norm",
    "Relation",
    "Sensitivity",
    "Witness",
    "ball_mean",
    "bounded_mean",
    "bounded_sum",
    "coordinates",
    "count",
    "counts",
    "histogram",
    "lipschitz",
    "maximum",
    "of",
    "selection_scores",
    "vector_mean",
]
