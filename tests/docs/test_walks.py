"""The walks and the picture of docs/architecture.md are what the code does and what the table
says.
"""

from __future__ import annotations

import re

import pytest
from scripts import house_figure, trace_files
from tests.test_architecture import read_table

from shoal.exact import rational

PAGE = house_figure.TABLE.read_text(encoding="utf-8")
WALKS = {"question": "A question", "poll": "A report of a poll", "account": "An account"}


def files_named(walk: str) -> list[str]:
    """The files of a walk, in order."""
    section = PAGE.partition(f"\n### {walk}\n")[2].partition("\n#")[0]
    return re.findall(r"^1\. `([^`]+)`", section, re.MULTILINE)


@pytest.mark.slow
@pytest.mark.parametrize("act", WALKS)
def test_the_files_of_a_walk_are_passed_by_the_act_in_this_order(act: str) -> None:
    # in a process of its own: what other tests left in caches is not computed again
    passed = trace_files.trace(act).files
    named = files_named(WALKS[act])
    assert 10 <= len(named) <= 15
    assert [each for each in named if each not in passed] == []
    assert named == sorted(named, key=passed.index)


def test_each_act_that_is_traced_has_a_walk() -> None:
    assert set(WALKS) == set(trace_files.ACTS)


def test_a_file_that_is_only_imported_is_not_passed() -> None:
    with trace_files.traced() as found:
        compile("1", "<text>", "eval")
    assert found.files == []


def test_what_is_called_is_told_with_its_function_and_what_is_defined_is_not() -> None:
    with trace_files.traced() as found:
        rational("1/3", "a number")

        class Defined:
            """Its body runs, and is no function."""

    assert "rational" in found.calls["exact/rational.py"]
    assert all("Defined" not in each for calls in found.calls.values() for each in calls)
    assert Defined.__doc__


def test_the_picture_of_the_house_is_drawn_from_the_table_as_it_is() -> None:
    assert house_figure.PICTURE.read_text(encoding="utf-8") == house_figure.drawn(PAGE)


def test_every_folder_is_in_the_picture_above_all_that_it_imports() -> None:
    floors = house_figure.floors_of(house_figure.rows_of(PAGE))
    floor = {name: at for at, names in enumerate(floors) for name in names}
    table = read_table(PAGE)
    assert floor.keys() == table.keys()
    for name, allowed in table.items():
        for other in allowed - {"everything"}:
            assert floor[other] < floor[name], (name, other)
    assert f"figures/{house_figure.NAME}.svg" in PAGE
