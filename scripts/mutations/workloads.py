"""Faults in tables that are published together."""

from __future__ import annotations

from scripts.mutations.mutation import Mutation

_SENSITIVITY = "tests/workloads/test_measurement.py"

WORKLOADS = (
    Mutation(
        "a-measurement-moves-by-its-shortest-column",
        "src/shoal/workloads/factors.py",
        "return int((held * held).sum(axis=0).max())",
        "return int((held * held).sum(axis=0).min())",
        "Whoever is in the cell that a strategy weighs most has too little noise.",
        (
            f"{_SENSITIVITY}::test_one_unit_that_comes_or_goes_moves_a_measurement_by_exactly_its_sensitivity",
        ),
    ),
    Mutation(
        "rows-of-a-person-count-as-one",
        "src/shoal/workloads/measurement.py",
        "return reach * reach * longest",
        "return reach * longest",
        "Someone with several rows moves a measurement further than its noise was made for.",
        (
            f"{_SENSITIVITY}::test_one_unit_that_comes_or_goes_moves_a_measurement_by_exactly_its_sensitivity",
        ),
    ),
    Mutation(
        "a-change-is-one-person-who-leaves",
        "src/shoal/workloads/measurement.py",
        "if relation is Relation.CHANGE:\n            least, most = 1, 1",
        "if False:\n            least, most = 1, 1",
        "A row that changes moves a measurement by two columns and is priced as one.",
        (
            f"{_SENSITIVITY}::test_one_unit_that_changes_moves_a_measurement_by_at_most_its_sensitivity",
            "tests/query/test_publication.py::test_no_neighbours_are_further_apart_than_the_noise_allows",
        ),
    ),
    Mutation(
        "every-measurement-takes-the-whole-budget",
        "src/shoal/workloads/publication_plan.py",
        "part = ZeroConcentrated(measure.rho * share)",
        "part = measure",
        "A publication of many measurements costs many times what was asked for.",
        (f"{_SENSITIVITY}::test_a_budget_in_rho_is_never_exceeded",),
    ),
    Mutation(
        "the-event-forgets-the-last-measurement",
        "src/shoal/workloads/publication_plan.py",
        "return Composed(tuple(noise.event_for(size=each.size) for noise, each in pairs))",
        "return Composed(tuple(noise.event_for(size=each.size) for noise, each in pairs)[:-1])",
        "One measurement is never charged.",
        (
            "tests/workloads/test_released_tables.py::test_the_event_names_every_measurement_its_noise_and_its_size",
        ),
    ),
    Mutation(
        "counts-wrap-in-64-bits",
        "src/shoal/workloads/measurement.py",
        "if growth * largest(marginal) * max(1, marginal.size) >= _FITS:",
        "if False:",
        "Large counts wrap, so one person can move a measurement by anything.",
        (f"{_SENSITIVITY}::test_what_is_measured_is_exact_however_large_the_counts_are",),
    ),
    Mutation(
        "tables-of-persons-are-bounded-in-the-wrong-norm",
        "src/shoal/query/publication.py",
        "return Bounded(self.question.relation, keys, (count_of(),), Norm.L1, possible)",
        "return Bounded(self.question.relation, keys, (count_of(),), Norm.L2, possible)",
        "A person in several cells moves a strategy by more than a bound in L2 says.",
        (
            "tests/query/test_publication.py::test_a_person_in_many_cells_moves_no_measurement_by_more_than_its_sensitivity",
        ),
    ),
    Mutation(
        "a-publication-is-charged-as-nothing",
        "src/shoal/query/publication.py",
        "charge = self.source.payer.charge(plan.event, self._asked(plan, request, key))",
        "charge = self.source.payer.charge(\n            __import__('shoal').events.Composed(()), self._asked(plan, request, key)\n        )",
        "A publication is never charged.",
        (
            "tests/query/test_publication.py::test_all_tables_are_one_charge_that_is_taken_before_rows_are_read",
        ),
    ),
    Mutation(
        "errors-forget-the-smaller-sets",
        "src/shoal/workloads/residual_strategy.py",
        "key = column, steps.get(column, 0)",
        "key = column, 1",
        "Standard errors are not those of the estimates.",
        (
            "tests/workloads/test_workloads.py::test_standard_errors_are_those_of_weighted_least_squares_over_all_cells",
        ),
    ),
    Mutation(
        "districts-of-large-regions-are-not-counted",
        "src/shoal/workloads/level_tree.py",
        "return max(scale * scale * size * (size - 1) for size, scale in self._blocks)",
        "return min(scale * scale * size * (size - 1) for size, scale in self._blocks)",
        "Whoever is in a region with many districts has too little noise.",
        (
            "tests/workloads/test_hierarchies.py::test_the_sensitivity_of_every_measurement_is_that_of_all_neighbours",
        ),
    ),
    Mutation(
        "siblings-do-not-move-apart",
        "src/shoal/workloads/level_tree.py",
        "return min(-scale * scale * size for size, scale in self._blocks)",
        "return 0",
        "Someone who moves between districts of one region moves them further than their noise allows.",
        (
            "tests/workloads/test_hierarchies.py::test_the_sensitivity_of_every_measurement_is_that_of_all_neighbours",
        ),
    ),
    Mutation(
        "levels-with-other-groups-are-the-same-strategy",
        "src/shoal/workloads/level_tree.py",
        "held = (self.tree.groups[self.step], self._parent, self._scale)",
        "held = (self._scale,)",
        "Numbers that were measured for one division into regions are read as those of another.",
        ("tests/workloads/test_hierarchies.py::test_other_groups_are_another_strategy",),
    ),
    Mutation(
        "parents-are-spread-over-all-values",
        "src/shoal/workloads/level_tree.py",
        "found.append((found[-1] / children)[parent])",
        "found.append(np.full(len(parent), 1 / len(parent)))",
        "Tables of districts and of regions do not agree.",
        (
            "tests/workloads/test_hierarchies.py::test_estimates_and_errors_are_those_of_least_squares_over_all_cells",
        ),
    ),
    Mutation(
        "laplace-noise-for-the-narrowest-column",
        "src/shoal/workloads/factors.py",
        "return int(abs(self.matrix.astype(object)).sum(axis=0).max())",
        "return int(abs(self.matrix.astype(object)).sum(axis=0).min())",
        "Whoever is in the value that a strategy weighs most has too little Laplace noise.",
        (
            "tests/workloads/test_pure_tables.py::test_a_matrix_is_as_wide_and_as_long_as_its_largest_column",
        ),
    ),
    Mutation(
        "a-change-costs-laplace-noise-once",
        "src/shoal/workloads/measurement.py",
        "            widest *= 2\n",
        "            widest *= 1\n",
        "A row that changes leaves one cell and enters another, and is priced as one of the two.",
        (
            "tests/workloads/test_pure_tables.py::test_no_neighbours_lose_more_than_epsilon_and_marginals_use_all_of_it",
        ),
    ),
    Mutation(
        "every-marginal-takes-all-of-epsilon",
        "src/shoal/workloads/publication_plan.py",
        "Laplace.for_budget(Pure(measure.epsilon * share), sensitivity=far)",
        "Laplace.for_budget(measure, sensitivity=far)",
        "Tables with Laplace noise cost several times what was asked for.",
        (
            "tests/workloads/test_pure_tables.py::test_no_neighbours_lose_more_than_epsilon_and_marginals_use_all_of_it",
        ),
    ),
    Mutation(
        "laplace-intervals-are-normal-ones",
        "src/shoal/workloads/publication_plan.py",
        "found: Floats = far * standard_errors + self.half_step",
        "found: Floats = normal_quantile(level) * standard_errors",
        "Intervals of single counts with Laplace noise cover less often than they say.",
        (
            "tests/workloads/test_pure_tables.py::test_a_single_count_is_outside_its_interval_no_more_often_than_its_law_allows",
        ),
    ),
    Mutation(
        "columns-of-a-long-column-are-measured-before-they-are-scaled",
        "src/shoal/workloads/reflected_factor.py",
        "return max(int(scale) * int(scale) * square for scale, square in pairs)",
        "return max(int(scale) * square for scale, square in pairs)",
        "One person moves a measurement much further than its noise was made for.",
        (
            "tests/workloads/test_large_ordered.py::test_no_neighbours_are_further_apart_than_the_sensitivity_and_some_are_as_far",
        ),
    ),
    Mutation(
        "a-kernel-may-rise",
        "src/shoal/workloads/reflected_factor.py",
        "falls = bool((np.diff(half) <= 0).all()) and int(half[-1]) >= 0",
        "falls = int(half[0]) >= 0",
        "Columns with negative inner products would be priced as if they had none.",
        (
            "tests/workloads/test_large_ordered.py::test_a_kernel_whose_matrix_could_have_negative_entries_is_refused",
        ),
    ),
    Mutation(
        "images-of-a-column-come-with-the-same-sign",
        "src/shoal/workloads/reflection.py",
        "found[self.length - self.size :] = -values[::-1]",
        "found[self.length - self.size :] = values[::-1]",
        "What is measured is not the matrix whose sensitivity was computed.",
        (
            "tests/workloads/test_large_ordered.py::test_what_is_measured_is_the_stated_matrix_times_the_counts_however_large_they_are",
        ),
    ),
    Mutation(
        "the-length-of-a-reflected-column-forgets-its-image",
        "src/shoal/workloads/reflected_factor.py",
        "return [square[0] - self.reflection.sign * own for own in mirrored]",
        "return [square[0] for own in mirrored]",
        "Columns near an end are longer than claimed, and people there get too little noise.",
        (
            "tests/workloads/test_large_ordered.py::test_no_neighbours_are_further_apart_than_the_sensitivity_and_some_are_as_far",
        ),
    ),
    Mutation(
        "units-move-along-an-ordered-column",
        "src/shoal/workloads/whole_tables.py",
        "return rounded(fitted, margins, sorted(held))",
        "return rounded(fitted, margins)",
        "Prefix sums of whole numbers drift away from what was measured.",
        ("tests/workloads/test_large_ordered.py::test_moving_units_does_not_spoil_prefix_sums",),
    ),
    Mutation(
        "a-stream-is-priced-for-one-row",
        "src/shoal/workloads/stream_plan.py",
        "square = Fraction(reach) ** 2 *",
        "square = Fraction(reach) *",
        "Someone with several rows moves a stream further than its noise was made for.",
        (
            "tests/workloads/test_streams.py::test_no_person_whose_rows_only_grow_moves_a_stream_further_than_its_sensitivity",
        ),
    ),
    Mutation(
        "a-stream-pays-for-the-last-day-alone",
        "src/shoal/workloads/stream_matrix.py",
        "return sum(each * each for each in self.coefficients)",
        "return self.coefficients[0] ** 2",
        "A row counts in all later days and would be priced for its own day.",
        (
            "tests/workloads/test_streams.py::test_no_person_whose_rows_only_grow_moves_a_stream_further_than_its_sensitivity",
        ),
    ),
    Mutation(
        "a-person-counts-in-a-stream-without-end",
        "src/shoal/vault/daily_counts.py",
        "WHERE {nth} <= {self.reach}",
        "WHERE {nth} <= {self.reach} + 1",
        "One row more than the share of a person counts.",
        ("tests/vault/test_kept_stream.py::test_counts_are_those_of_each_persons_first_rows",),
    ),
    Mutation(
        "the-last-rows-of-a-person-count",
        "src/shoal/vault/daily_counts.py",
        "ORDER BY {day}) AS {nth}",
        "ORDER BY {day} DESC) AS {nth}",
        "A later row takes back what was counted before, so days are measured with ever other people.",
        (
            "tests/vault/test_kept_stream.py::test_no_added_row_takes_back_what_was_counted_up_to_a_day",
        ),
    ),
    Mutation(
        "a-day-is-measured-by-everyone-who-asks",
        "src/shoal/vault/kept_stream.py",
        "key=str(day))",
        "key=None)",
        "Two processes release two noisy numbers of one day for the price of one.",
        ("tests/vault/test_kept_stream.py::test_whoever_comes_second_gives_the_first_ones_number",),
    ),
    Mutation(
        "a-stream-goes-on-whatever-was-changed",
        "src/shoal/vault/kept_stream.py",
        "each.declared not in (MORE_ROWS, SAME_ROWS)",
        'each.declared not in (MORE_ROWS, SAME_ROWS, "same people")',
        "Rows that were moved from day to day would count again and again.",
        (
            "tests/vault/test_kept_stream.py::test_a_stream_ends_where_rows_may_have_been_changed_or_taken_away",
        ),
    ),
    Mutation(
        "who-was-second-goes-on-with-old-rows",
        "src/shoal/vault/kept_stream.py",
        "                return self.release(until)\n",
        "                value = self._measured()[day]\n",
        "Days after it are measured with fewer rows than the day before.",
        ("tests/vault/test_kept_stream.py::test_whoever_comes_second_reads_again",),
    ),
    Mutation(
        "a-share-that-is-raised-later-counts-at-once",
        "src/shoal/vault/daily_counts.py",
        "return self.share or unit.groups * unit.rows_per_group",
        "return unit.groups * unit.rows_per_group",
        "A person counts with five rows in a stream whose noise was made for one.",
        (
            "tests/vault/test_kept_stream.py::test_a_share_that_is_raised_later_counts_in_no_open_stream",
        ),
    ),
    Mutation(
        "a-stream-reads-whoever-is-there-now",
        "src/shoal/vault/kept_stream.py",
        'if not set(read.accounts) <= set(self.fact["accounts"]):',
        "if not read.accounts:",
        "People of another account are counted, and their account pays nothing.",
        (
            "tests/vault/test_kept_stream.py::test_people_whose_account_did_not_pay_are_in_no_stream",
        ),
    ),
    Mutation(
        "a-stream-is-paid-for-whoever-was-there-before",
        "src/shoal/vault/kept_stream.py",
        "if self.place.versions(self.counts.dataset)[-1].entry != _read_by(self.counts).entry:",
        "if not self.place.versions(self.counts.dataset):",
        "An old question charges the account of people who are in the data no more.",
        (
            "tests/vault/test_kept_stream.py::test_a_stream_that_was_asked_for_before_an_update_pays_for_nobody_else",
        ),
    ),
    Mutation(
        "rows-are-chosen-before-the-days-are-counted",
        "src/shoal/vault/kept_stream.py",
        "        measured = self._measured()\n        counts = self._counts()\n",
        "        counts = self._counts()\n        measured = self._measured()\n",
        "A day is measured with older rows than the day before, so that a sum of days shrinks.",
        (
            "tests/vault/test_kept_stream.py::test_days_that_others_release_meanwhile_are_not_followed_by_older_rows",
        ),
    ),
    Mutation(
        "two-who-draw-the-same-number-are-one",
        "src/shoal/vault/kept_stream.py",
        '"value": str(value), "drawn": f"{one_below(1 << 64):016x}"}',
        '"value": str(value)}',
        "The second goes on with rows that may be older than those of the first.",
        (
            "tests/vault/test_kept_stream.py::test_whoever_draws_the_same_number_second_reads_again_too",
        ),
    ),
    Mutation(
        "later-days-have-the-noise-of-a-later-version",
        "src/shoal/vault/kept_stream.py",
        'return made.with_sigma(Fraction(self.fact["sigma"]))',
        "return made",
        "Days are drawn with another noise than the event says that was charged.",
        ("tests/vault/test_kept_stream.py::test_every_day_has_the_noise_that_was_charged",),
    ),
    Mutation(
        "known-totals-that-contradict-each-other-are-taken",
        "src/shoal/workloads/joint_totals.py",
        "    if not sums_agree(one, other):",
        "    if False:",
        "No table has both totals, and what is printed has neither.",
        (
            "tests/workloads/test_joint_totals.py::test_totals_that_cannot_be_held_together_are_refused",
        ),
    ),
    Mutation(
        "the-second-known-table-is-forgotten-when-rounding",
        "src/shoal/workloads/whole_tables.py",
        "return rounded(fit.known.settled(fitted), margins",
        "return rounded(fitted, margins",
        "Totals that are public by law are printed wrong by a person.",
        (
            "tests/workloads/test_joint_totals.py::test_both_tables_of_totals_hold_and_all_tables_add_up",
        ),
    ),
    Mutation(
        "the-best-of-many-tables-is-charged-as-one",
        "src/shoal/accounting/affordable_runs.py",
        'lambda epsilon: RepeatAndSelect(StatedPure(epsilon), "poisson", mean=mean),',
        "lambda epsilon: StatedPure(epsilon),",
        "Each run of a search for accepted tables has the whole budget.",
        ("tests/workloads/test_acceptance.py::test_a_search_costs_what_was_asked_for",),
    ),
    Mutation(
        "criteria-are-judged-for-nothing",
        "src/shoal/workloads/acceptance_plan.py",
        "plan = PublicationPlan.of(workload, _part(run, 1 - share), relation",
        "plan = PublicationPlan.of(workload, run, relation",
        "A run costs what its tables cost, and its criteria come on top.",
        ("tests/workloads/test_acceptance.py::test_a_search_costs_what_was_asked_for",),
    ),
    Mutation(
        "a-cell-that-is-off-counts-twice",
        "src/shoal/workloads/acceptance_criteria.py",
        "return int((beyond * steps // ramp).sum())",
        "return int((2 * beyond * steps // ramp).sum())",
        "One person moves a criterion by two, and its noise is made for one.",
        ("tests/workloads/test_acceptance.py::test_totals_move_no_more_than_counts_do",),
    ),
    Mutation(
        "tables-are-judged-until-one-is-accepted",
        "src/shoal/workloads/acceptance_plan.py",
        "for at in range(max(number, work_of(self.mean))):",
        "for at in range(number):",
        "Whoever measures the time of a search learns the number of its runs.",
        (
            "tests/workloads/test_acceptance.py::test_the_time_of_a_search_does_not_tell_the_number_of_runs",
        ),
    ),
)
