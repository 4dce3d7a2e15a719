"""A run of a sparse vector is a thing, not a value: it is spent once, whoever asks and however
often.
"""

from __future__ import annotations

import copy
import pickle
from concurrent.futures import ThreadPoolExecutor

import pytest

from shoal import AboveThreshold, SparseVector, SparseVectorRun
from shoal.errors import ExhaustedError, OwnerError
from shoal.noise import seam

SURE = 10**9
"""So far above every threshold that no noise hides it."""


def test_a_run_cannot_be_copied_or_sent_away() -> None:
    run = SparseVector(epsilon=1, sensitivity=1).start(threshold=0)
    for attempt in (copy.copy, copy.deepcopy, pickle.dumps):
        with pytest.raises(OwnerError, match="copied"):
            attempt(run)


def test_many_threads_together_get_no_more_positives_than_one() -> None:
    run = SparseVector(epsilon=1, sensitivity=1, positives=50).start(threshold=0)

    def ask(_: int) -> bool:
        try:
            return run.ask(SURE)
        except ExhaustedError:
            return False

    with ThreadPoolExecutor(8) as pool:
        assert sum(pool.map(ask, range(400))) == 50
    assert run.spent


def test_questions_below_cost_nothing() -> None:
    run = AboveThreshold(epsilon=1, sensitivity=1).start(threshold=0)
    assert not any(run.ask(-SURE) for _ in range(1000))
    assert run.left == 1
    assert run.ask(SURE)


def test_a_run_is_private_only_if_all_its_noise_was() -> None:
    mechanism = SparseVector(epsilon=1, sensitivity=1, positives=9)
    run = mechanism.start(threshold=0)
    assert run.event == mechanism.event
    run.ask(3)
    assert run.event.private
    with seam.seeded(1):
        assert run.event.private
        run.ask(3)
    assert not run.event.private
    with seam.seeded(1):
        rehearsal = mechanism.start(threshold=0)
    rehearsal.ask(3)
    assert not rehearsal.event.private


def test_the_noise_of_the_threshold_is_kept_for_the_whole_run() -> None:
    """With almost no noise on the questions, equal questions of one run come out alike."""
    tight = SparseVector(epsilon=1, sensitivity=1, positives=1)
    object.__setattr__(tight, "epsilon_queries", tight.epsilon_queries * 10**6)

    def outcomes(run: SparseVectorRun) -> set[bool]:
        return {run.ask(0) for _ in range(20) if not run.spent}

    with seam.seeded("kept"):
        seen = [outcomes(tight.start(threshold=0)) for _ in range(40)]
    assert all(len(each) == 1 for each in seen)
    assert {True} in seen
    assert {False} in seen


def test_two_runs_have_thresholds_of_their_own() -> None:
    mechanism = SparseVector(epsilon=1, sensitivity=1)
    thresholds = {mechanism.start(threshold=0)._threshold for _ in range(50)}
    assert len(thresholds) > 40
