"""Faults in what is computed of each person's rows."""

from __future__ import annotations

from scripts.mutations.mutation import Mutation

_RELATIONS = "tests/engines/test_relations.py"
_TOTALS = "tests/plan/test_per_person.py::test_totals_are_held_between_their_ends_in_every_order_and_engine"

PERSONS = (
    Mutation(
        "a-total-of-a-person-has-no-end",
        "src/shoal/engines/sql/per_person.py",
        'return f"CAST(LEAST(GREATEST({wide}, {low}), {high}) AS BIGINT)"',
        'return f"TRY_CAST({wide} AS BIGINT)"',
        "A person with many rows has a total beyond the range that the noise was made for.",
        (_TOTALS,),
    ),
    Mutation(
        "a-sum-of-nothing-is-an-end",
        "src/shoal/engines/sql/per_person.py",
        'return f"CASE WHEN COUNT({name}) {over} > 0 THEN {held} END"',
        "return held",
        "A person without known values counts as the smallest or the largest possible sum.",
        (
            "tests/query/test_person_questions.py::test_without_noise_the_answer_is_that_of_plain_sql",
        ),
    ),
    Mutation(
        "a-row-that-comes-replaces-nothing",
        "src/shoal/plan/per_person.py",
        "name: factor and 2 * factor for",
        "name: factor for",
        "A row that changes the total of its person is hidden as one row, though two rows change.",
        (f"{_RELATIONS}::test_one_row_changes_at_most_as_many_rows_as_the_relation_claims",),
    ),
    Mutation(
        "a-sub-query-groups-by-anything",
        "src/shoal/sql/per_person.py",
        "if len(told) < len(unit.columns):",
        "if False:",
        "A sub-query by ward is answered as one by person and ward, without a word.",
        ("tests/sql/test_refusals.py",),
    ),
    Mutation(
        "a-sum-ends-where-one-row-does",
        "src/shoal/sql/per_person.py",
        "far = end * rows if (end < 0) == least else end",
        "far = end",
        "The sums of people with several rows are cut to what one row can have.",
        ("tests/query/test_person_questions.py",),
    ),
    Mutation(
        "all-rows-of-a-person-are-in-one-group-of-many",
        "src/shoal/plan/contribution_bounds.py",
        "return unit.with_shares(1, unit.groups)",
        "return unit",
        "A person with a row in each of three wards counts for one in a question that has no wards.",
        ("tests/plan/test_per_person.py::test_the_share_fits_the_groups_of_the_question",),
    ),
    Mutation(
        "a-sub-query-is-about-anybody",
        "src/shoal/sql/joins.py",
        "if len({_place(a) for a, b in pairs if _same_person(a, b)}) < columns:",
        "if False:",
        "EXISTS over other people's rows is answered as if it were about the same person.",
        ("tests/sql/test_refusals.py",),
    ),
    Mutation(
        "not-in-passes-over-null",
        "src/shoal/sql/person_subqueries.py",
        "    if any(each.nullable for each in plain):\n",
        "    if False:\n",
        "NOT IN answers where plain SQL has no row, because one of the values is NULL.",
        ("tests/sql/test_refusals.py",),
    ),
    Mutation(
        "except-keeps-what-both-have",
        "src/shoal/sql/set_operations.py",
        'wanted = _ONE if kind == "Intersect" else _NONE',
        "wanted = _ONE",
        "EXCEPT answers with the people of both tables.",
        ("tests/query/test_person_questions.py",),
    ),
    Mutation(
        "a-count-of-nothing-is-null",
        "src/shoal/sql/person_subqueries.py",
        'held |= {each: call("coalesce", held[each], zero) for each in counts}',
        "assert zero",
        "People without rows are left out of an average that should count them as 0.",
        ("tests/query/test_person_questions.py",),
    ),
    Mutation(
        "equal-rows-are-in-the-order-they-were-read",
        "src/shoal/engines/sql/within_person.py",
        'sorted_by += [f"{name} ASC NULLS FIRST" for name in names.values()]',
        'sorted_by = sorted_by or ["1"]',
        "Which row of a person is the first depends on where it stands in the file.",
        (
            "tests/plan/test_per_person.py::test_what_a_row_is_told_is_the_same_in_every_order_of_equal_rows",
        ),
    ),
    Mutation(
        "windows-look-at-everybody",
        "src/shoal/sql/window_columns.py",
        "if len(whose) < len(unit.columns):",
        "if False:",
        "A window over all rows is answered as one over each person's.",
        ("tests/sql/test_refusals.py",),
    ),
    Mutation(
        "a-row-reaches-no-other",
        "src/shoal/plan/within_person.py",
        "return dict.fromkeys(self.source.stability)",
        "return self.source.stability",
        "One row changes what all rows of its person are told, and is hidden as one row.",
        (f"{_RELATIONS}::test_one_row_changes_at_most_as_many_rows_as_the_relation_claims",),
    ),
)
