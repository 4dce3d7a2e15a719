"""A ladder: an exact law over ranks 0, 1, 2, …, decided by comparing one uniform with its steps.

Let U be uniform on [0, 1), known by as many leading bits as were drawn, and F(r) the probability of
ranks 0..r.  The outcome is the rank with F(r-1) <= U < F(r).  The ladder keeps one whole number s
for each rank, its *step*, with s <= 2^64 F(r) < s + 2:

* 16 bits of U often decide (the guide: the cells of width 2^-16 that contain no step),
* 64 bits decide unless the word is a step or the number after one,
* otherwise more bits are drawn, 64 at a time, and compared with F(r) by rigorous arithmetic of as
  much precision, until they differ from it.

A step is floor(2^64 F(r)) unless 2^64 F(r) lies so close to a whole number that the precision at
hand cannot tell on which side; either number does, so that no law is refused for lying there.

Each stage continues with the bits already seen, so the outcome is a function of U alone and has
exactly the stated law.  A law without end keeps its steps up to the first one within 2^-32 of 1; a
word beyond it is decided the rigorous way too.

A ladder is described by its survival 1 - F(r), not by F(r): a probability of 10^-300 is then a
number with leading digits rather than a difference from 1 that no precision can show.
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
_LAST_WORD = np.uint64((1 << WORD) - 1)
_TWO_TO_64 = arb(1 << WORD)
_QUARTER = arb(0.25)

Survival = Callable[[int], Real]
"""The probability of all ranks above this one, as a real number."""


class Ladder:
    """``steps[r]`` is a whole number s with s <= 2^64 F(r) < s + 2; ``survival(r)`` is 1 - F(r).

    Steps never fall.  ``endless`` says that ranks continue beyond the kept steps; otherwise the
    rank after the last step is the last outcome.
    """

    def __init__(self, steps: Sequence[int], survival: Survival, *, endless: bool) -> None:
        self.steps = np.array(steps, dtype=np.uint64)
        self.survival = survival
        self.endless = endless

    @classmethod
    def of(cls, survivals: Callable[[], Sequence[arb]]) -> Ladder:
        """The ladder of a law with finitely many ranks: its survivals, all but the last, which is
        0.
        """

        def steps() -> list[int] | None:
            found = [step_of(survival) for survival in survivals()]
            return None if None in found else [step for step in found if step is not None]

        return cls(decide(steps), lambda rank: lambda: survivals()[rank], endless=False)

    @cached_property
    def guide(self) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """For each value of the leading 16 bits: the rank, and whether they do not decide."""
        cells = (self.steps >> np.uint64(48)).astype(np.int64)
        inside = np.bincount(cells, minlength=1 << 16)
        undecided = inside > 0
        after = self.steps[self.steps < _LAST_WORD] + np.uint64(1)
        # The number after a step is undecided too, since a step may be one too low (see the head
        # of this file).
        undecided[(after >> np.uint64(48)).astype(np.int64)] = True
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
            # For rank 0 the index is -1 and the difference wraps around; the second condition
            # leaves it out.
            undecided = (words - self.steps[ranks - 1] < 2) & (ranks > 0)
        if self.endless:
            undecided |= ranks == len(self.steps)
        for place in np.flatnonzero(undecided):
            ranks[place] = self._refine(int(words[place]), int(ranks[place]), source)
        return ranks

    def _refine(self, prefix: int, rank: int, source: Source) -> int:
        """Find the first rank with U < F(rank), by bisection, and extend the prefix where it does
        not tell.

        U >= F(rank) just where 1 - U <= survival(rank).
        """
        bits, stride = WORD, 1
        # Ranks of tiny probability can share a step; all of them are still possible.
        while rank > 0 and prefix - int(self.steps[rank - 1]) < 2:
            rank -= 1
        least, most, probe = rank, None if self.endless else len(self.steps), rank
        while least != most:
            beyond = verdict(self.survival(probe), (1 << bits) - 1 - prefix, bits)
            if beyond is None:
                prefix = prefix << WORD | int(source.words(np.uint64, 1)[0])
                bits += WORD
                continue
            if beyond:
                least, stride = probe + 1, 2 * stride
            else:
                most = probe
            probe = least + stride - 1 if most is None else (least + most) // 2
        return least


def extended(leading: Words, source: Source) -> NDArray[np.uint64]:
    """16-bit words with 48 fresh bits behind each."""
    words: NDArray[np.uint64] = source.words(np.uint64, len(leading))
    words &= _WORD_48
    words |= leading.astype(np.uint64) << np.uint64(48)
    return words


def step_of(survival: arb) -> int | None:
    """The step of an enclosed survival above 0, or None where the enclosure is too wide."""
    scaled = survival * _TWO_TO_64
    rounded = scaled.ceil().unique_fmpz()
    if rounded is None and scaled.rad() < _QUARTER:
        rounded = scaled.upper().ceil().unique_fmpz()
    return None if rounded is None else max(0, (1 << WORD) - int(rounded))


def falls_below(chance: Real, word: int, bits: int, source: Source) -> bool:
    """Whether V < chance, where V is known by a word of ``bits`` leading bits and extended as
    needed.
    """
    while True:
        known = verdict(chance, word, bits)
        if known is not None:
            return known
        word = word << WORD | int(source.words(np.uint64, 1)[0])
        bits += WORD


def verdict(chance: Real, word: int, bits: int) -> bool | None:
    """The same where these bits tell, and None where they do not, or not at twice their
    precision.
    """

    def question() -> bool | None:
        scaled = chance() * arb(2) ** bits
        if arb(word + 1) <= scaled:
            return True
        return False if arb(word) >= scaled else None

    return at_precision(2 * bits + WORD, question)
