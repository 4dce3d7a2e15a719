"""Events written by the first version are read for ever as what they meant.

A failure here is a broken promise, not a stale file: give the new meaning a new kind.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.events.samples import SAMPLES

from shoal.events import KINDS, Event

GOLDEN: dict[str, dict[str, Any]] = json.loads(
    (Path(__file__).parent / "golden.json").read_text(encoding="utf-8")
)


def test_the_golden_file_holds_one_event_of_every_kind() -> None:
    assert set(GOLDEN) == set(KINDS)


@pytest.mark.parametrize("kind", sorted(GOLDEN))
def test_a_golden_event_is_read_as_what_it_meant(kind: str) -> None:
    assert Event.from_dict(GOLDEN[kind]) == SAMPLES[kind]


@pytest.mark.parametrize("kind", sorted(GOLDEN))
def test_a_golden_event_is_written_as_it_was(kind: str) -> None:
    assert SAMPLES[kind].to_dict() == GOLDEN[kind]
