"""A share of the neighbour fuzzer, the same in every run: two neighbouring inputs look alike at
every door.
"""

from __future__ import annotations

import warnings

import pytest
from scripts.fuzzing.every import KINDS, seed_of
from scripts.fuzzing.report import printed
from scripts.fuzzing.running import run

pytestmark = pytest.mark.slow


def check(kind: str) -> None:
    """The first cases of a kind; every one must pass."""
    chosen = KINDS[kind]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        seeds = (seed_of(chosen, number) for number in range(chosen.share))
        done = run(seeds, shrink=False, to_first=True)
    assert not done.findings, printed(done, 1)
    assert done.cases == chosen.share


def test_random_questions_move_no_noise_further_than_claimed() -> None:
    check("questions")


def test_a_row_that_is_replaced_moves_no_noise_further_than_claimed() -> None:
    check("replacements")


def test_no_row_changes_what_rows_that_are_all_alike_count_for() -> None:
    check("uniform")


def test_no_two_plans_have_one_canonical_text() -> None:
    check("canonical")


def test_public_ranges_with_hostile_ends_keep_their_claims() -> None:
    check("ranges")


def test_functions_of_callers_and_odd_rows_fail_unseen() -> None:
    check("functions")


def test_histories_of_local_answers_differ_by_no_more_than_claimed() -> None:
    check("histories")


def test_odd_words_are_refused_before_anything_is_charged() -> None:
    check("declarations")


def test_no_row_decides_how_a_source_is_read() -> None:
    check("sources")


def test_persons_who_leave_an_account_move_no_more_than_claimed() -> None:
    check("accounts")


def test_persons_who_leave_tables_of_one_account_move_no_more_than_claimed() -> None:
    check("identities")


def test_a_person_stays_one_person_in_every_version_of_a_dataset() -> None:
    check("versions")


def test_every_planned_question_is_within_the_public_limits_on_size() -> None:
    check("sizes")


def test_failures_after_the_charge_cannot_be_told_apart() -> None:
    check("failures")


def test_commands_print_one_form_for_neighbours() -> None:
    check("commands")


def test_no_row_decides_how_much_memory_and_time_a_question_takes() -> None:
    check("growth")
