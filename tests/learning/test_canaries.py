"""A row that was made to be found is not found better than the price allows, and an audit that
could not see less noise would say nothing.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest
from tests.learning.canaries import Attack
from tests.learning.models import SUMMED

from shoal.auditing import audit
from shoal.learning import training_plan
from shoal.measures import GaussianDP
from shoal.mechanisms import Gaussian
from shoal.noise.seam import seeded


@pytest.mark.parametrize("name", SUMMED)
def test_a_canary_spends_much_of_the_budget_and_never_more(name: str) -> None:
    """Of the planned noise: half of it would make the square at least four times as large."""
    with seeded("canary"):
        found = [Attack(name).ratio(canary=canary)[1] for canary in (False, True)]
    assert max(found) <= 1 + 1e-9  # the sums here are of doubles
    assert max(found) > 0.3


@pytest.mark.audit
@pytest.mark.parametrize("half", [False, True])
@pytest.mark.parametrize("name", SUMMED)
def test_the_likelihood_ratio_finds_a_canary_only_where_noise_is_halved(
    name: str, half: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of the noise that is drawn, by the best test there is."""
    if half:

        class Quiet(Gaussian):
            """Says sigma, and draws half of it."""

            def release(self, value: Any, **how: Any) -> Any:
                loud = Gaussian(sigma=self.sigma / 2, sensitivity=self.sensitivity)
                return loud.release(value, **how)

        def quiet(*, sigma: Fraction, sensitivity: Any) -> Gaussian:
            return Quiet(sigma=sigma, sensitivity=sensitivity)

        monkeypatch.setattr(training_plan, "Gaussian", quiet)
    attack = Attack(name)
    verdict = audit(
        lambda canary: attack.ratio(canary=canary)[0], False, True,
        claim=GaussianDP(1), samples=1500, seed=1,
    )  # fmt: skip
    assert verdict.refuted == half
