"""Faults that the share of the neighbour fuzzer must find."""

from __future__ import annotations

from scripts.mutations.mutation import Mutation

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
