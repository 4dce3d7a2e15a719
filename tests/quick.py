"""What `make quick` runs: of every test something, and nothing that takes long.

Three rules choose among the tests that are not marked as heavy:

1. A test that takes `MOST_SECONDS` of processor time or more is left out. Those are listed in
   `left_out_of_quick.txt`; `python -m scripts.quick_tests` measures all tests and writes it anew.
2. Of a test with many parameters the first, the middle and the last are run.
3. A law is tried on `EXAMPLES` examples, where it does not ask for its own number.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import settings

MOST_SECONDS = 0.2
EACH = 3
EXAMPLES = 20
LIST = Path(__file__).parent / "left_out_of_quick.txt"


def register() -> None:
    """A profile for laws, beside that of the house."""
    settings.register_profile("quick", settings.get_profile("house"), max_examples=EXAMPLES)


def name_of(item: pytest.Item) -> str:
    """The test of an item, without its parameters."""
    return item.nodeid.partition("[")[0]


def left_out() -> frozenset[str]:
    """The tests that are known to take too long."""
    lines = LIST.read_text(encoding="utf-8").splitlines()
    return frozenset(line for line in lines if line and not line.startswith("#"))


def chosen(
    items: Sequence[pytest.Item], slow: frozenset[str]
) -> tuple[list[pytest.Item], list[pytest.Item]]:
    """The items that the rules keep, in their order, and the others."""
    families: dict[str, list[pytest.Item]] = {}
    for item in items:
        families.setdefault(name_of(item), []).append(item)
    few = {name: spread(family) for name, family in families.items() if name not in slow}
    kept = {item.nodeid for family in few.values() for item in family}
    return (
        [item for item in items if item.nodeid in kept],
        [item for item in items if item.nodeid not in kept],
    )


def spread(family: list[pytest.Item]) -> list[pytest.Item]:
    """The first, some between, and the last."""
    if len(family) <= EACH:
        return family
    return [family[at * (len(family) - 1) // (EACH - 1)] for at in range(EACH)]
