"""Whoever releases states a guarantee and has its proof beside it."""

from __future__ import annotations

import inspect
import re
from pathlib import Path
from typing import Any

import pytest

import shoal.functions

PARTS = ["Guarantee:", "Needs:", "Edges:", "Reference:"]


def releasing() -> dict[str, type[Any]]:
    named = {name: getattr(shoal.functions, name) for name in shoal.functions.__all__}
    return {
        name: thing
        for name, thing in named.items()
        if inspect.isclass(thing) and hasattr(thing, "release") and hasattr(thing, "__getstate__")
    }


def test_there_are_some() -> None:
    assert {"SmoothCauchy", "InverseSensitivity", "StableMode"} <= releasing().keys()


@pytest.mark.parametrize("name", [name for name in releasing() if name != "Smoothed"])
def test_it_states_its_guarantee_and_proves_it_in_a_note_beside_it(name: str) -> None:
    kind = releasing()[name]
    written = inspect.getdoc(kind) or ""
    missing = [part for part in PARTS if not re.search(rf"^\s*{part}", written, re.MULTILINE)]
    assert missing == []
    found = re.search(r"Proof: (\w+\.md)", written)
    assert found
    assert (Path(inspect.getfile(kind)).parent / found[1]).read_text().strip()
