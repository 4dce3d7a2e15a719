"""Faults in both ends of what an account says."""

from __future__ import annotations

from scripts.mutations.mutation import Mutation

_TESTS = "tests/accounting/test_lower_ends.py::"

BRACKETS = (
    Mutation(
        "deltas-add-up-to-less-than-they-are",
        "src/shoal/accounting/failing.py",
        "return 1 - math.prod(((1 - delta) ** n for delta, n in deltas.items()), start=Fraction(1))",
        "return max(deltas, default=Fraction(0))",
        "Many promises with a delta are accounted for as one of them.",
        (f"{_TESTS}test_what_promises_with_deltas_need_is_the_optimal_composition",),
    ),
    Mutation(
        "a-sample-of-a-sample-is-sampled-three-times",
        "src/shoal/accounting/unfold.py",
        "rate=event.rate * inside.rate",
        "rate=event.rate * inside.rate**2",
        "Whoever samples twice is promised more than sampling gives.",
        (
            f"{_TESTS}test_a_sample_of_a_sample_costs_what_one_sample_at_the_product_of_the_rates_costs",
        ),
    ),
    Mutation(
        "a-sample-of-another-population-is-merged",
        "src/shoal/accounting/unfold.py",
        "and inside.population == event.sample",
        "and inside.population <= event.sample",
        "A sample of fixed size is priced as a smaller one than it is.",
        (f"{_TESTS}test_a_sample_of_fixed_size_of_such_a_sample_is_one_sample",),
    ),
    Mutation(
        "a-lower-end-that-nothing-attains",
        "src/shoal/accounting/distributions.py",
        "return not more and inside[line] == 1 and law is not None and len(law) == 1",
        "return True",
        "The account says that a promise cannot be better than it is.",
        (f"{_TESTS}test_samples_that_share_an_outer_sample_claim_no_lower_end",),
    ),
    Mutation(
        "a-smoothed-payoff-below-the-payoff",
        "src/shoal/measures/loss/kernel.py",
        "return ORDER * a * a * (1 - a * a / 30) / 6",
        "return 0.0",
        "The upper bound on epsilon is too low, because smoothing lowers delta.",
        (
            "tests/measures/loss/test_smoothed.py::test_the_smoothed_payoff_lies_between_the_payoff_and_the_bump_above_it",
        ),
    ),
    Mutation(
        "fine-cells-count-as-their-lower-ends",
        "src/shoal/measures/loss/fine_cells.py",
        "place = np.minimum(1.0, self.place + self._doubt)",
        "place = 0 * self._doubt",
        "The upper bound on epsilon is too low, because losses are rounded down.",
        ("tests/measures/loss/test_smoothed.py::test_one_release_lies_between_its_twins",),
    ),
    Mutation(
        "fine-cells-count-as-their-upper-ends",
        "src/shoal/measures/loss/fine_cells.py",
        "place = np.maximum(0.0, self.place - self._doubt)",
        "place = 1 - 0 * self._doubt",
        "The lower bound on epsilon is too high, because losses are rounded up.",
        ("tests/measures/loss/test_smoothed.py::test_one_release_lies_between_its_twins",),
    ),
    Mutation(
        "splines-that-are-not-divided-by-their-transform",
        "src/shoal/measures/loss/nonuniform.py",
        "/ fading - total",
        "- total",
        "Both ends of an epsilon are wrong, because far losses count for less at high frequencies.",
        ("tests/measures/loss/test_nonuniform.py::test_every_value_is_within_its_doubt",),
    ),
    Mutation(
        "a-lattice-with-steps-that-its-cells-do-not-have",
        "src/shoal/measures/loss/search.py",
        "return Setting(place.tilt, place.arc, self._step, kernel",
        "return Setting(place.tilt, place.arc, min(self._step, place.arc / 64), kernel",
        "Losses on long steps count as if they lay elsewhere.",
        (
            "tests/measures/loss/test_nonuniform.py::test_a_line_is_taken_with_the_steps_of_its_cells",
        ),
    ),
)
