"""Faults in local privacy, polls and the release of functions."""

from __future__ import annotations

from scripts.mutations.mutation import Mutation

PRACTICE = (
    Mutation(
        "a-matrix-has-its-smallest-ratio",
        "src/shoal/local/odds.py",
        "return max(Fraction(most, least) for most, least in columns)",
        "return min(Fraction(most, least) for most, least in columns)",
        "The report that gives most away is left out of epsilon.",
        (
            "tests/local/test_transition.py::test_epsilon_is_the_largest_log_ratio_over_all_pairs_of_answers",
        ),
    ),
    Mutation(
        "odds-above-the-epsilon",
        "src/shoal/local/odds.py",
        "return Fraction(*low)",
        "return Fraction(*high)",
        "Every respondent tells the truth a little more often than was promised.",
        ("tests/local/test_transition.py::test_odds_for_an_epsilon_are_the_largest_below_it",),
    ),
    Mutation(
        "truth-and-lie-are-swapped",
        "src/shoal/local/odds.py",
        "return self.same if answer == report else self.other",
        "return self.other if answer == report else self.same",
        "What is printed about a report is the opposite of what was sent.",
        (
            "tests/local/test_transition.py::test_every_number_below_the_total_leads_to_a_report_with_exactly_its_chance",
        ),
    ),
    Mutation(
        "the-truth-has-one-number-more",
        "src/shoal/local/odds.py",
        "if before <= drawn < before + self.same:",
        "if before <= drawn <= before + self.same:",
        "The truth is told more often than the published odds say.",
        (
            "tests/local/test_transition.py::test_every_number_below_the_total_leads_to_a_report_with_exactly_its_chance",
        ),
    ),
    Mutation(
        "many-truths-at-once",
        "src/shoal/local/odds.py",
        "kept = later & (drawn < before + self.same)",
        "kept = later & (drawn <= before + self.same)",
        "Where many answers are randomised at once, the truth is told more often than promised.",
        ("tests/local/test_transition.py::test_whole_vectors_are_placed_like_single_numbers",),
    ),
    Mutation(
        "unary-odds-of-one-bit",
        "src/shoal/local/protocols/oracles/unary.py",
        'object.__setattr__(self, "odds", own * (1 - other) / (other * (1 - own)))',
        'object.__setattr__(self, "odds", own / other)',
        "Two bits change with a value, and one is charged.",
        (
            "tests/local/protocols/oracles/test_oracles.py::test_the_largest_ratio_over_all_pairs_of_values_is_exactly_the_odds",
        ),
    ),
    Mutation(
        "a-lifetime-of-one-bit",
        "src/shoal/local/protocols/oracles/unary.py",
        "return ((1 - self.noise / 2) / (self.noise / 2)) ** 2",
        "return (1 - self.noise / 2) / (self.noise / 2)",
        "What all reports of a lifetime tell is said to be half of it.",
        (
            "tests/local/protocols/oracles/test_rappor.py::test_all_reports_of_a_lifetime_cost_the_largest_ratio_of_the_permanent_bits",
        ),
    ),
    Mutation(
        "hadamard-tells-more-truth",
        "src/shoal/local/protocols/oracles/hadamard.py",
        "told = np.flatnonzero(truthful((self.odds - 1) / self._total, len(values)))",
        "told = np.flatnonzero(truthful(self.odds / self._total, len(values)))",
        "Reports lean more to their sender than epsilon says.",
        (
            "tests/local/protocols/oracles/test_oracles.py::test_reports_have_their_stated_law_and_not_that_of_another_value",
        ),
    ),
    Mutation(
        "unit-vectors-without-slack",
        "src/shoal/local/protocols/numeric/unit_vectors.py",
        "wide, narrow = (_beyond(ball(self.cut + s)) for s in (-slack, slack))",
        "wide, narrow = (_beyond(ball(self.cut + s)) for s in (slack, -slack))",
        "Rounding a vector lets a report cost more than it says.",
        (
            "tests/local/protocols/numeric/test_unit_vectors.py::test_the_cost_of_a_unit_vector_is_a_little_above_the_logarithm_of_its_lean",
        ),
    ),
    Mutation(
        "several-questions-for-one-epsilon-each",
        "src/shoal/polls/poll.py",
        'positive(epsilon, "epsilon") / max(1, len(questions))',
        'positive(epsilon, "epsilon")',
        "A poll of five questions costs five times what its page says.",
        ("tests/polls/test_poll.py::test_an_epsilon_is_shared_equally_by_the_questions",),
    ),
    Mutation(
        "a-report-costs-its-dearest-question",
        "src/shoal/polls/poll.py",
        "        made *= each.ratio\n",
        "        made = max(made, each.ratio)\n",
        "Respondents are told the price of one question for all of them.",
        (
            "tests/polls/test_poll.py::test_the_epsilon_of_an_arm_is_the_logarithm_of_the_product_of_its_ratios",
        ),
    ),
    Mutation(
        "two-questions-hidden-by-one-die",
        "src/shoal/polls/poll.py",
        "    if len(set(own)) != len(own):\n",
        "    if False:\n",
        "Whoever compares the two replies learns whether the true answers are the same.",
        ("tests/polls/test_poll.py::test_two_questions_are_not_hidden_by_one_harmless_question",),
    ),
    Mutation(
        "an-answer-is-drawn-anew-when-it-is-changed",
        "src/shoal/polls/client.py",
        "design.law.place(place, drawn) if design.way == DEVICE else place",
        "design.law.report(place) if design.way == DEVICE else place",
        "A respondent who looks at what is sent and changes back can be watched until it is the truth.",
        (
            "tests/polls/test_client.py::test_the_texts_of_the_whole_client_have_exactly_the_law_of_the_definition",
        ),
    ),
    Mutation(
        "the-browser-tells-the-truth-more-often",
        "src/shoal/server/static/client.js",
        "if (told < 0 && u < reached) told = y;",
        "if (told < 0 && u <= reached) told = y;",
        "The page sends the truth more often than the published odds say.",
        (
            "tests/server/test_client_script.py::test_the_script_that_is_served_makes_the_same_reports_as_python_bit_for_bit",
        ),
        needs="node",
    ),
    Mutation(
        "the-browser-draws-by-remainder",
        "src/shoal/server/static/client.js",
        "if (word < total) return word;",
        "return word % total;",
        "Small numbers come too often in the respondent's browser, and so does one of the answers.",
        (
            "tests/server/test_client_script.py::test_the_script_that_is_served_makes_the_same_reports_as_python_bit_for_bit",
        ),
        needs="node",
    ),
    Mutation(
        "numbers-of-invitations-are-kept",
        "src/shoal/polls/published.py",
        'kept = digest(f"{self.poll.mark}\\n{once}")',
        "kept = once",
        "The file holds the links that were sent, by which everybody is known.",
        ("tests/polls/test_published.py::test_only_invitations_count_where_people_are_invited",),
    ),
    Mutation(
        "invitations-in-the-order-of-the-list",
        "src/shoal/polls/published.py",
        'kept = sorted(digest(f"{self.poll.mark}\\n{number}") for number in numbers)',
        'kept = [digest(f"{self.poll.mark}\\n{number}") for number in numbers]',
        "The third line of the file is the third person of the list, with whether they answered.",
        (
            "tests/polls/test_published.py::test_the_file_does_not_tell_in_which_order_people_were_invited",
        ),
    ),
    Mutation(
        "closing-keeps-the-order",
        "src/shoal/polls/published.py",
        "            self._tally.settle(transaction)\n",
        "",
        "The file of a closed poll tells in which order people answered.",
        (
            "tests/polls/test_published.py::test_a_closed_poll_does_not_tell_in_which_order_numbers_came",
        ),
    ),
    Mutation(
        "smooth-weights-fall-too-fast",
        "src/shoal/functions/smooth/statistic.py",
        "weight = -(-weight * keep.numerator // keep.denominator)",
        "weight = -(-weight * keep.numerator**2 // keep.denominator**2)",
        "The width of the noise jumps between neighbours, and the jump is seen.",
        (
            "tests/functions/smooth/test_trimmed_sensitivities.py::test_smooth_sensitivity_is_smooth_and_no_less_than_the_local_one",
        ),
    ),
    Mutation(
        "smooth-laplace-spends-epsilon-twice",
        "src/shoal/functions/smooth/laplace.py",
        "return self.share * self.epsilon",
        "return self.epsilon",
        "All of epsilon hides the value, and the width of the noise is free.",
        (
            "tests/functions/smooth/test_smooth.py::test_thin_tails_keep_their_epsilon_and_delta_for_all_neighbours",
        ),
    ),
    Mutation(
        "smooth-gaussian-forgets-the-width",
        "src/shoal/functions/smooth/gaussian.py",
        "delta = lower(lambda: ball(self.delta / 2) * ball(-self._spare).exp())",
        "delta = self.delta / 2",
        "The delta of the value grows with the width of the noise, and is not charged so.",
        (
            "tests/functions/smooth/test_smooth.py::test_moving_the_centre_of_normal_noise_costs_half_of_delta_after_the_width_has_grown_it",
        ),
    ),
    Mutation(
        "smooth-cauchy-ignores-the-width",
        "src/shoal/functions/smooth/cauchy.py",
        "return min(lower(lambda: room().sqrt()), lower(lambda: squeezed().sqrt()))",
        "return lower(lambda: room().sqrt())",
        "A value that moves while the width changes is hidden for one of both.",
        (
            "tests/functions/smooth/test_smooth.py::test_alpha_of_cauchy_noise_is_the_largest_there_is",
        ),
    ),
    Mutation(
        "proposed-bounds-pass-too-early",
        "src/shoal/functions/propose_test_release.py",
        "if distance + test.one() < self.threshold:",
        "if distance + test.one() < self.threshold - 1:",
        "Data next to an unstable dataset are answered more often than delta.",
        ("tests/functions/test_propose_test_release.py::test_releases_have_this_law_and_no_other",),
    ),
    Mutation(
        "proposed-answer-takes-all-of-epsilon",
        "src/shoal/functions/propose_test_release.py",
        "return moved / ((1 - self.share) * self.epsilon)",
        "return moved / self.epsilon",
        "The test and the answer cost more than epsilon together.",
        ("tests/functions/test_propose_test_release.py::test_releases_have_this_law_and_no_other",),
    ),
    Mutation(
        "a-category-of-one-is-told",
        "src/shoal/functions/stable.py",
        "return 1 + rarely_reached(self._moved / self.epsilon, self.delta)",
        "return rarely_reached(self._moved / self.epsilon, self.delta)",
        "A category that one person has is told more often than delta.",
        (
            "tests/functions/test_stable.py::test_a_histogram_is_private_for_every_row_that_comes_or_goes",
        ),
    ),
    Mutation(
        "a-mode-may-fall-with-one-change",
        "src/shoal/functions/stable.py",
        "(lead - 1) // 2 if self.relation is Relation.CHANGE else lead - 1)",
        "lead // 2 if self.relation is Relation.CHANGE else lead)",
        "The mode is told for sure where one person decides it.",
        ("tests/functions/test_stable.py::test_a_mode_is_private_for_all_small_tables",),
    ),
    Mutation(
        "rarely-means-twice-as-often",
        "src/shoal/functions/thresholds.py",
        "return max(1, math.ceil(upper(place)))",
        "return max(1, math.floor(upper(place)))",
        "Rare categories and unstable data pass a threshold that is one too low.",
        (
            "tests/functions/test_stable.py::test_a_histogram_is_private_for_every_row_that_comes_or_goes",
        ),
    ),
    Mutation(
        "a-sampled-sensitivity-is-believed",
        "src/shoal/functions/privatizing.py",
        "        if self.sampled is None:\n            return self._mechanism.cost\n",
        "        if True:\n            return self._mechanism.cost\n",
        "A promise for most people is charged and told as one for all.",
        (
            "tests/functions/test_privatizing.py::test_a_sampled_sensitivity_makes_a_random_promise_that_no_budget_pays",
        ),
    ),
    Mutation(
        "the-sample-is-cut-too-low",
        "src/shoal/functions/sampling_plan.py",
        "math.ceil((samples + 1) * (1 - share))",
        "math.ceil(samples * (1 - share))",
        "More people than gamma are left out of a sampled sensitivity.",
        ("tests/functions/test_sampler.py::test_the_exact_rule_needs_far_fewer",),
    ),
    Mutation(
        "a-failing-function-shows",
        "src/shoal/functions/aggregate.py",
        "called(function, blocks, read=exact_number, otherwise=self.otherwise)",
        "[exact_number(function(block)) for block in blocks]",
        "A function that fails on one person's row tells that the row is there.",
        ("tests/functions/test_aggregate.py::test_answers_have_this_law_and_no_other",),
    ),
    Mutation(
        "vectors-change-by-one-length",
        "src/shoal/functions/summed.py",
        "    return 2 * longest\n",
        "    return longest\n",
        "A row that changes moves the lattice twice as far as its noise was made for.",
        (
            "tests/functions/test_functions.py::test_no_neighbours_are_further_apart_than_the_sensitivity",
        ),
    ),
)
