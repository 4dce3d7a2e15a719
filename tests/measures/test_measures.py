from __future__ import annotations

import copy
import dataclasses
import math
import pickle
import subprocess
import sys
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from itertools import permutations
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.measures.samples import EACH, KINDS

from shoal import measures
from shoal.errors import NumberError, RangeError, ShapeError
from shoal.exact import exactly
from shoal.exact.real import SMALLEST
from shoal.measures import Approx, GaussianDP, Measure, Pure, Renyi, ZeroConcentrated

any_kind = st.one_of(KINDS)
BAD = [math.nan, math.inf, -math.inf, True, False, "much", "", None, [1], 1j, np.bool_(True), "1/0"]
ONE_NUMBER: list[tuple[Callable[[Any], object], str]] = [
    (Pure, "epsilon"),
    (lambda bad: Approx(bad, 0), "epsilon"),
    (lambda bad: Approx(1, bad), "delta"),
    (ZeroConcentrated, "rho"),
    (GaussianDP, "mu"),
    (lambda bad: Renyi([(bad, 1)]), "order"),
    (lambda bad: Renyi([(2, bad)]), "epsilon"),
]
ASKED: list[tuple[Callable[[Any], object], str]] = [
    *((lambda bad, one=one: one.to_approx(delta=bad), "delta") for one in EACH),
    *((lambda bad, one=one: one.to_delta(epsilon=bad), "epsilon") for one in EACH),
    *(
        (lambda bad, one=one: one.to_renyi([bad]), "order")
        for one in EACH
        if not isinstance(one, Approx)
    ),
    (lambda bad: Renyi({2: 1}).epsilon_at(bad), "order"),
]


# reading


def test_a_float_means_its_shortest_decimal() -> None:
    assert Pure(0.1).epsilon == Fraction(1, 10)
    assert Approx(0.1, 1e-6) == Approx("1/10", "1e-6")
    assert Renyi({2.5: 0.1}).curve == ((Fraction(5, 2), Fraction(1, 10)),)


@pytest.mark.parametrize("given", [2, 2.0, "2", "4/2", Fraction(2), Decimal("2.00"), np.int64(2)])
def test_one_number_written_in_many_ways_is_one_value(given: Any) -> None:
    assert Pure(given) == Pure(2)
    assert hash(GaussianDP(given)) == hash(GaussianDP(2))


@pytest.mark.parametrize(("make", "name"), ONE_NUMBER + ASKED)
@pytest.mark.parametrize("bad", BAD, ids=repr)
def test_what_is_not_a_finite_number_is_refused_by_the_name_of_its_parameter(
    make: Callable[[Any], object], name: str, bad: Any
) -> None:
    with pytest.raises(NumberError, match=f"{name} must be a finite number"):
        make(bad)


@pytest.mark.parametrize(("make", "name"), ONE_NUMBER + ASKED)
@pytest.mark.parametrize("bad", [-1, -1e-300, "-1/3", Fraction(-1, 10**9)])
def test_what_is_negative_is_refused_by_the_name_of_its_parameter(
    make: Callable[[Any], object], name: str, bad: Any
) -> None:
    with pytest.raises(RangeError, match=f"{name} must be"):
        make(bad)


@pytest.mark.parametrize("delta", [1.0000001, 2, "3/2"])
def test_a_delta_above_one_is_refused(delta: Any) -> None:
    with pytest.raises(RangeError, match="delta must be from 0 to 1"):
        Approx(1, delta)


@pytest.mark.parametrize("order", [1, 0.5, 0])
def test_an_order_of_one_or_less_is_refused(order: Any) -> None:
    with pytest.raises(RangeError, match="order must be above 1"):
        Renyi({order: 1})


def test_a_curve_without_points_is_refused() -> None:
    with pytest.raises(RangeError, match="curve must hold at least one order"):
        Renyi({})


def test_a_curve_that_gives_an_order_twice_is_refused() -> None:
    with pytest.raises(RangeError, match="order 2 appears twice"):
        Renyi([(2, 1), (3, 2), ("2", 1)])


@pytest.mark.parametrize("curve", [5, None, "abc", [1, 2], [(1, 2, 3)], ["ab"]])
def test_what_is_no_curve_is_refused(curve: Any) -> None:
    with pytest.raises(ShapeError, match="curve must map orders to epsilons"):
        Renyi(curve)


@pytest.mark.parametrize("orders", [5, None, "23"])
def test_what_is_no_list_of_orders_is_refused(orders: Any) -> None:
    with pytest.raises(ShapeError, match="orders must be a list"):
        Pure(1).to_renyi(orders)


def test_no_orders_are_refused() -> None:
    with pytest.raises(RangeError, match="at least one order"):
        Pure(1).to_renyi([])


# the value


@given(any_kind)
def test_the_text_of_a_value_for_programs_reads_back_as_an_equal_value(one: Measure) -> None:
    again = eval(repr(one), vars(measures))
    assert again == one
    assert repr(again) == repr(one)


@given(any_kind)
def test_equal_values_have_equal_hashes_and_survive_copying_and_pickling(one: Measure) -> None:
    for again in (copy.deepcopy(one), copy.copy(one), pickle.loads(pickle.dumps(one))):
        assert again == one
        assert hash(again) == hash(one)


@pytest.mark.parametrize("one", EACH, ids=repr)
def test_a_value_cannot_be_changed(one: Measure) -> None:
    name = dataclasses.fields(one)[0].name  # type: ignore[arg-type]
    with pytest.raises(dataclasses.FrozenInstanceError):
        setattr(one, name, Fraction(0))
    assert not hasattr(one, "__dict__")


def test_values_of_different_kinds_are_never_equal() -> None:
    ones: list[object] = [
        Pure(1),
        Approx(1, 0),
        ZeroConcentrated(1),
        GaussianDP(1),
        Renyi({2: 1}),
        1,
    ]
    assert len(set(ones)) == 6
    assert all(one != other for one, other in permutations(ones, 2))


# printing


@pytest.mark.parametrize(
    ("one", "text"),
    [
        (Pure(0.5), "epsilon 0.5"),
        (Pure(0), "epsilon 0"),
        (Approx(0.5, 1e-6), "epsilon 0.5, delta 1e-6"),
        (Approx(3, 0), "epsilon 3, delta 0"),
        (Approx(3, "1e-300"), "epsilon 3, delta 1e-300"),
        (Approx(3, 1), "epsilon 3, delta 1 (promises nothing)"),
        (ZeroConcentrated(0.25), "zero-concentrated, rho 0.25"),
        (GaussianDP("1/3"), "Gaussian, mu 0.333334"),
        (Renyi({2: 0.5}), "Rényi, epsilon 0.5 at order 2"),
        (
            ZeroConcentrated(1).to_renyi(range(2, 12)),
            "Rényi, epsilon 2 at order 2, 8 orders between, epsilon 11 at order 11",
        ),
    ],
)
def test_a_value_prints_in_words(one: Measure, text: str) -> None:
    assert str(one) == text


@given(st.integers(1, 4900), st.integers(1, 9))
def test_a_delta_above_zero_never_prints_as_zero(exponent: int, digit: int) -> None:
    printed = str(Approx(1, Fraction(digit, 10**exponent))).split("delta ")[1]
    assert Decimal(printed) > 0


@pytest.mark.parametrize(
    ("one", "text"),
    [
        (Pure(0.1), "Pure(epsilon='0.1')"),
        (Pure(3), "Pure(epsilon=3)"),
        (Pure("1/3"), "Pure(epsilon='1/3')"),
        (Approx(1, 1e-6), "Approx(epsilon=1, delta='1e-6')"),
        (ZeroConcentrated(1e300), "ZeroConcentrated(rho='1e300')"),
        (GaussianDP(0.25), "GaussianDP(mu='0.25')"),
        (Renyi({8: 2, 2: 0.5}), "Renyi(curve={2: '0.5', 8: 2})"),
    ],
)
def test_the_text_of_a_value_for_programs_is_short_where_the_number_is(
    one: Measure, text: str
) -> None:
    assert repr(one) == text


@pytest.mark.parametrize(
    "number",
    [SMALLEST, Fraction(1, 10**5000), Fraction(10**5000), Fraction(2, 3) ** 2000, 1 / SMALLEST],
)
def test_numbers_of_any_size_are_written_exactly(number: Fraction) -> None:
    assert eval(repr(Pure(number)), vars(measures)).epsilon == number


@given(st.fractions(0, 10**20))
def test_a_number_is_written_exactly(number: Fraction) -> None:
    assert Fraction(str(eval(exactly(number)))) == number


# the folder


def test_the_public_names_are_sorted_and_exist() -> None:
    assert measures.__all__ == sorted(measures.__all__)
    assert all(hasattr(measures, name) for name in measures.__all__)


def test_every_theorem_states_what_it_guarantees_what_it_needs_and_where_it_comes_from() -> None:
    for name in measures.__all__:
        if name.endswith(("_up", "_down")):
            text = getattr(measures, name).__doc__
            assert all(label in text for label in ("Guarantee:", "Needs:", "Reference:")), name


def test_measures_do_not_load_scipy() -> None:
    program = "import shoal.measures, sys; sys.exit('scipy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
