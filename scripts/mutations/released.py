"""Faults in what follows from released groups."""

from __future__ import annotations

from scripts.mutations.mutation import Mutation

_TABLE = "tests/query/test_released_table.py"
_PIVOTS = "tests/sql/test_pivots.py"

RELEASED = (
    Mutation(
        "shares-clip-nothing",
        "src/shoal/query/share_curve.py",
        "return ShareChoice(*most, kept, each * (1 - kept),",
        "return ShareChoice(*most, kept, each * 0,",
        "The least shares always look best, and most rows are clipped.",
        ("tests/query/test_suggested_shares.py::test_the_curve_weighs_clipped_rows_against_noise",),
    ),
    Mutation(
        "sums-of-noise-are-off-by-half",
        "src/shoal/query/noise_choice.py",
        "spread, tail = float(mechanism.spread), math.log(2 / float(1 - confidence))",
        "spread, tail = float(mechanism.spread) / 2, math.log(2 / float(1 - confidence))",
        "The interval of a running total is narrower than the noise in it.",
        (f"{_TABLE}::test_sums_of_noise_are_within_their_bound_by_the_exact_law",),
    ),
    Mutation(
        "groups-that-noise-chose-count-as-fixed",
        "src/shoal/query/released_table.py",
        "rows = max(1, len(self.before.rows)) if self.by_noise else 1",
        "rows = 1",
        "The interval of the largest released count misses its group about every second time.",
        (f"{_TABLE}::test_numbers_over_groups_that_noise_chose_have_intervals_that_hold_or_none",),
    ),
    Mutation(
        "clauses-of-exists-are-dropped",
        "src/shoal/sql/person_subqueries.py",
        "    text.only(query, *ROWS_AS_THEY_ARE)\n",
        "",
        "EXISTS (... LIMIT 0) counts everybody who has a row.",
        (
            "tests/sql/test_clauses_of_subqueries.py::test_a_clause_that_is_not_read_is_refused_before_anything_is_spent",
        ),
    ),
    Mutation(
        "windows-forget-the-rows-of-equal-place",
        "src/shoal/query/window_frames.py",
        "    if frame.peers:",
        "    if False:",
        "A running total leaves out rows that stand at the same place.",
        (f"{_TABLE}::test_released_groups_become_what_duckdb_makes_of_them",),
    ),
    Mutation(
        "parts-of-a-share-are-each-as-sure-as-the-share",
        "src/shoal/query/released_table.py",
        "        each = 1 - (1 - level) / len(names)\n",
        "        each = level / 4\n",
        "Intervals of derived numbers miss the truth far more often than they say.",
        (
            f"{_TABLE}::test_intervals_of_derived_numbers_cover_what_the_answer_would_be_without_noise",
        ),
    ),
    Mutation(
        "totals-beside-groups-lose-their-condition",
        "src/shoal/sql/merged_aggregates.py",
        '    conditioned(whole, whole.args.get("where"), text, leave=places)\n',
        "",
        "A share of all rows counts rows that its condition leaves out.",
        (f"{_TABLE}::test_one_select_under_two_conditions_counts_as_two_would",),
    ),
    Mutation(
        "months-begin-a-day-late",
        "src/shoal/sql/date_words.py",
        'early = call("le", month, whole(2))',
        'early = call("le", month, whole(1))',
        "A date so many months later is on another day than DuckDB says.",
        (
            "tests/sql/test_date_words.py::test_words_mean_what_duckdb_means_by_them_on_both_engines",
        ),
    ),
    Mutation(
        "the-last-bin-is-not-known",
        "src/shoal/plan/stepped_values.py",
        "return tuple(range(first, last + 1, int(width)))",
        "return tuple(range(first, last, int(width)))",
        "Rows of the last bin are told to nobody, as if they were not there.",
        (
            "tests/sql/test_date_words.py::test_every_value_of_a_key_is_among_those_known_beforehand",
        ),
    ),
    Mutation(
        "levels-forget-their-condition",
        "src/shoal/sql/grouping_sets.py",
        '            conditioned(each, each.args.get("where"), text)\n',
        "",
        "Parts of a UNION ALL count rows that their own conditions leave out.",
        (f"{_TABLE}::test_levels_are_those_of_duckdb_and_add_up",),
    ),
    Mutation(
        "literals-lose-their-case",
        "src/shoal/sql/grouping_sets.py",
        '    return str(node.sql(dialect="duckdb"))\n',
        '    return str(node.sql(dialect="duckdb")).lower()\n',
        "Two parts of a UNION ALL that differ in the case of a literal count the same rows.",
        ("tests/sql/test_same_names.py::test_literals_keep_their_case",),
    ),
    Mutation(
        "one-name-means-two-tables",
        "src/shoal/sql/released_scope.py",
        "        if _mean_the_same(self.held, other):\n",
        "        if other is not None:\n",
        "Groups of a table expression are answered with the rows of the table of its name.",
        ("tests/sql/test_same_names.py::test_groups_of_one_text_and_two_tables_are_not_joined",),
    ),
    Mutation(
        "a-share-is-of-what-is-left",
        "src/shoal/sql/released_select.py",
        "        self.steps[self.whole : self.whole] = totals.steps\n",
        "        self.steps += totals.steps\n",
        "A number of all groups is that of the groups that WHERE leaves.",
        ("tests/sql/test_same_names.py::test_a_number_of_all_groups_is_of_all_of_them",),
    ),
    Mutation(
        "names-outlive-their-sub-query",
        "src/shoal/sql/question_text.py",
        "            self.names = names\n",
        "            pass\n",
        "A table expression of a sub-query stands for a table outside of it.",
        ("tests/sql/test_same_names.py::test_names_of_a_sub_query_end_with_it",),
    ),
    Mutation(
        "private-rows-are-read-for-a-constant",
        "src/shoal/sql/public_selects.py",
        "        elif held is not None and held.protects is not None:\n            return False",
        "        elif held is not None and held.protects is not None:\n            continue",
        "A sub-query over private rows is computed without noise and without a charge.",
        ("tests/sql/test_public_selects.py::test_a_private_table_is_never_public_under_any_name",),
    ),
    Mutation(
        "a-filter-by-noise-counts-as-known",
        "src/shoal/query/released_table.py",
        'case Call("case", (condition, value, Literal(None))) if self.before.known(condition):',
        'case Call("case", (condition, value, Literal(None))):',
        "A sum of those released counts that are large has an interval that misses.",
        (f"{_PIVOTS}::test_a_filter_that_depends_on_noise_has_no_interval",),
    ),
    Mutation(
        "a-filter-leaves-the-interval-of-all",
        "src/shoal/query/released_table.py",
        "[at for at in places if evaluate(condition, rows[at]) is True] for places in seen",
        "list(places) for places in seen",
        "A cell of a PIVOT has the interval of its whole line.",
        (f"{_PIVOTS}::test_the_cells_of_a_pivot_have_intervals_and_those_of_others_too",),
    ),
    Mutation(
        "the-commonest-value-is-that-of-all-groups",
        "src/shoal/sql/pivots.py",
        "partition_by=[key.copy() for key in keys],",
        "partition_by=[],",
        "MODE by ward shows one ward only.",
        (_PIVOTS,),
    ),
    Mutation(
        "nothing-is-the-commonest-value",
        "src/shoal/sql/pivots.py",
        "exp.Ordered(this=exp.Count(this=exp.Star()), desc=True, nulls_first=False),",
        "exp.Ordered(this=exp.Count(this=exp.Star()), desc=False, nulls_first=False),",
        "MODE shows the rarest value.",
        (_PIVOTS,),
    ),
)
