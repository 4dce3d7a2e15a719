"""What accounting knows of each kind of event; importing this registers all of them."""

from shoal.accounting.kinds import (
    answered,
    choice,
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
    "answered",
    "choice",
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
