"""`make quick` runs something of every test that is quick, and says what it leaves out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, cast

from tests import quick


@dataclass(frozen=True)
class Item:
    nodeid: str


def kept_of(names: list[str], slow: frozenset[str] = frozenset()) -> tuple[list[str], list[str]]:
    kept, dropped = quick.chosen(cast("Any", [Item(name) for name in names]), slow)
    return [each.nodeid for each in kept], [each.nodeid for each in dropped]


def test_of_many_parameters_the_first_the_middle_and_the_last_are_run() -> None:
    many = [f"t.py::many[{at}]" for at in range(101)]
    few = ["t.py::few[a]", "t.py::few[b]", "t.py::alone"]
    kept, dropped = kept_of([*few, *many])
    assert kept == [*few, many[0], many[50], many[100]]
    assert sorted([*kept, *dropped]) == sorted([*few, *many])


def test_a_test_on_the_list_is_left_out_with_all_its_parameters() -> None:
    kept, dropped = kept_of(["t.py::a[1]", "t.py::a[2]", "t.py::ab"], frozenset({"t.py::a"}))
    assert (kept, dropped) == (["t.py::ab"], ["t.py::a[1]", "t.py::a[2]"])


def test_the_list_names_tests_without_parameters() -> None:
    assert len(quick.left_out()) > 100
    assert [name for name in quick.left_out() if "::test_" not in name or "[" in name] == []
