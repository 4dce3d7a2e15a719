"""Those who wait for the answer of somebody else are let go when their program is told to end."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from shoal.errors import InFlightError
from shoal.events import StatedPure
from shoal.ledger import Ledger
from shoal.measures import Pure

TENTH = StatedPure("0.1")


@pytest.mark.parametrize("closes", [False, True])
def test_who_waits_is_let_go_when_the_ledger_is_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, closes: bool
) -> None:
    path = tmp_path / "office.shoal"
    with Ledger(path) as dead, Ledger(path, patience=20) as ledger:
        dead.open_account("visits", Pure(1), relation="add_remove")
        dead.charge("visits", TENTH, caller="ana", same="question")  # and it never answers
        waits, really = threading.Event(), ledger._wait_for

        def noted(*asked: object) -> None:
            waits.set()
            really(asked[0], float("inf"))  # type: ignore[arg-type]

        monkeypatch.setattr(ledger, "_wait_for", noted)
        with ThreadPoolExecutor(1) as pool:
            waiting = pool.submit(
                ledger.charge, "visits", TENTH, caller="bo", same="question", key="k"
            )
            waits.wait()
            (ledger.close if closes else ledger.stop_waiting)()
            with pytest.raises(InFlightError):
                waiting.result(60)
        assert dead.account("visits").events == 1  # and nothing was charged
