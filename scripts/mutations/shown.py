"""Faults in what is shown of answers, and at the edge of the server."""

from __future__ import annotations

from scripts.mutations.mutation import Mutation

SHOWN = (
    Mutation(
        "a-notebook-shows-names-as-they-are",
        "src/shoal/query/notebook_html.py",
        "return text if isinstance(text, Html) else html.escape(text)",
        "return text",
        "Whoever names a column runs a script in the notebook of everybody who looks at it.",
        (
            "tests/query/test_notebook_html.py::test_every_piece_escapes_what_is_not_html_already",
            "tests/query/test_notebook_html.py::test_hostile_names_and_choices_are_text_in_a_private_table",
        ),
    ),
    Mutation(
        "an-upper-end-is-rounded-down",
        "src/shoal/exact/shown_numbers.py",
        "zip(ends, (math.floor, math.ceil), strict=True)",
        "zip(ends, (math.floor, math.floor), strict=True)",
        "A reader sees an interval that does not hold the true number as often as it says.",
        (
            "tests/exact/test_shown_numbers.py::test_shown_ends_hold_the_ends_exactly_and_the_value_between_them",
        ),
    ),
    Mutation(
        "ends-in-a-type-are-rounded-inward",
        "src/shoal/query/estimates.py",
        "return _end(kind, between.lo, math.floor), _end(kind, between.hi, math.ceil)",
        "return _end(kind, between.lo, math.ceil), _end(kind, between.hi, math.floor)",
        "Tables and reports show an interval that is too narrow.",
        ("tests/query/test_showing_everywhere.py::test_every_shown_interval_holds_the_exact_one",),
    ),
    Mutation(
        "figures-as-people-read-them-are-rounded-inward",
        "src/shoal/exact/shown_numbers.py",
        "None if end is None else text(side(end / _ten(power)))",
        "None if end is None else text(round(end / _ten(power)))",
        "A report for readers shows an interval that is too narrow.",
        (
            "tests/exact/test_shown_numbers.py::test_rounded_ends_hold_the_ends_and_widen_them_by_less_than_a_fifth_of_half_the_width",
        ),
    ),
    Mutation(
        "a-record-of-the-registry-rounds-epsilon-down",
        "src/shoal/vault/deployment_record.py",
        'return {"epsilon": float_up(promise.epsilon)}',
        'return {"epsilon": int(float(promise.epsilon) * 100) / 100}',
        "A public record promises more than was kept.",
        (
            "tests/vault/test_account_report.py::test_the_numbers_of_a_record_are_never_below_what_was_promised",
        ),
    ),
    Mutation(
        "the-picture-of-an-account-forgets-what-others-spent",
        "src/shoal/vault/accounts/spending.py",
        "whole.spend(event)",
        "whole.spend(event) if each.asked_by == kept[0].asked_by else None",
        "The report of an account shows less than was spent.",
        (
            "tests/vault/test_account_report.py::test_what_was_spent_after_the_last_release_is_what_the_account_says",
        ),
    ),
    Mutation(
        "a-report-formats-its-own-intervals",
        "src/shoal/vault/certificate_page.py",
        "columns.append([each.ends for each in column.ends])",
        "columns.append([f\"{float(f'{low:.6g}'):,.0f} to {float(f'{high:.6g}'):,.0f}\" for low, high in answer[\"intervals\"][column.name]])",
        "The report shows 12,345,600 to 12,345,600 beside 12,345,567.",
        (
            "tests/query/test_showing_everywhere.py::test_every_shown_interval_holds_the_exact_one",
            "tests/query/test_showing_everywhere.py::test_printing_pandas_and_what_is_stored_show_the_same_ends",
        ),
    ),
    Mutation(
        "a-stated-error-is-rounded-to-nearest",
        "src/shoal/exact/shown_numbers.py",
        "units = (math.ceil if up else math.floor)(exact / _ten(power))",
        "units = round(exact / _ten(power))",
        "A preview promises less error than there can be.",
        ("tests/exact/test_shown_numbers.py::test_a_bound_is_rounded_to_its_own_side",),
    ),
    Mutation(
        "clipping-is-silent",
        "src/shoal/query/notes.py",
        'return (" ".join([NOISE_ONLY, *said]),) if said else ()',
        "return ()",
        "A count that misses thousands of rows stands beside a narrow interval, without a word.",
        (
            "tests/query/test_clipped_people.py::test_bounded_answers_say_beside_the_number_that_intervals_cover_the_noise_only",
        ),
    ),
    Mutation(
        "the-cut-are-hidden-as-half-a-person",
        "src/shoal/query/clipped_people.py",
        "size = Fraction(1)\n",
        "size = Fraction(1, 2)\n",
        "One person moves the count of the cut by twice what its noise hides.",
        ("tests/query/test_clipped_people.py::test_one_person_moves_the_counts_of_the_cut_by_one",),
    ),
    Mutation(
        "the-cut-are-counted-in-rows",
        "src/shoal/query/clipped_people.py",
        "            persons\n            for (groups, rows), persons",
        "            persons * rows\n            for (groups, rows), persons",
        "One person with many rows moves the count of the cut as far as they like.",
        (
            "tests/query/test_clipped_people.py::test_a_person_with_very_many_rows_moves_the_counts_of_the_cut_by_one",
        ),
    ),
    Mutation(
        "the-count-of-the-cut-is-not-charged",
        "src/shoal/query/pricing.py",
        "cut = [self.clipping.event] if self.clipping else []",
        "cut: list[Event] = []",
        "A number about everyone is released that no account knows of.",
        (
            "tests/query/test_clipped_people.py::test_the_count_is_part_of_what_was_asked_for_and_on_the_certificate",
        ),
    ),
    Mutation(
        "choices-that-match-nothing-are-not-questioned",
        "src/shoal/query/notes.py",
        "if chosen and missing >= NEARLY_ALL:",
        "if False:",
        "Budget is spent on choices with a space too many, again and again.",
        (
            "tests/query/test_clipped_people.py::test_a_count_that_is_nearly_all_null_questions_the_declared_choices",
        ),
    ),
    Mutation(
        "unfinished-heads-wait-for-ever",
        "src/shoal/server/connection_limits.py",
        "            self._timer = self.loop.call_later(seconds, self._late)",
        "            self._timer = None",
        "Some hundred idle connections keep every respondent out.",
        (
            "tests/server/test_connection_limits.py::test_a_head_that_does_not_end_is_closed_with_408",
        ),
    ),
    Mutation(
        "any-host-is-served",
        "src/shoal/server/early_refusals.py",
        'if len(named) != 1 or host_in(named[0].decode("latin-1")) not in self.hosts:',
        "if not named:",
        "A page of another site reaches the researcher's server under a name of its own.",
        (
            "tests/server/test_connection_limits.py::test_a_request_that_names_another_host_is_refused",
        ),
    ),
)
