"""Steps cost what was stated, are sampled by fresh coins, and are drawn once."""

from __future__ import annotations

import copy
import math
import pickle
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from shoal import Approx, Relation, ZeroConcentrated, account
from shoal.auditing import audit
from shoal.errors import InternalError, OwnerError, ShoalError
from shoal.learning.nets.gradient_grid import LENGTH
from shoal.learning.nets.step_plan import SampledSums, StepPlan, planned_steps
from shoal.measures import Measure
from shoal.mechanisms import Gaussian
from shoal.noise import Coin
from shoal.noise.seam import seeded

HERE = Relation.ADD_REMOVE


def planned(
    steps: int = 6, rate: Any = "1/4", measure: Measure | None = None, **more: Any
) -> StepPlan:
    said = {"reach": 1, "relation": HERE, **more}
    return StepPlan.for_steps(planned_steps(steps, 3), rate, measure or Approx(1, "1e-5"), **said)


@pytest.mark.slow
@pytest.mark.parametrize("relation", list(Relation))
@pytest.mark.parametrize(("rate", "steps"), [("1/100", 40), ("1/4", 1), (1, 40)])
def test_steps_cost_what_was_stated_and_hardly_less(
    rate: Any, steps: int, relation: Relation
) -> None:
    plan = planned(steps, rate, relation=relation)
    found = account(plan.event, relation=str(relation)).epsilon(delta="1e-5")
    assert found.epsilon <= 1
    quieter = Gaussian(
        sigma=plan.noise.sigma * Fraction(499, 500), sensitivity=plan.noise.sensitivity
    )
    less = StepPlan(plan.sums, (quieter,) * steps, 1, relation, plan.rate)
    assert account(less.event, relation=str(relation)).epsilon(delta="1e-5").epsilon > 1


def test_a_price_in_rho_is_kept_without_samples_and_with_them() -> None:
    for rate in (1, "1/4"):
        plan = planned(5, rate, ZeroConcentrated("0.1"))
        assert account(plan.event).cost(ZeroConcentrated) <= ZeroConcentrated("0.1")


def test_more_rows_of_a_person_have_more_noise() -> None:
    assert planned(reach=3).noise.sigma == 3 * planned().noise.sigma
    assert planned().noise.sensitivity.value == LENGTH


def test_an_event_says_how_often_at_which_rate_and_of_what() -> None:
    (event,) = planned().event.events
    said: Any = event.to_dict()
    assert (said["count"], said["event"]["rate"]) == (6, "1/4")
    assert said["event"]["event"]["sensitivity"] == str(LENGTH)
    (term,) = planned().terms()
    assert (term["steps"], term["rate"], term["size"]) == ("6", "1/4", "3")


def test_samples_have_every_size_as_often_as_independent_coins_give_it() -> None:
    """Of three units at a rate of 1/3; also nobody, and everybody."""
    with seeded("coins"):
        plan = planned(steps=4000, rate="1/3")
        sums, counts = plan.begin(), np.zeros(8)
        for each in plan.sums:
            taken = sums.sample(3)
            counts[int(taken @ np.array([1, 2, 4]))] += 1
            sums.release(each.name, np.zeros(3, dtype=np.int64))
    bits = np.array([each.bit_count() for each in range(8)])
    wanted = 4000 * (1 / 3) ** bits * (2 / 3) ** (3 - bits)
    assert float(((counts - wanted) ** 2 / wanted).sum()) < 24.3  # chi-square, 1 in 1,000


def test_noise_is_as_wide_as_the_event_says() -> None:
    sums = planned_steps(1, 4000)
    plan = StepPlan.for_steps(sums, "1/4", Approx(1, "1e-5"), reach=1, relation=HERE)
    with seeded("width"):
        begun = plan.begin()
        begun.sample(1)
        noisy, sigma = begun.release("gradient 1", np.zeros(4000, dtype=np.int64))
    assert sigma == float(plan.noise.sigma)
    assert float(noisy.std()) == pytest.approx(sigma, rel=0.05)  # 4.5 deviations


def test_what_is_drawn_from_a_seed_is_never_called_private() -> None:
    with seeded("plan"):
        assert not planned().event.private


def test_a_step_needs_one_sample_and_is_released_once() -> None:
    plan = planned(steps=1)
    sums, zeros = plan.begin(), np.zeros(3, dtype=np.int64)
    with pytest.raises(InternalError):
        sums.release("gradient 1", zeros)
    sums.sample(2)
    with pytest.raises(InternalError):
        sums.sample(2)
    sums.release("gradient 1", zeros)
    sums.sample(2)
    with pytest.raises(InternalError):
        sums.release("gradient 1", zeros)


@pytest.mark.parametrize("way", [copy.copy, copy.deepcopy, pickle.dumps])
def test_steps_cannot_be_copied(way: Any) -> None:
    with pytest.raises(OwnerError):
        way(planned().begin())


@pytest.mark.parametrize(
    "wrong", [{"rate": 0}, {"rate": "1.5"}, {"rate": -1}, {"steps": 0}, {"steps": 2.5}]
)
def test_numbers_that_cannot_be_used_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ShoalError):
        planned(**wrong)


CLAIM = Approx(2, "1e-3")
STEPS = 5


def seen(sums: SampledSums, plan: StepPlan, *, canary: bool) -> float:
    """The likelihood ratio of one training, for whoever knows that nobody but the canary adds
    anything, and that it adds the same longest gradient in each step in which it takes part.
    """
    score, rate = 0.0, float(plan.rate)
    for each in plan.sums:
        taken = sums.sample(1) & canary
        value = np.array([LENGTH, 0, 0], dtype=np.int64) * int(taken[0])
        noisy, _ = sums.release(each.name, value)
        reach = LENGTH / float(plan.noise.sigma)
        place = float(noisy[0]) / float(plan.noise.sigma)
        score += math.log(1 - rate + rate * math.exp(place * reach - reach**2 / 2))
    return score


@pytest.mark.audit
@pytest.mark.parametrize("half", [False, True])
def test_a_canary_in_secret_samples_is_found_only_where_noise_is_halved(
    half: bool,
) -> None:
    """By the best test there is, of the coins and the noise that are drawn."""
    plan = planned(STEPS, "1/3", CLAIM)
    if half:

        class Quiet(Gaussian):
            """Says sigma, and draws half of it."""

            def release(self, value: Any, **how: Any) -> Any:
                loud = Gaussian(sigma=self.sigma / 2, sensitivity=self.sensitivity)
                return loud.release(value, **how)

        quiet = Quiet(sigma=plan.noise.sigma, sensitivity=plan.noise.sensitivity)
        plan = StepPlan(plan.sums, (quiet,) * STEPS, 1, HERE, plan.rate)
    verdict = audit(
        lambda canary: seen(plan.begin(), plan, canary=canary), False, True,
        claim=CLAIM, samples=2000, seed=3,
    )  # fmt: skip
    assert verdict.refuted == half


@pytest.mark.audit
def test_an_audit_finds_a_sample_in_which_everybody_takes_part(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The coins are part of the price: without them the canary is found."""
    plan = planned(STEPS, "1/3", CLAIM)
    monkeypatch.setattr(Coin, "many", lambda _self, count: np.ones(count, dtype=bool))
    verdict = audit(
        lambda canary: seen(plan.begin(), plan, canary=canary), False, True,
        claim=CLAIM, samples=2000, seed=3,
    )  # fmt: skip
    assert verdict.refuted
