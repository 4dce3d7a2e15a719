"""Draws whole vectors from a block law, exactly and mostly with table look-ups.

For each draw: 16 bits of U choose the block through the guide, the offset is uniform, and 16 bits
of V keep the proposal when they lie below a bound that holds in every block the guide decides.  The
few draws that this leaves open are settled by the same U and V with 48 more bits each: U by the
ladder, V by the alternating series of exp(-t); what is still open then is settled by rigorous
arithmetic.  Proposals that are not kept are drawn anew.
"""

from __future__ import annotations

from functools import cached_property, partial
from typing import Any

import numpy as np
from flint import arb
from numpy.typing import NDArray

from shoal.exact import IntegerArray, at_precision
from shoal.noise.block_laws import BlockLaw
from shoal.noise.ladder import SMALL, TAIL, WORD, Ladder, extended, step_of, verdict
from shoal.noise.source import Source, Words

CHUNK = 1 << 15
"""Draws made at a time: their arrays stay in the processor's cache."""
LARGEST_BITS = 50
"""Blocks up to this size leave room for their number in 64 bits; beyond, Python's integers are
used.
"""
_OPEN = np.iinfo(np.int64).min
_OPEN_BELOW = _OPEN >> 1
_TABLE_PRECISION = 192
# The floats of the series are off by less than 2^-49 (exactness.md); what lies in between is
# decided exactly.
_SERIES_MARGIN = 2.0**-40
_SIXTH = 0.1667  # a little above 1/6: the lower bound stays one
_FAR_CELL = (1 << 16) - 32
"""The guide leaves blocks beyond this cell open: there the bound for V would be low."""
_UNIT_INTERVAL = arb(0).union(arb(1))


class BlockSampler:
    """Draws from one law; its tables are built at first need."""

    def __init__(self, law: BlockLaw) -> None:
        self.law = law
        self.bits = law.bits
        self._always_kept = law.bits == 0 and not law.continuous
        self._offset_kind = _smallest_word(law.bits)
        self._offset_mask = self._offset_kind((1 << law.bits) - 1)

    def draw(self, count: int, source: Source) -> IntegerArray:
        """``count`` independent draws."""
        # For few draws the guide of 2^16 cells costs more than it saves.
        if self.bits > LARGEST_BITS or count < SMALL:
            return self._settle_all(count, source)
        drawn = np.empty(count, dtype=np.int64)
        opened = [
            self._propose(drawn[start : start + CHUNK], start, source)
            for start in range(0, count, CHUNK)
        ]
        places, leading, offset, keeping = (
            np.concatenate(column) for column in zip(*opened, strict=True)
        )
        longer = keeping if self._always_kept else extended(keeping, source)
        settled = self._settled(extended(leading, source), offset, longer, source)
        if settled.dtype != np.int64:
            drawn = drawn.astype(object)
        drawn[places] = settled
        return drawn

    @cached_property
    def ladder(self) -> Ladder:
        return at_precision(_TABLE_PRECISION, lambda: _ladder_of(self.law))

    @cached_property
    def _guide(self) -> tuple[NDArray[np.int64], int]:
        """The value of a block's start by leading bits, and the bound below which V always keeps.

        Far blocks, where the bound would be low, are left open.
        """
        ranks, undecided = self.ladder.guide
        if self._always_kept:
            bound = 1 << 16
        else:
            last = int(ranks[_FAR_CELL])
            undecided = undecided | (ranks > last)
            # 1 - t <= exp(-t): below this bound V keeps the proposal in every block that the
            # guide decides, so the block need not be looked at.
            bound = int((1 - self.law.steepest(last)) * (1 << 16))
        values = np.full(1 << 16, _OPEN)
        values[~undecided] = self._base(ranks[~undecided])
        return values, bound

    def _propose(
        self, out: NDArray[np.int64], start: int, source: Source
    ) -> tuple[NDArray[np.intp], Words, Words, Words]:
        """Fill ``out`` where 16 bits decide; return the places left open with their words so
        far.
        """
        values, bound = self._guide
        leading = source.words(np.uint16, len(out))
        values.take(leading, out=out, mode="clip")
        if self._always_kept:
            places = np.flatnonzero(out == _OPEN)
            nothing = np.zeros(len(places), dtype=np.uint16)
            return places + start, leading[places], nothing, nothing
        offset = source.words(self._offset_kind, len(out))
        offset &= self._offset_mask
        keeping = source.words(np.uint16, len(out))
        out ^= offset.view(np.int64) if self.bits > 32 else offset
        left_open = keeping >= bound
        # The offset is already mixed into the mark of open places; it flips low bits only, so
        # half of the mark still tells them.
        left_open |= out < _OPEN_BELOW
        places = np.flatnonzero(left_open)
        return places + start, leading[places], offset[places], keeping[places]

    def _settle_all(self, count: int, source: Source) -> IntegerArray:
        """All draws with 64 bits from the outset: the first ``count`` proposals that are kept."""
        if self._always_kept:
            return self._base(self.ladder.decide(source.words(np.uint64, count), source))
        # A few more than asked for, since some are not kept; if that was too few, the rest is
        # drawn below.
        proposed = count + count // 16 + 8
        leading = source.words(np.uint64, proposed)
        offset = source.words(self._offset_kind, proposed)
        offset &= self._offset_mask
        values, kept = self._judged(leading, offset, source.words(np.uint64, proposed), source)
        # The first that were kept, in the order drawn: a choice that does not look at their
        # values.
        values = values[kept][:count]
        if len(values) == count:
            return values
        return np.concatenate([values, self._settle_all(count - len(values), source)])

    def _settled(
        self,
        leading: NDArray[np.uint64],
        offset: Words,
        keeping: Words,
        source: Source,
    ) -> IntegerArray:
        """The draws of these words, and fresh ones where they do not keep their proposal."""
        if self._always_kept:
            return self._base(self.ladder.decide(leading, source))
        values, kept = self._judged(leading, offset, keeping, source)
        again = np.flatnonzero(~kept)
        if len(again) == 0:
            return values
        fresh = self.draw(len(again), source)
        if fresh.dtype != values.dtype:
            values = values.astype(object)
        values[again] = fresh
        return values

    def _judged(
        self,
        leading: NDArray[np.uint64],
        offset: Words,
        keeping: NDArray[np.uint64],
        source: Source,
    ) -> tuple[IntegerArray, NDArray[np.bool_]]:
        """The proposals of these words and whether each is kept."""
        ranks = self.ladder.decide(leading, source)
        values = self._base(ranks)
        return values ^ offset.astype(values.dtype), self._kept(ranks, offset, keeping, source)

    def _base(self, ranks: NDArray[np.int64]) -> IntegerArray:
        """The value whose exclusive or with an offset is the draw: counted outwards on either
        side.
        """
        if not self.law.two_sided:
            return _shifted(ranks, self.bits)
        blocks = _shifted(ranks >> 1, self.bits)
        values: IntegerArray = blocks ^ (-(ranks & 1)).astype(blocks.dtype)
        return values

    def _kept(
        self, ranks: NDArray[np.int64], offset: Words, keeping: NDArray[np.uint64], source: Source
    ) -> NDArray[np.bool_]:
        """Whether V < exp(-t): 1 - t + t^2/2 - t^3/6 <= exp(-t) <= 1 - t + t^2/2."""
        floats = offset.astype(np.float64)
        nearest = self.law.drop(ranks, floats)
        farthest = self.law.drop(ranks, floats + 1) if self.law.continuous else nearest
        v = keeping * 2.0**-64
        kept = v < 1 - farthest * (1 - farthest * (0.5 - farthest * _SIXTH)) - _SERIES_MARGIN
        dropped = v > 1 - nearest * (1 - nearest * 0.5) + _SERIES_MARGIN
        for place in np.flatnonzero(~(kept | dropped)):
            kept[place] = self._kept_exactly(
                int(ranks[place]), int(offset[place]), int(keeping[place]), source
            )
        return kept

    def _kept_exactly(self, rank: int, offset: int, keeping: int, source: Source) -> bool:
        """The same by rigorous arithmetic, drawing more bits of V (and of the offset) as needed."""
        bits, fraction_bits = WORD, 0
        while True:
            chance = partial(_chance, self.law, rank, offset, fraction_bits)
            answer = verdict(chance, keeping, bits)
            if answer is not None:
                return answer
            keeping = keeping << WORD | int(source.words(np.uint64, 1)[0])
            bits += WORD
            if self.law.continuous:
                offset = offset << WORD | int(source.words(np.uint64, 1)[0])
                fraction_bits += WORD


def _chance(law: BlockLaw, rank: int, offset: int, fraction_bits: int) -> arb:
    """The probability of keeping a proposal, whose continuous offset is known to so many digits."""
    place = arb(offset)
    if law.continuous:
        place = (place + _UNIT_INTERVAL) / arb(2) ** fraction_bits
    return (-law.exact_drop(rank, place)).exp()


def _ladder_of(law: BlockLaw) -> Ladder:
    """The kept steps of an endless law, from enclosures of its survivals."""
    steps: list[int] = []
    for survival in law.survivals():
        step = step_of(survival)
        assert step is not None  # the enclosures of a law's own survivals are narrow
        steps.append(step)
        if step >= (1 << WORD) - TAIL:
            break
    return Ladder(steps, law.survival, endless=True)


def _shifted(blocks: NDArray[np.int64], bits: int) -> IntegerArray:
    """Blocks times 2^bits, as Python's integers where 62 bits would not hold them."""
    if len(blocks) and int(blocks.max()).bit_length() + bits > 62:
        return blocks.astype(object) << bits
    return blocks << bits


def _smallest_word(bits: int) -> type[np.unsignedinteger[Any]]:
    if bits <= 16:
        return np.uint16
    return np.uint32 if bits <= 32 else np.uint64
