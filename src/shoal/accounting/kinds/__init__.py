"""What accounting knows of each kind of event; importing this registers all of them."""

from shoal.accounting.kinds import (
    allocated,
    answered,
    choice,
    correlated,
    gaussian,
    laplace,
    mixture,
    response,
    sampled,
    shuffled,
    skellam,
    sparse_vector,
    staircase,
    stated,
    truncated_laplace,
    truncated_sampled,
)

__all__ = [
    "allocated",
    "answered",
    "choice",
    "correlated",
    "gaussian",
    "laplace",
    "mixture",
    "response",
    "sampled",
    "shuffled",
    "skellam",
    "sparse_vector",
    "staircase",
    "stated",
    "truncated_laplace",
    "truncated_sampled",
]
