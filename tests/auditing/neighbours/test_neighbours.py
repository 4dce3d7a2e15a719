"""The search for neighbours finds planted faults that only a special pair shows."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from tests.auditing.replay.test_planted import naming_error

import shoal
from shoal.auditing.exact import Bits
from shoal.auditing.neighbours import Domain, every_pair, losing, moving, sampling, worst_pair
from shoal.auditing.replay import replay
from shoal.errors import RangeError, ShapeError
from shoal.query import Private

AGES = tuple(range(-5, 131, 5))
SUM = shoal.Geometric.for_epsilon(1, sensitivity=120)
ONE = shoal.Geometric.for_epsilon(1, sensitivity=2)


def honest_sum(rows: list[int]) -> int:
    return SUM.release(sum(min(120, max(0, age)) for age in rows))


def open_edge(rows: list[int]) -> int:
    """Values above 120 are clamped to 120, but 125 alone slips through."""
    return SUM.release(sum(age if age == 125 else min(120, max(0, age)) for age in rows))


def counts(rows: list[dict[str, Any]], *, fault: int) -> Any:
    """Each person counts in at most two groups, but for one who stands in ``fault`` groups
    exactly.
    """
    found: Counter[str] = Counter()
    for who in {row["who"] for row in rows}:
        kinds = sorted({row["kind"] for row in rows if row["who"] == who})
        found.update(kinds if len(kinds) == fault else kinds[:2])
    return np.array([found[kind] for kind in "abcd"])


PEOPLE = Domain.of_cells(
    {"kind": list("abcd"), "age": [0, 1, 2, 3]}, size=6, unit=4, person="who", people=3
)


def test_all_pairs_of_a_small_domain_are_tried() -> None:
    domain = Domain(rows=AGES[::4], size=1)
    found = worst_pair(moving(honest_sum), domain, budget=5_000)
    assert found.complete
    assert found.score == 115 / 120
    assert found.tried == len(list(every_pair(domain)))


def test_a_fault_at_one_value_of_the_range_is_found_by_enumeration() -> None:
    found = worst_pair(moving(open_edge), Domain(rows=AGES, size=1), budget=5_000, enough=1)
    assert found.score == 125 / 120
    one, two = found.pair
    assert Counter(one) - Counter(two) == Counter([125])


def test_a_fault_at_one_value_of_the_range_is_found_by_search() -> None:
    domain = Domain(rows=AGES, size=8)
    assert worst_pair(moving(open_edge), domain, budget=600, enough=1).score > 1
    assert worst_pair(moving(honest_sum), domain, budget=100, enough=1).score <= 1


@pytest.mark.parametrize("seed", range(3))
def test_a_person_in_three_groups_is_found(seed: int) -> None:
    def broken(rows: list[dict[str, Any]]) -> Any:
        return ONE.release(counts(rows, fault=3))

    found = worst_pair(moving(broken), PEOPLE, budget=600, enough=1, seed=seed)
    assert not found.complete
    assert found.score == 1.5
    one, two = found.pair
    assert {row["kind"] for row in one if row["who"] == 0} in [
        set(k) for k in ("abc", "abd", "acd", "bcd")
    ]
    assert replay(broken, [(one, two)]).verdict.refuted


def test_without_the_fault_nothing_is_found() -> None:
    def right(rows: list[dict[str, Any]]) -> Any:
        return ONE.release(counts(rows, fault=99))

    assert worst_pair(moving(right), PEOPLE, budget=200, enough=1).score == 1


def test_a_change_can_be_worse_than_a_coming() -> None:
    def spread(rows: list[int]) -> Any:
        return SUM.release(
            60 * (sum(1 for age in rows if age > 60) - sum(1 for age in rows if age <= 60))
        )

    ages = (0, 59, 61, 120)
    coming, changing = (
        worst_pair(moving(spread), Domain(rows=ages, size=1, relation=relation))
        for relation in (shoal.Relation.ADD_REMOVE, shoal.Relation.CHANGE)
    )
    assert (coming.score, changing.score) == (0.5, 1)


def test_an_error_on_one_side_outweighs_all_movements() -> None:
    rows = tuple({"town": "A", "age": age} for age in (3, 40, 80))
    assert worst_pair(moving(naming_error), Domain(rows=rows, size=1)).score == 1e6


def test_the_verifier_leads_to_the_pair_with_the_largest_epsilon() -> None:
    """Randomised counting of ones that forgets to randomise where all three are ones."""

    def broken(rows: list[int], bits: Bits) -> int:
        ones = sum(rows)
        if ones == 3:
            return ones
        return ones if bits.bernoulli("2/3") else bits.below(5)

    domain = Domain(rows=(0, 1), size=3)
    found = worst_pair(losing(broken), domain, budget=500)
    assert found.complete
    assert found.score == float("inf")
    assert 3 in {sum(table) for table in found.pair}


def test_samples_lead_to_a_pair_that_is_then_audited_anew() -> None:
    noise = shoal.Laplace.for_epsilon(1, sensitivity=1)

    def mechanism(rows: list[int]) -> Any:
        return noise.release(10 * sum(rows) if 7 in rows else len(rows))

    domain = Domain(rows=(0, 1, 7), size=1)
    found = worst_pair(sampling(mechanism, shoal.Pure(1), samples=1000), domain, enough=2)
    assert found.score > 2
    assert shoal.audit(mechanism, *found.pair, epsilon=1, samples=2000, seed=5).refuted


@pytest.mark.slow
def test_a_question_is_searched_like_any_program() -> None:
    def asked(rows: list[dict[str, Any]]) -> Any:
        return (
            table(rows)
            .sql("SELECT kind, SUM(age) AS s FROM data GROUP BY kind")
            .rehearse(epsilon=1)
        )

    def table(rows: list[dict[str, Any]]) -> Private:
        schema = pa.schema({"who": pa.int64(), "kind": pa.string(), "age": pa.int64()})
        return shoal.private(
            pa.Table.from_pylist(rows, schema=schema),
            protects=shoal.Person("who", groups=2, rows_per_group=2),
            columns={"kind": shoal.Choices(["a", "b", "c"]), "age": shoal.Range(0, 3)},
            budget=shoal.Pure(1),
        )

    domain = Domain.of_cells({"kind": list("abc"), "age": [0, 3, 9]}, size=2, unit=5, person="who")
    found = worst_pair(moving(asked), domain, budget=12)
    assert 0.4 < found.score <= 1


def test_the_same_seed_takes_the_same_way_and_tells_its_progress() -> None:
    said: list[tuple[int, int, float]] = []

    def told(done: int, of: int, best: float) -> None:
        said.append((done, of, best))

    one = worst_pair(moving(honest_sum), Domain(rows=AGES, size=8), budget=40, seed=3, told=told)
    two = worst_pair(moving(honest_sum), Domain(rows=AGES, size=8), budget=40, seed=3)
    assert one == two
    assert [done for done, _, _ in said] == list(range(1, 41))
    assert [best for _, _, best in said] == sorted(best for _, _, best in said)


def test_a_domain_without_rows_or_with_nameless_persons_is_refused() -> None:
    with pytest.raises(ShapeError, match="at least one row"):
        Domain(rows=(), size=1)
    with pytest.raises(ShapeError, match="dicts by column"):
        Domain(rows=(1,), size=1, person="who")
    with pytest.raises(RangeError, match="several rows is a person"):
        Domain(rows=(1,), size=1, unit=2)
