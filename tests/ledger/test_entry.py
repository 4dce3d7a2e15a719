"""How entries are written: canonical JSON, and the time."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shoal.errors import ShapeError
from shoal.ledger.entry import canonical, hash_of, now

VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


@pytest.mark.slow
@given(VALUES)
def test_canonical_text_is_what_the_standard_library_writes(value: Any) -> None:
    plain = json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)
    assert canonical(value) == plain
    assert json.loads(canonical(value)) == value


GOLDEN = json.loads((Path(__file__).parent / "golden" / "entries.json").read_text())
TIME = "2026-11-17T12:00:00.000000+00:00"


@pytest.mark.parametrize("number", range(1, len(GOLDEN) + 1))
def test_texts_and_hashes_are_those_of_every_earlier_version(number: int) -> None:
    kept = GOLDEN[number - 1]
    text = canonical(json.loads(kept["body"]))
    assert text == kept["text"]
    assert hash_of(number, "0" * 64, "charge", TIME, text) == kept["hash"]


SHORT = {'"': '\\"', "\\": "\\\\", "\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t"}


def quoted(text: str) -> str:
    """A text of canonical JSON, written unit by unit of UTF-16."""
    units = text.encode("utf-16-be", "surrogatepass")
    codes = [int.from_bytes(units[at : at + 2]) for at in range(0, len(units), 2)]
    return (
        '"'
        + "".join(SHORT.get(chr(c), chr(c) if 32 <= c < 127 else f"\\u{c:04x}") for c in codes)
        + '"'
    )


def by_hand(value: Any) -> str:
    """Canonical JSON from its description alone, without a library."""
    match value:
        case None | True | False:
            return {None: "null", True: "true", False: "false"}[value]
        case str():
            return quoted(value)
        case int() | float():
            return repr(value)
        case list():
            return f"[{','.join(map(by_hand, value))}]"
    pairs = (f"{quoted(name)}:{by_hand(value[name])}" for name in sorted(value))
    return "{" + ",".join(pairs) + "}"


@given(VALUES)
def test_canonical_text_follows_from_its_description(value: Any) -> None:
    assert canonical(value) == by_hand(value)


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
