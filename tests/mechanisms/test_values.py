"""What comes in decides what comes out: kinds, shapes and exact integers of any size."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from tests.mechanisms.record import landing, recorded

from shoal import (
    DiscreteGaussian,
    Exponential,
    Gaussian,
    Geometric,
    Histogram,
    Laplace,
    RandomizedResponse,
    Staircase,
    TopK,
    TruncatedGeometric,
    sensitivity,
)
from shoal.errors import ShapeError
from shoal.mechanisms.additive import Additive

ADDITIVE: list[Additive] = [
    Laplace(scale=3, sensitivity=1),
    Geometric(scale=3, sensitivity=1),
    Gaussian(sigma=3, sensitivity=1),
    DiscreteGaussian(sigma=3, sensitivity=1),
    Staircase(epsilon=1, sensitivity=2),
]
REAL = [mechanism for mechanism in ADDITIVE if mechanism.reals]
VECTOR = [mechanism for mechanism in ADDITIVE if not isinstance(mechanism, Staircase)]
HUGE = [2**62 - 1, 2**63 - 1, -(2**63), 2**64, 10**30, -(10**300)]


@pytest.mark.parametrize("mechanism", ADDITIVE, ids=repr)
@pytest.mark.parametrize("value", [0, -7, *HUGE, np.int64(5), np.uint64(2**64 - 1), np.int8(-3)])
def test_an_integer_comes_back_as_an_integer_near_it(mechanism: Additive, value: Any) -> None:
    answer = mechanism.release(value)
    assert type(answer) is int
    assert abs(answer - int(value)) < 10**6
    assert landing(mechanism, value)[0] == (int(value),)


@pytest.mark.parametrize("mechanism", REAL, ids=repr)
@pytest.mark.parametrize(
    "value",
    [0.5, -0.0, np.float32(0.1), np.float16(2), np.longdouble("0.1"), Fraction(1, 3), Decimal("0.1"), 5e-324, 1e300],
)  # fmt: skip
def test_a_real_comes_back_as_a_float_near_it(mechanism: Additive, value: Any) -> None:
    answer = mechanism.release(value)
    assert type(answer) is float
    assert abs(answer - float(value)) < 10**6


def test_a_real_is_taken_at_its_exact_value() -> None:
    mechanism = Laplace(scale=1, sensitivity=1)
    values: list[Any] = [Fraction(1, 3), Decimal("0.1"), np.float32(0.1), np.longdouble(0.25)]
    with recorded():
        released = {value: Laplace(scale=1, sensitivity=1).release(value) for value in values}
    half = mechanism._on_grid(1)[0].spacing / 2
    for value, answer in released.items():
        exact = Fraction(*value.as_integer_ratio())
        assert abs(Fraction(answer) - exact) <= half


@pytest.mark.parametrize("mechanism", VECTOR, ids=repr)
@pytest.mark.parametrize(
    "kind", ["int8", "uint8", "int32", "int64", "uint64", ">i4", ">i8", object]
)
@pytest.mark.parametrize("shape", [(), (0,), (3,), (2, 3), (1, 0, 2)], ids=str)
def test_an_array_of_integers_keeps_its_shape(
    mechanism: Additive, kind: Any, shape: tuple[int, ...]
) -> None:
    values = np.zeros(shape, dtype=kind)
    answer = mechanism.release(values)
    assert isinstance(answer, np.ndarray)
    assert answer.shape == shape
    assert answer.dtype == np.int64


@pytest.mark.parametrize("mechanism", [m for m in VECTOR if m.reals], ids=repr)
@pytest.mark.parametrize("kind", ["float16", "float32", "float64", "longdouble", ">f8"])
@pytest.mark.parametrize("shape", [(), (0,), (3,), (2, 3)], ids=str)
def test_an_array_of_reals_keeps_its_shape(
    mechanism: Additive, kind: str, shape: tuple[int, ...]
) -> None:
    answer = mechanism.release(np.ones(shape, dtype=kind))
    assert isinstance(answer, np.ndarray)
    assert answer.shape == shape
    assert answer.dtype == np.float64


def test_places_in_an_array_stay_in_place() -> None:
    values = np.arange(60.0).reshape(3, 4, 5)
    for given in (values, np.asfortranarray(values), values.transpose(2, 0, 1), values[::-1, ::2]):
        for tiny in (Laplace(scale="1e-4", sensitivity=1), Gaussian(sigma="1e-4", sensitivity=1)):
            assert np.abs(tiny.release(given) - given).max() < 0.1
            assert (tiny.release(given.astype(int)) == given).all()


@pytest.mark.parametrize("mechanism", VECTOR, ids=repr)
def test_integers_at_the_edge_of_64_bits_never_wrap(mechanism: Additive) -> None:
    edges = np.array([2**63 - 1, -(2**63), 2**62, -(2**62), 0])
    for _ in range(20):
        answer = mechanism.release(edges)
        far = [abs(int(a) - int(b)) for a, b in zip(answer, edges, strict=True)]
        assert max(far) < 10**4
        fits = all(-(2**63) <= int(each) < 2**63 for each in answer)
        assert (answer.dtype == np.int64) == fits


def test_integers_beyond_64_bits_are_exact_in_arrays() -> None:
    values = np.array([10**30, -(10**30), 2**64 - 1], dtype=object)
    with recorded():
        assert Laplace(scale=1, sensitivity=1).release(values).tolist() == values.tolist()
    unsigned = np.array([2**64 - 1, 0], dtype=np.uint64)
    with recorded():
        assert Laplace(scale=1, sensitivity=1).release(unsigned).tolist() == [2**64 - 1, 0]


def test_noise_beyond_64_bits_is_added_exactly() -> None:
    wide = Laplace(scale=2**60, sensitivity=2**55)
    answers = wide.release(np.full(2000, 2**62))
    assert answers.dtype == object
    assert all(type(each) is int for each in answers)
    assert max(answers) > 2**63


def test_clamped_integers_stay_in_a_range_of_any_size() -> None:
    for low, high in ((0, 9), (2**70, 2**71), (-(2**80), 2**80), (5, 5)):
        mechanism = TruncatedGeometric(scale=2, sensitivity=1, low=low, high=high)
        for value in (0, 2**70, np.array([0, 3]), np.array([2**75, 1], dtype=object), np.array(4)):
            answer = mechanism.release(value)
            flat = np.atleast_1d(np.array(answer, dtype=object)).reshape(-1)
            assert all(low <= each <= high for each in flat)
            assert np.shape(answer) == np.shape(value)
            if isinstance(value, np.ndarray):
                fits = all(-(2**63) <= each < 2**63 for each in flat)
                assert (answer.dtype == np.int64) == fits


def test_a_sensitivity_for_few_numbers_is_not_used_for_more() -> None:
    one = Geometric.for_epsilon(1, sensitivity=sensitivity.count("add_remove"))
    assert type(one.release(3)) is int
    assert one.release(np.array([3])).shape == (1,)
    with pytest.raises(ShapeError, match="1 numbers; 2"):
        one.release(np.array([3, 4]))
    three = Gaussian(sigma=1, sensitivity=sensitivity.counts(3, relation="change", norm="l2"))
    assert three.release(np.zeros(3)).shape == (3,)
    with pytest.raises(ShapeError):
        three.release(np.zeros(4))


# answers to questions


@pytest.mark.parametrize("kind", ["int8", "uint8", "int16", "int64", "uint64", "bool"])
def test_a_report_has_the_kind_of_its_answer(kind: str) -> None:
    mechanism = RandomizedResponse.coins()
    told = mechanism.release(np.zeros((2, 3), dtype=kind))
    assert told.dtype == np.dtype(kind)
    assert told.shape == (2, 3)
    scalar = np.dtype(kind).type(1)
    assert type(mechanism.release(scalar)) is type(scalar)


def test_a_report_of_python_is_one_of_python() -> None:
    mechanism = RandomizedResponse.coins()
    assert type(mechanism.release(1)) is int
    assert type(mechanism.release(True)) is bool
    assert all(type(each) is int for each in mechanism.release([0, 1, 1]))


def test_more_categories_than_a_narrow_kind_holds_are_reported_in_a_wider_one() -> None:
    mechanism = RandomizedResponse.for_epsilon("0.01", categories=1000)
    told = mechanism.release(np.zeros(2000, dtype=np.int8))
    assert told.min() >= 0
    assert 900 < told.max() < 1000
    assert 0 <= mechanism.release(np.uint8(3)) < 1000


# choices


def test_a_choice_is_told_by_its_name_or_by_its_place() -> None:
    mechanism = Exponential(epsilon=1000, sensitivity=1)
    assert mechanism.release([1, 9, 2]) == 1
    assert mechanism.release([1, 9, 2], candidates="abc") == "b"
    assert mechanism.release({("x", 1): 5, None: 0}) == ("x", 1)
    names: Any = np.array(["p", "q"])
    assert mechanism.release(np.array([1.5, 9.25]), candidates=names) == "q"
    assert TopK(k=2, epsilon=1000, sensitivity=1).release({"a": 5, "b": 9, "c": 0}) == ["b", "a"]


@pytest.mark.parametrize(
    "scores",
    [
        [0, 10**30],
        [0.0, 10**30],
        [Fraction(1, 3), Fraction(10**6)],
        [Decimal(1), Decimal(10**6)],
        [np.float32(1), np.int64(10**6)],
        np.array([0, 2**64 - 1], dtype=np.uint64),
        np.array([0, 10**6], dtype=np.longdouble),
        np.array([0, 10**30], dtype=object),
        np.array([0, 1000], dtype=np.float16),
        (0, 10**6),
    ],
    ids=str,
)
def test_scores_of_every_kind_are_taken_exactly(scores: Any) -> None:
    assert Exponential(epsilon=100, sensitivity=1).release(scores) == 1


def test_a_histogram_counts_every_category_and_no_other_row() -> None:
    tiny = Histogram(scale="1e-3")
    rows: list[Any] = ["a", "b", "b", "zebra", ["unhashable"], ("t", []), None, 3.5]
    assert tiny.release(rows, categories=["b", "a", "none"]) == {"b": 2, "a": 1, "none": 0}
    assert tiny.release([], categories=["b"]) == {"b": 0}
    assert tiny.release(np.array([1, 2, 2]), categories=[2, 1]) == {2: 2, 1: 1}
    assert tiny.release_counts(np.array([[3, 4]])).tolist() == [[3, 4]]
