"""A candidate of a run of equals is drawn as often as if every candidate stood by itself."""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from flint import arb
from hypothesis import example, given
from hypothesis import strategies as st
from tests.noise.scripted import ONES, Scripted

from shoal.errors import InternalError
from shoal.exact import at_precision, ball, decide, floor_of
from shoal.mechanisms import Exponential
from shoal.noise import candidate_race, run_race
from shoal.noise.candidate_race import CLEARLY_ACCEPTED
from shoal.noise.equal_runs import MOST_CANDIDATES, _keeps, _RunLottery
from shoal.noise.seam import seeded, use

SCORES = np.array([-3, 0, -1, -1, -7])
LENGTHS = np.array([5, 1, 2, 900, 1 << 30])
HALF = Fraction(1, 2)


@pytest.mark.parametrize("chunk", [1, 2, 3, 1 << 14])
def test_the_first_and_the_last_ticket_of_every_run_are_its_own(
    chunk: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(candidate_race, "CHUNK", chunk)
    lottery = _RunLottery(SCORES, LENGTHS, HALF)
    sizes = [int(size) for start in range(0, 5, chunk) for size in lottery.tickets(start)]
    assert lottery.totals[-1] == sum(sizes)
    for place, size in enumerate(sizes):
        first = sum(sizes[:place])
        for ticket in (first, first + size - 1):
            monkeypatch.setattr("shoal.noise.equal_runs.one_below", lambda _, at=ticket: at)
            with use(Scripted([0])):
                assert lottery.draw() == place


@given(
    exponent=st.fractions(0, 60, max_denominator=10**6),
    length=st.integers(1, 1 << 31),
    other=st.integers(1, 1 << 31),
    shift=st.sampled_from([-1, 1]),
)
@example(Fraction(14), 1, 1, 1)
@example(Fraction(50), 1 << 31, 1, -1)
def test_tickets_times_acceptance_are_the_length_times_the_weight(
    exponent: Fraction, length: int, other: int, shift: int
) -> None:
    """P(run) = tickets / total * acceptance, so acceptance is 2^shift length weight / tickets."""
    scores = np.array([Fraction(0), -exponent], dtype=object)
    lottery = _RunLottery(scores, np.array([other, length]), Fraction(1))
    bound, unit = int(lottery.tickets(0)[1]), Fraction(2) ** lottery.shift
    share = unit * length / bound
    digits = floor_of(lambda: ball(-exponent).exp() * ball(share), bits=128)
    assert digits < 1 << 128  # a chance, as tickets are at or above the weight
    word, tail = digits >> 64, digits & ONES
    if 0 < word < ONES and 0 < tail < ONES:
        for script in ([word + shift, 0], [word, tail + shift]):
            with use(Scripted(script)):
                assert lottery.accepts(1, bound) is (shift < 0)


@given(
    exponent=st.fractions(0, 90, max_denominator=10**6),
    length=st.integers(1, MOST_CANDIDATES - 1),
    other=st.integers(1, 1 << 31),
)
@example(Fraction(44), MOST_CANDIDATES - 1, 1)
@example(Fraction(441, 10), MOST_CANDIDATES - 1, 1)
@example(Fraction(80), MOST_CANDIDATES - 1, 1)
def test_a_word_that_accepts_at_once_is_below_every_acceptance(
    exponent: Fraction, length: int, other: int
) -> None:
    scores = np.array([Fraction(0), -exponent], dtype=object)
    lottery = _RunLottery(scores, np.array([other, length]), Fraction(1))
    for place, gap in enumerate((Fraction(0), exponent)):
        bound = int(lottery.tickets(0)[place])
        if bound >> 21:
            share = Fraction(2) ** (lottery.shift + 64) * (other, length)[place] / bound
            assert decide(
                lambda gap=gap, share=share: bool(  # type: ignore[misc]
                    ball(-gap).exp() * ball(share) >= arb(CLEARLY_ACCEPTED)
                )
            )


def test_the_chances_of_runs_are_the_sums_of_those_of_their_candidates() -> None:
    """By enumeration: tickets times acceptance, summed, against the law of single candidates."""
    scores, lengths = np.array([-2, 0, -5, -1]), np.array([3, 1, 40, 2])
    rate = Fraction(1, 3)
    lottery = _RunLottery(scores, lengths, rate)
    law = Exponential(epsilon=2 * rate, sensitivity=1).probabilities(
        [int(score) for score in np.repeat(scores, lengths)]
    )
    single = np.add.reduceat(list(law.values()), np.cumsum(lengths) - lengths)

    def accepted() -> list[arb]:
        return [
            ball(rate * int(score)).exp() * int(length) * 2**lottery.shift
            for score, length in zip(scores, lengths, strict=True)
        ]

    kept = at_precision(128, lambda: [each / sum(accepted(), arb(0)) for each in accepted()])
    assert [float(each.mid()) for each in kept] == pytest.approx(single.tolist(), rel=1e-12)
    refused = (
        1 - at_precision(128, lambda: float((sum(accepted(), arb(0))).mid())) / (lottery.totals[-1])
    )
    assert 0 <= refused < 2**-17


def surprise(counts: list[int], chances: list[float]) -> float:
    """Pearson's statistic."""
    total = sum(counts)
    return sum((n - total * p) ** 2 / (total * p) for n, p in zip(counts, chances, strict=True))


def test_runs_and_places_come_as_often_as_they_should_and_a_law_without_lengths_would_show() -> (
    None
):
    scores, lengths, rate = np.array([0, -1, -4]), np.array([2, 3, 200]), Fraction(1)
    with seeded("runs"):
        seen = Counter(run_race(scores, lengths, rate) for _ in range(6000))
    runs = [sum(n for (run, _), n in seen.items() if run == at) for at in range(3)]
    weights = [2.0, 3 * math.exp(-1), 200 * math.exp(-4)]
    alone = [1.0, math.exp(-1), math.exp(-4)]
    # 27.6 is passed once in a million by chance, for two degrees of freedom.
    assert surprise(runs, [w / sum(weights) for w in weights]) < 27.6
    assert surprise(runs, [w / sum(alone) for w in alone]) > 1000
    inside = [seen[1, place] for place in range(3)]
    assert surprise(inside, [1 / 3] * 3) < 27.6
    assert {place for run, place in seen if run == 2} <= set(range(200))


def test_a_very_long_run_far_below_the_best_is_drawn_by_its_weight() -> None:
    """Two thousand million candidates at exp(-20) weigh 4.1 times the best."""
    lengths = np.array([1, 1 << 31])
    with seeded("long"):
        firsts = sum(
            run_race(np.array([0, -20]), lengths, Fraction(1))[0] == 0 for _ in range(2000)
        )
    chance = 1 / (1 + 2**31 * math.exp(-20))
    assert abs(firsts - 2000 * chance) < 5 * math.sqrt(2000 * chance * (1 - chance))


def test_scores_beyond_64_bits_are_drawn_too() -> None:
    scores = np.array([-(10**30), 0, -(10**30)], dtype=object)
    assert run_race(scores, np.array([9, 1, 9]), Fraction(1)) == (1, 0)


def test_candidates_behind_their_run_come_as_often_as_their_own_scores_say() -> None:
    """One run of three with gaps 0, 1 and 3, and one of a single candidate at -1."""
    gaps = {(0, 0): 0, (0, 1): 1, (0, 2): 3, (1, 0): 0}
    with seeded("behind"):
        seen = Counter(
            run_race(
                np.array([0, -1]),
                np.array([3, 1]),
                Fraction(1),
                behind=lambda run, place: gaps[run, place],
            )
            for _ in range(6000)
        )
    weights = [1, math.exp(-1), math.exp(-3), math.exp(-1)]
    counts = [seen[0, 0], seen[0, 1], seen[0, 2], seen[1, 0]]
    # 30.7 is passed once in a million by chance, for three degrees of freedom.
    assert surprise(counts, [w / sum(weights) for w in weights]) < 30.7
    level = [3 / (3 + math.exp(-1)) / 3] * 3 + [math.exp(-1) / (3 + math.exp(-1))]
    assert surprise(counts, level) > 1000


@given(
    gap=st.integers(1, 40),
    rate=st.fractions(Fraction(1, 50), 1, max_denominator=1000),
    shift=st.sampled_from([-1, 1]),
)
def test_a_candidate_behind_is_kept_with_exactly_its_share(
    gap: int, rate: Fraction, shift: int
) -> None:
    digits = floor_of(lambda: ball(-gap * rate).exp(), bits=128)
    word, tail = digits >> 64, digits & ONES
    if 0 < word < ONES and 0 < tail < ONES:
        for script in ([word + shift, 0], [word, tail + shift]):
            with use(Scripted(script)):
                assert _keeps(gap * rate) is (shift < 0)


@pytest.mark.parametrize("lengths", [[], [0, 1], [-1, 3], [MOST_CANDIDATES, 1]])
def test_runs_of_no_candidate_or_of_too_many_are_refused(lengths: list[int]) -> None:
    with pytest.raises(InternalError, match="1 to 2\\^42 candidates"):
        run_race(np.zeros(len(lengths), np.int64), np.array(lengths, np.int64), Fraction(1))
