"""A list, repetition or group that states its relation is priced for it, also where each part has
neighbours of its own.
"""

from __future__ import annotations

import pytest

from shoal.accounting import account
from shoal.errors import PriceError

SAMPLED = "gaussian sigma=1 | sampled q=0.1"


@pytest.mark.slow
@pytest.mark.parametrize("outside", ["| x 3", "| group 1", "| x 1 | group 2"])
def test_a_stated_change_outside_of_a_sample_is_paid_for(outside: str) -> None:
    stated = account(f"{SAMPLED} {outside} relation=change").epsilon(delta="1e-5")
    asked = account(f"{SAMPLED} {outside}", relation="change").epsilon(delta="1e-5")
    rows = account(f"{SAMPLED} {outside}").epsilon(delta="1e-5")
    assert stated == asked
    assert stated.epsilon > rows.epsilon


def test_the_best_of_several_runs_is_priced_for_the_neighbours_it_states() -> None:
    runs = f"{SAMPLED} | best_of eta=1 gamma=0.1"
    stated = account(f"{runs} relation=change").epsilon(delta="1e-5")
    assert stated.epsilon > account(runs).epsilon(delta="1e-5").epsilon


def test_rows_that_come_and_go_are_not_stated_of_answers() -> None:
    with pytest.raises(PriceError, match="rows that change, not for rows that come and go"):
        account("rr epsilon=1 | x 2 relation=add_remove").epsilon(delta="1e-5")
