"""The list of planted faults fits the source as it is now."""

from __future__ import annotations

import ast
from collections import Counter
from pathlib import Path

import pytest
from scripts.mutations.every import MUTATIONS
from scripts.mutations.mutation import DoesNotApply, Mutation

ROOT = Path(__file__).parent.parent.parent
FEWEST = 150
FOLDERS = (
    *("exact", "noise", "measures", "sensitivity", "accounting", "mechanisms", "plan", "engines"),
    *("query", "ledger", "vault", "local", "polls", "functions", "server", "cli"),
)

each = pytest.mark.parametrize("mutation", MUTATIONS, ids=[one.name for one in MUTATIONS])


@each
def test_a_fault_can_be_planted_and_what_it_leaves_can_be_read(mutation: Mutation) -> None:
    spoilt = mutation.applied_to((ROOT / mutation.file).read_text())
    if mutation.file.endswith(".py"):
        ast.parse(spoilt)


@each
def test_a_fault_says_whom_it_harms_and_names_tests_that_are_there(mutation: Mutation) -> None:
    assert mutation.harm.endswith(".")
    assert mutation.tests
    for test in mutation.tests:
        path, _, name = test.partition("::")
        assert f"def {name}(" in (ROOT / path).read_text() if name else (ROOT / path).exists()


def test_no_two_faults_have_one_name() -> None:
    assert [
        name for name, count in Counter(one.name for one in MUTATIONS).items() if count > 1
    ] == []


def test_there_are_many_faults_and_some_on_every_floor() -> None:
    places = {one.file.split("/")[2] for one in MUTATIONS}
    assert len(MUTATIONS) >= FEWEST
    assert set(FOLDERS) <= places


@pytest.mark.parametrize("text", ["", "a + b + a + b"])
def test_a_text_that_is_not_there_once_cannot_be_replaced(text: str) -> None:
    fault = Mutation("sum", "sums.py", "a + b", "a - b", "Harm.", ("tests",))
    with pytest.raises(DoesNotApply, match="sum: its text stands"):
        fault.applied_to(text)
