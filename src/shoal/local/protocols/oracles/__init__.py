"""Frequency oracles: how often each value occurs among people who never tell their own."""

from shoal.local.protocols.oracles.frequencies import Frequencies
from shoal.local.protocols.oracles.hadamard import HadamardResponse
from shoal.local.protocols.oracles.hashing import LocalHash
from shoal.local.protocols.oracles.kary import KaryResponse
from shoal.local.protocols.oracles.linear import LinearHash
from shoal.local.protocols.oracles.oracle import Oracle, ReportTally
from shoal.local.protocols.oracles.oracle_choice import choose, oracles
from shoal.local.protocols.oracles.subset import LineSelection, SubsetSelection
from shoal.local.protocols.oracles.unary import Rappor, UnaryEncoding

__all__ = [
    "Frequencies",
    "HadamardResponse",
    "KaryResponse",
    "LineSelection",
    "LinearHash",
    "LocalHash",
    "Oracle",
    "Rappor",
    "ReportTally",
    "SubsetSelection",
    "UnaryEncoding",
    "choose",
    "oracles",
]
