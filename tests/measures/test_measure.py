from __future__ import annotations

import copy
import operator
from collections.abc import Callable
from itertools import permutations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.measures.samples import EACH, KINDS, points

from shoal.errors import ComparisonError
from shoal.measures import Approx, GaussianDP, Measure, Pure, Renyi, ZeroConcentrated

COMPARISONS = [operator.le, operator.lt, operator.ge, operator.gt]
pairs = st.one_of([st.tuples(kind, kind) for kind in KINDS])
triples = st.one_of([st.tuples(kind, kind, kind) for kind in KINDS])


@given(st.one_of(KINDS))
def test_every_value_is_at_most_itself(one: Measure) -> None:
    same = copy.copy(one)
    assert one <= same
    assert one >= same
    assert not one < same
    assert not one > same


@given(pairs)
def test_two_values_that_are_at_most_each_other_are_equal(pair: tuple[Measure, Measure]) -> None:
    one, other = pair
    assert (one <= other <= one) == (one == other)


@given(triples)
def test_the_order_carries_over(triple: tuple[Measure, Measure, Measure]) -> None:
    for one, other, third in permutations(triple):
        if one <= other <= third:
            assert one <= third
        if one < other <= third:
            assert one < third


@given(pairs)
def test_the_four_comparisons_agree(pair: tuple[Measure, Measure]) -> None:
    one, other = pair
    assert (one <= other) == (other >= one)
    assert (one < other) == (other > one)
    assert (one < other) == (one <= other and one != other)


@pytest.mark.parametrize(
    ("less", "more"),
    [
        (Pure(0.1), Pure("1/9")),
        (Approx(1, 1e-7), Approx(1, 1e-6)),
        (Approx(0.5, 1e-7), Approx(1, 1e-6)),
        (ZeroConcentrated(0), ZeroConcentrated(1e-300)),
        (GaussianDP(1), GaussianDP(1.5)),
        (Renyi({2: 1, 4: 3}), Renyi({2: 1, 4: 4})),
        (Renyi({2: 1, 4: 3}), Renyi({2: 1})),
        (Renyi({2: 1, 4: 3}), Renyi({3: 2.5})),
        (Renyi({8: 1}), Renyi({2: 1, 4: 1})),
    ],
)
def test_more_privacy_is_less(less: Measure, more: Measure) -> None:
    assert less < more
    assert not more <= less


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (Approx(1, 1e-6), Approx(2, 1e-7)),
        (Renyi({2: 1, 4: 3}), Renyi({2: 0.5, 4: 4})),
        (Renyi({2: 1}), Renyi({4: 2})),
        (Renyi({2: 1, 4: 3}), Renyi({3: 2.25})),
    ],
)
def test_some_promises_cannot_be_ranked(one: Measure, other: Measure) -> None:
    assert not one <= other
    assert not other <= one


@pytest.mark.parametrize("compare", COMPARISONS)
@pytest.mark.parametrize(("one", "other"), list(permutations(EACH, 2)))
def test_promises_of_different_kinds_have_no_order(
    one: Measure, other: Measure, compare: Callable[[Any, Any], bool]
) -> None:
    with pytest.raises(ComparisonError, match="no common order") as caught:
        compare(one, other)
    assert type(one).__name__ in str(caught.value)
    assert type(other).__name__ in str(caught.value)


@pytest.mark.parametrize("compare", COMPARISONS)
@pytest.mark.parametrize("one", EACH, ids=repr)
def test_a_promise_and_a_number_have_no_order(
    one: Measure, compare: Callable[[Any, Any], bool]
) -> None:
    with pytest.raises(TypeError):
        compare(one, 1)
    with pytest.raises(TypeError):
        compare(1, one)


@given(points, points)
def test_a_curve_is_at_most_another_only_where_a_point_by_point_argument_shows_it(
    one: dict[float, int], other: dict[float, int]
) -> None:
    # The convex bound at an order is the least over all chords that span it, the origin included.
    def bound(curve: dict[float, int], order: float) -> float:
        known = [(0.0, 0.0), *((a - 1, (a - 1) * e) for a, e in curve.items())]
        t = order - 1
        return min(
            left[1] + (right[1] - left[1]) * (t - left[0]) / (right[0] - left[0])
            for left in known
            for right in known
            if left[0] < t <= right[0]
        )

    provable = max(one) >= max(other) and all(
        bound(one, order) <= bound(other, order) + 1e-9 for order in other
    )
    assert (Renyi(one) <= Renyi(other)) == provable
