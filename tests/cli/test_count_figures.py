"""Released counts as people read them."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.cli.count_figures import counts_written, headed


@given(st.floats(-1e9, 1e9), st.sampled_from(["count", "total"]))
def test_the_shown_ends_of_an_interval_hold_the_exact_ones(end: float, name: str) -> None:
    low, high = counts_written(f"{name}_low"), counts_written(f"{name}_high")
    assert low is not None
    assert high is not None
    shown = [float(written(end).replace(",", "")) for written in (low, high)]
    assert shown[0] <= end <= shown[1]
    assert shown[1] - shown[0] < 0.1 + 1e-6


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
    written = counts_written(name)
    assert written is not None
    assert written(value) == shown


def test_keys_are_no_counts() -> None:
    assert counts_written("country") is None
    assert headed("country") == "country"
    assert headed("count_low") == "from"
