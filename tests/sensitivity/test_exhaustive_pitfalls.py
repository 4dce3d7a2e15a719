"""Mistakes about sensitivity that are in print, each shown to be one."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from typing import Any

import pytest

from shoal import sensitivity
from shoal.errors import ConversionError
from shoal.sensitivity import Norm, Relation

PEOPLE = [(a, b) for a in (0, 1) for b in (0, 1)]


def table(rows: tuple[Any, ...]) -> list[int]:
    return [rows.count(cell) for cell in PEOPLE]


def test_a_histogram_moves_twice_as_far_when_a_row_changes_as_when_it_goes() -> None:
    gone = sensitivity.of(table, domain=PEOPLE, size=3, relation="add_remove")
    changed = sensitivity.of(table, domain=PEOPLE, size=3, relation="change")
    assert gone.value == 1
    assert changed.value == 2


def test_the_cells_of_a_contingency_table_cost_what_one_cell_does_and_its_margins_do_not() -> None:
    def margins(rows: tuple[Any, ...]) -> list[int]:
        return [sum(row[0] for row in rows), sum(row[1] for row in rows)]

    assert sensitivity.of(table, domain=PEOPLE, size=3, relation="add_remove").value == 1
    assert sensitivity.of(margins, domain=PEOPLE, size=3, relation="add_remove").value == 2


def test_a_changed_row_can_move_two_disjoint_parts_at_once() -> None:
    def parts(rows: tuple[Any, ...]) -> list[int]:
        return [rows.count("left"), rows.count("right")]

    moved = sensitivity.of(parts, domain=["left", "right"], size=2, relation="change")
    assert moved.value == 2
    assert not moved.monotone


def test_proportions_of_n_rows_move_by_two_over_n() -> None:
    def proportions(rows: tuple[Any, ...]) -> list[Fraction]:
        return [Fraction(rows.count(cell), 4) for cell in "abc"]

    truth = sensitivity.of(proportions, domain="abc", size=4, relation="change").value
    assert truth == Fraction(2, 4)
    assert sensitivity.histogram("change").scaled_by("1/4").value == truth


def test_the_mean_of_a_private_number_of_rows_moves_by_the_whole_range() -> None:
    def mean(rows: tuple[Any, ...]) -> Fraction:
        return Fraction(sum(rows), len(rows)) if rows else Fraction(0)

    assert sensitivity.of(mean, domain=[0, 1], size=6, relation="add_remove").value == 1
    assert sensitivity.of(mean, domain=[0, 1], size=6, relation="change").value == Fraction(1, 6)


def test_the_number_of_rows_is_free_under_change_and_private_under_add_remove() -> None:
    assert sensitivity.of(len, domain=[0, 1], size=3, relation="change").value == 0
    assert sensitivity.of(len, domain=[0, 1], size=3, relation="add_remove").value == 1
    with pytest.raises(ConversionError, match="says nothing about neighbours under 'add_remove'"):
        sensitivity.lipschitz(0, relation="change").to_add_remove()


def test_the_mean_of_a_table_moves_by_one_over_its_persons_not_over_its_cells() -> None:
    def mean_of_cells(rows: tuple[Any, ...]) -> Fraction:
        return Fraction(sum(map(sum, rows)), 2 * 3)

    truth = sensitivity.of(
        mean_of_cells, domain=list(product([0, 1], repeat=3)), size=2, relation="change"
    ).value
    assert truth == Fraction(1, 2)
    assert truth > Fraction(1, 6)
    one_person = sensitivity.bounded_mean(low=0, high=1, size=6, relation="change").for_rows(3)
    assert one_person.value == truth


def test_the_difference_of_one_pair_is_not_the_sensitivity() -> None:
    def total(rows: tuple[Any, ...]) -> int:
        return sum(rows)

    one_pair = abs(total((0, 1)) - total((1, 1)))
    assert sensitivity.of(total, domain=[0, 1, 9], size=2, relation="change").value == 9 > one_pair


def test_counts_as_scores_are_monotone_when_rows_come_and_go_and_not_when_they_change() -> None:
    for relation in Relation:
        scores = sensitivity.of(table, domain=PEOPLE, size=3, relation=relation, norm=Norm.LINF)
        assert scores.value == 1
        assert scores.monotone == (relation is Relation.ADD_REMOVE)


def test_a_person_with_three_rows_moves_a_histogram_three_times_as_far() -> None:
    for relation in Relation:
        truth = sensitivity.of(
            table, domain=PEOPLE, size=3, relation=relation, rows=3, ordered=False
        ).value
        assert truth == sensitivity.histogram(relation).for_rows(3).value
        assert truth == 3 * sensitivity.histogram(relation).value
