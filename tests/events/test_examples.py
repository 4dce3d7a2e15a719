"""The examples of the documentation run as printed."""

from __future__ import annotations

import doctest
from dataclasses import fields
from pathlib import Path

import pytest

from shoal.events import KINDS

PAGE = Path(__file__).parents[2] / "docs" / "events.md"


def test_the_examples_of_the_events_page_run_as_printed() -> None:
    outcome = doctest.testfile(str(PAGE), module_relative=False)
    assert outcome.attempted > 5
    assert outcome.failed == 0


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_the_events_page_has_a_row_for_every_kind(kind: str) -> None:
    row = next(
        line for line in PAGE.read_text(encoding="utf-8").splitlines() if f", `{kind}` |" in line
    )
    own = {field.name for field in fields(KINDS[kind])} - {"private", "relation"}
    assert not {name for name in own if f"`{name}`" not in row}
