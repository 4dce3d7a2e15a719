"""Reports of a whole history of values are one output: exact laws of all histories, compared with
what is claimed.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from shoal.local.protocols.bloom import BloomRappor
from shoal.local.protocols.oracles import KaryResponse, LocalHash, Rappor
from shoal.local.protocols.promise import epsilon_of_changes
from shoal.local.protocols.repeated import RepeatedHash, RepeatedResponse
from shoal.noise.seam import seeded

History = tuple[int, ...]
Law = dict[History, Fraction]
Chance = Callable[[int, int], Fraction]
"""The chance of a kept answer given a value, or of a report given a kept answer; all of them
numbered.
"""


class Kept:
    """A protocol that keeps an answer for each value, on a domain small enough to list
    everything.
    """

    def __init__(self, values: int, answers: int, reports: int, kept: Chance, told: Chance) -> None:
        self.values, self.answers, self.reports = values, answers, reports
        self.kept, self.told = kept, told

    def law(self, history: History) -> Law:
        """The chance of every list of reports: on average over the kept answers of the values that
        occur.
        """
        own = sorted(set(history))
        found: Law = {}
        for answers in product(range(self.answers), repeat=len(own)):
            chance = math.prod(
                (self.kept(value, answer) for value, answer in zip(own, answers, strict=True)),
                start=Fraction(1),
            )
            of = dict(zip(own, answers, strict=True))
            for told in product(range(self.reports), repeat=len(history)):
                each = math.prod(
                    (
                        self.told(of[value], report)
                        for value, report in zip(history, told, strict=True)
                    ),
                    start=chance,
                )
                found[told] = found.get(told, Fraction(0)) + each
        return found

    def worst(self, one: History, other: History) -> Fraction:
        """The largest ratio over all lists of reports."""
        law, base = self.law(one), self.law(other)
        return max(law[told] / base[told] for told in law)


def bits_of(width: int) -> list[History]:
    return list(product((0, 1), repeat=width))


def flipping(width: int, ones: Callable[[int], list[Fraction]]) -> Chance:
    """The chance of a row of bits, of which each is 1 with a chance of its own."""
    rows = bits_of(width)

    def chance(given: int, row: int) -> Fraction:
        pairs = zip(ones(given), rows[row], strict=True)
        return math.prod((p if bit else 1 - p for p, bit in pairs), start=Fraction(1))

    return chance


def of_responses(first: KaryResponse, fresh: KaryResponse) -> Kept:
    return Kept(first.size, first.size, first.size, first.chance, fresh.chance)


def of_bits(width: int, held: list[set[int]], made: Rappor | BloomRappor) -> Kept:
    """Values set some bits; they are flipped for ever, and again for every report."""
    rows = bits_of(width)
    moved = made.noise / 2
    kept = flipping(width, lambda v: [1 - moved if p in held[v] else moved for p in range(width)])
    told = flipping(width, lambda row: [made.one if bit else made.zero for bit in rows[row]])
    return Kept(len(held), len(rows), len(rows), kept, told)


RESPONSE = RepeatedResponse.for_epsilons(2, single=1, size=3)
HASH = RepeatedHash(3, 2, Fraction(7), Fraction(5, 2))
RAPPOR = Rappor.of(size=2, noise="1/2", one="3/4", zero="1/3")
BLOOM = BloomRappor.of(bits=3, hashes=1, cohorts=2, noise="1/2", one="3/4", zero="1/4")
COHORT = 0
TEXTS = {BLOOM.places(f"word {number}", COHORT): f"word {number}" for number in range(20)}
Claimed = tuple[Kept, Fraction, Fraction, Callable[[int], Fraction], int]
DESIGNS: dict[str, Claimed] = {
    "RepeatedResponse": (of_responses(RESPONSE.first, RESPONSE.fresh), RESPONSE.odds, RESPONSE.lifetime_odds, RESPONSE.epsilon_if_changed, 3),
    "RepeatedHash": (of_responses(HASH._rounds.first, HASH._rounds.fresh), HASH.odds, HASH.lifetime_odds, HASH.epsilon_if_changed, 4),
    "Rappor": (of_bits(2, [{0}, {1}], RAPPOR), RAPPOR.odds, RAPPOR.lifetime_odds, RAPPOR.epsilon_if_changed, 2),
    "BloomRappor": (of_bits(3, [set(places) for places in list(TEXTS)[:2]], BLOOM), BLOOM.odds, BLOOM.lifetime_odds, BLOOM.epsilon_if_changed, 2),
}  # fmt: skip
each = pytest.mark.parametrize("name", DESIGNS)


@each
def test_one_report_has_the_odds_it_claims(name: str) -> None:
    made, odds, *_ = DESIGNS[name]
    assert max(made.worst((one,), (other,)) for one, other in pairs(made)) == odds


@each
def test_reports_of_a_value_that_never_changes_stay_below_the_lifetime_odds(name: str) -> None:
    made, odds, lifetime, _, most = DESIGNS[name]
    found = [
        max(made.worst((one,) * length, (other,) * length) for one, other in pairs(made))
        for length in range(1, most + 1)
    ]
    assert found == sorted(found)
    assert odds < found[-1] < lifetime


@pytest.mark.slow
@each
def test_histories_that_differ_in_some_reports_stay_below_what_is_claimed_of_so_many(
    name: str,
) -> None:
    made, _, _, claim, most = DESIGNS[name]
    worst: dict[int, Fraction] = {}
    histories = list(product(range(made.values), repeat=most))
    laws = {history: made.law(history) for history in histories}
    for one, other in product(histories, repeat=2):
        changed = sum(a != b for a, b in zip(one, other, strict=True))
        law, base = laws[one], laws[other]
        found = max(law[told] / base[told] for told in law)
        worst[changed] = max(worst.get(changed, Fraction(0)), found)
    assert worst.pop(0) == 1
    for changed, ratio in worst.items():
        assert ratio > 1
        assert math.log(ratio) <= claim(changed)


@each
def test_the_claim_of_a_change_grows_with_every_report(name: str) -> None:
    claim = DESIGNS[name][3]
    assert claim(0) == 0
    assert float(claim(7)) == pytest.approx(7 * float(claim(1)))
    assert claim(1) > 0


def pairs(made: Kept) -> list[tuple[int, int]]:
    return [(a, b) for a in range(made.values) for b in range(made.values) if a != b]


def test_two_constant_histories_and_some_exceptions_cost_a_lifetime_and_the_exceptions() -> None:
    """Point 4 of repeated.md, for histories that are constant but for one report."""
    made, _, lifetime, _, _ = DESIGNS["RepeatedHash"]
    fresh = HASH._rounds.fresh.odds
    for one, other in product(product(range(2), repeat=3), repeat=2):
        assert made.worst(one, other) <= lifetime * fresh**2


def test_no_number_of_values_or_buckets_bounds_a_lifetime() -> None:
    """Value 0 for 2T reports against 0 for T and another bucket for T: the log-ratio grows with T,
    past every old claim.
    """
    made = RepeatedHash.for_epsilons(2, single=1, size=1000)
    first, fresh = made._rounds.first, made._rounds.fresh

    def run(bucket: int, *told: tuple[int, int]) -> Fraction:
        return sum(
            (
                first.chance(bucket, kept) * math.prod(fresh.chance(kept, y) ** n for y, n in told)
                for kept in range(made.buckets)
            ),
            start=Fraction(0),
        )

    def log_ratio(half: int) -> float:
        return max(
            math.log(run(0, (x, half)) * run(1, (y, half)) / run(0, (x, half), (y, half)))
            for x, y in product(range(made.buckets), repeat=2)
        )

    assert log_ratio(10) == pytest.approx(15.3, abs=0.05)
    assert log_ratio(80) == pytest.approx(125.4, abs=0.05)
    assert log_ratio(10) > made.buckets * math.log(made.lifetime_odds)
    for half in (1, 10, 80):
        assert log_ratio(half) <= made.epsilon_if_changed(half)


def test_the_reports_that_are_sent_show_a_change_as_the_exact_laws_say() -> None:
    """Whether the second half mostly says what the first did: nearly always for one kept answer,
    rarely for two.
    """
    made = RepeatedHash.for_epsilons(2, single=1, size=1000)
    people, half = 2000, 60
    with seeded("histories"):
        kept = made.start(people)
        all_values = np.tile(np.arange(1000), (people, 1))
        bucket = [made.together.buckets_of(kept.hashes, all_values[:, v]) for v in range(12)]
        other = np.argmax([bucket[0] != each for each in bucket], axis=0)
        first = [made.report(kept, np.zeros(people, dtype=int))[:, 1] for _ in range(half)]
        constant = [made.report(kept, np.zeros(people, dtype=int))[:, 1] for _ in range(half)]
        changed = [made.report(kept, other)[:, 1] for _ in range(half)]

    def modes(told: list[NDArray[Any]]) -> NDArray[Any]:
        """What each person said most often."""
        return np.array([np.bincount(row).argmax() for row in np.stack(told, axis=1)])

    same = np.mean(modes(first) == modes(constant))
    apart = np.mean(modes(first) == modes(changed))
    assert same > 0.97
    assert apart < 0.6


def test_the_buckets_of_a_hash_are_all_that_a_history_shows_of_its_values() -> None:
    """Given the hash, values are buckets: every hash of a small family maps them to such
    histories.
    """
    made = LocalHash.with_buckets(2, Fraction(5, 2), 3)
    words = np.array(list(product(range(256), range(0, 256, 16))), dtype=np.uint8)
    patterns = {
        tuple(pattern)
        for pattern in np.stack(
            [made.buckets_of(words, np.full(len(words), value)) for value in range(3)], axis=1
        ).tolist()
    }
    assert {bucket for pattern in patterns for bucket in pattern} == {0, 1}
    assert len(patterns) > 2


def test_a_change_of_no_report_is_refused_below_zero() -> None:
    with pytest.raises(ValueError, match="reports"):
        epsilon_of_changes(Fraction(2), -1)
