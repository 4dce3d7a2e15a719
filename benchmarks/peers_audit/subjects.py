"""Who is audited: each mechanism of each peer, what it claims, and two neighbouring inputs.

Only words and numbers stand here: this file is read in the environment of every peer.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

ZERO, ONE = (0.0, 1.0), (0, 1)
UTILITIES = ([0.0, 0.0, 1.0], [1.0, 0.0, 0.0])
"""Two lists of three utilities, each of which moves by at most 1."""


@dataclass(frozen=True)
class Subject:
    """One mechanism of a peer with its claim, in the words of `row.claim_of`."""

    peer: str
    name: str
    claim: str
    data: tuple[Any, Any] = ZERO
    samples: int = 20_000
    timed: bool = True
    """Whether its noise can be made large, and its running time measured."""

    @property
    def title(self) -> str:
        return f"{self.peer}, {self.name}"


def _of(peer: str, *rows: tuple[Any, ...]) -> list[Subject]:
    return [Subject(peer, *row) for row in rows]


PURE, CLASSIC, MU, RHO = "pure 1", "approx 1 1e-6", "gdp 0.25", "zcdp 0.03125"
"""What is claimed: epsilon 1; epsilon 1 and delta 10^-6; and, of a normal law with sigma 4, mu 1/4
or rho 1/32.
"""

SUBJECTS = [
    *_of(
        "numpy",
        ("laplace", PURE),
        ("normal", MU),
        ("two geometrics", PURE, ONE),
    ),
    *_of(
        "diffprivlib",
        ("Laplace", PURE),
        ("LaplaceTruncated", PURE),
        ("LaplaceFolded", PURE),
        ("LaplaceBoundedDomain", PURE),
        ("Snapping", PURE),
        ("Staircase", PURE),
        ("Gaussian", CLASSIC),
        ("GaussianAnalytic", CLASSIC),
        ("GaussianDiscrete", CLASSIC, ONE),
        ("Geometric", PURE, ONE),
        ("GeometricTruncated", PURE, ONE),
        ("GeometricFolded", PURE, ONE),
        ("Binary", PURE, ("no", "yes"), 20_000, False),
        ("Exponential", PURE, UTILITIES, 20_000, False),
        ("PermuteAndFlip", PURE, UTILITIES, 20_000, False),
    ),
    *_of("pydp", ("LaplaceMechanism", PURE), ("GaussianMechanism", CLASSIC)),
    *_of(
        "opendp",
        ("laplace, floats", PURE),
        ("laplace, integers", PURE, ONE),
        ("gaussian, floats", RHO),
        ("gaussian, integers", RHO, ONE),
        ("canonical noise", CLASSIC, ZERO, 20_000, False),
        ("randomized response", "pure 1", (False, True), 20_000, False),
        ("noisy max", PURE, UTILITIES, 20_000, False),
    ),
    *_of(
        "tumult",
        ("AddLaplaceNoise", PURE),
        ("AddGeometricNoise", PURE, ONE),
        ("AddGaussianNoise", RHO),
        ("AddDiscreteGaussianNoise", RHO, ONE),
    ),
    *_of(
        "shoal",
        ("Laplace, floats", PURE),
        ("Laplace, integers", PURE, ONE),
        ("Gaussian, floats", MU),
        ("Geometric", PURE, ONE),
        ("DiscreteGaussian", RHO, ONE),
        ("RandomizedResponse", PURE, (False, True), 20_000, False),
        ("Exponential", PURE, UTILITIES, 20_000, False),
        ("PermuteAndFlip", PURE, UTILITIES, 20_000, False),
    ),
]

PACKAGES = {
    "numpy": "numpy",
    "diffprivlib": "diffprivlib",
    "pydp": "python-dp",
    "opendp": "opendp",
    "tumult": "tmlt.core",
    "shoal": "shoal",
}
