"""Steps with correlated noise: exact sensitivity by neighbours, also where gradients react to what was
released; batches of one's own; and each step once.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from shoal import Approx, Relation, ZeroConcentrated, account
from shoal.auditing import audit
from shoal.errors import CalibrationError, InternalError, RangeError, ShoalError
from shoal.learning.nets import correlated_plan
from shoal.learning.nets.correlated_plan import CorrelatedPlan, CorrelatedSums
from shoal.learning.nets.gradient_grid import LENGTH
from shoal.learning.nets.noise_kinds import steps_with
from shoal.learning.nets.step_plan import planned_steps
from shoal.measures import GaussianDP, Measure
from shoal.mechanisms import Gaussian
from shoal.noise.seam import seeded

HERE = Relation.ADD_REMOVE
PRICE = Approx(1, "1e-5")


def planned(
    steps: int = 12, rate: Any = "1/4", measure: Measure = PRICE, size: int = 3, **more: Any
) -> CorrelatedPlan:
    said = {"reach": 1, "relation": HERE, **more}
    return CorrelatedPlan.for_steps(planned_steps(steps, size), rate, measure, **said)


class Recorded(Gaussian):
    """Keeps the exact measurements and answers with numbers that were fixed in advance, so that two
    neighbours see the same past; without such numbers, with the measurement itself.
    """

    def release(self, value: Any, **how: Any) -> Any:
        del how
        seen: list[Any] = self.__dict__.setdefault("seen", [])
        answers: Any = self.__dict__.get("answers")
        seen.append([int(each) for each in value])
        return value if answers is None else answers[len(seen) - 1]


def recorded(plan: CorrelatedPlan, answers: Any = None) -> tuple[CorrelatedSums, Recorded]:
    """The steps of a plan with such noise."""
    noise = Recorded(sigma=plan.noise.sigma, sensitivity=plan.noise.sensitivity)
    noise.__dict__["answers"] = answers
    return replace(plan, mechanisms=(noise,) * len(plan.sums)).begin(), noise


def moved(first: Recorded, second: Recorded) -> int:
    """How far apart all measurements are, squared, in whole numbers."""
    pairs = zip(first.__dict__["seen"], second.__dict__["seen"], strict=True)
    return sum((a - b) ** 2 for one, other in pairs for a, b in zip(one, other, strict=True))


@pytest.mark.parametrize("relation", list(Relation))
@pytest.mark.parametrize("measure", [PRICE, ZeroConcentrated("0.1"), GaussianDP("0.3")])
def test_steps_cost_what_was_stated_and_hardly_less(relation: Relation, measure: Measure) -> None:
    plan = planned(relation=relation, measure=measure)
    priced = account(plan.event, relation=str(relation))
    less = replace(
        plan,
        mechanisms=(
            Gaussian(sigma=plan.noise.sigma * 999 / 1000, sensitivity=plan.noise.sensitivity),
        ),
    )
    dearer = account(less.event, relation=str(relation))
    if isinstance(measure, Approx):
        assert priced.epsilon(delta=measure.delta).epsilon <= measure.epsilon
        assert dearer.epsilon(delta=measure.delta).epsilon > measure.epsilon
    else:
        assert priced.cost(type(measure)) <= measure
        assert not dearer.cost(type(measure)) <= measure


def test_the_event_and_the_noise_have_the_same_sensitivity() -> None:
    """One is worked out here and one by the accountant."""
    for relation in Relation:
        plan = planned(steps=11, rate="1/3", reach=2, relation=relation)
        own = plan.noise.cost.mu
        found = account(plan.event, relation=str(relation)).cost(GaussianDP)
        assert isinstance(found, GaussianDP)
        assert 1 - 1e-12 < float(found.mu / own) <= 1


def test_an_event_says_how_often_and_how_far_apart_units_take_part() -> None:
    plan = planned(steps=10, rate="1/4", reach=2)
    (event,) = plan.event.events
    said: Any = event.to_dict()
    assert said["kind"] == "correlated_gaussian"
    assert (said["steps"], said["participations"], said["separation"]) == (10, 3, 4)
    assert said["sensitivity"] == str(2 * LENGTH)
    assert len(said["coefficients"]) == 4
    (term,) = plan.terms()
    assert (term["steps"], term["rate"], term["size"]) == ("10", "1/4", "3")
    with seeded("plan"):
        assert not plan.event.private


def test_noise_grows_with_rows_of_a_person_and_with_a_change() -> None:
    once = planned().noise.sigma
    grown = float(planned(reach=3).noise.sigma / once)
    assert grown == pytest.approx(3, rel=1e-12)  # each is rounded up by itself
    changed = float(planned(relation=Relation.CHANGE).noise.sigma / once)
    assert changed == pytest.approx(2, rel=1e-12)


def reacting(rng_seed: int, past: list[Any], at: int, size: int, length: int) -> Any:
    """A vector of at most this length that depends on all that was released: an adversary's."""
    told = [float(each) for told in past for each in told]
    rng = np.random.default_rng([rng_seed, at, abs(hash(tuple(told))) % 2**32])
    made = rng.normal(size=size) if rng.random() < 0.5 else np.eye(size)[0]
    return np.trunc(made / np.linalg.norm(made) * length * (1 - 1e-12)).astype(np.int64)


def trained(plan: CorrelatedPlan, answers: Any, batches: list[int], seeds: list[int]) -> Recorded:
    """A training in which each unit adds vectors of its own, that react to what was released."""
    sums, noise = recorded(plan, answers)
    size = plan.sums[0].size
    past: list[Any] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(correlated_plan, "uniform_below", lambda _b, _n: np.array(batches, dtype=int))
        for at, each in enumerate(plan.sums):
            taken = sums.sample(len(batches))
            total = np.zeros(size, dtype=np.int64)
            for seed, here in zip(seeds, taken, strict=True):
                if here:
                    total += reacting(seed, past, at, size, plan.reach * LENGTH)
            told, _ = sums.release(each.name, total)
            past.append(told)
    return noise


@settings(max_examples=60, deadline=None)
@given(
    st.integers(1, 14), st.integers(1, 5), st.integers(1, 3), st.integers(0, 2**32), st.data()
)  # fmt: skip
def test_one_unit_more_moves_all_measurements_by_no_more_than_is_claimed(
    steps: int, batches: int, reach: int, seed: int, data: Any
) -> None:
    """Whatever was released: both neighbours see the same past, and gradients react to it."""
    plan = planned(steps, f"1/{batches}", reach=reach, size=2)
    answers = np.random.default_rng(seed).normal(0, float(plan.noise.sigma), (steps, 2))
    dealt = data.draw(st.lists(st.integers(0, batches - 1), min_size=1, max_size=4))
    seeds = list(range(len(dealt)))
    gone = data.draw(st.integers(0, len(dealt) - 1))
    whole = trained(plan, answers, dealt, seeds)
    less = trained(
        plan, answers, dealt[:gone] + dealt[gone + 1 :], seeds[:gone] + seeds[gone + 1 :]
    )
    claimed = (reach * LENGTH) ** 2 * plan.matrix.squared_sensitivity
    assert moved(whole, less) <= claimed <= plan.noise.sensitivity.value**2
    seeds[gone] = 99  # the unit changes, and keeps its batch
    changed = planned(steps, f"1/{batches}", reach=reach, size=2, relation=Relation.CHANGE)
    other = trained(plan, answers, dealt, seeds)
    assert moved(whole, other) <= changed.noise.sensitivity.value**2


@pytest.mark.parametrize(("steps", "rate", "reach"), [(12, "1/4", 1), (10, "1/4", 3), (5, 1, 1)])
def test_the_claim_is_attained_by_a_unit_of_the_first_batch(
    steps: int, rate: Any, reach: int
) -> None:
    plan = planned(steps, rate, reach=reach)
    with_, without = recorded(plan), recorded(plan)
    for each in plan.sums:
        for here, (sums, _) in ((True, with_), (False, without)):
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(
                    correlated_plan, "uniform_below", lambda _b, n: np.zeros(n, dtype=int)
                )
                taken = bool(sums.sample(1)[0]) and here
            sums.release(each.name, np.array([reach * LENGTH * taken, 0, 0]))
    claimed = (reach * LENGTH) ** 2 * plan.matrix.squared_sensitivity
    assert moved(with_[1], without[1]) == claimed
    assert 0 <= float(plan.noise.sensitivity.value**2 / claimed) - 1 < 1e-12


def test_rows_without_number_overflow_nothing_and_move_nothing_further() -> None:
    plan = planned(8, "1/4", size=1)
    many = 2**62
    first, second = recorded(plan), recorded(plan)
    for each in plan.sums:
        for more, (sums, _) in ((0, first), (LENGTH, second)):
            sums.sample(1)
            sums.release(each.name, np.array([many - more], dtype=np.int64))
    assert all(0 < each <= 2**62 for (each,) in first[1].__dict__["seen"])
    assert moved(first[1], second[1]) == 0  # both are beyond the largest


def test_a_step_is_told_as_it_was_where_there_is_no_noise() -> None:
    plan = planned(30, "1/5")
    sums, noise = recorded(plan)
    rng = np.random.default_rng(0)
    for each in plan.sums:
        sums.sample(2)
        total = rng.integers(-1000, 1000, 3) * LENGTH
        told, _ = sums.release(each.name, total)
        assert told == pytest.approx(total, abs=1)
    assert len(noise.__dict__["seen"]) == 30  # each measured once


def test_noise_is_as_wide_as_the_event_says_and_fresh_in_each_step() -> None:
    plan = planned(12, "1/4", size=4000)
    with seeded("width"):
        sums = plan.begin()
        told, widths = [], []
        for each in plan.sums:
            sums.sample(1)
            noisy, width = sums.release(each.name, np.zeros(4000, dtype=np.int64))
            told.append(noisy)
            widths.append(width)
    sigma = float(plan.noise.sigma)
    c = plan.matrix.coefficients
    drawn = [sum(c[lag] * told[at - lag] for lag in range(min(at + 1, len(c)))) for at in range(12)]
    for at in range(12):
        assert float(np.std(drawn[at])) == pytest.approx(sigma, rel=0.06)  # 5 deviations
        assert float(told[at].std()) == pytest.approx(widths[at], rel=0.06)
    met = np.corrcoef(np.array(drawn)) - np.eye(12)
    assert np.abs(met).max() < 0.08  # 5 deviations
    assert widths[-1] == pytest.approx(plan.step_noise)


def test_running_sums_have_less_noise_than_with_independent_noise() -> None:
    plan = planned(200, "1/20")
    sigma = float(plan.noise.sigma)
    running = sigma * math.sqrt(plan.matrix.running_variances().mean())
    mu = float(plan.noise.cost.mu)
    alone = LENGTH * math.sqrt(10) / mu * math.sqrt(100.5)
    assert running / alone == pytest.approx(0.316, abs=0.001)


def test_units_are_dealt_to_one_batch_for_good_each_as_likely_as_others() -> None:
    plan = planned(16, "1/8")
    with seeded("dealt"):
        sums, seen = plan.begin(), []
        for each in plan.sums:
            seen.append(sums.sample(8000))
            sums.release(each.name, np.zeros(3, dtype=np.int64))
    first, second = np.array(seen[:8]), np.array(seen[8:])
    assert (first == second).all()
    assert (first.sum(axis=0) == 1).all()
    counts = first.sum(axis=1)
    assert float(((counts - 1000) ** 2 / 1000).sum()) < 24.3  # chi-square, 7 degrees, 1 in 1,000
    near = (first[:, 1:] & first[:, :-1]).sum()
    assert abs(near - 7999 / 8) < 5 * math.sqrt(8000 * 7 / 64)  # neighbours in the list are apart


def test_a_unit_more_or_less_moves_no_other_to_another_batch(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    drawn = np.random.default_rng(0).integers(0, 4, 20)
    kept = [at for at in range(20) if at != 7]

    def batches(units: list[int]) -> list[Any]:
        monkeypatch.setattr(correlated_plan, "uniform_below", lambda _b, _n: drawn[units])
        plan = planned(4, "1/4")
        sums, seen = plan.begin(), []
        for each in plan.sums:
            seen.append(sums.sample(len(units)))
            sums.release(each.name, np.zeros(3, dtype=np.int64))
        return list(np.argmax(np.array(seen), axis=0).tolist())

    assert [batches(list(range(20)))[at] for at in kept] == batches(kept) == drawn[kept].tolist()


def test_a_step_needs_one_sample_and_is_released_once_and_in_order() -> None:
    plan = planned(2, "1/2")
    sums, zeros = plan.begin(), np.zeros(3, dtype=np.int64)
    with pytest.raises(InternalError):
        sums.release("gradient 1", zeros)
    sums.sample(2)
    with pytest.raises(InternalError):
        sums.sample(2)
    with pytest.raises(InternalError):
        sums.release("gradient 1", np.zeros(2, dtype=np.int64))
    sums.release("gradient 1", zeros)
    with pytest.raises(InternalError):
        sums.sample(3)
    sums = plan.begin()
    sums.sample(2)
    with pytest.raises(InternalError):
        sums.release("gradient 2", zeros)
    sums.sample(2)
    with pytest.raises(InternalError):
        sums.release("gradient 2", zeros)  # there is no step after one that failed


def test_after_a_step_that_failed_half_way_there_is_no_other(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Its batch would be sampled again, and meet itself in one measurement."""
    plan = planned(4, "1/4")
    sums, zeros = plan.begin(), np.zeros(3, dtype=np.int64)
    sums.sample(2)
    with monkeypatch.context() as broken:
        broken.setattr(type(plan.matrix), "undone", lambda *_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            sums.release("gradient 1", zeros)
    sums.sample(2)
    with pytest.raises(InternalError):
        sums.release("gradient 2", zeros)


def test_a_sample_that_was_refused_is_none() -> None:
    plan = planned(4, "1/4")
    sums, zeros = plan.begin(), np.zeros(3, dtype=np.int64)
    sums.sample(2)
    sums.release("gradient 1", zeros)
    with pytest.raises(InternalError):
        sums.sample(5)  # units changed
    with pytest.raises(InternalError):
        sums.release("gradient 2", zeros)


def test_a_sum_that_was_not_released_is_in_no_later_measurement() -> None:
    plan = planned(4, "1/4")
    sums, noise = recorded(plan)
    with pytest.raises(InternalError):
        sums.release("gradient 1", np.array([LENGTH, 0, 0]))
    for each in plan.sums:
        sums.sample(1)
        sums.release(each.name, np.zeros(3, dtype=np.int64))
    assert noise.__dict__["seen"] == [[0, 0, 0]] * 4
    sums.sample(1)
    with pytest.raises(InternalError):
        sums.release("gradient 4", np.zeros(3, dtype=np.int64))


def test_large_networks_keep_fewer_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    assert len(planned(40, "1/20").matrix.coefficients) == 20
    monkeypatch.setattr(correlated_plan, "_MOST_KEPT", 15)
    assert len(planned(40, "1/20").matrix.coefficients) <= 5


@pytest.mark.parametrize(
    "wrong", [{"rate": "3/20"}, {"rate": 0}, {"rate": "1.5"}, {"rate": "0.3"}, {"steps": 0}]
)
def test_numbers_that_cannot_be_used_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ShoalError):
        planned(**wrong)


def test_noise_that_cannot_be_drawn_and_noise_that_is_not_known_are_refused() -> None:
    with pytest.raises(CalibrationError):
        planned(measure=GaussianDP("1e-12"))
    for noise in ("sampled", None, 1, ["correlated"]):
        with pytest.raises(RangeError, match="independent, correlated"):
            steps_with(noise, planned_steps(2, 3), "1/2", PRICE, reach=1, relation=HERE)  # type: ignore[arg-type]


CLAIM = Approx(2, "1e-3")


def seen_by_attacker(plan: CorrelatedPlan, *, canary: bool) -> float:
    """The logarithm of the likelihood ratio, for whoever knows that the canary is in the first batch
    and adds the same longest gradient in each of its steps, and that nobody else adds anything.
    """
    sums, c, score = plan.begin(), plan.matrix.coefficients, 0.0
    told: list[float] = []
    for at, each in enumerate(plan.sums):
        taken = bool(sums.sample(1)[0]) and canary
        noisy, _ = sums.release(each.name, np.array([LENGTH, 0, 0]) * int(taken))
        told.insert(0, float(noisy[0]))
        measured = sum(one * other for one, other in zip(c, told, strict=False))
        last = at % plan.matrix.separation
        score += measured * c[last] if last < len(c) else 0.0
    return score / float(plan.noise.sigma) / c[0]


@pytest.mark.audit
@pytest.mark.parametrize("half", [False, True])
def test_a_canary_is_found_only_where_noise_is_halved(
    half: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By the best test there is.  Half is also what there would be if its four steps were one."""
    monkeypatch.setattr(correlated_plan, "uniform_below", lambda _b, n: np.zeros(n, dtype=int))
    plan = planned(12, "1/3", CLAIM)
    assert plan.matrix.participations == 4
    if half:
        quiet = Gaussian(sigma=plan.noise.sigma / 2, sensitivity=plan.noise.sensitivity)
        plan = replace(plan, mechanisms=(quiet,) * 12)
    verdict = audit(
        lambda canary: seen_by_attacker(plan, canary=canary), False, True,
        claim=CLAIM, samples=2000, seed=3,
    )  # fmt: skip
    assert verdict.refuted == half
