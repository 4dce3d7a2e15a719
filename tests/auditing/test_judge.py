"""The judge: what it refutes, what it lets stand, what it refuses to judge."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest

import shoal
from shoal.auditing import EpsilonVerdict, audit_samples
from shoal.auditing.claimed_curves import ApproxClaim
from shoal.errors import ConversionError, RangeError, ShapeError


def laplace(scale: float, seed: int = 1):  # type: ignore[no-untyped-def]  # noqa: ANN201
    draw = np.random.default_rng(seed)
    return lambda data, n: data + draw.laplace(0, scale, n)


def audited(scale: float, **options: Any) -> EpsilonVerdict:
    return shoal.audit(
        laplace(scale), 0, 1, batch=True, samples=20_000, **{"epsilon": 1, **options}
    )


def test_too_little_noise_is_refuted_and_enough_is_not() -> None:
    refuted, stands = audited(0.5), audited(1)
    assert refuted.refuted
    assert 1.8 < refuted.lower <= 2
    assert refuted.p_value is not None
    assert refuted.p_value < 0.01
    assert not stands.refuted
    assert 0.9 < stands.lower <= 1


def test_a_given_event_is_tested_whichever_dataset_it_is_likely_on() -> None:
    above = audited(1, event=lambda y: y > 1)
    below = audited(1, event=lambda y: y <= 1)
    swapped = shoal.audit(
        laplace(1), 1, 0, batch=True, samples=20_000, epsilon=1, event=lambda y: y > 1
    )
    assert {above.event, below.event} <= {"the given event", "not (the given event)"}
    assert above.likely_on != ("d0" if above.event == "the given event" else "d1")
    assert swapped.likely_on != ("d1" if swapped.event == "the given event" else "d0")
    assert all(0.9 < each.lower <= 1 for each in (above, below, swapped))


def test_a_set_of_outputs_is_an_event() -> None:
    response = shoal.RandomizedResponse.for_epsilon(1)
    found = shoal.audit(response, 0, 1, samples=20_000, event={1}, seed=1)
    assert 0.9 < found.lower <= 1


@pytest.mark.slow
@pytest.mark.parametrize(
    ("claim", "least"),
    [
        (shoal.Approx(1, "1e-6"), 0.9),
        (shoal.GaussianDP(1), 0.85),
        (shoal.ZeroConcentrated("1/2"), 0.3),
        (shoal.Renyi({2: 1, 8: 4}), 0.5),
    ],
    ids=str,
)
def test_every_measure_can_be_claimed_and_half_the_noise_refutes_it(
    claim: shoal.Measure, least: float
) -> None:
    draw = np.random.default_rng(2)

    def normal(sigma: float):  # type: ignore[no-untyped-def]  # noqa: ANN202
        return lambda data, n: data + draw.normal(0, sigma, n)

    sigma = 3.8 if isinstance(claim, shoal.Approx) else 1.0
    true = shoal.audit(normal(sigma), 0, 1, claim=claim, batch=True, samples=30_000)
    false = shoal.audit(normal(sigma / 3), 0, 1, claim=claim, batch=True, samples=30_000)
    assert not true.refuted
    assert false.refuted
    if not isinstance(claim, shoal.Approx):
        assert true.lower > least * true.claimed


def test_a_random_promise_is_refused_because_no_pair_can_refute_it() -> None:
    with pytest.raises(ConversionError, match="no pair can refute"):
        shoal.audit(lambda d: d, 0, 1, claim=shoal.RandomDP(1, "1e-6", "0.1"), samples=1000)


def test_a_mechanism_of_shoal_brings_its_claim_and_a_seed_repeats_the_audit() -> None:
    mechanism = shoal.Gaussian(sigma=2, sensitivity=1)
    first, again = (shoal.audit(mechanism, 0, 1, samples=5_000, seed=3) for _ in range(2))
    assert first == again
    assert first.measure == shoal.GaussianDP("1/2")
    assert first.parameter == "mu"


def test_an_answer_that_is_missing_on_one_dataset_only_is_an_event() -> None:
    def fails_on_empty(rows: list[int]) -> float:
        if not rows:
            raise ZeroDivisionError
        return 1.0

    found = shoal.audit(fails_on_empty, [1], [], epsilon=1, samples=1000)
    assert found.refuted
    assert found.event in ("output is a number", "output no answer")


def test_a_function_that_always_fails_is_a_mistake_not_a_leak() -> None:
    with pytest.raises(RangeError, match="failed every time"):
        shoal.audit(lambda d: 1 / 0, 0, 1, epsilon=1, samples=200)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({}, "no claim"),
        ({"epsilon": 1, "claim": shoal.Pure(1)}, "twice"),
        ({"claim": 1.0}, "is a measure"),
        ({"epsilon": 1, "samples": 5}, "samples"),
        ({"epsilon": 1, "event": 3}, "an event is"),
        ({"epsilon": 1, "method": "wald"}, "method"),
        ({"claim": shoal.Approx(1, 1)}, "promises nothing"),
    ],
)
def test_wrong_use_is_refused_with_the_way_out(options: dict[str, Any], words: str) -> None:
    with pytest.raises(RangeError, match=words):
        shoal.audit(lambda d: 0.0, 0, 1, **{"samples": 200, **options})


def test_a_batch_of_the_wrong_length_is_refused() -> None:
    with pytest.raises(ShapeError):
        shoal.audit(lambda d, n: np.zeros(3), 0, 1, epsilon=1, samples=1000, batch=True)


def test_texts_tuples_and_dicts_are_told_apart() -> None:
    draw = np.random.default_rng(4)

    def answer(yes: float):  # type: ignore[no-untyped-def]  # noqa: ANN202
        kind = "yes" if draw.random() < yes else "no"
        return {"kind": kind, "parts": (1, None), "noise": draw.random()}

    found = shoal.audit(answer, 0.9, 0.1, epsilon=1, samples=2_000)
    assert found.refuted
    assert found.lower < math.log(9)


def test_the_page_has_both_pictures_and_the_data_has_no_picture() -> None:
    found = audited(0.5)
    page = found.to_page().html()
    assert page.count("<svg") == 2
    assert "played no part in the choice" in page
    data = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert data["lower"] == found.lower
    assert data["refuted"] is True
    assert "sight" not in data


def test_samples_that_were_drawn_elsewhere_can_be_judged() -> None:
    draw = np.random.default_rng(5)
    found = audit_samples(
        draw.normal(0, 1, 5000), draw.normal(3, 1, 5000), claim=shoal.GaussianDP(1)
    )
    assert found.refuted
    with pytest.raises(RangeError, match="too few"):
        audit_samples([1.0] * 10, [1.0] * 10, claim=shoal.Pure(1))


def test_progress_is_told_and_ends_with_all_samples() -> None:
    told: list[tuple[int, int]] = []
    shoal.audit(lambda d: 0.0, 0, 1, epsilon=1, samples=500, progress=lambda done, of: told.append((done, of)))  # fmt: skip
    assert told[-1] == (1000, 1000)


@pytest.mark.slow
def test_no_sentence_says_more_than_is_certified() -> None:
    for seed in range(12):
        found = shoal.audit(shoal.Laplace(scale="0.5", sensitivity=1).release, 0, 1, epsilon=1, samples=1000, seed=seed)  # fmt: skip
        told = float(found.found.split("at least ")[1].split(",")[0])
        assert found.claimed < told <= found.lower if found.refuted else told <= found.lower
        assert (
            f", {found.found.split('at least ')[1].split(',')[0]}, against"
            in found.to_page().markdown()
        )


def test_a_claim_beyond_what_any_sample_can_question_is_judged_without_a_warning() -> None:
    found = audited(1, epsilon=1000)
    assert not found.refuted
    assert found.p_value == 1
    assert ApproxClaim(0.1).reach(np.array([0.0, 1e-320, 0.5, 1.0]), 1000.0) == pytest.approx(
        [0.1, 1, 1, 1]
    )
