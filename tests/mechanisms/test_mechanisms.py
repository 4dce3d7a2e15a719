"""What every mechanism keeps, whatever its noise: a new one joins by a line in `mechanisms.py`."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import math
import pickle
import time
from concurrent.futures import ProcessPoolExecutor
from fractions import Fraction
from multiprocessing import get_context
from typing import Any

import pytest
from tests.contracts.mechanisms import CASES, Case, run

from shoal import (
    Approx,
    Event,
    GaussianDP,
    Norm,
    Pure,
    Relation,
    Renyi,
    Sensitivity,
    ShoalError,
    ZeroConcentrated,
    mechanisms,
)
from shoal.errors import InternalError
from shoal.measures import Measure
from shoal.noise import seam

every = pytest.mark.parametrize("case", CASES.values(), ids=CASES)
NO_MECHANISMS = {"Estimate", "SparseVectorRun", "counting"}


def test_every_public_mechanism_is_under_contract() -> None:
    assert set(mechanisms.__all__) - NO_MECHANISMS == set(CASES)


@every
def test_a_mechanism_is_frozen(case: Case) -> None:
    mechanism = case.make()
    for field in dataclasses.fields(mechanism):
        with pytest.raises(dataclasses.FrozenInstanceError):
            setattr(mechanism, field.name, getattr(mechanism, field.name))
    with pytest.raises(dataclasses.FrozenInstanceError):
        mechanism.another = 1


@every
def test_mechanisms_are_equal_by_their_parameters_alone(case: Case) -> None:
    one, same = case.make(), case.make()
    case.use(one)
    assert one == same
    assert hash(one) == hash(same)
    assert one != case.kind(**case.other)
    assert len({one, same, case.kind(**case.other)}) == 2


@every
def test_a_used_mechanism_can_be_copied_and_sent_away(case: Case) -> None:
    mechanism = case.make()
    case.use(mechanism)
    for twin in (
        copy.copy(mechanism),
        copy.deepcopy(mechanism),
        *(pickle.loads(pickle.dumps(mechanism, protocol)) for protocol in range(2, 6)),
    ):
        assert twin == mechanism
        assert type(twin) is type(mechanism)
        case.use(twin)
    assert len(pickle.dumps(mechanism)) < 1000


def _use(name: str, mechanism: Any) -> str:
    CASES[name].use(mechanism)
    return repr(mechanism)


@pytest.mark.slow
def test_used_mechanisms_work_in_another_process() -> None:
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        for name, case in CASES.items():
            mechanism = case.make()
            case.use(mechanism)
            assert pool.submit(_use, name, mechanism).result() == repr(mechanism)


@every
def test_a_mechanism_prints_its_parameters_and_nothing_else(case: Case) -> None:
    mechanism = case.make()
    case.use(mechanism)
    assert repr(mechanism) == str(mechanism) == case.shown


@every
def test_its_parameters_are_keywords(case: Case) -> None:
    parameters = list(inspect.signature(case.kind.__init__).parameters.values())[1:]
    assert all(parameter.kind is parameter.KEYWORD_ONLY for parameter in parameters)


@every
def test_an_event_is_complete_and_can_be_written_and_read(case: Case) -> None:
    event = case.event(case.make())
    assert Event.from_json(event.to_json()) == event


@every
def test_noise_from_a_seeded_source_is_not_private(case: Case) -> None:
    mechanism = case.make()
    assert case.event(mechanism).private
    with seam.seeded(1):
        assert not case.event(mechanism).private
    assert case.event(mechanism).private


@every
def test_seeded_releases_repeat_and_others_do_not(case: Case) -> None:
    mechanism = case.make()

    def several() -> str:
        return repr([case.use(mechanism) for _ in range(60)])

    with seam.seeded(5):
        first = several()
    with seam.seeded(5):
        assert several() == first
    if case.use is not run:  # whose outcomes are sure
        assert len({several() for _ in range(3)}) == 3


@every
def test_the_relation_of_a_sensitivity_reaches_the_event(case: Case) -> None:
    for relation in (*Relation, None):
        given = Sensitivity(Fraction(1), Norm.L1, relation)
        if "sensitivity" in case.made:
            event = case.event(case.kind(**{**case.made, "sensitivity": given}))
            assert event.relation == relation


@every
def test_a_price_is_kept(case: Case) -> None:
    budgets: list[Measure] = [Approx(1, "1e-6"), ZeroConcentrated("0.1"), Renyi({2: 1, 8: 3})]
    if case.pure:
        assert case.kind.for_epsilon("0.3", **case.budgeted).cost == Pure("0.3")
        budgets += [Pure("0.3"), GaussianDP("0.4")]
    for budget in budgets:
        assert isinstance(case.kind.for_budget(budget, **case.budgeted).cost, Measure)


@every
def test_more_confidence_is_never_a_smaller_error(case: Case) -> None:
    mechanism = case.make()
    errors = [mechanism.error(c, **case.asked) for c in ("0.1", "0.5", "0.9", "0.999999")]
    assert errors == sorted(errors)
    assert errors[-1] > 0


@every
def test_a_budget_twice_as_large_never_errs_more(case: Case) -> None:
    small, large = (
        case.kind.for_budget(ZeroConcentrated(rho), **case.budgeted) for rho in ("0.1", "0.2")
    )
    assert large.error("0.9", **case.asked) <= small.error("0.9", **case.asked)


EXTREMES = ["1e-300", "1e300", "1e-4999", "1e4999"]
PACE = 0.1
"""Seconds in which a common machine adds the fractions of `slowness`; one that takes longer has as
many times longer for all else.
"""


def slowness() -> float:
    """How many times slower than a common machine this one is now; 1 for a faster one."""
    started = time.process_time()
    sum((Fraction(1, n) for n in range(1, 14_000)), Fraction(0))
    return max(1.0, (time.process_time() - started) / PACE)


@pytest.mark.slow
@every
@pytest.mark.parametrize("size", EXTREMES)
def test_extreme_parameters_end_at_once_in_an_answer_or_a_clear_error(
    case: Case, size: str
) -> None:
    started = time.process_time()
    name = next(name for name in ("epsilon", "scale", "sigma", "truth") if name in case.made)
    acts: list[Any] = [
        lambda: case.use(case.kind(**{**case.made, name: size})),
        lambda: case.kind(**{**case.made, name: size}).error("0.9", **case.asked),
        lambda: case.make().error(size, **case.asked),
        lambda: case.make().error(1 - Fraction(1, 10**300), **case.asked),
        lambda: case.kind.for_error(size, confidence="0.9", **case.asked, **case.budgeted),
        lambda: case.kind.for_budget(ZeroConcentrated(size), **case.budgeted).cost,
        lambda: case.kind.for_budget(Approx(size, "1e-300"), **case.budgeted).cost,
        lambda: case.kind.for_budget(GaussianDP(size), **case.budgeted).cost,
    ]
    for act in acts:
        try:
            found = act()
        except InternalError:
            raise
        except ShoalError:
            continue
        numbers = found if isinstance(found, tuple) else (found,)
        assert not any(isinstance(number, float) and math.isnan(number) for number in numbers)
    took = time.process_time() - started
    assert took < 6 or took < 6 * slowness()
