"""The value itself: reading, norms, conversions."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal import sensitivity
from shoal.errors import ConversionError, NumberError, RangeError, ShapeError
from shoal.exact import root_up
from shoal.sensitivity import Norm, Relation, Sensitivity

fractions = st.fractions(min_value=-100, max_value=100, max_denominator=50)
tables = st.lists(st.tuples(st.integers(-9, 9), st.integers(-9, 9)), min_size=15, max_size=15)


def looked_up(table: list[tuple[int, int]]) -> Callable[[tuple[int, ...]], tuple[int, int]]:
    """An arbitrary function of up to three rows of 0 or 1."""

    def function(rows: tuple[int, ...]) -> tuple[int, int]:
        return table[(1 << len(rows)) - 1 + sum(row << place for place, row in enumerate(rows))]

    return function


@pytest.mark.parametrize("plain", [0.5, "1/2", "0.5", Fraction(1, 2), Decimal("0.5")])
@pytest.mark.parametrize("norm", list(Norm))
def test_a_plain_number_is_the_claim_of_its_caller_in_the_norm_that_is_needed(
    plain: Any, norm: Norm
) -> None:
    read = Sensitivity.read(plain, norm=norm)
    assert read == Sensitivity(Fraction(1, 2), norm, relation=None, dimension=None)


@pytest.mark.parametrize("bad", [float("nan"), float("inf"), True, None, "x", [1]])
def test_what_is_not_a_finite_number_is_refused_by_the_name_of_the_parameter(bad: Any) -> None:
    with pytest.raises(NumberError, match="sensitivity must be a finite number"):
        Sensitivity.read(bad, norm=Norm.L1)
    with pytest.raises(NumberError, match="bound must be a finite number"):
        Sensitivity.read(bad, norm=Norm.L1, name="bound")
    with pytest.raises(NumberError, match="value must be a finite number"):
        Sensitivity(bad, Norm.L1)


def test_a_negative_sensitivity_is_refused_by_name_and_zero_is_not() -> None:
    assert Sensitivity.read(0, norm=Norm.L1).value == 0
    with pytest.raises(RangeError, match="sensitivity must be 0 or more; got -1"):
        Sensitivity.read(-1, norm=Norm.L1)
    with pytest.raises(RangeError, match="value must be 0 or more"):
        Sensitivity(Fraction(-1), Norm.L1)


@pytest.mark.parametrize("given_norm", list(Norm))
@pytest.mark.parametrize("needed", list(Norm))
def test_a_larger_norm_serves_for_a_smaller_one_and_the_converse_is_refused(
    given_norm: Norm, needed: Norm
) -> None:
    bound = Sensitivity(Fraction(3), given_norm, Relation.CHANGE, dimension=2)
    allowed = {("l1", "l1"), ("l1", "l2"), ("l1", "linf"), ("l2", "l2"), ("l2", "linf")}
    if (given_norm, needed) in allowed | {("linf", "linf")}:
        assert Sensitivity.read(bound, norm=needed) == dataclasses.replace(bound, norm=needed)
    else:
        with pytest.raises(ShapeError, match=f"scale_by is needed in the norm {needed}") as caught:
            Sensitivity.read(bound, norm=needed, name="scale_by")
        assert f"Compute scale_by in the norm {needed}" in caught.value.remedy


@pytest.mark.parametrize("given_norm", list(Norm))
@pytest.mark.parametrize("needed", list(Norm))
def test_for_a_single_number_all_norms_agree(given_norm: Norm, needed: Norm) -> None:
    bound = Sensitivity(Fraction(3), given_norm, dimension=1)
    assert Sensitivity.read(bound, norm=needed).value == 3


def test_a_bound_of_unknown_dimension_is_not_taken_for_a_single_number() -> None:
    with pytest.raises(ShapeError, match="l1"):
        Sensitivity.read(Sensitivity(Fraction(1), Norm.LINF), norm=Norm.L1)


@pytest.mark.parametrize("bad", [0, -1, 1.5])
def test_a_dimension_counts_numbers(bad: Any) -> None:
    with pytest.raises(RangeError, match="dimension must be a whole number, 1 or more"):
        Sensitivity(Fraction(1), Norm.L1, dimension=bad)


def test_words_given_as_text_become_members_and_others_are_refused_by_name() -> None:
    made = Sensitivity(Fraction(1), "l2", "change")  # type: ignore[arg-type]
    assert made.norm is Norm.L2
    assert made.relation is Relation.CHANGE
    with pytest.raises(RangeError, match="norm must be 'l1' or 'l2' or 'linf'; got 'l3'"):
        Sensitivity.read(1, norm="l3")
    with pytest.raises(RangeError, match="relation must be 'add_remove' or 'change'; got 'swap'"):
        Sensitivity(Fraction(1), Norm.L1, "swap")  # type: ignore[arg-type]


def test_a_sensitivity_cannot_be_changed_and_can_be_a_key() -> None:
    made = sensitivity.count("change")
    with pytest.raises(dataclasses.FrozenInstanceError):
        made.value = Fraction(0)  # type: ignore[misc]
    assert {made: 1}[sensitivity.count("change")] == 1


def test_printing_says_how_far_in_which_norm_and_between_which_neighbours() -> None:
    assert str(sensitivity.count("change")) == "1 in l1, under change"
    assert str(Sensitivity.read("1e-9", norm="l2")) == "1e-9 in l2, as claimed"


@pytest.mark.parametrize("rows", [0, -1, 1.5])
def test_a_unit_holds_at_least_one_row(rows: Any) -> None:
    with pytest.raises(RangeError, match="rows must be a whole number, 1 or more"):
        sensitivity.count("change").for_rows(rows)


def test_a_factor_scales_by_its_size_and_must_be_finite() -> None:
    assert sensitivity.count("change").scaled_by(-2).value == 2
    with pytest.raises(NumberError, match="factor must be a finite number"):
        sensitivity.count("change").scaled_by(float("nan"))


def test_a_change_is_a_removal_and_an_addition() -> None:
    single = sensitivity.histogram("add_remove", "l2")
    assert single.to_change() == dataclasses.replace(
        single, value=Fraction(2), relation=Relation.CHANGE
    )
    assert single.to_change().to_change() == single.to_change()
    assert single.to_add_remove() is single


def test_a_claim_without_a_relation_is_not_converted() -> None:
    claim = Sensitivity.read(1, norm=Norm.L1)
    for convert in (claim.to_change, claim.to_add_remove):
        with pytest.raises(ConversionError, match="claim without a relation"):
            convert()


@settings(derandomize=True, deadline=None, max_examples=60)
@given(tables, st.sampled_from(list(Norm)))
def test_no_function_moves_further_under_change_than_twice_as_far_as_under_add_remove(
    table: list[tuple[int, int]], norm: Norm
) -> None:
    function = looked_up(table)
    single = sensitivity.of(function, domain=[0, 1], size=3, relation="add_remove", norm=norm)
    changed = sensitivity.of(function, domain=[0, 1], size=3, relation="change", norm=norm)
    bound = Sensitivity(single.value, norm, Relation.ADD_REMOVE).to_change()
    assert changed.value <= bound.value * (1 + Fraction(1, 2**61))


@settings(derandomize=True, deadline=None, max_examples=60)
@given(tables, st.sampled_from(list(Norm)), st.sampled_from(list(Relation)), st.integers(1, 3))
def test_no_function_moves_further_for_a_unit_of_several_rows_than_as_many_times_as_far(
    table: list[tuple[int, int]], norm: Norm, relation: Relation, rows: int
) -> None:
    function = looked_up(table)
    single = sensitivity.of(function, domain=[0, 1], size=3, relation=relation, norm=norm)
    several = sensitivity.of(
        function, domain=[0, 1], size=3, relation=relation, norm=norm, rows=rows
    )
    bound = Sensitivity(single.value, norm, relation).for_rows(rows)
    assert several.value <= bound.value * (1 + Fraction(1, 2**61))


@pytest.mark.slow
@settings(derandomize=True, deadline=None)
@given(st.lists(fractions, max_size=6))
def test_the_three_norms_are_ordered_and_agree_for_one_number(parts: list[Fraction]) -> None:
    one, two, most = (norm.length_up(parts) for norm in Norm)
    assert most <= two <= one * (1 + Fraction(1, 2**61))
    assert two**2 >= sum(part**2 for part in parts)
    if len(parts) == 1:
        assert one == two == most == abs(parts[0])


@settings(derandomize=True, deadline=None)
@given(st.fractions(min_value=0, max_denominator=10**12))
def test_a_root_is_never_below_the_truth_and_never_far_above(square: Fraction) -> None:
    root = root_up(square)
    assert square <= root**2 <= square * (1 + Fraction(1, 2**61))
    assert root_up(square**2) == square
