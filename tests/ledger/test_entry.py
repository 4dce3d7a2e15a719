"""How entries are written: canonical JSON, and the time."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.errors import ShapeError
from shoal.ledger.entry import canonical, now

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)  # fmt: skip


@pytest.mark.slow
@given(VALUES)
def test_canonical_text_is_what_the_standard_library_writes(value: Any) -> None:
    plain = json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)
    assert canonical(value) == plain
    assert json.loads(canonical(value)) == value


def around() -> list[Any]:
    held: list[Any] = []
    held.append(held)
    return held


@pytest.mark.parametrize(
    "value",
    [float("nan"), [float("inf")], {"at": -float("inf")}, {1, 2}, {"at": b"x"}, {(1, 2): 3}, around()],
    ids=["nan", "infinite", "minus infinite", "set", "bytes", "tuple as a name", "holds itself"],
)  # fmt: skip
def test_what_is_not_plain_json_is_refused(value: Any) -> None:
    with pytest.raises(ShapeError, match="plain JSON"):
        canonical(value)


def test_the_time_of_an_entry_is_the_time_in_utc_to_the_microsecond() -> None:
    second = timedelta(seconds=1)
    before = datetime.now(UTC)
    told = [now() for _ in range(1000)]
    after = datetime.now(UTC)
    read = [datetime.fromisoformat(each) for each in told]
    assert all(before - second <= each <= after + second for each in read)
    assert [each.isoformat(timespec="microseconds") for each in read] == told
