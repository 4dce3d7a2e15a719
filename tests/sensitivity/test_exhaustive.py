"""The exhaustive search finds what the definition says, in every form it can be asked."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.sensitivity import brute

from shoal import sensitivity
from shoal.errors import NumberError, RangeError, ShapeError
from shoal.sensitivity import Norm, Relation, Witness

relations = st.sampled_from(list(Relation))
answers = st.lists(
    st.tuples(st.integers(-5, 5), st.fractions(-2, 2, max_denominator=8)), min_size=40, max_size=40
)


def looked_up(table: list[Any], base: int) -> Callable[[tuple[int, ...]], Any]:
    """An arbitrary function of ordered rows from 0..base-1, at most three of them."""

    def function(rows: tuple[int, ...]) -> Any:
        first = sum(base**length for length in range(len(rows)))
        return table[first + sum(row * base**place for place, row in enumerate(rows))]

    return function


@pytest.mark.slow
@settings(derandomize=True, deadline=None, max_examples=60)
@given(
    answers,
    relations,
    st.sampled_from(list(Norm)),
    st.integers(1, 3),
    st.sampled_from([None, 0, 1, 2]),
)
def test_the_search_finds_the_largest_movement_of_any_function(
    table: list[Any], relation: Relation, norm: Norm, rows: int, smallest: int | None
) -> None:
    function = looked_up(table, 3)
    asked: dict[str, Any] = {
        "domain": [0, 1, 2],
        "size": 3,
        "relation": relation,
        "rows": rows,
        "smallest": smallest,
    }
    found = sensitivity.of(function, norm=norm, **asked)
    moved = brute.movements(function, **asked)
    assert found.value == norm.undo_up(brute.largest(moved, norm))
    assert found.monotone == all(
        all(part >= 0 for part in parts) or all(part <= 0 for part in parts) for parts in moved
    )


@pytest.mark.slow
@settings(derandomize=True, deadline=None, max_examples=60)
@given(answers, relations, st.integers(1, 3))
def test_the_pair_found_are_neighbours_that_attain_the_value(
    table: list[Any], relation: Relation, rows: int
) -> None:
    function = looked_up(table, 3)
    found = sensitivity.of(function, domain=[0, 1, 2], size=3, relation=relation, rows=rows)
    assert found.pair is not None
    left, right = found.pair
    assert brute.are_neighbours(left, right, relation=relation, rows=rows) or brute.are_neighbours(
        right, left, relation=relation, rows=rows
    )
    moved = [a - b for a, b in zip(function(left), function(right), strict=True)]
    assert sum(map(abs, moved)) == found.value


@settings(derandomize=True, deadline=None, max_examples=60)
@given(
    st.lists(st.integers(-9, 9), min_size=64, max_size=64),
    relations,
    st.integers(1, 3),
)
def test_multisets_are_enough_for_functions_that_ignore_order(
    table: list[int], relation: Relation, rows: int
) -> None:
    def function(given: tuple[int, ...]) -> int:
        return table[given.count(0) * 16 + given.count(1) * 4 + given.count(2)]

    slow, fast = (
        sensitivity.of(
            function, domain=[0, 1, 2], size=3, relation=relation, rows=rows, ordered=ordered
        )
        for ordered in (True, False)
    )
    assert fast.value == slow.value


def test_order_is_tried_unless_it_is_said_not_to_matter() -> None:
    def first(rows: tuple[int, ...]) -> int:
        return rows[0]

    asked: dict[str, Any] = {"domain": [0, 7], "size": 3, "relation": "change"}
    assert sensitivity.of(first, **asked).value == 7
    assert sensitivity.of(lambda rows: rows[0] * (rows[1] < rows[0]), **asked).value == 7
    assert (
        sensitivity.of(lambda rows: rows[0] * (rows[1] < rows[0]), ordered=False, **asked).value
        == 0
    )


@pytest.mark.parametrize(
    "answer",
    [
        lambda total: total,
        Fraction,
        float,
        np.float32,
        np.int8,
        lambda total: [total],
        lambda total: (float(total),),
        np.array,
        lambda total: np.array([[total]]),
        lambda total: np.array([Fraction(total)], dtype=object),
    ],
)
def test_numbers_may_come_in_any_exact_form(answer: Callable[[int], Any]) -> None:
    found = sensitivity.of(
        lambda rows: answer(sum(rows)), domain=[0, 3], size=2, relation="change", norm="l2"
    )
    assert found == Witness(Fraction(3), Norm.L2, Relation.CHANGE, ((0, 0), (3, 0)), monotone=True)


def test_a_float_counts_as_its_exact_binary_value() -> None:
    found = sensitivity.of(lambda rows: 0.1 * rows[0], domain=[0, 1], size=1, relation="change")
    assert found.value == Fraction(0.1) != Fraction(1, 10)


def test_rounding_of_floats_is_seen() -> None:
    found = sensitivity.of(sum, domain=[0.0, 1.0, 2.0**53], size=3, relation="add_remove")
    assert found.value == 2**53
    small = sensitivity.of(
        lambda rows: sum(rows) - 2.0**53, domain=[1.0], size=2, relation="add_remove"
    )
    assert small.value == 1


def test_rows_need_not_be_hashable() -> None:
    found = sensitivity.of(
        lambda rows: sum(row["age"] for row in rows),
        domain=[{"age": 1}, {"age": 4}],
        size=2,
        relation="change",
    )
    assert found.pair == (({"age": 1}, {"age": 1}), ({"age": 4}, {"age": 1}))


@pytest.mark.parametrize(
    "asked",
    [
        {"domain": [1], "size": 3, "relation": "change"},
        {"domain": [0, 1], "size": 0, "relation": "change"},
        {"domain": [0, 1], "size": 2, "relation": "add_remove", "smallest": 2},
    ],
)
def test_without_neighbours_nothing_moves(asked: dict[str, Any]) -> None:
    found = sensitivity.of(sum, **asked)
    assert found.value == 0
    assert found.pair is None
    assert found.monotone


@pytest.mark.parametrize(
    "bad", [float("nan"), float("inf"), True, None, "1", [[1]], 1j, np.array([True]), {1}]
)
def test_a_function_that_returns_no_finite_numbers_is_refused(bad: Any) -> None:
    with pytest.raises(NumberError, match="function must return finite numbers"):
        sensitivity.of(lambda rows: bad, domain=[0, 1], size=1, relation="change")


def test_a_function_whose_number_of_outputs_depends_on_the_data_is_refused() -> None:
    with pytest.raises(ShapeError, match="function must return as many numbers for every dataset"):
        sensitivity.of(list, domain=[0, 1], size=2, relation="add_remove")


def test_a_search_beyond_the_limit_is_refused_before_the_function_is_called() -> None:
    def never(rows: tuple[int, ...]) -> int:
        raise AssertionError

    for asked in (
        {"domain": range(10), "size": 6},
        {"domain": range(2), "size": 10**9},
        {"domain": range(10**9), "size": 2, "ordered": False},
        {"domain": range(2), "size": 10**9, "ordered": False, "rows": 10**8},
        {"domain": range(1), "size": 10**6, "rows": 10**6},
        {"domain": range(2), "size": 3, "limit": 10},
    ):
        for relation in Relation:
            with pytest.raises(RangeError, match=r"size must be smaller.* limit"):
                sensitivity.of(never, relation=relation, **asked)  # type: ignore[arg-type]


def test_the_limit_counts_evaluations_and_comparisons() -> None:
    asked: dict[str, Any] = {"domain": [0, 1], "size": 2, "relation": "change"}
    needed = 4 * (1 + 2 * 2)
    assert sensitivity.of(sum, limit=needed, **asked).value == 1
    with pytest.raises(RangeError, match="more than limit, 19, evaluations"):
        sensitivity.of(sum, limit=needed - 1, **asked)


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"size": -1}, "size must be a whole number, 0 or more"),
        ({"size": True}, "size must be a finite number"),
        ({"rows": 0}, "rows must be a whole number, 1 or more"),
        ({"limit": 0}, "limit must be a whole number, 1 or more"),
        ({"smallest": -1}, "smallest must be a whole number, 0 or more"),
        ({"smallest": 3}, "smallest must not be above size"),
        ({"domain": []}, "domain must hold at least one row"),
        ({"relation": "swap"}, "relation must be"),
        ({"norm": "l3"}, "norm must be"),
    ],
)
def test_a_bad_question_is_refused_by_name(changed: dict[str, Any], reason: str) -> None:
    asked = {"domain": [0, 1], "size": 2, "relation": "change", "norm": "l1", **changed}
    with pytest.raises(ValueError, match=reason):
        sensitivity.of(sum, **asked)
