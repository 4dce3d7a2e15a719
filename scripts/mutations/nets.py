"""Faults in the training of networks."""

from __future__ import annotations

from scripts.mutations.mutation import Mutation

_HERE = "tests/learning/nets"
_NETS = "src/shoal/learning/nets"
_ROWS = f"{_HERE}/test_row_gradients.py"
_LOOP = f"{_HERE}/test_network_training.py"
_PLAN = f"{_HERE}/test_step_plan.py"
_CORRELATED = f"{_HERE}/test_correlated_plan.py"
_NEIGHBOURS = f"{_CORRELATED}::test_one_unit_more_moves_all_measurements_by_no_more_than_is_claimed"
_BANDED = "tests/workloads/test_banded_matrix.py"
_MATRIX = "src/shoal/workloads/banded_matrix.py"

NETS = (
    Mutation(
        "a-long-gradient-stays-long",
        f"{_NETS}/gradient_grid.py",
        "torch.minimum(whole_clip, LENGTH / lengths) * _ROOM",
        "whole_clip * _ROOM",
        "Long gradients are not scaled down, and so dropped: rows count for nothing.",
        (f"{_HERE}/test_gradient_grid.py",),
    ),
    Mutation(
        "the-length-on-the-grid-is-not-checked",
        f"{_NETS}/gradient_grid.py",
        "steps[~(squares <= float(LENGTH * LENGTH))] = 0.0",
        "steps[squares < 0.0] = 0.0",
        "A gradient that is not finite makes the whole sum so, which tells that somebody has it.",
        (f"{_HERE}/test_gradient_grid.py",),
    ),
    Mutation(
        "clipped-gradients-are-a-little-too-long",
        f"{_NETS}/gradient_grid.py",
        "_ROOM = 1 - 2.0**-20",
        "_ROOM = 1 + 2.0**-10",
        "Clipped gradients are too long, and all of them are dropped.",
        (f"{_HERE}/test_gradient_grid.py",),
    ),
    Mutation(
        "everybody-is-in-every-sample",
        f"{_NETS}/step_plan.py",
        "return self._coin.many(units)",
        "return np.ones(units, dtype=bool)",
        "Nobody is hidden by coins that the price counts on.",
        (f"{_PLAN}::test_samples_have_every_size_as_often_as_independent_coins_give_it",),
    ),
    Mutation(
        "one-sample-serves-all-steps",
        f"{_NETS}/step_sums.py",
        "        self._is_sampled = False\n        return super()",
        "        return super()",
        "A sample is used again, which costs far more than fresh ones.",
        (f"{_PLAN}::test_samples_have_every_size_as_often_as_independent_coins_give_it",),
    ),
    Mutation(
        "a-step-is-released-without-a-sample",
        f"{_NETS}/step_sums.py",
        "if not self._is_sampled:",
        "if self._is_sampled is None:",
        "A step without coins of its own tells more than it costs.",
        (f"{_PLAN}::test_a_step_needs_one_sample_and_is_released_once",),
    ),
    Mutation(
        "steps-are-priced-as-one",
        f"{_NETS}/step_plan.py",
        "return Repeated(one if rate == 1 else PoissonSampled(one, rate), count)",
        "return Repeated(one if rate == 1 else PoissonSampled(one, rate), 1)",
        "Two hundred steps cost as much as one.",
        (f"{_PLAN}::test_an_event_says_how_often_at_which_rate_and_of_what",),
    ),
    Mutation(
        "a-person-with-three-rows-counts-as-one-row",
        f"{_NETS}/step_plan.py",
        "moved = sensitivity_of(sums[0], reach, Relation.ADD_REMOVE)",
        "moved = sensitivity_of(sums[0], 1, Relation.ADD_REMOVE)",
        "People with many rows are protected like one row.",
        (f"{_PLAN}::test_more_rows_of_a_person_have_more_noise",),
    ),
    Mutation(
        "rows-of-a-person-toss-coins-of-their-own",
        f"{_NETS}/network_training.py",
        "    taken = sums.sample(int(owners.max(initial=-1)) + 1)\n"
        "    return np.flatnonzero(taken[owners]).astype(np.int64)",
        "    taken = sums.sample(len(owners))\n    return np.flatnonzero(taken).astype(np.int64)",
        "A person with two rows is in more samples than the price says.",
        (f"{_LOOP}::test_a_person_is_sampled_with_all_rows_that_count_and_no_more",),
    ),
    Mutation(
        "copies-of-one-row-toss-coins-of-their-own",
        "src/shoal/query/training.py",
        "if planned.samples_units and rows > 1",
        "if planned.samples_units and rows > 1000",
        "A row that a join makes twenty of is in most samples, and is priced for one in twenty.",
        (
            (
                f"{_HERE}/test_neural_net.py::"
                "test_rows_that_a_join_makes_of_one_are_not_sampled_one_by_one"
            ),
        ),
    ),
    Mutation(
        "a-search-forgets-whose-rows-are-sampled",
        "src/shoal/learning/search_runs.py",
        "            held[OWNERS] = numbers[kept]\n",
        "",
        "Rows of a person toss coins of their own within a search.",
        ((f"{_HERE}/test_neural_net.py::test_rows_of_a_person_are_sampled_together_in_a_search"),),
    ),
    Mutation(
        "weights-grow-without-end",
        f"{_NETS}/averaged_adam.py",
        "self.weights = np.clip(moved, -LARGEST_WEIGHT, LARGEST_WEIGHT)",
        "self.weights = moved",
        "Weights become infinite, and 0 times them is no number: rows decide what is warned of.",
        (f"{_HERE}/test_averaged_adam.py",),
    ),
    Mutation(
        "any-learning-rate-is-taken",
        f"{_NETS}/averaged_adam.py",
        "if found > LARGEST_RATE:",
        "if found > LARGEST_RATE * 10**400:",
        "A training that can only overflow is paid for.",
        (f"{_HERE}/test_averaged_adam.py",),
    ),
    Mutation(
        "warnings-of-a-training-tell-about-rows",
        "src/shoal/learning/estimator.py",
        'with np.errstate(all="ignore"):',
        "with np.errstate():",
        "Whether a training warns, or fails, depends on single rows.",
        (f"{_HERE}/test_neural_net.py::test_no_warning_and_no_error_of_numpy_tells_about_rows",),
    ),
    Mutation(
        "warnings-of-a-search-tell-about-rows",
        "src/shoal/learning/search_runs.py",
        'with np.errstate(all="ignore"):',
        "with np.errstate():",
        "Whether a search warns, or fails, depends on single rows.",
        (f"{_HERE}/test_neural_net.py::test_no_warning_and_no_error_of_numpy_tells_about_rows",),
    ),
    Mutation(
        "what-is-no-number-becomes-the-smallest-whole-number",
        "src/shoal/learning/held_out_scores.py",
        "np.clip(np.nan_to_num(model._scores(arrays)), -16.0, 16.0)",
        "np.clip(model._scores(arrays), -16.0, 16.0)",
        "What a cast makes of NaN depends on the processor.",
        (
            (
                f"{_HERE}/test_neural_net.py::"
                "test_a_prediction_that_is_no_number_is_scored_by_its_row_alone"
            ),
        ),
    ),
    Mutation(
        "three-classes-are-scored-as-two",
        "src/shoal/learning/held_out_scores.py",
        "if isinstance(model, SeveralClassClassifier) and classes > 2:",
        "if isinstance(model, SeveralClassClassifier) and classes > 3:",
        "A search compares networks by one of three classes.",
        (f"{_HERE}/test_neural_net.py::test_a_network_of_three_classes_is_scored_by_all_of_them",),
    ),
    Mutation(
        "empty-places-count",
        f"{_NETS}/row_gradients.py",
        "        steps[empty] = 0.0\n",
        "",
        "What is added depends on how many places stayed empty, so on all other rows.",
        (f"{_ROWS}::test_one_row_more_adds_its_own_short_vector_and_moves_no_other",),
    ),
    Mutation(
        "chunks-are-as-wide-as-the-sample",
        f"{_NETS}/secret_batches.py",
        "made = np.full((int(line.max(initial=-1)) + 1, slots), -1, dtype=np.int64)\n"
        "    made[line, ordered] = rows[order]",
        "made = rows[None, :]",
        "How a row is rounded depends on how many others there are.",
        (f"{_HERE}/test_secret_batches.py",),
    ),
    Mutation(
        "a-network-may-remember",
        f"{_NETS}/row_gradients.py",
        "is_kept = before == snapshot(self._torch, self._network, self._loss)",
        "is_kept = True",
        "A layer carries something of one row into the gradients of others.",
        (f"{_ROWS}::test_a_network_in_which_rows_do_not_stand_alone_is_refused",),
    ),
    Mutation(
        "what-a-loss-holds-is-not-looked-at",
        f"{_NETS}/module_snapshot.py",
        "parts += list(loss.modules())",
        "pass",
        "A loss that counts its calls weighs rows by how many came before them.",
        (f"{_ROWS}::test_a_loss_that_remembers_calls_is_refused",),
    ),
    Mutation(
        "a-network-is-tried-once",
        f"{_NETS}/row_gradients.py",
        "_TRIED, _TRIES = (0.0, 0.5), 4",
        "_TRIED, _TRIES = (0.0, 0.5), 1",
        "A loss that changes from call to call is taken.",
        (f"{_ROWS}::test_a_loss_that_remembers_calls_is_refused",),
    ),
    Mutation(
        "what-cannot-be-compared-is-taken",
        f"{_NETS}/row_gradients.py",
        "if before is None:",
        "if before == b'':",
        "A network with a generator in it goes on from row to row, and nobody looks.",
        (f"{_ROWS}::test_a_network_in_which_rows_do_not_stand_alone_is_refused",),
    ),
    Mutation(
        "a-network-may-draw-chance",
        f"{_NETS}/row_gradients.py",
        'randomness="error"',
        'randomness="same"',
        "One draw serves all rows of a chunk, so a row's gradient depends on which are beside it.",
        (f"{_ROWS}::test_a_network_in_which_rows_do_not_stand_alone_is_refused",),
    ),
    Mutation(
        "a-training-is-begun-twice",
        f"{_NETS}/network_training.py",
        "            self._is_begun = True\n",
        "",
        "Every step is released a second time, and paid for once.",
        (f"{_LOOP}::test_a_training_is_begun_once_and_cannot_be_copied",),
    ),
    Mutation(
        "rows-without-a-target-count",
        f"{_NETS}/neural_net.py",
        "taken[known[taken]]",
        "taken",
        "Rows that nobody meant to count push the network to the first class.",
        (f"{_HERE}/test_neural_net.py::test_a_row_without_a_declared_target_adds_nothing",),
    ),
    Mutation(
        "a-sampled-event-fills-a-budget-that-it-exceeds",
        "src/shoal/accounting/renyi_filter.py",
        "ways.append(lambda: sampled)",
        "ways.append(lambda: Fraction(0))",
        "A training that costs far more than the budget is let through.",
        ("tests/accounting/test_budget_filters.py",),
    ),
    Mutation(
        "a-failing-row-silences-its-chunk",
        "src/shoal/learning/nets/row_gradients.py",
        "found = self._one_by_one(held, wanted)",
        "found = self._torch.zeros((self.slots, self.size))",
        "One row on which the network fails takes the gradients of up to 63 others with it.",
        (
            (
                "tests/learning/nets/test_row_gradients.py::"
                "test_a_row_on_which_the_network_fails_adds_zeros_and_changes_no_other"
            ),
        ),
    ),
    Mutation(
        "a-unit-meets-itself-in-a-measurement",
        _MATRIX,
        "if len(own) > min(self.separation, self.steps):",
        "if len(own) > self.steps:",
        "Bands are wider than the steps between a unit's turns, and its moves add up unpriced.",
        (_BANDED,),
    ),
    Mutation(
        "epochs-are-not-counted",
        _MATRIX,
        "return -(-self.steps // self.separation)",
        "return 1",
        "Ten passes through the rows cost as much as one.",
        (
            _NEIGHBOURS,
            f"{_CORRELATED}::test_an_event_says_how_often_and_how_far_apart_units_take_part",
        ),
    ),
    Mutation(
        "the-length-of-columns-is-missing",
        f"{_NETS}/correlated_plan.py",
        "far * far * matrix.squared_sensitivity",
        "far * far * matrix.participations * matrix.coefficients[0] ** 2",
        "A unit is in several measurements of each of its steps, and one is paid for.",
        (_NEIGHBOURS, f"{_CORRELATED}::test_the_claim_is_attained_by_a_unit_of_the_first_batch"),
    ),
    Mutation(
        "a-change-is-priced-as-a-unit-more",
        f"{_NETS}/correlated_plan.py",
        "far = reach * (2 if relation is Relation.CHANGE else 1)",
        "far = reach",
        "One unit leaves and one comes, and only one of them is protected.",
        (f"{_CORRELATED}::test_noise_grows_with_rows_of_a_person_and_with_a_change",),
    ),
    Mutation(
        "persons-in-batches-are-priced-as-one-row",
        f"{_NETS}/correlated_plan.py",
        "one = sensitivity_of(self.sums[0], self.reach, Relation.ADD_REMOVE)",
        "one = sensitivity_of(self.sums[0], 1, Relation.ADD_REMOVE)",
        "The event of people with many rows is that of one row.",
        (f"{_CORRELATED}::test_the_event_and_the_noise_have_the_same_sensitivity",),
    ),
    Mutation(
        "batches-are-dealt-by-the-place-of-a-row",
        f"{_NETS}/correlated_plan.py",
        "uniform_below(self._matrix.separation, units)",
        "np.arange(units) % self._matrix.separation",
        "A unit that leaves moves all after it to other batches.",
        (
            f"{_CORRELATED}::test_units_are_dealt_to_one_batch_for_good_each_as_likely_as_others",
            f"{_CORRELATED}::test_a_unit_more_or_less_moves_no_other_to_another_batch",
        ),
    ),
    Mutation(
        "batches-are-dealt-anew-in-each-step",
        f"{_NETS}/correlated_plan.py",
        "if self._batches is None:",
        "if self._at >= 0:",
        "A unit takes part in steps that are closer, and more of them, than was paid for.",
        (f"{_CORRELATED}::test_units_are_dealt_to_one_batch_for_good_each_as_likely_as_others",),
    ),
    Mutation(
        "noise-is-drawn-twice-for-a-step",
        "src/shoal/learning/training_plan.py",
        "noisy: Any = noise.release(np.ascontiguousarray(values.reshape(-1)))",
        "noisy: Any = sum(noise.release(np.ascontiguousarray(values.reshape(-1))) / 2 for _ in '12')",
        "The mean of two draws has less noise than one, which was paid for.",
        (f"{_CORRELATED}::test_noise_is_as_wide_as_the_event_says_and_fresh_in_each_step",),
    ),
    Mutation(
        "sums-overflow",
        f"{_NETS}/correlated_plan.py",
        "own = np.clip(np.asarray(values, dtype=np.int64).reshape(-1), -most, most)",
        "own = np.asarray(values, dtype=np.int64).reshape(-1)",
        "Large sums wrap around, and one row moves a measurement by 2^64.",
        (f"{_CORRELATED}::test_rows_without_number_overflow_nothing_and_move_nothing_further",),
    ),
    Mutation(
        "a-sum-is-measured-twice",
        f"{_NETS}/correlated_plan.py",
        "        own = np.clip(np.asarray(values, dtype=np.int64).reshape(-1), -most, most)\n",
        "        own = np.clip(np.asarray(values, dtype=np.int64).reshape(-1), -most, most)\n"
        "        self._exact.appendleft(own)\n",
        "A unit is in one measurement with two coefficients, which its noise is not made for.",
        (_NEIGHBOURS, f"{_CORRELATED}::test_a_step_is_told_as_it_was_where_there_is_no_noise"),
    ),
    Mutation(
        "copies-of-one-row-are-dealt-to-several-batches",
        f"{_NETS}/correlated_plan.py",
        "return self.matrix.separation != 1",
        "return False",
        "A row that a join makes three of takes part three times as often as was paid for.",
        (
            (
                f"{_HERE}/test_neural_net.py::"
                "test_rows_that_a_join_makes_of_one_are_not_sampled_one_by_one"
            ),
        ),
    ),
)
