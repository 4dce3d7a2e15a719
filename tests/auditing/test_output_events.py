"""Events are sets of outputs: whether an output is in one depends on nothing but the output."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from shoal import Pure
from shoal.auditing import audit_samples
from shoal.auditing.claimed_curves import claims_of
from shoal.auditing.event_search import Judge, _searched
from shoal.auditing.output_events import Chosen, Opposite, OutputEvent, key_of
from shoal.auditing.outputs import Outputs, alike, number_of, numbers_of, read_outputs

HUGE = 10**5000
RARE = (244, 279, 289)
ODD: list[Any] = [
    None, 3, 3.0, 4, True, False, "3", "x", 0.5, float("nan"), float("inf"), -0.0, 1e16, 10**16, HUGE, -HUGE,
    np.float64(3), np.int64(4), np.bool_(True), (3, 4), (3,), (), (3.0, None), (float("nan"), 4), (float("inf"), HUGE), ("a", 3), [3, 4],
    (10**16, 1.5), {"n": 3}, {"n": "a", "m": (1, 2)}, {"n": None}, {1, 2}, frozenset({"a"}), np.array([3, 4]), np.array([3.0, 4.5]),
]  # fmt: skip
"""Outputs that a reading of whole batches may take for others."""


def texts(r: random.Random, side: int) -> Any:
    return r.choice(["yes", "no", "no answer"][side:])


def mixed(r: random.Random, side: int) -> Any:
    return "suppressed" if r.random() < 0.02 else r.choice([3, 4, 4 + side])


def rows(r: random.Random, side: int) -> Any:
    return (r.gauss(side, 1), r.choice([0, 1, None]), r.random() < 0.5)


def mixed_rows(r: random.Random, side: int) -> Any:
    return (r.choice(["a", 3, None]), r.gauss(side, 1), r.choice([1, 2, 3, "b"]))


def records(r: random.Random, side: int) -> Any:
    return {"n": r.gauss(side, 1), "kind": r.choice(["a", "b"]), "top": r.sample([1, 2, 3], 2)}


def numbers(r: random.Random, side: int) -> Any:
    return None if r.random() < 0.1 else r.gauss(side, 1)


LAWS = [texts, mixed, rows, mixed_rows, records, numbers]


def read(law: Callable[[random.Random, int], Any], size: int) -> tuple[Outputs, Outputs]:
    r = random.Random(5)
    drawn = [read_outputs([law(r, side) for _ in range(size)]) for side in (0, 1)]
    return alike(drawn[0], drawn[1], looked_at=(size, size))


def one_by_one(event: OutputEvent, outputs: Outputs) -> list[bool]:
    return [bool(event.happens(outputs.part(at, at + 1))[0]) for at in range(len(outputs))]


@pytest.mark.slow
@pytest.mark.parametrize("law", LAWS, ids=lambda law: law.__name__)
def test_every_event_that_is_searched_for_holds_of_an_output_whatever_others_there_are(
    law: Any,
) -> None:
    first, second = read(law, 600)
    judge = Judge(claims_of(Pure(1)), (600, 600), (600, 600))
    found = list(_searched(first, second, judge))
    odd = Outputs(items=[*ODD, *first.listed[:20]])
    seen = odd.as_numbers() if first.numbers is not None else odd
    for proposal in found:
        for event in (proposal.event, Opposite(proposal.event)):
            for part in (seen, first.part(0, 60), second.part(0, 60), seen.part(0, 5)):
                assert event.happens(part).tolist() == one_by_one(event, part), event.text


def test_every_way_of_searching_is_among_them() -> None:
    judge = Judge(claims_of(Pure(1)), (600, 600), (600, 600))
    ways = {each.how for law in LAWS for each in _searched(*read(law, 600), judge)}
    assert ways == {"half-lines", "histogram", "whole outputs", "scorer"}


def test_a_given_event_is_asked_of_each_output_alone() -> None:
    def unusual(numbers: Any) -> Any:
        return numbers > np.mean(numbers)

    outputs = read_outputs(np.array([1.0, 2.0, 3.0]))
    assert Chosen(unusual).happens(outputs).tolist() == one_by_one(Chosen(unusual), outputs)
    assert Chosen({3}).happens(outputs).tolist() == [False, False, True]


def test_equal_numbers_have_one_key_and_one_number_whatever_their_type() -> None:
    assert len({key_of(each) for each in (3, 3.0, np.int64(3), np.float64(3), np.float32(3))}) == 1
    assert key_of(True) == key_of(1) == key_of(np.bool_(True))
    assert key_of(3) != key_of("3")
    assert key_of(np.array([1, 2])) == key_of((1.0, 2.0))
    assert key_of(HUGE) != key_of(HUGE + 1)
    one_at_a_time = [number_of(each) for each in ODD]
    assert np.array_equal(numbers_of(ODD), one_at_a_time, equal_nan=True)
    plain = [each for each in ODD if type(each) in (int, float, bool)]
    assert np.array_equal(numbers_of(plain), [number_of(each) for each in plain], equal_nan=True)
    assert np.array_equal(numbers_of(plain[:2]), [3.0, 3.0])


def test_how_outputs_are_read_is_settled_before_those_that_test_are_seen() -> None:
    first, second = read_outputs([1, 2, "x"]), read_outputs([1, 2, 3])
    one, other = alike(first, second, looked_at=(2, 2))
    assert one.numbers is not None
    assert other.numbers is not None
    assert np.isnan(one.numbers[2])
    assert alike(first, second, looked_at=(3, 3))[1].numbers is None


@pytest.mark.slow
def test_a_rare_word_among_numbers_is_no_evidence_where_both_datasets_have_it() -> None:
    """Of these seeds most were refuted when a batch with the word was read in another way than one
    without.
    """
    for seed in RARE:
        r = random.Random(seed)
        drawn = [
            ["suppressed" if r.random() < 1e-4 else r.choice([3, 4]) for _ in range(20_000)]
            for _ in range(2)
        ]
        assert not audit_samples(*drawn, claim=Pure(1)).refuted
