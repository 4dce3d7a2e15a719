"""Proposal times chance of keeping is the law: block, offset, squeeze and comparison, each held
apart.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from flint import arb
from hypothesis import given
from hypothesis import strategies as st
from tests.noise.reference import BITS, IN_BLOCKS, TARGETS, Target, label
from tests.noise.scripted import ONES, Scripted

from shoal.exact import at_precision, ball, floor_of
from shoal.noise.block_sampler import LARGEST_BITS

each_law = pytest.mark.parametrize("target", TARGETS, ids=label)
each_in_blocks = pytest.mark.parametrize("target", IN_BLOCKS, ids=label)
any_target = st.sampled_from(IN_BLOCKS)
any_rank = st.integers(0, 4000)
any_share = st.fractions(0, 1, max_denominator=10**6)


def offset_at(target: Target, share: Fraction) -> int:
    """An offset into a block, as a share of its length."""
    size = 1 << target.sampler.bits
    return min(size - 1, int(share * size))


def true_drop(target: Target, rank: int, offset: Fraction | int) -> Fraction:
    """How much lighter, in nats, the law is at an offset than at the start of the block."""
    start = Fraction(target.start(rank))
    return target.exponent(start + offset) - target.exponent(start)


def encloses(enclosure: arb, number: Fraction) -> bool:
    """Whether a ball may hold a number and holds next to nothing else."""
    difference = enclosure - ball(number)
    return bool(difference.contains(0) and abs(difference) < arb(2) ** -200)


@each_law
def test_a_rank_and_an_offset_name_the_integer_that_many_steps_outwards(target: Target) -> None:
    sampler = target.sampler
    ranks = np.arange(40)
    for share in (Fraction(0), Fraction(1, 3), Fraction(1)):
        offset = offset_at(target, share)
        bases = sampler._base(ranks)
        assert [int(base) ^ offset for base in bases] == [
            target.value(rank, offset) for rank in range(40)
        ]


@given(any_target, any_rank, any_share)
def test_start_times_drop_is_the_weight_of_the_integer(
    target: Target, rank: int, share: Fraction
) -> None:
    offset = offset_at(target, share)
    value = target.value(rank, offset)
    weight_at_value = target.exponent(Fraction(target.distance(value)))
    drop = true_drop(target, rank, offset)
    assert target.exponent(Fraction(target.start(rank))) + drop == weight_at_value
    assert at_precision(
        BITS, lambda: encloses(target.sampler.law.exact_drop(rank, arb(offset)), drop)
    )


@given(any_target, any_rank, any_share)
def test_drop_in_floats_is_within_its_claim(target: Target, rank: int, share: Fraction) -> None:
    offset = offset_at(target, share)
    floats = target.sampler.law.drop(np.array([rank]), np.array([float(offset)]))
    exact = true_drop(target, rank, offset)
    assert abs(Fraction(float(floats[0])) - exact) <= (1 + exact) / 2**45


@each_in_blocks
def test_the_squeeze_keeps_nothing_that_might_be_dropped(target: Target) -> None:
    if target.sampler.bits > LARGEST_BITS:
        return  # such laws are drawn without a guide
    values, bound = target.sampler._guide
    ranks, undecided = target.sampler.ladder.guide
    decided = values > values.min()
    last = int(ranks[decided].max())
    size = 1 << target.sampler.bits
    worst = max(true_drop(target, rank, size) for rank in (0, 1, last - 1, last))
    assert at_precision(BITS, lambda: bool(arb(bound) <= ball(-worst).exp() * (1 << 16)))
    assert bound > 0.95 * (1 << 16)
    assert not (decided & undecided).any()
    assert decided.sum() > 0.9 * (1 << 16)


@each_law
def test_the_guide_holds_the_start_of_the_block_or_says_that_it_does_not_know(
    target: Target,
) -> None:
    if target.sampler.bits > LARGEST_BITS:
        return
    values, _ = target.sampler._guide
    ranks, undecided = target.sampler.ladder.guide
    for cell in [*range(0, 1 << 16, 97), *range((1 << 16) - 64, 1 << 16)]:
        if values[cell] == np.iinfo(np.int64).min:
            assert undecided[cell] or ranks[cell] > ranks[(1 << 16) - 32]
        else:
            assert not undecided[cell]
            assert values[cell] == target.value(int(ranks[cell]), 0)


def chance_of(target: Target, rank: int, offset: Fraction | int) -> arb:
    return ball(-true_drop(target, rank, offset)).exp()


def kept(target: Target, rank: int, offset: int, word: int, source: Scripted) -> bool:
    sampler = target.sampler
    offsets = np.array([offset], dtype=sampler._offset_kind)
    words = np.array([word], dtype=np.uint64)
    return bool(sampler._kept(np.array([rank]), offsets, words, source)[0])


DISCRETE = [target for target in IN_BLOCKS if target.name != "floored gaussian"]
CONTINUOUS = [target for target in IN_BLOCKS if target.name == "floored gaussian"]


@given(st.sampled_from(DISCRETE), any_rank, any_share, st.sampled_from([1, 2, 1 << 20, 1 << 50]))
def test_a_word_beside_the_chance_of_keeping_is_on_its_side(
    target: Target, rank: int, share: Fraction, shift: int
) -> None:
    offset = max(1, offset_at(target, share))
    word = floor_of(lambda: chance_of(target, rank, offset), bits=64)
    if word >= shift:
        assert kept(target, rank, offset, word - shift, Scripted())
    if word + shift <= ONES:
        assert not kept(target, rank, offset, word + shift, Scripted())


@given(st.sampled_from(DISCRETE), any_rank, any_share, st.sampled_from([-1, 1]))
def test_a_word_on_the_chance_of_keeping_is_decided_by_the_words_after_it(
    target: Target, rank: int, share: Fraction, shift: int
) -> None:
    offset = max(1, offset_at(target, share))
    digits = floor_of(lambda: chance_of(target, rank, offset), bits=192)
    word, middle, last = digits >> 128, digits >> 64 & ONES, digits & ONES
    source = Scripted([middle, min(ONES, max(0, last + shift))])
    if 0 < last < ONES:
        assert kept(target, rank, offset, word, source) is (shift < 0)
        assert source.left == 0


@pytest.mark.parametrize("target", DISCRETE, ids=label)
def test_the_start_of_a_block_is_always_kept(target: Target) -> None:
    for rank in (0, 1, 2, 2000):
        assert kept(target, rank, 0, ONES, Scripted())
        assert kept(target, rank, 0, 0, Scripted())


@given(st.sampled_from(CONTINUOUS), st.integers(0, 3000), any_share)
def test_a_word_outside_the_chances_of_a_cell_needs_no_fraction(
    target: Target, rank: int, share: Fraction
) -> None:
    offset = offset_at(target, share)
    lowest = floor_of(lambda: chance_of(target, rank, offset + 1), bits=64)
    highest = floor_of(lambda: chance_of(target, rank, offset), bits=64)
    aside = (highest - lowest) // 100 + (1 << 24)  # what a ball around the whole cell may lose
    assert kept(target, rank, offset, lowest - aside, Scripted())
    if highest + aside <= ONES:
        assert not kept(target, rank, offset, highest + aside, Scripted())


@pytest.mark.slow
@given(
    st.sampled_from(CONTINUOUS),
    st.integers(0, 3000),
    any_share,
    st.fractions(Fraction(1, 100), Fraction(99, 100), max_denominator=1000),
)
def test_a_word_inside_the_chances_of_a_cell_is_decided_by_the_fraction(
    target: Target, rank: int, share: Fraction, crossing: Fraction
) -> None:
    """V is put at the chance of a fraction; a smaller fraction is kept and a larger one dropped."""
    offset = offset_at(target, share)
    digits = floor_of(lambda: chance_of(target, rank, offset + crossing), bits=128)
    for shift in (-(1 << 40), 1 << 40):  # 2^-128 of V can be worth 2^-41 of fraction
        source = Scripted([digits & ONES, int(crossing * 2**64) + shift])
        assert kept(target, rank, offset, digits >> 64, source) is (shift < 0)
        assert source.left == 0


@pytest.mark.parametrize("target", CONTINUOUS, ids=label)
def test_more_digits_of_word_and_fraction_continue_the_ones_before(target: Target) -> None:
    rank, offset, crossing = 6, 5, Fraction(1, 3)
    digits = floor_of(lambda: chance_of(target, rank, offset + crossing), bits=192)
    words = [digits >> 64 * (2 - place) & ONES for place in range(3)]
    thirds = [int(crossing * 2**64)] * 2
    for shift in (-(1 << 50), 1 << 50):
        source = Scripted([words[1], thirds[0], words[2], thirds[1] + shift])
        assert kept(target, rank, offset, words[0], source) is (shift < 0)
        assert source.left == 0
