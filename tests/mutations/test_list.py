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


def problems(mutation: Mutation) -> list[str]:
    """Why a fault cannot be planted, or does not say what it should."""
    found = []
    try:
        spoilt = mutation.applied_to((ROOT / mutation.file).read_text())
        if mutation.file.endswith(".py"):
            ast.parse(spoilt)
    except (DoesNotApply, SyntaxError, FileNotFoundError) as problem:
        found.append(f"it cannot be planted: {problem}")
    if not mutation.harm.endswith("."):
        found.append("it does not say whom it harms")
    if not mutation.tests:
        found.append("it names no test")
    for test in mutation.tests:
        path, _, name = test.partition("[")[0].partition("::")  # a case is found by its test
        source = (ROOT / path).read_text() if (ROOT / path).exists() else ""
        if f"def {name}(" not in source if name else not source:
            found.append(f"{test} is not there")
    return found


def test_every_fault_can_be_planted_says_whom_it_harms_and_names_tests_that_are_there() -> None:
    wrong = {one.name: problems(one) for one in MUTATIONS}
    assert {name: found for name, found in wrong.items() if found} == {}


def test_a_fault_that_does_not_fit_is_listed() -> None:
    lost = Mutation(
        "lost", "src/shoal/errors.py", "no such text", "x", "Harm", ("tests/none.py::x",)
    )
    assert len(problems(lost)) == 3


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
