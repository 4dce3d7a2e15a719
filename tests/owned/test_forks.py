"""What a forked child can do with the budgets and runs that it inherits."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parent.parent.parent
REFUSED = "owner-1"

pytestmark = pytest.mark.slow  # each test starts programs


def lived(act: str, place: Path | str = ".") -> Any:
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-m", "tests.owned.lives", act, str(place)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_child_and_parent_of_a_budget_in_memory_do_not_both_spend_it() -> None:
    """Neither a child nor a grandchild spends or reads it, and the parent still can."""
    for told in lived("budgets").values():
        assert told == [REFUSED, REFUSED, REFUSED, REFUSED, "spent"]


def test_a_child_of_a_table_in_memory_gets_no_answer() -> None:
    child, parent, shown = lived("table")
    assert (child, parent) == (REFUSED, "answered")
    assert "another process" in shown


def test_forty_children_of_a_sparse_vector_run_get_no_positive() -> None:
    told = lived("runs")
    assert told == {"children": [REFUSED] * 40, "parent": True}


def test_a_child_does_not_ask_the_people_of_an_oracle_again() -> None:
    assert lived("oracle") == [REFUSED, True]


def test_a_fork_while_a_lock_is_held_is_refused_and_does_not_wait_for_ever() -> None:
    assert lived("locked") == REFUSED


def test_a_child_neither_answers_nor_gives_back_nor_ends_the_charge_of_its_parent(
    tmp_path: Path,
) -> None:
    told = lived("charge", tmp_path)
    assert told == [REFUSED, REFUSED, REFUSED, "left", "epsilon 0", True]


def test_children_of_an_open_vault_are_answered_and_pay_from_its_one_account(
    tmp_path: Path,
) -> None:
    told = lived("vault", tmp_path)
    assert told == ["answered"] * 3 + ["budget-1"] * 3 + ["epsilon 0.1", True]


def test_a_process_number_that_comes_again_is_not_taken_for_the_same_process() -> None:
    assert lived("numbers") is False
