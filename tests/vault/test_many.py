"""Many at once, and a vault on a server: the budget holds exactly what it holds."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from tests.vault.office import BY_KIND, COUNT, FACTS, UNIT, office, write

import shoal
from shoal.errors import BudgetExceeded

ASKING = """
import sys, shoal
from shoal.errors import BudgetExceeded
granted = 0
with shoal.open(sys.argv[1]) as vault:
    for at in range(6):
        try:
            vault.sql(f"SELECT COUNT(*) AS n FROM visits WHERE spend > {at} + {sys.argv[2]}").release(epsilon="0.1")
            granted += 1
        except BudgetExceeded:
            pass
print(granted)
"""


@pytest.mark.slow
def test_processes_that_race_get_exactly_what_the_budget_holds(tmp_path: Path) -> None:
    office(tmp_path).close()
    path = str(tmp_path / "office.shoal")
    racing = [
        subprocess.Popen(
            [sys.executable, "-c", ASKING, path, str(100 * at)], stdout=subprocess.PIPE, text=True
        )
        for at in range(4)
    ]
    granted = [int(each.communicate()[0]) for each in racing]
    assert sum(granted) == 10
    with shoal.open(path) as vault:
        assert vault.budget("visits").left == shoal.Pure(0)
        assert [each.state for each in vault.log(None)] == ["answered"] * 10
        assert vault.verify().is_sound


@pytest.mark.slow
def test_threads_that_race_get_exactly_what_the_budget_holds(tmp_path: Path) -> None:
    vault = office(tmp_path)

    def asked(at: int) -> bool:
        try:
            vault.sql(f"{COUNT} WHERE spend > {at}").release(epsilon="0.1")
        except BudgetExceeded:
            return False
        return True

    with ThreadPoolExecutor(8) as pool:
        granted = sum(pool.map(asked, range(24)))
    assert granted == 10
    assert vault.budget("visits").left == shoal.Pure(0)


@pytest.mark.parametrize("store", ["sqlite", "postgres"])
def test_a_vault_is_the_same_in_a_file_and_on_a_server(
    store: str, places: Callable[[str], str], tmp_path: Path
) -> None:
    where = places(store)
    with shoal.open(where) as vault:
        vault.add("visits", write(tmp_path), protects=UNIT, columns=FACTS, budget=shoal.Pure(1))
        vault.grant("ana", "visits", shoal.Pure("0.5"))
        first = vault.as_("ana").sql(BY_KIND).release(epsilon="0.5", key="monday")
    with shoal.open(where) as vault:
        assert vault.as_("ana").sql(BY_KIND).release(epsilon="0.5", key="monday").rows == first.rows
        assert vault.wrong_with(first.certificate) == []
        with pytest.raises(BudgetExceeded):
            vault.sql(COUNT).release(epsilon="0.75")
        assert vault.budget("visits").left == shoal.Pure("0.5")
        assert vault.verify().is_sound
