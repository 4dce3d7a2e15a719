"""Every known sensitivity against all neighbours of a small domain: never below the truth, and
attained.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Any

import pytest
from tests.sensitivity import brute

from shoal import sensitivity
from shoal.sensitivity import Norm, Relation, Sensitivity

HALF = Fraction(1, 2)
RELATIONS = list(Relation)
NORMS = list(Norm)
ROUNDING = 1 + Fraction(1, 2**61)


@dataclass
class Case:
    """A claim, and the function and small domain that show it attained."""

    name: str
    claim: Callable[[Relation, Norm], Sensitivity]
    function: Callable[[tuple[Any, ...]], Sequence[Any]]
    domain: Sequence[Any]
    size: int
    relations: Sequence[Relation] = tuple(Relation)
    norms: Sequence[Norm] = (Norm.L1,)
    rows: Sequence[int] = (1, 2)


def columns(rows: tuple[Any, ...], dimension: int) -> list[Any]:
    return [sum(row[place] for row in rows) for place in range(dimension)]


def mean(rows: tuple[Any, ...], dimension: int) -> list[Fraction]:
    return [Fraction(total) / len(rows) for total in columns(rows, dimension)]


CHANGE = (Relation.CHANGE,)
BOUNDS: list[tuple[Any, Any]] = [(-1, 2), (1, 3), (-3, -1), (Fraction(-1, 3), HALF), (2, 2)]
WEIGHTS: list[Any] = [1, HALF, 2]


def sum_case(low: Any, high: Any) -> Case:
    return Case(
        f"bounded_sum {low} {high}",
        lambda r, _: sensitivity.bounded_sum(low=low, high=high, relation=r),
        lambda rows: [sum(rows)],
        [low, (low + high) * HALF, high],
        2,
    )


def mean_case(low: Any, high: Any) -> Case:
    return Case(
        f"bounded_mean {low} {high}",
        lambda r, _: sensitivity.bounded_mean(low=low, high=high, size=3, relation=r),
        lambda rows: [Fraction(sum(rows)) / 3],
        [low, (low + high) * HALF, high],
        3,
        relations=CHANGE,
    )


def maximum_case(low: Any, high: Any) -> Case:
    return Case(
        f"maximum {low} {high}",
        lambda r, _: sensitivity.maximum(low=low, high=high, relation=r),
        lambda rows: [max(rows, default=low)],
        [low, (low + high) * HALF, high],
        2,
        rows=[1],
    )


def ball_case(ball: Norm, flat: Any) -> Case:
    return Case(
        f"ball_mean {ball}",
        lambda r, norm: sensitivity.ball_mean(
            dimension=4, radius=6, ball=ball, size=2, relation=r, norm=norm
        ),
        lambda rows: mean(rows, 4),
        [(6, 0, 0, 0), (-6, 0, 0, 0), (flat,) * 4, (-flat,) * 4, (0, 0, 0, 0)],
        2,
        relations=CHANGE,
        norms=NORMS,
    )


CASES = [
    Case("count", lambda r, _: sensitivity.count(r), lambda rows: [sum(rows)], [0, 1], 3),
    Case(
        "counts",
        lambda r, norm: sensitivity.counts(3, relation=r, norm=norm),
        lambda rows: columns(rows, 3),
        list(product([0, 1], repeat=3)),
        2,
        norms=NORMS,
    ),
    Case(
        "histogram",
        sensitivity.histogram,
        lambda rows: [rows.count(cell) for cell in "abc"],
        ["a", "b", "c", "elsewhere"],
        3,
        norms=NORMS,
    ),
    *(sum_case(low, high) for low, high in BOUNDS),
    *(mean_case(low, high) for low, high in BOUNDS),
    *(maximum_case(low, high) for low, high in BOUNDS),
    ball_case(Norm.L1, Fraction(6, 4)),
    ball_case(Norm.L2, 3),
    ball_case(Norm.LINF, 6),
    Case(
        "vector_mean",
        lambda r, norm: sensitivity.vector_mean(
            dimension=3, low=-1, high="0.5", size=2, relation=r, norm=norm
        ),
        lambda rows: mean(rows, 3),
        list(product([-1, HALF], repeat=3)),
        2,
        relations=CHANGE,
        norms=NORMS,
    ),
    Case(
        "lipschitz in the distance of neighbours",
        lambda r, norm: sensitivity.lipschitz("2.5", relation=r, norm=norm),
        lambda rows: [Fraction(5, 2) * rows.count("a")],
        "ab",
        3,
        norms=NORMS,
    ),
    Case(
        "lipschitz in the symmetric difference",
        lambda r, _: sensitivity.lipschitz(1, relation=r, distance=2),
        lambda rows: [sum(rows)],
        [-1, 0, 1],
        3,
        relations=CHANGE,
    ),
    Case(
        "coordinates",
        lambda r, norm: sensitivity.coordinates(WEIGHTS, relation=r, norm=norm),
        lambda rows: [weight * sum(rows) for weight in WEIGHTS],
        [0, 1],
        3,
        norms=NORMS,
    ),
    Case(
        "selection_scores",
        lambda r, _: sensitivity.selection_scores(WEIGHTS, relation=r),
        lambda rows: [weight * rows.count(place) for place, weight in enumerate(WEIGHTS)],
        [0, 1, 2],
        3,
        norms=[Norm.LINF],
    ),
]
TRIALS = [
    pytest.param(case, relation, norm, rows, id=f"{case.name}-{relation}-{norm}-{rows}")
    for case in CASES
    for relation in case.relations
    for norm in case.norms
    for rows in case.rows
]


def test_every_known_sensitivity_is_checked_against_all_neighbours() -> None:
    not_claims = {"Norm", "Relation", "Sensitivity", "Witness", "of"}
    checked = {case.name.split()[0] for case in CASES}
    assert checked == set(sensitivity.__all__) - not_claims


@pytest.mark.parametrize(("case", "relation", "norm", "rows"), TRIALS)
def test_a_claim_is_the_largest_movement_between_neighbours(
    case: Case, relation: Relation, norm: Norm, rows: int
) -> None:
    claimed = case.claim(relation, norm).for_rows(rows).value
    truth = sensitivity.of(
        case.function,
        domain=case.domain,
        size=case.size,
        relation=relation,
        norm=norm,
        rows=rows,
    ).value
    if norm is Norm.L2:
        assert truth <= claimed * ROUNDING
        assert claimed <= truth * ROUNDING
    else:
        assert claimed == truth


@pytest.mark.parametrize(
    ("case", "relation", "norm", "rows"),
    [trial for trial in TRIALS if trial.values[2] is Norm.L2],
)
def test_a_claim_in_l2_is_never_below_the_exact_square(
    case: Case, relation: Relation, norm: Norm, rows: int
) -> None:
    moved = brute.movements(
        case.function, domain=case.domain, size=case.size, relation=relation, rows=rows
    )
    assert case.claim(relation, norm).for_rows(rows).value ** 2 >= brute.largest(moved, norm)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_claim_carries_its_relation_and_norm(case: Case) -> None:
    for relation in case.relations:
        for norm in case.norms:
            claim = case.claim(relation, norm)
            assert claim.relation is relation
            assert Sensitivity.read(claim, norm=norm).norm is norm


def test_words_may_be_given_as_text() -> None:
    assert sensitivity.histogram("change", "l1") == sensitivity.histogram(Relation.CHANGE, Norm.L1)
    assert sensitivity.count("add_remove") == sensitivity.count(Relation.ADD_REMOVE)


@pytest.mark.parametrize("relation", RELATIONS)
def test_a_million_counts_or_coordinates_cost_no_time(relation: Relation) -> None:
    many = sensitivity.counts(10**6, relation=relation, norm=Norm.L2)
    assert many.value == 1000
    box = sensitivity.vector_mean(
        dimension=10**18, low=0, high=1, size=10, relation="change", norm=Norm.L2
    )
    assert box.value == 10**8
