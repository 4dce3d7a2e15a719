"""Heavy tests come first, each kind in a process of its own, and none is lost."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any, cast

import pytest
from tests.order import HEAVY, arranged, sizes


@dataclass(frozen=True)
class Item:
    name: int
    kind: str = ""

    def get_closest_marker(self, name: str) -> bool:
        return name == self.kind


def order_of(counts: dict[str, int], parts: int) -> list[Item]:
    """Items of these kinds in an order that mixes them, arranged."""
    kinds = list(Counter(counts).elements())
    mixed = [Item(at, kinds[at * 7919 % len(kinds)]) for at in range(len(kinds))]
    found = cast("list[Item]", arranged(cast("Any", mixed), parts))
    assert sorted(found, key=lambda item: item.name) == mixed
    return found


def heads(found: list[Item], parts: int) -> list[str]:
    starts = [sum(sizes(len(found), parts)[:part]) for part in range(parts)]
    return [found[start].kind for start in starts]


COUNTS = {"spark": 10, "browser": 20, "slow": 200, "postgres": 11, "": 700}


def test_one_process_runs_heavy_tests_first_by_kind() -> None:
    found = order_of(COUNTS, 1)
    assert list(dict.fromkeys(item.kind for item in found)) == [*HEAVY, ""]


@pytest.mark.parametrize(
    ("parts", "first"),
    [(2, ["spark", "browser"]), (3, ["spark", "browser", "slow"]), (4, list(HEAVY))],
)
def test_each_process_begins_with_a_kind_of_its_own(parts: int, first: list[str]) -> None:
    found = order_of(COUNTS, parts)
    assert heads(found, parts) == first
    for kind in HEAVY:  # one after the other, so in one process
        places = [at for at, item in enumerate(found) if item.kind == kind]
        assert places == list(range(places[0], places[0] + COUNTS[kind]))


def test_light_tests_keep_their_order() -> None:
    light = [item.name for item in order_of(COUNTS, 3) if not item.kind]
    assert light == sorted(light)


@pytest.mark.parametrize("counts", [{"": 5}, {"slow": 5}, {"slow": 9, "spark": 1, "": 1}, {}])
@pytest.mark.parametrize("parts", [1, 2, 3, 7])
def test_no_test_is_lost_when_a_kind_is_longer_than_a_part(
    counts: dict[str, int], parts: int
) -> None:
    order_of(counts, parts)


def test_parts_are_as_xdist_cuts_them() -> None:
    assert sizes(10, 3) == [3, 3, 4]
    assert sizes(25_500, 4) == [6375] * 4
    assert sizes(1, 2) == [0, 1]
