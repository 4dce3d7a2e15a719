"""Oracles of every kind, small enough that all their reports can be listed."""

from __future__ import annotations

from fractions import Fraction

from shoal.local.protocols.oracles import (
    HadamardResponse,
    KaryResponse,
    LinearHash,
    LineSelection,
    LocalHash,
    Oracle,
    Rappor,
    SubsetSelection,
    UnaryEncoding,
)

E = Fraction(11, 4)

SMALL: dict[str, Oracle] = {
    "k-ary": KaryResponse(5, E),
    "k-ary of two": KaryResponse(2, E),
    "symmetric unary": UnaryEncoding(4, own=Fraction(5, 8), other=Fraction(3, 8)),
    "optimised unary": UnaryEncoding.for_odds(E, size=9),
    "rappor": Rappor.of(size=4, noise="1/2", one="3/4", zero="1/4"),
    "local hash": LocalHash(5, E, 4, 8),
    "binary hash": LocalHash(129, E, 2, 8),
    "linear hash": LinearHash(7, E, 3),
    "linear hash of bits": LinearHash(6, E, 2),
    "linear hash of fives": LinearHash(26, E, 5),
    "hadamard": HadamardResponse(5, E, 1),
    "hadamard full": HadamardResponse(7, E, 1),
    "subset": SubsetSelection(6, E, 2),
    "subset of one": SubsetSelection(4, E, 1),
    "line": LineSelection(6, E, 7, 3),
    "line of two": LineSelection(2, E, 2, 1),
}
BLOCKS: dict[str, Oracle] = {
    "hadamard blocks": HadamardResponse(6, E, 2),
    "hadamard of ones": HadamardResponse(4, E, 4),
}
EVERY = SMALL | BLOCKS
