"""Whole vectors through every stage, from words that were written down."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from tests.noise.reference import IN_BLOCKS, TARGETS, Target, label
from tests.noise.scripted import ONES, Scripted

from shoal.noise import IntegerNoise, discrete_laplace, rounded_gaussian
from shoal.noise.block_laws import NormalLaw
from shoal.noise.block_sampler import CHUNK, LARGEST_BITS, BlockSampler
from shoal.noise.seam import use

CELLS = 1 << 16
GUIDED = [target for target in TARGETS if target.sampler.bits <= LARGEST_BITS]
each_guided = pytest.mark.parametrize("target", GUIDED, ids=label)


def ranks_of(target: Target, words: np.ndarray) -> list[int]:
    """The ranks of U = word / 2^64, from the floors of the closed form."""
    floors = [target.bits_of_step(rank, 1)[0] for rank in range(len(target.sampler.ladder.steps))]
    ranks: list[int] = np.searchsorted(np.array(floors, dtype=np.uint64), words).tolist()
    return ranks


def offset_words(target: Target, offset: int, count: int) -> dict[str, list[int]]:
    """The words of one offset, often, under the name of the width the sampler asks for."""
    bits = target.sampler.bits
    name = "u16" if bits <= 16 else "u32" if bits <= 32 else "u64"
    return {name: [offset] * count}


def interleaved(chunks: int, size: int, *columns: list[int]) -> list[int]:
    """Words of one width that are asked for column by column within each chunk."""
    return [
        word
        for chunk in range(chunks)
        for column in columns
        for word in column[chunk * size : (chunk + 1) * size]
    ]


@pytest.mark.slow
@each_guided
def test_every_leading_word_gives_the_integer_of_the_closed_form(target: Target) -> None:
    """U runs over all multiples of 2^-16, the offset is fixed, V is 0: everything is kept."""
    bits = target.sampler.bits
    offset = (1 << bits) // 3
    columns = [list(range(CELLS)), [0] * CELLS]
    written = offset_words(target, offset, CELLS)
    if bits == 0:
        columns = columns[:1]
    elif bits <= 16:
        columns.insert(1, written.pop("u16"))
    source = Scripted(
        u16=interleaved(2, CHUNK, *columns),
        u32=written.get("u32", []),
        u64=written.get("u64", []),
        forever=0,
    )
    with use(source):
        drawn = target.noise.many(CELLS)
    words = np.arange(CELLS, dtype=np.uint64) << np.uint64(48)
    assert drawn.tolist() == [target.value(rank, offset) for rank in ranks_of(target, words)]


@pytest.mark.parametrize(
    "target", [t for t in IN_BLOCKS if t.sampler.bits <= 16 and t.gap], ids=label
)
def test_what_is_dropped_is_drawn_anew(target: Target) -> None:
    """V just below 1 drops everything but the start of a block; then U = V = 0 gives 0."""
    count, offset = 1 << 12, 1
    first = [*[40000] * count, *[offset] * count, *[CELLS - 1] * count]
    again = [*[0] * count, *[0] * count, *[0] * count]
    extensions = [ONES] * (2 * count)
    source = Scripted(extensions, u16=[*first, *again], forever=0)
    with use(source):
        assert target.noise.many(count).tolist() == [0] * count
    assert source.left == 0


def test_a_proposal_is_settled_by_the_words_it_began_with() -> None:
    """The 16 bits of U and V already seen stay in front of the 48 that are drawn for them."""
    target = next(t for t in IN_BLOCKS if t.name == "discrete laplace" and t.sampler.bits <= 16)
    ladder = target.sampler.ladder
    step = int(ladder.steps[100])
    count = 1 << 10
    below, above = (step & (1 << 48) - 1) - 1, (step & (1 << 48) - 1) + 3
    script = [*[step >> 48] * count, *[0] * count, *[0] * count]
    for tail, rank in ((below, 100), (above, 101)):
        v_then_u = [*[0] * count, *[tail] * count]
        with use(Scripted(v_then_u, u16=script)):
            assert target.noise.many(count).tolist() == [target.value(rank, 0)] * count


@pytest.mark.parametrize("target", IN_BLOCKS, ids=label)
def test_few_draws_follow_the_same_law_from_whole_words(target: Target) -> None:
    bits, count = target.sampler.bits, 5
    proposed = count + count // 16 + 8
    offset = (1 << bits) // 3
    words = [(place * 0x9E3779B97F4A7C15) & ONES for place in range(1, proposed + 1)]
    written = offset_words(target, offset, proposed)
    u64 = [*words, *written.pop("u64", []), *[0] * proposed]
    with use(Scripted(u64, u16=written.get("u16", []), u32=written.get("u32", []))):
        drawn = target.noise.many(count)
    ranks = ranks_of(target, np.array(words[:count], dtype=np.uint64))
    assert [int(value) for value in drawn] == [target.value(rank, offset) for rank in ranks]


@pytest.mark.parametrize("target", [t for t in IN_BLOCKS if t.gap], ids=label)
def test_few_draws_pass_over_what_is_dropped(target: Target) -> None:
    """Of 13 proposals, those whose V is just below 1 are dropped, and the 5 draws are the next
    kept.
    """
    count, proposed = 5, 13
    offset = 1
    words = [(place * 0x9E3779B97F4A7C15) & ONES for place in range(1, proposed + 1)]
    keeping = [ONES if place % 2 else 0 for place in range(proposed)]
    written = offset_words(target, offset, proposed)
    u64 = [*words, *written.pop("u64", []), *keeping]
    with use(Scripted(u64, u16=written.get("u16", []), u32=written.get("u32", []), forever=0)):
        drawn = target.noise.many(count)
    ranks = ranks_of(target, np.array(words[0 : 2 * count : 2], dtype=np.uint64))
    assert [int(value) for value in drawn] == [target.value(rank, offset) for rank in ranks]


def test_draws_beyond_64_bits_come_as_exact_integers() -> None:
    noise = discrete_laplace(Fraction(2**60))
    rank_of_last = len(noise.draw.__self__.ladder.steps)  # type: ignore[attr-defined]
    words = [ONES - (1 << 32)] * 9
    with use(Scripted([*words, *[12345] * 9, *[0] * 9], forever=0)):
        (drawn,) = noise.many(1).tolist()
    assert isinstance(drawn, int)
    assert abs(drawn) > 2**63
    assert abs(drawn) >> 55 in {rank_of_last // 2 - 1, rank_of_last // 2}


@pytest.mark.parametrize(
    "variance", [Fraction(1, 2**40), Fraction(1, 9), Fraction(1), Fraction(10**6), Fraction(2**100)]
)
def test_a_rounded_gaussian_is_the_nearest_integer_to_the_fine_floor(variance: Fraction) -> None:
    """floor(y) and y round to the same integer, for a grid of half an integer or finer."""
    noise: IntegerNoise = rounded_gaussian(variance)
    finer = next(k for k in range(1, 200) if variance * 4**k >= 2**40)
    floors = BlockSampler(NormalLaw(variance * 4**finer, floor=True))
    words = [place * (ONES // 1500) for place in range(1500)]
    scripts = [
        Scripted([*words[:1000], *[0] * 5000], u16=[7] * 9000, u32=[7] * 9000, forever=0)
        for _ in range(2)
    ]
    with use(scripts[0]):
        drawn = noise.many(900)
    fine = floors.draw(900, scripts[1])
    nearest = [
        (Fraction(int(value), 2**finer) + Fraction(1, 2)).__floor__() for value in fine.tolist()
    ]
    assert drawn.tolist() == nearest
    assert len(set(nearest)) > 1 or variance < 1
