"""Frequency oracles: how often each value occurs among people who never tell their own."""

from shoal.local.oracles.choosing import choose, oracles
from shoal.local.oracles.frequencies import Frequencies
from shoal.local.oracles.hadamard import HadamardResponse
from shoal.local.oracles.hashing import LocalHash
from shoal.local.oracles.kary import KaryResponse
from shoal.local.oracles.linear import LinearHash
from shoal.local.oracles.oracle import Oracle, Tally
from shoal.local.oracles.subset import LineSelection, SubsetSelection
from shoal.local.oracles.unary import Rappor, UnaryEncoding

__all__ = [
    "Frequencies",
    "HadamardResponse",
    "KaryResponse",
    "LineSelection",
    "LinearHash",
    "LocalHash",
    "Oracle",
    "Rappor",
    "SubsetSelection",
    "Tally",
    "UnaryEncoding",
    "choose",
    "oracles",
]
