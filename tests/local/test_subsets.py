from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction
from itertools import combinations, pairwise

import numpy as np
import pytest

from shoal.errors import InputError
from shoal.local import Subsets, TransitionMatrix, bit_worths, one_bit
from shoal.local.protocols.oracles import SubsetSelection, subset
from shoal.local.subsets import rank_of, set_of

SMALL = [(k, w) for k in range(2, 8) for w in range(1, k)]


def sets(k: int, w: int, inside: int = 5, outside: int = 2) -> Subsets:
    return Subsets(tuple(str(i) for i in range(k)), w, inside, outside)


@pytest.mark.parametrize(("k", "w"), SMALL)
def test_ranks_count_all_sets_of_a_size(k: int, w: int) -> None:
    found = [set_of(rank, w) for rank in range(math.comb(k, w))]
    assert sorted(found) == list(combinations(range(k), w))
    assert [rank_of(each) for each in found] == list(range(len(found)))


@pytest.mark.parametrize("rank", [0, 1, 10**9, 10**40, 3**200])
@pytest.mark.parametrize("w", [1, 2, 27, 90])
def test_a_rank_of_any_length_is_that_of_its_set(rank: int, w: int) -> None:
    members = set_of(rank, w)
    assert rank_of(members) == rank
    assert all(a < b for a, b in pairwise(members))


@pytest.mark.parametrize(("k", "w"), SMALL)
def test_the_numbers_below_the_total_lead_to_exactly_the_stated_law(k: int, w: int) -> None:
    law = sets(k, w)
    for answer in range(k):
        drawn = Counter(law.place(answer, u) for u in range(law.total))
        for report in range(law.kinds):
            assert Fraction(drawn[report], law.total) == law.chance(answer, report)


@pytest.mark.parametrize(("k", "w"), SMALL)
def test_the_largest_ratio_over_all_pairs_of_answers_is_the_stated_one(k: int, w: int) -> None:
    law = sets(k, w)
    ratios = [
        law.chance(x, y) / law.chance(z, y)
        for y in range(law.kinds)
        for x in range(k)
        for z in range(k)
    ]
    assert max(ratios) == law.ratio


@pytest.mark.parametrize(("k", "w"), SMALL)
def test_what_a_report_counts_is_unbiased_with_the_stated_variance(k: int, w: int) -> None:
    law = sets(k, w)
    shares = [Fraction(i + 1, k * (k + 1) // 2) for i in range(k)]
    told = [sum(s * law.chance(x, y) for x, s in enumerate(shares)) for y in range(law.kinds)]
    for answer in range(k):
        worths = [law.worth(y, answer) for y in range(law.kinds)]
        mean = sum(c * b for c, b in zip(told, worths, strict=True))
        second = sum(c * b**2 for c, b in zip(told, worths, strict=True))
        assert mean == shares[answer]
        assert law.variances(shares, reports=7)[answer] == (second - mean**2) / 7


@pytest.mark.parametrize(("k", "w"), SMALL)
def test_the_variation_is_the_largest_over_all_pairs(k: int, w: int) -> None:
    law = sets(k, w)
    found = max(
        sum(max(Fraction(0), law.chance(x, y) - law.chance(z, y)) for y in range(law.kinds))
        for x in range(k)
        for z in range(k)
    )
    assert law.variation == found


def test_sets_of_one_answer_are_kary_randomized_response() -> None:
    law, matrix = sets(6, 1), TransitionMatrix.for_truth("1/3", size=6)
    assert law.chance(2, 2) == matrix.chance(2, 2) == Fraction(1, 3)
    for answer in range(6):
        for report in range(6):
            assert law.chance(answer, report) == matrix.chance(answer, report)
            assert law.worth(report, answer) == matrix.worth(report, answer)


def test_two_hundred_answers_have_an_exact_law() -> None:
    law = Subsets.for_odds(3, answers=[str(i) for i in range(200)])
    assert law.size == 50
    inside = math.comb(199, 49) * law.inside
    assert law.total == inside + math.comb(199, 50) * law.outside
    for answer in (0, 77, 199):
        assert str(answer) in law.members(law.place(answer, 0))
        assert str(answer) in law.members(law.place(answer, inside - 1))
        assert str(answer) not in law.members(law.place(answer, inside))
        assert law.place(answer, law.total - 1) < law.kinds


def test_the_size_and_the_support_are_those_of_the_oracle() -> None:
    oracle = SubsetSelection.for_odds(Fraction(3), size=12)
    law = Subsets.for_odds(3, answers=[str(i) for i in range(12)])
    assert (law.size, law.support) == (oracle.chosen, oracle.support)


def test_sets_are_read_back_as_they_were_written() -> None:
    law = Subsets.for_odds("5/2", answers=[f"n{i}" for i in range(30)])
    assert Subsets.from_json(law.to_json()) == law


@pytest.mark.parametrize(
    "text",
    ["", "{}", sets(5, 2).to_json().replace('"5"', '"6"'), sets(5, 2).to_json().replace("2", "3")],
)
def test_a_text_whose_parts_disagree_is_refused(text: str) -> None:
    with pytest.raises(InputError):
        Subsets.from_json(text)


@pytest.mark.parametrize(
    ("k", "w", "a", "b"), [(5, 5, 2, 1), (5, 0, 2, 1), (5, 2, 1, 1), (5, 2, 1, 0), (1, 1, 2, 1)]
)
def test_sets_that_cannot_be_are_refused(k: int, w: int, a: int, b: int) -> None:
    with pytest.raises(InputError):
        sets(k, w, a, b)


def test_a_posterior_is_the_prior_times_the_chances() -> None:
    law, prior = sets(5, 2), [Fraction(1, 2), *[Fraction(1, 8)] * 4]
    for report in range(law.kinds):
        joint = [p * law.chance(x, report) for x, p in enumerate(prior)]
        assert law.posterior(report, prior) == tuple(each / sum(joint) for each in joint)


# one bit


@pytest.mark.parametrize("steps", [1, 2, 7, 40])
@pytest.mark.parametrize("odds", [Fraction(3), Fraction(19, 7)])
def test_one_bit_is_private_and_its_mean_is_the_number(steps: int, odds: Fraction) -> None:
    low, high = Fraction(-3), Fraction(9)
    matrix = one_bit([str(i) for i in range(steps + 1)], odds)
    less, more = bit_worths(odds, low, high)
    assert matrix.ratio == odds
    for place in range(steps + 1):
        number = low + (high - low) * place / steps
        mean = matrix.chance(place, 0) * less + matrix.chance(place, 1) * more
        assert mean == number


def test_one_bit_at_even_odds_is_refused() -> None:
    with pytest.raises(InputError):
        one_bit(["0", "1"], 1)


def test_the_variation_of_a_matrix_is_the_largest_over_all_pairs() -> None:
    table = TransitionMatrix([["1/2", "1/4", "1/4"], ["1/4", "1/4", "1/2"], ["1/8", "3/4", "1/8"]])
    assert table.variation == Fraction(1, 2)
    assert TransitionMatrix.for_truth("3/4", size=2).variation == Fraction(1, 2)


# the oracle beyond the sets that can be listed


def test_forty_values_are_counted_without_bias_by_the_oracle() -> None:
    oracle = SubsetSelection.for_odds(Fraction(4), size=40)
    values = np.arange(60_000) % 4
    found = oracle.estimate(oracle.report(values))
    error = math.sqrt(float(oracle.variance(0, people=60_000)))
    assert np.abs(found.frequencies[:4] - 0.25).max() < 6 * error
    assert np.abs(found.frequencies[4:]).max() < 6 * error


@pytest.mark.parametrize("chosen", [1, 2, 20])
def test_sets_drawn_value_by_value_are_equally_likely(
    chosen: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(subset, "LISTED", 1)
    sets = subset._drawn(21 if chosen == 20 else 6, chosen, 42_000)
    counts = Counter(sets.tolist())
    kinds = math.comb(21, 20) if chosen == 20 else math.comb(6, chosen)
    assert len(counts) == kinds
    assert {int(each).bit_count() for each in counts} == {chosen}
    mean = 42_000 / kinds
    assert sum((count - mean) ** 2 / mean for count in counts.values()) < kinds + 8 * kinds**0.5


@pytest.mark.parametrize("report", [0b1, 0b111, 1 << 40])
def test_a_number_that_is_no_set_of_the_oracle_is_not_counted(report: int) -> None:
    with pytest.raises(InputError):
        SubsetSelection(40, Fraction(3), 2).estimate(np.array([report]))
