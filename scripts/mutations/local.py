"""Faults in what runs on rows by itself, in repeated reports and in the doors of local
protocols.
"""

from __future__ import annotations

from scripts.mutations.mutation import Mutation

_TOTAL = "tests/functions/test_total.py"
_HISTORIES = "tests/local/protocols/test_histories.py"
_DOORS = "tests/local/protocols/test_doors.py"

LOCAL = (
    Mutation(
        "a-query-is-counted-after-it-ran",
        "src/shoal/local/protocols/statistical.py",
        """            self.asked += 1
        batch = range(start, start + self.people_each)
        values = called(  # a copy of each person, since a view would hold all others
            lambda place: query(np.array(self._people[place : place + 1])),
            batch,
            read=_value,
            otherwise=0.0,
        )
""",
        """        batch = range(start, start + self.people_each)
        values = called(  # a copy of each person, since a view would hold all others
            lambda place: query(np.array(self._people[place : place + 1])),
            batch,
            read=_value,
            otherwise=0.0,
        )
        self.asked += 1
""",
        "A query that is interrupted has looked at people for nothing.",
        (f"{_TOTAL}::test_a_query_is_counted_before_it_runs",),
    ),
    Mutation(
        "a-query-sees-everyone-at-once",
        "src/shoal/local/protocols/statistical.py",
        "query(np.array(self._people[place : place + 1]))",
        "query(np.array(self._people))",
        "One person's row changes the bits of all others, each of which is priced alone.",
        (f"{_TOTAL}::test_nobodys_value_in_a_query_depends_on_anyone_else",),
    ),
    Mutation(
        "only-ordinary-exceptions-are-kept",
        "src/shoal/mechanisms/total_functions.py",
        "except BaseException:  # noqa: BLE001",
        "except Exception:  # noqa: BLE001",
        "A function that exits on one person's row tells that the row is there.",
        (f"{_TOTAL}::test_nothing_that_a_function_raises_on_rows_comes_out",),
    ),
    Mutation(
        "an-interrupt-of-the-function-passes",
        "src/shoal/mechanisms/total_functions.py",
        "            except BaseException:  # noqa: BLE001",
        "            except KeyboardInterrupt:\n                raise\n            except BaseException:  # noqa: BLE001",
        "A function that raises KeyboardInterrupt on one person's row tells that the row is there.",
        (f"{_TOTAL}::test_nothing_that_a_function_raises_on_rows_comes_out",),
    ),
    Mutation(
        "an-interrupt-of-the-operator-is-lost",
        "src/shoal/mechanisms/total_functions.py",
        "            self._raised = error\n",
        "",
        "An operator who stops a release sees it go on.",
        (
            f"{_TOTAL}::test_an_interrupt_from_the_keyboard_goes_on_to_the_caller_without_a_word_of_the_function",
        ),
    ),
    Mutation(
        "a-row-that-is-no-number-fails",
        "src/shoal/functions/rows.py",
        "if number is None or number == -math.inf:",
        "if number == -math.inf:",
        "One row without a number makes a release fail, before anything is charged.",
        (f"{_TOTAL}::test_one_hostile_row_changes_no_kind_of_outcome",),
    ),
    Mutation(
        "nan-is-no-place-on-a-curve",
        "src/shoal/functions/kernel_sums.py",
        "places = np.where(missing, low, places)",
        "places = np.asarray(places)",
        "A row that is not a number has the cell that a cast happens to give it, or none.",
        (
            f"{_TOTAL}::test_one_hostile_row_changes_no_kind_of_outcome",
            "tests/functions/test_functions.py",
        ),
    ),
    Mutation(
        "categories-of-any-size",
        "src/shoal/functions/stable_histograms.py",
        "kind is int and plain.bit_length() <= _MOST_BITS",
        "kind is int",
        "A number of thousands of digits in one row makes the release fail.",
        (f"{_TOTAL}::test_one_hostile_row_changes_no_kind_of_outcome",),
    ),
    Mutation(
        "a-category-that-cannot-be-written",
        "src/shoal/functions/stable_histograms.py",
        "return (str, row) if row.isascii() or _has_bytes(row) else None",
        "return (str, row)",
        "A told category cannot be printed or stored, and the failure shows that it was there.",
        (
            "tests/functions/test_stable_histograms.py::test_texts_that_cannot_be_written_are_in_no_category",
        ),
    ),
    Mutation(
        "a-rows-own-error-comes-out-of-a-histogram",
        "src/shoal/mechanisms/histogram.py",
        "return called(place, rows, otherwise=None)",
        "return [place(row) for row in rows]",
        "What a row raises when it is looked up says whose row it is.",
        (
            f"{_TOTAL}::test_a_row_of_a_categorys_own_type_that_fails_to_be_looked_up_is_in_no_category",
        ),
    ),
    Mutation(
        "an-answer-has-the-type-of-its-rows",
        "src/shoal/functions/any_function.py",
        "return self._mechanism.release(numbers[0])",
        "return self._mechanism.release(int(numbers[0]) if numbers[0].denominator == 1 else numbers[0])",
        "The type of an answer tells whether there were any rows.",
        (f"{_TOTAL}::test_an_answer_has_one_type_whatever_the_rows",),
    ),
    Mutation(
        "buckets-bound-a-lifetime",
        "src/shoal/local/protocols/repeated.py",
        "return self._rounds.epsilon_if_changed(reports)",
        "return self.buckets * self._rounds.lifetime_epsilon",
        "A person whose value changes is told that all reports cost no more than a number that they pass in days.",
        (f"{_HISTORIES}::test_no_number_of_values_or_buckets_bounds_a_lifetime",),
    ),
    Mutation(
        "a-change-costs-what-one-report-does",
        "src/shoal/local/protocols/repeated.py",
        "return epsilon_of_changes(self.fresh.odds, reports)",
        "return epsilon_of_changes(self.odds, reports)",
        "What a changed value costs is priced by the odds of one report, which are those of both rounds together.",
        (
            f"{_HISTORIES}::test_histories_that_differ_in_some_reports_stay_below_what_is_claimed_of_so_many",
            f"{_HISTORIES}::test_no_number_of_values_or_buckets_bounds_a_lifetime",
        ),
    ),
    Mutation(
        "permanent-rows-differ-in-one-bit",
        "src/shoal/local/protocols/oracles/unary.py",
        "return Fraction(most.numerator**bits, most.denominator**bits)",
        "return most",
        "What a changed value costs is that of one bit, although all bits of a kept row can be different.",
        (
            f"{_HISTORIES}::test_histories_that_differ_in_some_reports_stay_below_what_is_claimed_of_so_many",
        ),
    ),
    Mutation(
        "bits-beyond-the-last-value-are-a-report",
        "src/shoal/local/protocols/oracles/oracle.py",
        "if (reports[:, -1] & ((1 << -bits % 8) - 1)).any():",
        "if False:",
        "Rows that no device made are counted as people.",
        (f"{_DOORS}::test_bits_beyond_the_last_value_are_no_part_of_a_report",),
    ),
    Mutation(
        "masked-values-are-answers",
        "src/shoal/mechanisms/values.py",
        "        found = plain(value)\n    elif isinstance(value, int",
        "        found = np.asarray(value)\n    elif isinstance(value, int",
        "An answer that someone masked is sent all the same.",
        (f"{_DOORS}::test_values_that_are_no_answers_are_refused_without_being_quoted",),
    ),
    Mutation(
        "an-error-on-the-way-quotes-an-answer",
        "src/shoal/mechanisms/values.py",
        "with contextlib.suppress(Exception):",
        "with contextlib.suppress(ValueError):",
        "What goes wrong with an answer is printed with the answer in it.",
        (f"{_DOORS}::test_what_numpy_says_of_a_list_is_not_passed_on",),
    ),
    Mutation(
        "imaginary-parts-are-dropped",
        "src/shoal/mechanisms/values.py",
        """if found.dtype.kind not in ("biuf" if truths else "iuf"):""",
        """if found.dtype.kind not in "biufc":""",
        "A value that is no real number is reported as another one.",
        (f"{_DOORS}::test_values_that_are_no_answers_are_refused_without_being_quoted",),
    ),
    Mutation(
        "an-infinite-report-is-a-mean",
        "src/shoal/local/protocols/numeric/noisy_number.py",
        "if not np.isfinite(told).all():",
        "if False:",
        "One report makes the mean of all people infinite.",
        (f"{_DOORS}::test_a_mean_is_never_made_of_reports_that_are_not_finite",),
    ),
    Mutation(
        "a-choice-that-is-not-there-is-left-out",
        "src/shoal/local/protocols/attributes.py",
        "if not ((told[:, 0] >= 0) & (told[:, 0] < choices)).all():",
        "if False:",
        "Reports of another design are left out in silence, and the rest looks complete.",
        (f"{_DOORS}::test_a_report_of_a_choice_that_is_not_there_is_refused_and_not_left_out",),
    ),
    Mutation(
        "a-report-of-any-poll-is-counted",
        "src/shoal/polls/published.py",
        "if mark != self.poll.mark:",
        "if len(mark) != len(self.poll.mark):",
        "A report that was randomised with other odds is counted as one of this poll.",
        (
            "tests/polls/test_published.py::test_a_report_of_another_poll_that_looks_alike_is_refused_and_nothing_is_counted",
            "tests/polls/test_published.py::test_a_report_for_another_definition_is_refused",
        ),
    ),
)
