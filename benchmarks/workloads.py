"""What the row *accounting* asks: sixty compositions in Shoal's compact text, each with the delta
asked about.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Composition:
    """Releases, and the delta at which their epsilon is asked for."""

    events: str
    delta: str = "1e-6"

    @property
    def title(self) -> str:
        return f"{self.events} @ {self.delta}"


SAMPLED = "gaussian sigma=0.8 | sampled q=0.01 | x "

REFERENCE = (
    Composition("gaussian sigma=30 | x 1000"),
    Composition(SAMPLED + "1000"),
    Composition(SAMPLED + "10000"),
    Composition(SAMPLED + "100000"),
    Composition("laplace scale=10 | x 100"),
    Composition("laplace scale=10 | x 50 + gaussian sigma=20 | x 50 + rr p=0.55 | x 50"),
    Composition("pure epsilon=0.1 | x 500"),
)
"""The seven of `docs/which-number.md`, with numbers as papers use them."""

SAMPLED_GAUSSIANS = (
    Composition("gaussian sigma=1 | sampled q=0.01 | x 2"),
    Composition("gaussian sigma=1 | sampled q=0.01 | x 5"),
    Composition("gaussian sigma=1 | sampled q=0.01 | x 20"),
    Composition("gaussian sigma=1 | sampled q=0.01 | x 70"),
    Composition("gaussian sigma=1 | sampled q=0.1 | sampled q=0.1 | x 50"),
    Composition("gaussian sigma=0.7 | sampled q=1e-4 | x 600000"),
    Composition("gaussian sigma=0.7 | sampled q=1e-4 | x 1000000"),
    Composition("gaussian sigma=1 | sampled q=1e-5 | x 100000"),
    Composition("gaussian sigma=0.7 | sampled q=1e-6 | x 1000000", "1e-8"),
    Composition("gaussian sigma=0.5 | sampled q=3e-5 | x 50000", "1e-7"),
    Composition("gaussian sigma=0.3 | sampled q=0.001 | x 10"),
    Composition("gaussian sigma=0.5 | sampled q=0.001 | x 1000", "1e-5"),
    Composition("gaussian sigma=0.6 | sampled q=0.001 | x 100000", "1e-7"),
    Composition("gaussian sigma=0.8 | sampled q=0.02 | x 3000", "1e-15"),
    Composition("gaussian sigma=1 | sampled q=0.9 | x 3", "1e-8"),
    Composition("gaussian sigma=1 | sampled q=1e-7 | x 10000000", "1e-9"),
    Composition("gaussian sigma=1.1 | sampled q=0.004 | x 14100", "1e-5"),
    Composition("gaussian sigma=2 | sampled q=0.5 | x 10", "1e-15"),
    Composition("gaussian sigma=2 | sampled q=0.001 | x 10000000", "1e-8"),
    Composition("gaussian sigma=3 | sampled q=1e-5 | x 10000000", "1e-10"),
    Composition("gaussian sigma=5 | sampled q=0.2 | x 1000", "1e-12"),
    Composition("gaussian sigma=10 | sampled q=0.01 | x 1000000", "1e-9"),
    Composition("gaussian sigma=100 | sampled q=0.1 | x 10000000", "1e-12"),
    Composition("gaussian sigma=1000 | sampled q=0.5 | x 1000000", "1e-10"),
    Composition(SAMPLED + "1000 + gaussian sigma=1.5 | sampled q=0.05 | x 200"),
)

CONTINUOUS = (
    Composition("gaussian sigma=0.3"),
    Composition("gaussian sigma=1"),
    Composition("gaussian sigma=20 | x 100", "1e-3"),
    Composition("gaussian sigma=1000 | x 10000000", "1e-15"),
    Composition("laplace scale=0.2", "1e-300"),
    Composition("laplace scale=0.5 | x 4"),
    Composition("laplace scale=1 | sampled q=0.01 | x 1000"),
    Composition("laplace scale=100 | x 100000", "1e-10"),
)

DISCRETE = (
    Composition("geometric scale=5 sensitivity=2 | x 12"),
    Composition("geometric scale=4 | group 3 | x 6"),
    Composition("geometric scale=10 | x 1000", "1e-9"),
    Composition("geometric scale=2 | sampled q=0.05 | x 200"),
    Composition("truncated_geometric scale=3 low=0 high=20 | x 10"),
    Composition("discrete_gaussian sigma=1 | sampled q=0.01 | x 400"),
    Composition("discrete_gaussian sigma=0.8 | x 3", "1e-12"),
    Composition("discrete_gaussian sigma=4 | x 100"),
    Composition("discrete_gaussian sigma=20 sensitivity=3 | x 500", "1e-8"),
    Composition(
        "geometric scale=8 | x 40 + discrete_gaussian sigma=6 | x 30 + laplace scale=12 | x 20",
        "1e-7",
    ),
    Composition("rr p=0.5 categories=10 | x 5"),
    Composition("rr p=0.75 | x 1000"),
    Composition("rr p=0.3 categories=100 | x 20", "1e-9"),
    Composition("rr p=0.5 categories=10 | x 5 + rr p=0.75 | x 10 + rr p=0.4 categories=4 | x 8"),
)

PROMISES_AND_CHOICES = (
    Composition("approx epsilon=0.5 delta=0.1 | x 5", "0.6"),
    Composition("approx epsilon=0.1 delta=1e-8 | x 100", "1e-5"),
    Composition("pure epsilon=0.01 | x 100000", "1e-12"),
    Composition("exponential epsilon=0.1 candidates=10 | x 100"),
    Composition("exponential epsilon=0.2 candidates=10 | x 50 + gaussian sigma=10 | x 10"),
    Composition("permute_and_flip epsilon=0.5 candidates=100 | x 20"),
)

COMPOSITIONS = {
    each.title: each
    for each in (
        *REFERENCE,
        *SAMPLED_GAUSSIANS,
        *CONTINUOUS,
        *DISCRETE,
        *PROMISES_AND_CHOICES,
    )
}
