"""What accounting knows of each kind of event; importing this registers all of them."""

from shoal.accounting.kinds import (
    allocated,
    choice,
    correlated,
    gaussian,
    laplace,
    response,
    sampled,
    shuffled,
    sparse_vector,
    staircase,
    stated,
)

__all__ = [
    "allocated",
    "choice",
    "correlated",
    "gaussian",
    "laplace",
    "response",
    "sampled",
    "shuffled",
    "sparse_vector",
    "staircase",
    "stated",
]
