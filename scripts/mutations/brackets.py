"""Faults in both ends of what an account says."""

from __future__ import annotations

from scripts.mutations.mutation import Mutation

_TESTS = "tests/accounting/test_lower_ends.py::"
_GROUPS = "tests/accounting/test_group_in_sample.py::"
_LEVELS = "tests/loss/test_delta_levels.py::"
_MIXTURES = "tests/loss/test_mixture_normal.py::"

BRACKETS = (
    Mutation(
        "a-sample-of-fixed-size-loses-only-one-way",
        "src/shoal/loss/fixed_size.py",
        "atoms += [(sampled, (1 - rate) * plain + rate * mass), (-sampled, plain)]",
        "atoms += [(sampled, (1 - rate) * plain), (-sampled, plain)]",
        "Whoever is in a sample of fixed size is charged less than it costs.",
        (
            "tests/loss/test_fixed_size.py::test_no_function_of_a_sample_needs_more_and_one_needs_as_much",
        ),
    ),
    Mutation(
        "the-least-part-stands-for-all",
        "src/shoal/loss/largest.py",
        "best = np.argmax([one.gains for one in tails], axis=0)",
        "best = np.argmin([one.gains for one in tails], axis=0)",
        "A person in the worst of several parts is charged for the best one.",
        ("tests/loss/test_largest.py::test_several_releases_need_what_the_largest_law_needs",),
    ),
    Mutation(
        "several-releases-from-unlike-parts-claim-a-lower-end",
        "src/shoal/accounting/parallel_loss.py",
        "attained = alone and all(one.attained for one in losses)",
        "attained = all(one.attained for one in losses)",
        "The account says that a promise cannot be better than it is.",
        (
            "tests/accounting/test_parallel_loss.py::test_several_such_releases_cost_at_least_every_part_so_often_and_claim_no_lower_end",
        ),
    ),
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
        "src/shoal/accounting/kinds/sampled.py",
        "rate=event.rate * inside.rate",
        "rate=event.rate * inside.rate**2",
        "Whoever samples twice is promised more than sampling gives.",
        (
            f"{_TESTS}test_a_sample_of_a_sample_costs_what_one_sample_at_the_product_of_the_rates_costs",
        ),
    ),
    Mutation(
        "a-sample-of-another-population-is-merged",
        "src/shoal/accounting/kinds/sampled.py",
        "and inside.population == event.sample",
        "and inside.population <= event.sample",
        "A sample of fixed size is priced as a smaller one than it is.",
        (f"{_TESTS}test_a_sample_of_fixed_size_of_such_a_sample_is_one_sample",),
    ),
    Mutation(
        "a-lower-end-that-nothing-attains",
        "src/shoal/accounting/kinds/sampled.py",
        "return pure_loss(epsilon, attained=False)",
        "return pure_loss(epsilon)",
        "The account says that a promise cannot be better than it is.",
        (f"{_TESTS}test_samples_that_share_an_outer_sample_claim_no_lower_end",),
    ),
    Mutation(
        "a-smoothed-payoff-below-the-payoff",
        "src/shoal/loss/kernel.py",
        "return ORDER * a * a * (1 - a * a / 30) / 6",
        "return 0.0",
        "The upper bound on epsilon is too low, because smoothing lowers delta.",
        (
            "tests/loss/test_smoothed.py::test_the_smoothed_payoff_lies_between_the_payoff_and_the_bump_above_it",
        ),
    ),
    Mutation(
        "fine-cells-count-as-their-lower-ends",
        "src/shoal/loss/fine_cells.py",
        "place = np.minimum(1.0, self.place + self._doubt)",
        "place = 0 * self._doubt",
        "The upper bound on epsilon is too low, because losses are rounded down.",
        ("tests/loss/test_smoothed.py::test_one_release_lies_between_its_twins",),
    ),
    Mutation(
        "fine-cells-count-as-their-upper-ends",
        "src/shoal/loss/fine_cells.py",
        "place = np.maximum(0.0, self.place - self._doubt)",
        "place = 1 - 0 * self._doubt",
        "The lower bound on epsilon is too high, because losses are rounded up.",
        ("tests/loss/test_smoothed.py::test_one_release_lies_between_its_twins",),
    ),
    Mutation(
        "of-a-group-nobody-comes",
        "src/shoal/accounting/group_in_sample.py",
        "sampled_group_loss(removed, size - removed, rate",
        "sampled_group_loss(removed, 0, rate",
        "A group of which some come while others go is promised more than it gets.",
        (f"{_GROUPS}test_of_a_group_any_number_may_go_while_the_others_come",),
    ),
    Mutation(
        "a-change-is-a-row-that-goes",
        "src/shoal/accounting/group_in_sample.py",
        "sampled_group_loss(rows, rows, rate",
        "sampled_group_loss(rows, 0, rate",
        "A row of a sample that changes is priced as one that goes.",
        (f"{_GROUPS}test_a_change_is_a_row_that_goes_and_one_that_comes",),
    ),
    Mutation(
        "groups-of-two-sizes-claim-a-lower-end",
        "src/shoal/accounting/release_loss.py",
        "attained=all(each.attained for each in every) and len(sizes) <= 1,",
        "attained=all(each.attained for each in every),",
        "The account says that a promise to groups of two sizes cannot be better than it is.",
        (f"{_GROUPS}test_groups_of_two_sizes_are_in_all_their_cases_and_claim_no_lower_end",),
    ),
    Mutation(
        "groups-of-two-sizes-are-in-one-case",
        "src/shoal/loss/distribution.py",
        "            for case, sources in fitting\n        ]",
        "            for case, sources in fitting[:1]\n        ]",
        "The dearest case of a group is left out.",
        (f"{_MIXTURES}test_groups_of_one_size_share_their_cases_and_others_combine_them",),
    ),
    Mutation(
        "rows-that-come-pull-the-same-way",
        "src/shoal/loss/normal_mixtures.py",
        "weight * normal_masses(ends, -distance)",
        "weight * normal_masses(ends, distance)",
        "Rows that go and rows that come are taken as moving the sum the same way.",
        (f"{_MIXTURES}test_one_release_costs_what_an_integral_says",),
    ),
    Mutation(
        "a-group-is-sampled-as-a-whole",
        "src/shoal/loss/mixture_normal.py",
        "(i * mu, float(",
        "(mu, float(",
        "However many of a group are in the sample, the sum moves as far as with one of them.",
        (f"{_MIXTURES}test_no_rows_on_a_plane_need_more_than_the_pair_on_a_line",),
    ),
    Mutation(
        "splines-that-are-not-divided-by-their-transform",
        "src/shoal/loss/nonuniform.py",
        "/ fading - total",
        "- total",
        "Both ends of an epsilon are wrong, because far losses count for less at high frequencies.",
        ("tests/loss/test_nonuniform.py::test_every_value_is_within_its_doubt",),
    ),
    Mutation(
        "a-lattice-with-steps-that-its-cells-do-not-have",
        "src/shoal/loss/inversion_search.py",
        "            frequency *= 1.1\n        return Setting(place.tilt, place.arc, self._step, kernel, frequency, place.aside)\n\n    def _place(",
        "            frequency *= 1.1\n        return Setting(place.tilt, place.arc, min(self._step, place.arc / 64), kernel, frequency, place.aside)\n\n    def _place(",
        "Losses on long steps count as if they lay elsewhere.",
        ("tests/loss/test_nonuniform.py::test_a_line_is_taken_with_the_steps_of_its_cells",),
    ),
    Mutation(
        "delta-is-read-off-one-level",
        "src/shoal/loss/delta_levels.py",
        "levels = [each for each in likely if each not in tried]",
        "levels = []",
        "delta at an epsilon that was found for a delta comes out above that delta.",
        (f"{_LEVELS}test_delta_is_not_above_the_one_an_epsilon_was_found_for",),
    ),
    Mutation(
        "an-epsilon-that-is-not-asked-back",
        "src/shoal/loss/distribution.py",
        "        if there.high <= target:\n",
        "        if there.high <= 2 * target:\n",
        "delta at an epsilon that was found for a delta comes out above that delta.",
        (f"{_LEVELS}test_an_epsilon_gives_way_until_its_delta_fits",),
    ),
    Mutation(
        "a-floor-that-hides-a-larger-delta",
        "src/shoal/loss/delta_levels.py",
        "return found.most(low) <= floor",
        "return found.least(low) <= floor",
        "A delta above that of the other direction is told as if it were not.",
        (f"{_LEVELS}test_what_lies_below_a_floor_is_told_as_the_floor_and_nothing_else_is",),
    ),
    Mutation(
        "one-more-release-that-takes-away",
        "src/shoal/loss/kernel.py",
        "np.exp(orders * (1 + orders) * self.mu**2 / 2)",
        "np.exp(orders * (orders - 1) * self.mu**2 / 2)",
        "The upper end of an epsilon is below the truth.",
        (f"{_LEVELS}test_the_kernel_is_one_more_release_of_gaussian_noise",),
    ),
)
