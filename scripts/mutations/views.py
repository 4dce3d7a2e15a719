"""Faults by which a row, or a file, is read as more than it is."""

from __future__ import annotations

from scripts.mutations.mutation import Mutation

VIEWS = (
    Mutation(
        "a-block-is-a-view-of-all-rows",
        "src/shoal/functions/sample_and_aggregate.py",
        "[apart(row) for row in each_row(rows)]",
        "list(each_row(rows))",
        "One block sees everyone, and one person decides all blocks.",
        ("tests/functions/test_views.py::test_a_block_holds_no_view_of_all_rows",),
    ),
    Mutation(
        "a-query-sees-a-view-of-all-people",
        "src/shoal/local/protocols/statistical.py",
        "query(np.array(self._people[place : place + 1]))",
        "query(np.asarray(self._people[place : place + 1]))",
        "Every report can be about one person.",
        ("tests/functions/test_views.py::test_a_query_sees_no_view_of_all_people",),
    ),
    Mutation(
        "the-order-of-a-file-is-the-old-one",
        "src/shoal/vault/stated_columns.py",
        "types={**own, **{n: k for n, k in self.types.items() if n not in own}}",
        "types={**self.types, **own}",
        "Visits are taken for people, and one person counts as often as they came.",
        (
            "tests/vault/test_csv_updates.py::test_a_file_without_a_header_is_read_in_the_order_that_was_declared_last",
        ),
    ),
    Mutation(
        "the-same-cells-are-other-persons",
        "src/shoal/vault/sources/lineage.py",
        "each.digest == digest and _person_cells(each) != _person_cells(made)",
        "False",
        "A person is counted as often as they came, on an account that was opened for people.",
        (
            "tests/vault/test_csv_updates.py::test_known_content_is_not_asked_about_other_persons_by_naming_its_columns_anew",
        ),
    ),
)
