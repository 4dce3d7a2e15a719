"""A ladder: an exact law over ranks 0, 1, 2, …, decided by comparing one uniform with its steps.

Let U be uniform on [0, 1), known by as many leading bits as were drawn, and F(r) the probability of
ranks 0..r.  The outcome is the rank with F(r-1) <= U < F(r).  The ladder keeps floor(2^64 F(r)):

* 16 bits of U often decide (the guide: the cells of width 2^-16 that contain no step),
* 64 bits decide unless the word *equals* a kept floor,
* otherwise more bits are drawn, 64 at a time, and compared with floor(2^(64 k) F(r)), which rigorous
  arithmetic provides, until they differ.

Each stage continues with the bits already seen, so the outcome is a function of U alone and has exactly
the stated law.  A law without end keeps its steps up to the first one within 2^-32 of 1; a word beyond
it is decided the rigorous way too.

A ladder is described by its survival 1 - F(r), not by F(r): a probability of 10^-300 is then a number
with leading digits rather than a difference from 1 that no precision can show.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property

import numpy as np
from flint import arb
from numpy.typing import NDArray

from shoal.exact import Real, at_precision, decide
from shoal.noise.source import Source, Words

WORD = 64
TAIL = 1 << 32
"""Steps of an endless law are kept until one lies within TAIL / 2^64 of 1."""
SMALL = 1 << 10
"""Fewer draws than this do without the guide."""
_WORD_48 = np.uint64((1 << 48) - 1)

Survival = Callable[[int], Real]
"""The probability of all ranks above this one, as a real number."""


class Ladder:
    """``steps[r]`` is floor(2^64 F(r)), increasing; ``survival(r)`` is 1 - F(r).

    ``endless`` says that ranks continue beyond the kept steps; otherwise the rank after the last step
    is the last outcome.
    """

    def __init__(self, steps: Sequence[int], survival: Survival, *, endless: bool) -> None:
        self.steps = np.array(steps, dtype=np.uint64)
        self.survival = survival
        self.endless = endless

    @classmethod
    def of(cls, survival: Survival, ranks: int) -> Ladder:
        """The ladder of a law with finitely many ranks."""
        return cls(
            [step_of(survival(rank), bits=WORD) for rank in range(ranks - 1)],
            survival,
            endless=False,
        )

    @cached_property
    def guide(self) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """For each value of the leading 16 bits: the rank, and whether they do not decide."""
        cells = (self.steps >> np.uint64(48)).astype(np.int64)
        inside = np.bincount(cells, minlength=1 << 16)
        undecided = inside > 0
        if self.endless:
            undecided[int(cells[-1]) if len(cells) else 0 :] = True
        return np.cumsum(inside) - inside, undecided

    def draw(self, count: int, source: Source) -> NDArray[np.int64]:
        """``count`` independent ranks."""
        if count < SMALL:
            return self.decide(source.words(np.uint64, count), source)
        guide, undecided = self.guide
        leading = source.words(np.uint16, count)
        ranks = guide.take(leading, mode="clip")
        places = np.flatnonzero(undecided.take(leading, mode="clip"))
        ranks[places] = self.decide(extended(leading[places], source), source)
        return ranks

    def decide(self, words: NDArray[np.uint64], source: Source) -> NDArray[np.int64]:
        """The rank of each 64-bit word, drawing more bits for the words that do not decide."""
        ranks = np.searchsorted(self.steps, words, side="right")
        undecided = np.zeros(len(words), dtype=bool)
        if len(self.steps):
            undecided = (ranks > 0) & (self.steps[ranks - 1] == words)
        if self.endless:
            undecided |= ranks == len(self.steps)
        for place in np.flatnonzero(undecided):
            ranks[place] = self._refine(int(words[place]), int(ranks[place]), source)
        return ranks

    def _refine(self, prefix: int, rank: int, source: Source) -> int:
        """Extend a prefix until it differs from every step in its way."""
        bits = WORD
        while rank > 0 and int(self.steps[rank - 1]) == prefix:
            rank -= 1
        while True:
            if self.is_last(rank):
                return rank
            step = step_of(self.survival(rank), bits=bits)
            if step < prefix:
                rank += 1
            elif step > prefix:
                return rank
            else:
                prefix = (prefix << WORD) | int(source.words(np.uint64, 1)[0])
                bits += WORD

    def is_last(self, rank: int) -> bool:
        return not self.endless and rank == len(self.steps)


def extended(leading: Words, source: Source) -> NDArray[np.uint64]:
    """16-bit words with 48 fresh bits behind each."""
    words: NDArray[np.uint64] = source.words(np.uint64, len(leading))
    words &= _WORD_48
    words |= leading.astype(np.uint64) << np.uint64(48)
    return words


def step_of(survival: Real, *, bits: int) -> int:
    """floor(2^bits (1 - survival)), exactly, for a survival above 0."""

    def question() -> int | None:
        scaled = survival() * arb(2) ** bits
        if scaled < 1:
            return 1
        rounded = scaled.ceil().unique_fmpz()
        return None if rounded is None else int(rounded)

    return (1 << bits) - decide(question, first=bits + 64)


def falls_below(chance: Real, word: int, bits: int, source: Source) -> bool:
    """Whether V < chance, where V is known by a word of ``bits`` leading bits and extended as needed."""
    while True:
        known = verdict(at_precision(2 * bits + 64, chance), word, bits)
        if known is not None:
            return known
        word = word << WORD | int(source.words(np.uint64, 1)[0])
        bits += WORD


def verdict(chance: arb, word: int, bits: int) -> bool | None:
    """The same for an enclosed chance, or None where these bits do not tell."""
    if arb(word + 1) <= chance * arb(2) ** bits:
        return True
    return False if arb(word) >= chance * arb(2) ** bits else None
