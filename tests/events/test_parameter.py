"""Which numbers each kind takes, and that it refuses the others by name."""

from __future__ import annotations

import dataclasses
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from tests.events.samples import SAMPLES

from shoal.errors import EventError, InputError, NumberError, RangeError
from shoal.events import (
    KINDS,
    Event,
    Geometric,
    Laplace,
    NoisyMax,
    RandomizedResponse,
    TopK,
    TruncatedGeometric,
)

POSITIVE = {
    "scale",
    "sigma",
    "sigma_squared",
    "epsilon",
    "epsilon_threshold",
    "epsilon_queries",
    "size",
    "categories",
    "candidates",
    "positives",
    "k",
    "count",
    "sample",
    "population",
    "people",
    "variance",
    "batch",
    "participations",
    "separation",
    "mean",
}
NON_NEGATIVE = {
    "sensitivity_squared",
    "epsilon_answers",
    "eta",
    "gamma",
    "truth",
    "steps",
    "delta",
    "rho",
    "mu",
    "rate",
    "bound",
}
INSIDE = {"event", "events"}
LISTS = {"coefficients", "orders", "epsilons", "deltas", "shifts", "weights"}
WHOLE = {
    "count",
    "participations",
    "separation",
    "sample",
    "population",
    "people",
    "size",
    "categories",
    "candidates",
    "positives",
    "k",
    "steps",
    "low",
    "high",
    "batch",
    "bound",
}
NUMBERS = POSITIVE | NON_NEGATIVE | WHOLE | {"sensitivity"}
ZERO_SENSITIVITY = {
    "skellam",
    "truncated_laplace",
    "laplace",
    "geometric",
    "truncated_geometric",
    "gaussian",
    "discrete_gaussian",
    "correlated_gaussian",
    "tree_aggregation",
}

number_fields = [
    (kind, field.name)
    for kind in sorted(KINDS)
    for field in dataclasses.fields(KINDS[kind])
    if field.name in NUMBERS
]


def needs_more(kind: str, name: str) -> bool:
    if name == "epsilon" and kind in {
        "randomized_response",
        "stated_pure",
        "stated_approx",
        "stated_random",
    }:
        return False
    return name in POSITIVE or (name == "sensitivity" and kind not in ZERO_SENSITIVITY)


def changed(kind: str, name: str, value: Any) -> Event:
    made: Event = dataclasses.replace(SAMPLES[kind], **{name: value})
    return made


def test_every_field_is_a_number_a_word_or_a_truth_value_known_to_these_tests() -> None:
    names = {field.name for kind in KINDS.values() for field in dataclasses.fields(kind)}
    words = {"monotone", "noise", "private", "relation", "runs"}
    assert names == NUMBERS | INSIDE | LISTS | words


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        (kind, field.name)
        for kind in sorted(KINDS)
        for field in dataclasses.fields(KINDS[kind])
        if field.name in LISTS
    ],
)
@pytest.mark.parametrize("bad", [2, "2, 4", {2: 1}, None, [float("nan")], [True], ["a"], []])
def test_what_is_not_a_list_of_numbers_is_refused_by_name(kind: str, name: str, bad: Any) -> None:
    with pytest.raises(InputError, match=rf"\b{name} must (be a list|be a finite|hold from 1 to)"):
        changed(kind, name, bad)


@pytest.mark.parametrize(("kind", "name"), number_fields)
@pytest.mark.parametrize(
    "bad",
    [float("nan"), float("inf"), -float("inf"), True, np.True_, "", "a", [1], Decimal("NaN")],
)
def test_what_is_not_a_finite_number_is_refused_by_name(kind: str, name: str, bad: Any) -> None:
    with pytest.raises(NumberError, match=rf"\b{name} must be a finite number"):
        changed(kind, name, bad)


@pytest.mark.parametrize(
    ("kind", "name"), [pair for pair in number_fields if pair[1] not in {"low", "high"}]
)
def test_a_negative_number_is_refused_by_name_where_it_has_no_meaning(kind: str, name: str) -> None:
    with pytest.raises(RangeError, match=rf"\b{name} must be"):
        changed(kind, name, -1)


@pytest.mark.parametrize(("kind", "name"), [pair for pair in number_fields if needs_more(*pair)])
def test_zero_is_refused_by_name_where_the_law_needs_more(kind: str, name: str) -> None:
    with pytest.raises(RangeError, match=rf"\b{name} must be"):
        changed(kind, name, 0)


@pytest.mark.parametrize("kind", sorted(ZERO_SENSITIVITY))
def test_a_value_that_cannot_move_may_still_be_released_with_noise(kind: str) -> None:
    name = "sensitivity_squared" if kind == "discrete_gaussian" else "sensitivity"
    still = {name: 0, "steps": None} if kind == "laplace" else {name: 0}
    event: Event = dataclasses.replace(SAMPLES[kind], **still)
    assert getattr(event, name) == 0


@pytest.mark.parametrize(("kind", "name"), [pair for pair in number_fields if pair[1] in WHOLE])
def test_a_broken_number_is_refused_by_name_where_things_are_counted(kind: str, name: str) -> None:
    with pytest.raises(RangeError, match=rf"\b{name} must be a whole number"):
        changed(kind, name, "5/2")


@pytest.mark.parametrize(("kind", "name"), number_fields)
def test_a_number_too_long_to_write_is_refused_by_name(kind: str, name: str) -> None:
    near_half = Fraction(10**4500, 2 * 10**4500 + 1)
    with pytest.raises(RangeError, match=rf"\b{name}\b"):
        changed(kind, name, 10**4500 if name in WHOLE else near_half)


@pytest.mark.parametrize(
    "given",
    [0.1, "0.1", "1/10", "1e-1", Fraction(1, 10), Decimal("0.1"), np.float64(0.1)],
)
def test_every_spelling_of_a_number_gives_the_same_event(given: Any) -> None:
    assert Laplace(given, 1) == Laplace(Fraction(1, 10), 1)
    assert Laplace(given, 1).scale == Fraction(1, 10)


def test_an_integer_kind_takes_only_whole_sensitivities() -> None:
    assert Geometric(1, 2.0).sensitivity == 2
    with pytest.raises(RangeError, match="sensitivity must be a whole number"):
        Geometric(1, "1/2")


@pytest.mark.parametrize(("sensitivity", "steps"), [(0, 1), (1, 0)])
def test_laplace_steps_are_zero_exactly_when_the_sensitivity_is(
    sensitivity: int, steps: int
) -> None:
    assert Laplace(1, 0, steps=0).steps == 0
    with pytest.raises(EventError, match="steps must be 0 exactly when sensitivity is 0"):
        Laplace(1, sensitivity, steps=steps)


def test_a_truncated_range_must_not_be_upside_down() -> None:
    assert TruncatedGeometric(1, 1, low=-3, high=-3).high == -3
    with pytest.raises(RangeError, match="low must not be above high"):
        TruncatedGeometric(1, 1, low=1, high=0)


def test_no_more_candidates_are_chosen_than_there_are() -> None:
    assert TopK(5, 1, 1, candidates=5, monotone=True).k == 5
    with pytest.raises(RangeError, match="k must not be above the number of candidates"):
        TopK(6, 1, 1, candidates=5, monotone=True)


def test_randomized_response_takes_exactly_one_of_truth_and_epsilon() -> None:
    assert RandomizedResponse(2, epsilon=0).truth is None
    assert RandomizedResponse(2, 1).epsilon is None
    with pytest.raises(EventError, match="exactly one of truth and epsilon"):
        RandomizedResponse(2)
    with pytest.raises(EventError, match="exactly one of truth and epsilon"):
        RandomizedResponse(2, "1/2", 1)
    with pytest.raises(RangeError, match="truth must be from 0 to 1"):
        RandomizedResponse(2, "1.01")
    with pytest.raises(RangeError, match="categories must be a whole number, 2 or more"):
        RandomizedResponse(1, "1/2")


def test_randomized_response_does_not_hide_who_answered() -> None:
    with pytest.raises(EventError, match="relation must not be 'add_remove'"):
        RandomizedResponse(2, "3/4", relation="add_remove")


def test_a_share_above_one_is_refused_as_gamma() -> None:
    with pytest.raises(RangeError, match="gamma must be from 0 to 1"):
        changed("staircase", "gamma", "1.5")


@pytest.mark.parametrize("noise", ["Laplace", "gaussian", "", None, 1])
def test_noisy_max_knows_three_laws_of_noise(noise: Any) -> None:
    with pytest.raises(EventError, match="noise must be one of 'laplace', 'exponential', 'gumbel'"):
        NoisyMax(noise, 1, 1, candidates=3, monotone=False)


@pytest.mark.parametrize("kind", ["exponential", "permute_and_flip", "noisy_max", "top_k"])
@pytest.mark.parametrize("wrong", [0, 1, None, "true", np.True_])
def test_monotone_is_a_plain_truth_value(kind: str, wrong: Any) -> None:
    with pytest.raises(EventError, match="monotone must be True or False"):
        changed(kind, "monotone", wrong)


def test_a_missing_number_is_refused() -> None:
    with pytest.raises(TypeError, match="sensitivity"):
        Laplace(1)


def test_an_event_of_no_kind_is_refused() -> None:
    with pytest.raises(EventError, match="Event itself describes no release"):
        Event()


def test_a_taken_kind_cannot_be_given_a_second_meaning() -> None:
    with pytest.raises(TypeError, match="'laplace' is taken"):
        type("Other", (Event,), {}, kind="laplace")
    assert KINDS["laplace"] is Laplace


def test_refusals_of_events_are_input_errors() -> None:
    assert issubclass(EventError, InputError)
    assert issubclass(InputError, ValueError)
