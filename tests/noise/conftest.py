"""Tickets that are written down."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from shoal.noise import candidate_race


@pytest.fixture
def tickets(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[int]]:
    """The tickets that are drawn, in order, in place of uniform draws."""
    written: list[int] = []
    monkeypatch.setattr(candidate_race, "one_below", lambda bound: written.pop(0) % bound)
    yield written
    assert written == []
