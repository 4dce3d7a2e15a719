"""Released counts as people read them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.cli.count_figures import OF_DAYS, OF_TABLES, headed


@given(st.floats(-1e9, 1e9), st.sampled_from(["count", "total"]))
def test_the_shown_ends_of_an_interval_hold_the_exact_ones(end: float, name: str) -> None:
    low, high = (
        float(OF_DAYS[f"{name}{side}"](end).replace(",", "")) for side in ("_low", "_high")
    )
    assert low <= end <= high
    assert high - low < 0.1 + 1e-6


@pytest.mark.parametrize(
    ("name", "value", "shown"),
    [
        ("count", 1025, "1,025"),
        ("count", 1024.96, "1,025.0"),
        ("count_low", 1024.96, "1,024.9"),
        ("total_high", -0.04, "0.0"),
    ],
)
def test_counts_have_separators_and_one_digit(name: str, value: float, shown: str) -> None:
    assert OF_DAYS[name](value) == shown


def test_keys_are_no_counts() -> None:
    assert "country" not in OF_DAYS
    assert "total" not in OF_TABLES  # a column of a table may be called so, and its labels are keys
    assert headed("total_low", OF_TABLES) == "total_low"
    assert headed("total_low", OF_DAYS) == "from"
    assert headed("count_high", OF_TABLES) == "to"
