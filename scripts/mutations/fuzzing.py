"""Faults that the share of the neighbour fuzzer must find."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from scripts.mutations.data import DATA
from scripts.mutations.equality import EQUALITY
from scripts.mutations.local import LOCAL
from scripts.mutations.mutation import Mutation
from scripts.mutations.processes import PROCESSES
from scripts.mutations.sizes import SIZES
from scripts.mutations.sources import SOURCES
from scripts.mutations.views import VIEWS

_SHARE = "tests/fuzzing/test_share.py"
_RANGES = f"{_SHARE}::test_public_ranges_with_hostile_ends_keep_their_claims"

FUZZED = (
    Mutation(
        "ends-far-from-zero-have-64-bits",
        "src/shoal/functions/rows.py",
        "if not -_FAR <= self.low <= self.high < _FAR:",
        "if False:",
        "A median between ends far from 0 fails where all values are small, and is answered where one is huge.",
        (
            _RANGES,
            "tests/functions/test_edges.py::test_a_row_near_zero_is_answered_for_where_the_range_is_far_from_it",
        ),
    ),
    Mutation(
        "rounded-ends-are-not-looked-at",
        "src/shoal/functions/rows.py",
        "if max(abs(bottom), abs(top)) * chosen.spacing > _LARGEST:",
        "if max(abs(least), abs(most)) > _LARGEST:",
        "A release whose answer is the upper end fails after it was paid for.",
        (
            "tests/functions/test_edges.py::test_an_end_that_rounding_moves_beyond_the_largest_number_is_refused",
        ),
    ),
)

_AGAIN: Mapping[str, tuple[str, ...]] = {
    "test_random_questions_move_no_noise_further_than_claimed": (
        "a-column-keeps-its-looks",
        "a-zero-keeps-its-sign",
        "a-product-is-never-minus-zero",
        "a-constant-has-the-collation-of-the-database",
        "choices-have-the-collation-of-the-database",
        "texts-are-read-whole",
        "persons-are-cut-as-texts-are",
        "a-condition-is-tested-on-the-stored-text",
        "like-returns-to-earlier-places",
    ),
    "test_a_row_that_is_replaced_moves_no_noise_further_than_claimed": (
        "a-filter-keeps-every-row",
        "a-missing-value-counts-in-every-row",
        "a-replaced-person-always-has-rows",
    ),
    "test_no_row_changes_what_rows_that_are_all_alike_count_for": (
        "conditions-are-rewritten-by-statistics-of-all-rows",
        "a-database-that-is-handed-over-keeps-its-optimizers",
    ),
    "test_no_two_plans_have_one_canonical_text": (
        "the-escape-of-like-is-not-in-the-form",
        "constants-have-no-type-in-the-form",
        "reals-are-printed-as-decimals",
        "facts-are-not-in-the-form",
    ),
    "test_public_ranges_with_hostile_ends_keep_their_claims": (
        "ends-of-any-size",
        "ends-without-a-width-in-doubles",
        "noise-on-the-nearest-doubles",
        "squares-of-tiny-entries",
    ),
    "test_functions_of_callers_and_odd_rows_fail_unseen": (
        "a-query-is-counted-after-it-ran",
        "a-query-sees-everyone-at-once",
        "a-query-sees-a-view-of-all-people",
        "a-block-is-a-view-of-all-rows",
        "an-interrupt-of-the-operator-is-lost",
        "nan-is-no-place-on-a-curve",
        "a-category-that-cannot-be-written",
        "a-rows-own-error-comes-out-of-a-histogram",
        "only-ordinary-exceptions-are-kept",
        "an-interrupt-of-the-function-passes",
        "a-row-that-is-no-number-fails",
        "categories-of-any-size",
        "an-answer-has-the-type-of-its-rows",
    ),
    "test_histories_of_local_answers_differ_by_no_more_than_claimed": (
        "buckets-bound-a-lifetime",
        "a-change-costs-what-one-report-does",
        "permanent-rows-differ-in-one-bit",
    ),
    "test_odd_words_are_refused_before_anything_is_charged": (
        "choices-of-half-letters",
        "facts-that-are-none-are-ignored",
        "ranges-of-columns-of-any-size",
    ),
    "test_no_row_decides_how_a_source_is_read": (
        "the-first-file-decides-for-all",
        "names-of-folders-are-columns",
        "int96-is-cut-unseen",
        "two-columns-of-one-name",
        "objects-of-several-kinds",
        "objects-lose-nothing",
        "decimals-count-their-own-digits",
        "csv-cells-are-rounded",
        "broken-texts-of-arrow",
        "csv-types-are-guessed",
        "the-first-patient-names-the-columns",
    ),
    "test_persons_who_leave_an_account_move_no_more_than_claimed": (
        "equal-ids-of-two-accounts-are-one-person",
    ),
    "test_persons_who_leave_tables_of_one_account_move_no_more_than_claimed": (
        "persons-of-two-accounts-are-joined",
        "the-reference-forgets-the-space",
        "sql-forgets-the-space",
        "who-pays-together-needs-no-word-on-ids",
        "a-shared-id-is-shared-by-all",
    ),
    "test_a_person_stays_one_person_in_every_version_of_a_dataset": (
        "ids-come-with-the-place",
        "the-order-of-a-file-is-the-old-one",
        "the-same-cells-are-other-persons",
    ),
    "test_every_planned_question_is_within_the_public_limits_on_size": (
        "long-texts-are-not-refused",
        "work-is-not-added-up",
        "columns-of-sub-queries-count-once",
        "table-expressions-count-once",
        "a-condition-shortens-texts",
    ),
    "test_failures_after_the_charge_cannot_be_told_apart": ("the-kind-of-a-failure-is-told",),
    "test_no_row_decides_how_much_memory_and_time_a_question_takes": (
        "a-replacement-grows-by-nothing",
    ),
}
"""Faults that other tests find by an example; the share, which knows none of them, must find each
by itself.
"""

_PLANTED = {
    each.name: each
    for some in (DATA, EQUALITY, LOCAL, SIZES, SOURCES, PROCESSES, VIEWS)
    for each in some
}

AGAIN = tuple(
    replace(_PLANTED[name], name=f"fuzzed-{name}", tests=(f"{_SHARE}::{test}",))
    for test, names in _AGAIN.items()
    for name in names
)
