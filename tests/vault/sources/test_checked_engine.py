"""In a vault the same question is answered once, however many ask it at the same time."""

from __future__ import annotations

import threading
import time
from pathlib import Path
from unittest.mock import patch

from tests.vault.office import BY_KIND, office

import shoal
from shoal.engines.engine import Engine
from shoal.vault.sources.checked_engine import CheckedEngine


def test_four_threads_that_ask_at_once_spend_once_and_see_one_table(tmp_path: Path) -> None:
    vault = office(tmp_path)
    gate, found = threading.Barrier(4), []
    opened = CheckedEngine.open

    def slowly(shelf: CheckedEngine) -> Engine:
        time.sleep(0.3)
        return opened(shelf)

    def ask() -> None:
        gate.wait()
        found.append(vault.sql(BY_KIND).release(epsilon="0.2").rows)

    with patch.object(CheckedEngine, "open", slowly):
        threads = [threading.Thread(target=ask) for _ in range(4)]
        for each in threads:
            each.start()
        for each in threads:
            each.join()
    assert len(found) == 4
    assert all(rows == found[0] for rows in found)
    assert vault.budget("visits").spent == shoal.Pure("0.2")
    assert len(vault.log()) == 1
