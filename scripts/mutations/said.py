"""Faults in the text beside numbers: notes, risk sentences, amounts, and the number a refusal
suggests.
"""

from __future__ import annotations

from scripts.mutations.mutation import Mutation

_NOTES = "tests/query/test_notes.py::"

SAID = (
    Mutation(
        "a-false-condition-is-not-said",
        "src/shoal/plan/row_notes.py",
        "if column.choices is not None and value.value not in (None, *column.choices):",
        "if column.choices is None and value.value is None:",
        "Budget is spent on a condition that is false for everybody, and the answer looks like news.",
        (
            f"{_NOTES}test_a_condition_that_is_false_for_everybody_is_said_before_and_beside_the_answer",
        ),
    ),
    Mutation(
        "an-empty-column-is-not-said",
        "src/shoal/query/notes.py",
        'if term.quantity != "count" or term.argument is None:',
        "if True:",
        "A mean of no values at all is read as the middle of its range.",
        (f"{_NOTES}test_a_column_without_any_value_is_said_to_be_one",),
    ),
    Mutation(
        "a-sum-of-either-sign-is-cut",
        "src/shoal/query/estimates.py",
        "return not others and (term.lo >= 0 if sign > 0 else term.hi <= 0)",
        "return not others",
        "The interval of a sum misses its true value.",
        (f"{_NOTES}test_the_interval_of_a_sum_of_either_sign_is_not_cut",),
    ),
    Mutation(
        "bounds-are-suggested-within-the-stated-range",
        "src/shoal/query/suggested_bounds.py",
        "plain = replace(column, nullable=True, span=None, choices=None)",
        "plain = column",
        "A range that was stated wrongly is confirmed by a paid answer.",
        (f"{_NOTES}test_a_suggested_range_can_leave_the_one_that_was_stated_wrongly",),
    ),
    Mutation(
        "a-refusal-names-what-fits-with-other-noise",
        "src/shoal/query/ask.py",
        "event = self._priced(self._sized(size, delta), noise, clipped=cut).event()",
        "event = self._priced(self._sized(size, delta), made.law, clipped=cut).event()",
        "A refusal suggests a number that is then refused, too.",
        (f"{_NOTES}test_a_refusal_names_the_most_that_fits",),
    ),
    Mutation(
        "what-was-spent-is-rounded-to-nearest",
        "src/shoal/measures/one_parameter.py",
        'return f"epsilon {short_up(self.epsilon)}"',
        'return f"epsilon {float(self.epsilon):.6g}"',
        "A curator reads that less was spent than was.",
        (f"{_NOTES}test_what_was_spent_is_never_shown_as_less",),
    ),
    Mutation(
        "the-risk-is-that-of-one-account",
        "src/shoal/vault/accounts/budgets.py",
        "worst, added = max(promises, key=_told), together(promises)",
        "worst, added = max(promises, key=_told), max(promises, key=_told)",
        "Somebody in the data of two accounts is told the risk of one.",
        (
            "tests/vault/test_vault.py::test_of_several_accounts_the_risk_is_told_for_a_person_in_one_and_in_both",
        ),
    ),
)
