"""Faults where budgets meet processes, copies, ends of ranges and numbers in text."""

from __future__ import annotations

from scripts.mutations.mutation import Mutation

_FORKS = "tests/owned/test_forks.py::"

PROCESSES = (
    Mutation(
        "a-forked-child-keeps-the-budget",
        "src/shoal/owned.py",
        "        if not self._is_at_home:\n            raise OwnerError(",
        "        if False:\n            raise OwnerError(",
        "A parent and its children each spend the whole of one budget in memory.",
        (f"{_FORKS}test_child_and_parent_of_a_budget_in_memory_do_not_both_spend_it",),
    ),
    Mutation(
        "processes-are-told-apart-by-number-alone",
        "src/shoal/owned.py",
        "    return _life, os.getpid()",
        "    return None, os.getpid()",
        "A grandchild that gets the number of a process that ended spends its budget again.",
        (f"{_FORKS}test_a_process_number_that_comes_again_is_not_taken_for_the_same_process",),
    ),
    Mutation(
        "a-pickle-carries-a-budget-away",
        "src/shoal/owned.py",
        "    def __reduce_ex__(self, protocol: object) -> NoReturn:\n        self._refuse_copy()",
        "    def __reduce_ex__(self, protocol: object) -> Any:\n        return type(self), (1,)",
        "Every worker process that is sent a budget spends it whole.",
        ("tests/owned/test_copies.py::test_what_can_be_spent_cannot_be_copied_or_pickled",),
    ),
    Mutation(
        "a-copied-filter-spends-again",
        "src/shoal/owned.py",
        "    def __copy__(self) -> NoReturn:\n        self._refuse_copy()",
        "    def __copy__(self) -> Any:\n        made = type(self).__new__(type(self))\n        made.__dict__.update(self.__dict__)\n        return made",
        "A copy of a filter forgets nothing and shares nothing: both can be spent.",
        ("tests/owned/test_copies.py::test_what_can_be_spent_cannot_be_copied_or_pickled",),
    ),
    Mutation(
        "a-sparse-vector-run-works-in-a-fork",
        "src/shoal/mechanisms/sparse.py",
        '        """The value in steps if it came out above."""\n        self._check_owner()\n',
        '        """The value in steps if it came out above."""\n',
        "Forty children of a run with one positive give forty positives.",
        (f"{_FORKS}test_forty_children_of_a_sparse_vector_run_get_no_positive",),
    ),
    Mutation(
        "statistical-queries-ask-people-again-in-a-fork",
        "src/shoal/local/protocols/statistical.py",
        "class StatisticalQueries(Owned):",
        "class StatisticalQueries:",
        "A class with a count of what was asked is copied, and people answer twice.",
        ("tests/owned/test_copies.py::test_a_class_that_changes_is_owned_or_has_nothing_to_spend",),
    ),
    Mutation(
        "a-forked-vault-waits-for-the-threads-of-its-parent",
        "src/shoal/vault/sources/checked_engine.py",
        "        if self._process != this_process():",
        "        if False:",
        "A question in a forked worker is charged and never answered.",
        (f"{_FORKS}test_children_of_an_open_vault_are_answered_and_pay_from_its_one_account",),
    ),
    Mutation(
        "ends-without-a-width-in-doubles",
        "src/shoal/exact/range_ends.py",
        "    if not bottom < top:",
        "    if False:",
        "Between ends whose doubles are equal a value is no number, and a report tells it.",
        ("tests/contracts/test_ranges.py",),
    ),
    Mutation(
        "ends-of-any-size",
        "src/shoal/exact/range_ends.py",
        "        if abs(end) > LARGEST_END:",
        "        if False:",
        "The width of a range is infinite, and every value between its ends the same or no number.",
        ("tests/contracts/test_ranges.py",),
    ),
    Mutation(
        "ranges-of-columns-of-any-size",
        "src/shoal/plan/meaning.py",
        "    if largest > _LARGEST or 0 < largest * _LARGEST < 1:",
        "    if False:",
        "A question is charged and then ends in an overflow.",
        ("tests/contracts/test_ranges.py",),
    ),
    Mutation(
        "noise-on-the-nearest-doubles",
        "src/shoal/exact/range_ends.py",
        "    return float_up(low), float_down(high)",
        "    return float(low), float(high)",
        "Values are further apart than the noise hides.",
        (
            "tests/contracts/test_ranges.py::test_numbers_that_get_noise_are_no_further_apart_than_the_range",
        ),
    ),
    Mutation(
        "squares-of-tiny-entries",
        "src/shoal/local/protocols/numeric/unit_vectors.py",
        "        rows = rows / largest[:, None]",
        "        rows = rows / 1",
        "A vector of tiny numbers is taken for a long one, and its report tells its direction.",
        ("tests/contracts/test_ranges.py::test_vectors_of_tiny_numbers_get_no_longer_than_others",),
    ),
    Mutation(
        "numerals-with-underscores",
        "src/shoal/exact/rational.py",
        'DECIMAL = r"[-+]?(?:[0-9]+(',
        'DECIMAL = r"[-+]?(?:[0-9][0-9_]*(',
        "A budget that was meant as 1.5 and typed as 1_5 is 15.",
        ("tests/exact/test_rational_text.py",),
    ),
    Mutation(
        "numerals-in-any-script",
        "src/shoal/exact/rational.py",
        'DECIMAL = r"[-+]?(?:[0-9]+(',
        'DECIMAL = r"[-+]?(?:\\d+(',
        "Two people read one budget as two numbers.",
        ("tests/exact/test_rational_text.py",),
    ),
    Mutation(
        "a-decimal-of-a-billion-digits-is-written-out",
        "src/shoal/plan/types.py",
        "    return 0.0 if exact.adjusted() < -_FURTHEST else",
        "    return 0.0 if exact.adjusted() < -(10**8) else",
        "One row decides whether a question is answered at all.",
        (
            "tests/exact/test_rational_text.py::test_a_decimal_in_a_row_that_would_fill_memory_is_read_at_once",
        ),
    ),
    Mutation(
        "options-read-by-int",
        "src/shoal/cli/app.py",
        "        return read_plainly(made.commands[self.name])",
        "        return made.commands[self.name]",
        "A number of people that was typed as 1_5 is 15 on the command line, and an error in Python.",
        ("tests/exact/test_rational_text.py",),
    ),
    Mutation(
        "a-second-event-fills-the-budget",
        "src/shoal/accounting/renyi_filter.py",
        "if granted is None and not any(each != 0 for each in sums) and self._is_filled_by(cost):",
        "if granted is None and self._is_filled_by(cost):",
        "After other releases one more is accepted that alone takes the whole budget.",
        (
            "tests/accounting/test_whole_budgets.py::test_an_event_for_the_whole_budget_is_refused_once_anything_was_spent",
        ),
    ),
    Mutation(
        "a-filled-budget-counts-what-is-reserved-only",
        "src/shoal/accounting/renyi_filter.py",
        "return (self.budget.delta, self.budget.epsilon, *(_FILLED for _ in self._shares))",
        "return (self.reserve, Fraction(0), *(_FILLED for _ in self._shares))",
        "A budget that one release has filled is spent once more.",
        (
            "tests/accounting/test_whole_budgets.py::test_nothing_is_left_of_a_budget_that_one_event_has_filled",
        ),
    ),
    Mutation(
        "a-whole-budget-does-not-buy-its-mechanism",
        "src/shoal/accounting/renyi_filter.py",
        "return failing is not None and room >= 0 and any(way() <= room for way in ways)",
        "return False",
        "A mechanism that was calibrated to a budget is refused by it.",
        (
            "tests/accounting/test_whole_budgets.py::test_what_was_made_for_a_budget_is_paid_by_it_and_nothing_after_it",
        ),
    ),
)
