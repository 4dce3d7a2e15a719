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
        "if relation is Relation.CHANGE:",
        "if False:",
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
        "charge = self._source.payer.charge(plan.event, self._asked(plan, request, key))",
        "charge = self._source.payer.charge(\n            __import__('shoal').events.Composed(()), self._asked(plan, request, key)\n        )",
        "A publication is never charged.",
        (
            "tests/query/test_publication.py::test_all_tables_are_one_charge_that_is_taken_before_rows_are_read",
        ),
    ),
    Mutation(
        "errors-forget-the-smaller-sets",
        "src/shoal/workloads/residual_strategy.py",
        "part = np.multiply.outer(part, told if column in chosen else spread)",
        "part = np.multiply.outer(part, told)",
        "Standard errors are not those of the estimates.",
        (
            "tests/workloads/test_workloads.py::test_standard_errors_are_those_of_weighted_least_squares_over_all_cells",
        ),
    ),
)
