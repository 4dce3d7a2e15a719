"""Faults in counts by several sets of keys, measured together."""

from __future__ import annotations

from scripts.mutations.mutation import Mutation

_TESTS = "tests/query/test_batch.py"

JOINT_COUNTS = (
    Mutation(
        "people-of-many-levels-are-bounded-in-l2",
        "src/shoal/query/joint_counts.py",
        "return Bounded(self.relation, keys, (count_of(),), Norm.L1, prod(self.shape))",
        "return Bounded(self.relation, keys, (count_of(),), Norm.L2, prod(self.shape))",
        "Someone in several groups of one level adds up in the next, further than the noise was made for.",
        (f"{_TESTS}::test_a_person_in_many_groups_moves_no_level_further_than_its_noise_allows",),
    ),
    Mutation(
        "every-question-of-a-batch-takes-the-whole-budget",
        "src/shoal/query/batch_plan.py",
        "noise_for(bounded, term, means, share)",
        "noise_for(bounded, term, means, Fraction(1))",
        "A batch of many questions costs many times what was asked for.",
        (f"{_TESTS}::test_parts_of_the_budget_sum_to_the_whole",),
    ),
    Mutation(
        "a-batch-charges-its-first-question",
        "src/shoal/query/batch_plan.py",
        "each for part in self.parts for each in part.events(1)",
        "each for part in self.parts[:1] for each in part.events(1)",
        "All questions of a batch but the first are never charged.",
        (f"{_TESTS}::test_parts_of_the_budget_sum_to_the_whole",),
    ),
    Mutation(
        "a-part-of-a-cell-has-the-interval-of-the-cell",
        "src/shoal/query/joint_noise.py",
        "if others != len(groups):",
        "if False:",
        "A sum over some groups of a cell is said to be as exact as the whole cell.",
        (f"{_TESTS}::test_a_part_of_a_cell_has_no_interval_of_the_whole_cell",),
    ),
    Mutation(
        "questions-about-other-rows-are-answered-from-the-first",
        "src/shoal/query/batch.py",
        "if ask.spelled.relation != self._asks[0].spelled.relation:",
        "if False:",
        "A question with another condition gets counts of the rows of the first one.",
        (f"{_TESTS}::test_what_cannot_be_in_a_batch_is_refused_before_anything_is_spent",),
    ),
    Mutation(
        "questions-to-other-data-are-answered-from-the-first",
        "src/shoal/query/batch.py",
        "if _holder(ask.source) != _holder(self._asks[0].source):",
        "if False:",
        "A question that was asked of one dataset gets counts of another of the same name.",
        (f"{_TESTS}::test_a_question_to_other_data_of_the_same_name_is_refused",),
    ),
    Mutation(
        "the-worse-way-is-taken",
        "src/shoal/query/joint_noise.py",
        "if ratio <= 1:",
        "if ratio <= 0:",
        "Levels are measured together also where the finest groups alone would have less error.",
        (
            f"{_TESTS}::test_with_gaussian_noise_people_in_many_groups_are_added_up_from_the_finest_groups",
        ),
    ),
)

_DETAIL = "tests/workloads/test_adaptive_detail.py"

DETAIL = (
    Mutation(
        "the-table-in-detail-takes-the-whole-budget",
        "src/shoal/workloads/adaptive_detail.py",
        "table = _noise(measure, 1 - part, reach, relation, cells)",
        "table = _noise(measure, Fraction(1), reach, relation, cells)",
        "The decision of how deep to tell is never paid for.",
        (f"{_DETAIL}::test_decision_and_table_cost_what_was_asked_for",),
    ),
    Mutation(
        "a-decision-under-change-is-one-person-who-leaves",
        "src/shoal/workloads/adaptive_detail.py",
        "far = Sensitivity(root_up(reach**2 * (1 + change)), Norm.L2, relation, dimension=size)",
        "far = Sensitivity(root_up(reach**2), Norm.L2, relation, dimension=size)",
        "A person who is replaced moves two places and is hidden as one.",
        (f"{_DETAIL}::test_a_row_that_changes_moves_two_places",),
    ),
    Mutation(
        "the-finest-closed-group-has-the-say",
        "src/shoal/workloads/adaptive_detail.py",
        "for at in range(deepest - 1, -1, -1):",
        "for at in range(deepest):",
        "Places below a group that stays closed are told apart.",
        (f"{_DETAIL}::test_a_closed_group_hides_what_is_below_it",),
    ),
)
