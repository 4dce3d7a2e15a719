from __future__ import annotations

import math
from fractions import Fraction
from functools import cache
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import binom
from tests.laws_of_noise.goodness import ACCEPTED, fit_counts
from tests.local.protocols.oracles.small import BLOCKS, EVERY, SMALL

import shoal
from shoal.errors import DataError, RangeError, ShapeError
from shoal.local.protocols.oracles import (
    Frequencies,
    HadamardResponse,
    KaryResponse,
    LinearHash,
    LineSelection,
    LocalHash,
    Oracle,
    SubsetSelection,
    UnaryEncoding,
    choose,
    oracles,
)
from shoal.noise.seam import seeded

NAMES = pytest.mark.parametrize("name", EVERY)
FEW = [name for name in EVERY if not name.endswith("hash")]


def as_reports(oracle: Oracle, listed: list[Any]) -> NDArray[Any]:
    like = oracle.report([0])
    return np.array(listed, dtype=like.dtype).reshape(len(listed), *like.shape[1:])


def values_of(oracle: Oracle) -> list[int]:
    """All values, or a few of very many, with those whose differences are powers of two."""
    every = range(oracle.size)
    return list(every) if oracle.size < 30 else [0, 1, 2, 3, 64, 127, 128]


@cache
def law(name: str, value: int) -> list[Fraction]:
    oracle = EVERY[name]
    return [oracle.chance(value, report) for report in oracle.every_report()]


def listed(name: str) -> list[Any]:
    every = list(EVERY[name].every_report())
    return every if len(every) < 5000 else every[:: len(every) // 4001]


@pytest.mark.parametrize("name", FEW)
def test_the_chances_of_all_reports_add_up_to_one(name: str) -> None:
    for value in range(EVERY[name].size):
        assert sum(law(name, value)) == 1


@pytest.mark.slow
@NAMES
def test_the_largest_ratio_over_all_pairs_of_values_is_exactly_the_odds(name: str) -> None:
    oracle = EVERY[name]
    most = Fraction(0)
    for report in listed(name):
        chances = [oracle.chance(value, report) for value in values_of(oracle)]
        most = max(most, max(chances) / min(chances))
    assert most == oracle.odds
    assert 0 <= float(oracle.epsilon) - math.log(oracle.odds) < 1e-12


@cache
def scored(name: str) -> list[list[Fraction]]:
    """By what each report counts for each value, by way of the tally."""
    oracle = EVERY[name]
    found = []
    for report in oracle.every_report():
        shares = oracle.tally().add(as_reports(oracle, [report])).estimate()
        found.append([shares.exact(value) for value in range(oracle.size)])
    return found


@pytest.mark.slow
@pytest.mark.parametrize("name", FEW)
def test_the_decoded_score_of_a_report_is_unbiased_under_every_value_exactly(name: str) -> None:
    size = EVERY[name].size
    for value in range(size):
        means = [
            sum(
                chance * score[other]
                for chance, score in zip(law(name, value), scored(name), strict=True)
            )
            for other in range(size)
        ]
        assert means == [value == other for other in range(size)]


@pytest.mark.parametrize("name", FEW)
@pytest.mark.parametrize("share", [Fraction(0), Fraction(1, 3)])
@pytest.mark.parametrize("fixed", [False, True])
def test_the_stated_variance_is_that_of_all_reports(
    name: str, share: Fraction, *, fixed: bool
) -> None:
    """Value 0 has the share; in a Hadamard block the rest is spread evenly over the blocks."""
    oracle = EVERY[name]
    groups = oracle.blocks if isinstance(oracle, HadamardResponse) else 1
    others = [[v for v in range(1, oracle.size) if v % groups == g] for g in range(groups)]
    if any(not group for group in others):
        others = [list(range(1, oracle.size))]
        share = Fraction(1) if groups > 1 else share
    shares = {0: share}
    for group in others:
        shares |= {v: (1 - share) / len(others) / len(group) for v in group}
    second = sum(
        held * chance * score[0] ** 2
        for value, held in shares.items()
        for chance, score in zip(law(name, value), scored(name), strict=True)
    )
    stated = oracle.variance(share, people=3, fixed=fixed)
    assert stated == (second - (share if fixed else share**2)) / 3


@pytest.mark.parametrize("name", FEW)
def test_the_total_variation_is_the_largest_over_all_pairs(name: str) -> None:
    pairs = combinations(range(EVERY[name].size), 2)
    found = max(
        sum(abs(p - q) for p, q in zip(law(name, u), law(name, v), strict=True)) / 2
        for u, v in pairs
    )
    assert found == EVERY[name].variation


@pytest.mark.parametrize("name", ["local hash", "binary hash"])
def test_a_hash_speaks_for_another_value_with_exactly_the_stated_chance(name: str) -> None:
    """For one multiplier after the other all offsets are counted, so that all reports are."""
    oracle = EVERY[name]
    assert isinstance(oracle, LocalHash)
    words, limit = np.arange(256), 256 // oracle.buckets
    own, other = oracle.support
    for u, v in [(0, oracle.size - 1), (1, 3), (0, 1), (2, 4)]:
        a, c = np.meshgrid(words, words)
        at_u, at_v = (a * u + c) % 256 < limit, (a * v + c) % 256 < limit
        both, only = int((at_u & at_v).sum()), int((at_u & ~at_v).sum())
        inside, outside = own / (256 * limit), (1 - own) / (256 * (256 - limit))
        assert both * inside + only * outside == other
        assert int(at_v.sum()) * inside == own


@NAMES
def test_reports_have_their_stated_law_and_not_that_of_another_value(name: str) -> None:
    oracle, people = EVERY[name], 60_000
    with seeded(f"law of {name}"):
        told = oracle.report(np.full(people, oracle.size - 1))
    if isinstance(oracle, LocalHash):  # too many reports to list: their places, by sixteenths
        places = (told[:, 0] * told.dtype.type(oracle.size - 1) + told[:, 1]) >> 4
        cells = np.bincount(places.astype(np.int64), minlength=16)
        own, limit = oracle.support[0], 16 // oracle.buckets
        true = [float(own / limit)] * limit + [float((1 - own) / (16 - limit))] * (16 - limit)
        assert fit_counts(cells, true) > ACCEPTED
        assert fit_counts(np.bincount(told[:, 0] >> 4, minlength=16), [1 / 16] * 16) > ACCEPTED
        assert fit_counts(cells, [1 / 16] * 16) < ACCEPTED
        return
    rows = {
        np.asarray(report).tobytes(): place
        for place, report in enumerate(as_reports(oracle, list(oracle.every_report())))
    }
    counts = np.bincount([rows[row.tobytes()] for row in told], minlength=len(rows))
    assert fit_counts(counts, [float(chance) for chance in law(name, oracle.size - 1)]) > ACCEPTED
    assert fit_counts(counts, [float(chance) for chance in law(name, 0)]) < ACCEPTED


@pytest.mark.parametrize("epsilon", [1, 3])
@pytest.mark.parametrize(
    "kind", [KaryResponse, LineSelection, LinearHash, HadamardResponse, LocalHash]
)
def test_errors_over_a_thousand_values_have_the_stated_variance(
    kind: type[Oracle], epsilon: int
) -> None:
    """The mean square over 1000 values is within a fifth of the truth; a third off would be
    seen.
    """
    oracle, people = kind.for_epsilon(epsilon, size=1000), 60_000
    values = (np.arange(people) ** 2) % 1000
    with seeded(f"errors of {kind.__name__} {epsilon}"):
        found = oracle.estimate(oracle.report(values))
    truth = np.bincount(values, minlength=1000) / people
    stated = np.mean([float(oracle.variance(f, people=people, fixed=True)) for f in truth[:400]])
    assert 0.8 < np.mean((found.frequencies - truth) ** 2) / stated < 1.2
    assert 0.9 < found.variances.mean() / stated < 1.1


@NAMES
def test_tallies_merged_are_one_tally_and_reports_have_one_length(name: str) -> None:
    oracle = EVERY[name]
    values = np.arange(500) % oracle.size
    with seeded(name):
        told = oracle.report(values)
    assert len({row.tobytes().__len__() for row in told}) == 1
    apart = oracle.tally().add(told[:123]).merge(oracle.tally().add(told[123:]))
    whole = oracle.tally().add(told)
    assert (apart.counters == whole.counters).all()
    assert apart.people == whole.people == 500
    assert (apart.estimate().frequencies == whole.estimate().frequencies).all()


def test_tallies_of_different_oracles_are_not_merged() -> None:
    with pytest.raises(ShapeError):
        SMALL["k-ary"].tally().merge(KaryResponse(5, Fraction(2)).tally())


@NAMES
def test_values_out_of_range_are_refused_without_being_quoted(name: str) -> None:
    oracle = EVERY[name]
    with pytest.raises(DataError) as problem:
        oracle.report([0, 123_456])
    assert "123" not in str(problem.value)
    with pytest.raises(ShapeError):
        oracle.report(["red"])


@pytest.mark.parametrize("name", FEW)
def test_reports_that_cannot_be_are_refused(name: str) -> None:
    oracle = EVERY[name]
    with pytest.raises((DataError, ShapeError)):
        oracle.tally().add(np.array([10**6]))
    with pytest.raises(ShapeError):
        oracle.tally().add(np.array([[0.5]]))


def test_a_set_of_the_wrong_size_is_no_report_of_subset_selection() -> None:
    with pytest.raises(DataError):
        SMALL["subset"].tally().add(np.array([0b111]))


def test_a_tally_without_reports_has_no_estimate() -> None:
    with pytest.raises(ShapeError):
        SMALL["k-ary"].tally().estimate()


@pytest.mark.parametrize("name", ["k-ary", "subset", "linear hash", "optimised unary"])
@pytest.mark.parametrize("people", [50, 200, 2000])
def test_exact_intervals_cover_at_least_as_often_as_they_say(name: str, people: int) -> None:
    """By adding up the chance of every possible count; the intervals of all counts are dear, and
    the same whatever the share is.
    """
    oracle = SMALL[name]
    own, other = oracle.support
    counts = np.arange(people + 1)
    low, high = Frequencies(people, counts, people - counts, oracle.scores).interval("0.95")
    covered = {}
    for f in map(Fraction, ("0", "0.02", "0.1", "0.5")):
        chances = binom.pmf(counts, people, float(other + f * (own - other)))
        covered[f] = chances[(low <= float(f)) & (float(f) <= high)].sum()
    assert {f: chance for f, chance in covered.items() if chance < 0.95} == {}


@pytest.mark.slow
def test_exact_intervals_of_blocks_cover_at_least_as_often_as_they_say() -> None:
    oracle, people = BLOCKS["hadamard blocks"], 4000
    values = np.arange(people) % 6
    inside = []
    with seeded("blocks"):
        for _ in range(40):
            low, high = oracle.estimate(oracle.report(values)).interval("0.9")
            inside.append((low <= 1 / 6) & (high >= 1 / 6))
    assert np.mean(inside) >= 0.9


def test_intervals_that_hold_together_are_wider_and_normal_ones_are_not_cut() -> None:
    found = Frequencies(100, np.array([10, 60]), np.array([90, 40]), SMALL["k-ary"].scores)
    alone, together = found.interval(), found.interval(together=True)
    assert (together[0] <= alone[0]).all()
    assert (together[1] >= alone[1]).all()
    assert found.interval(method="normal")[0][0] < 0
    with pytest.raises(RangeError, match="exact"):
        found.interval(method="wald")


TABLE = [  # n Var at share 0: epsilon, size, k-ary, symmetric, optimised, binary hash, subset, Hadamard
    ("0.5", 10, 22.9, 15.9, 15.7, 16.7, 12.6, 16.7),
    ("1", 4, 1.60, 3.92, 3.68, 4.68, 1.60, 4.68),
    ("1", 10, 3.63, 3.92, 3.68, 4.68, 2.82, 4.68),
    ("2", 10, 0.377, 0.921, 0.724, 1.72, 0.377, 1.27),
]


@pytest.mark.parametrize("row", TABLE)
def test_the_exact_variances_are_those_of_the_literature(row: tuple[Any, ...]) -> None:
    epsilon, size, *stated = row
    made = [
        KaryResponse.for_epsilon(epsilon, size=size),
        UnaryEncoding.symmetric(epsilon, size=size),
        UnaryEncoding.optimised(epsilon, size=size),
        LocalHash.binary(epsilon, size=size),
        SubsetSelection.for_epsilon(epsilon, size=size),
        HadamardResponse.for_epsilon(epsilon, size=size),
    ]
    assert [float(each.variance(0)) for each in made] == pytest.approx(stated, rel=5e-3)


@pytest.mark.parametrize("size", [2, 3, 10, 20])
@pytest.mark.parametrize("epsilon", ["0.1", "1", "4"])
def test_subset_selection_is_never_worse_than_k_ary_response(size: int, epsilon: str) -> None:
    subset, kary = (
        kind.for_epsilon(epsilon, size=size) for kind in (SubsetSelection, KaryResponse)
    )
    assert subset.variance(0) <= kary.variance(0)


@pytest.mark.parametrize("size", [2, 10, 300, 5000, 100_000])
@pytest.mark.parametrize("epsilon", ["0.25", "1", "3", "6"])
def test_the_oracle_chosen_is_within_a_twentieth_of_the_best(size: int, epsilon: str) -> None:
    chosen = choose(epsilon, size=size)
    least = min(each.variance(0) for each in oracles(epsilon, size=size))
    assert chosen.variance(0) <= least * Fraction(21, 20)
    assert chosen.epsilon <= Fraction(epsilon)


def test_candidates_are_tested_like_all_values() -> None:
    oracle = LocalHash.for_epsilon(2, size=500)
    with seeded("candidates"):
        told = oracle.report(np.arange(2000) % 500)
    picked = np.array([3, 499, 77])
    assert (oracle.speaking_for(told, picked) == oracle.tally().add(told).counters[picked]).all()


def test_words_of_64_bits_serve_domains_that_nobody_lists() -> None:
    oracle = LocalHash.for_epsilon(2, size=1 << 60)
    value = (1 << 59) + 12_345
    with seeded("wide"):
        told = oracle.report(np.full(20_000, value))
    own, other = (float(chance) for chance in oracle.support)
    speaking = oracle.speaking_for(told, [value, value + 1, 0]) / 20_000
    assert speaking == pytest.approx([own, other, other], abs=0.02)


def test_an_event_of_a_report_has_its_price() -> None:
    event = SMALL["subset"].event
    assert event.epsilon == SMALL["subset"].epsilon
    assert SMALL["subset"].cost == shoal.Pure(event.epsilon)
    assert event.relation == "change"


@pytest.mark.parametrize(
    "made",
    [
        lambda: KaryResponse(3, Fraction(1)),
        lambda: LocalHash(300, Fraction(3), 4, 8),
        lambda: LocalHash(300, Fraction(3), 3, 16),
        lambda: LinearHash(10, Fraction(3), 4),
        lambda: HadamardResponse(10, Fraction(3), 3),
        lambda: SubsetSelection(63, Fraction(3), 4),
        lambda: LineSelection(8, Fraction(3), 9, 4),
        lambda: UnaryEncoding(3, own=Fraction(1, 4), other=Fraction(1, 2)),
    ],
)
def test_parameters_that_cannot_serve_are_refused(made: Any) -> None:
    with pytest.raises(RangeError):
        made()


@pytest.mark.slow
@pytest.mark.parametrize("epsilon", ["0.001", "20", "800"])
@pytest.mark.parametrize("size", [2, 20, 3000])
def test_every_oracle_serves_very_small_and_very_large_epsilons(epsilon: str, size: int) -> None:
    for oracle in oracles(epsilon, size=size):
        with seeded("extreme"):
            found = oracle.estimate(oracle.report(np.full(200, size - 1)))
        assert oracle.epsilon <= Fraction(epsilon)
        if epsilon != "0.001":
            assert found.frequencies[-1] == pytest.approx(1, abs=0.2)


def test_values_that_nobody_can_list_have_an_oracle_and_no_tally() -> None:
    found = list(oracles(1, size=1 << 60))
    assert {type(each) for each in found} == {KaryResponse, LocalHash, UnaryEncoding}
    for oracle in found:
        with pytest.raises(RangeError, match="HeavyHitters"):
            oracle.tally()


def test_more_places_than_a_table_holds_are_refused() -> None:
    with pytest.raises(RangeError, match="places"):
        HadamardResponse(1 << 27, Fraction(3), 1)
    with pytest.raises(RangeError, match="LinearHash"):
        LineSelection.for_epsilon(1, size=5000)
