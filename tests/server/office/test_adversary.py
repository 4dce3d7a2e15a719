"""What an adversary tries at the door of the office: tokens that are over, other hosts, other sites."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from tests.server.console.console_visit import visit_as
from tests.server.office.desk import Desk, desk_with_everybody
from tests.vault.office import COUNT, PLANTED

import shoal
from shoal.vault import Vault
from shoal.vault.people import people

ELSEWHERE = "https://evil.example"


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    made = desk_with_everybody(tmp_path_factory.mktemp("office"))
    with made.vault:
        yield made


def test_a_token_that_is_over_gets_the_answer_of_one_that_never_was(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.tokens |= {
        "unknown": "shoal_0123456789ab_" + "0" * 48,
        "revoked": desk.vault.people.token("auditor"),
        "expired": desk.vault.people.token("auditor", days=1),
    }
    desk.vault.people.revoke(desk.tokens["revoked"].split("_")[1])
    assert desk.send("GET", "/me", "expired").status_code == 200

    class Later(datetime):
        @classmethod
        def now(cls, tz: object = None) -> datetime:  # type: ignore[override]
            return datetime.now(UTC) + timedelta(days=1, seconds=1) if tz is UTC else datetime.now()

    monkeypatch.setattr(people, "datetime", Later)
    said = set()
    for who in ("unknown", "revoked", "expired"):
        found = desk.send("GET", "/me", who)
        told = found.json()["error"]
        said.add((found.status_code, told["code"], told["message"], told["remedy"]))
    assert len(said) == 1
    assert next(iter(said))[:2] == (401, "token-1")


def test_a_token_for_one_dataset_reaches_no_other(tmp_path: Path) -> None:
    desk = desk_with_everybody(tmp_path)
    with desk.vault as vault:
        place = tmp_path / "visits.parquet"
        vault.add("stays", place, protects=vault.dataset("visits").protects, budget=shoal.Pure(1))
        vault.people.add("analyst", role="analyst", dataset="stays", allowance="0.5")
        desk.tokens["narrow"] = vault.people.token("analyst", datasets=("stays",))
        body = {"sql": COUNT, "epsilon": "0.1"}
        for path in ("/preview", "/explain", "/releases", "/requests"):
            sent = {"/explain": {"sql": COUNT}, "/requests": {**body, "purpose": "why"}}
            found = desk.send("POST", path, "narrow", json=sent.get(path, body), key="k")
            assert found.json()["error"]["code"] in {"sql-3", "rights-1", "vault-1"}, path
        for path in ("/datasets/visits", "/budgets/visits", "/datasets/visits/dummy"):
            assert desk.send("GET", path, "narrow").status_code == 404, path
        other = {"sql": "SELECT COUNT(*) AS n FROM stays", "epsilon": "0.1"}
        assert desk.send("POST", "/releases", "narrow", json=other, key="k").status_code == 201


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example", "evil.example:8000"])
def test_a_request_that_names_another_host_reaches_neither_office_nor_console(
    desk: Desk, host: str
) -> None:
    named = {"Host": host}
    found = desk.send("GET", "/me", "analyst", headers=named)
    assert (found.status_code, found.json()["error"]["code"]) == (400, "host-1")
    assert visit_as(desk, "analyst").send("GET", "/", headers=named).status_code == 400


def test_no_other_site_is_allowed_to_read_an_answer(desk: Desk) -> None:
    visit = visit_as(desk, "analyst")
    asked = {
        "Origin": ELSEWHERE,
        "Access-Control-Request-Method": "POST",
        "Access-Control-Request-Headers": "authorization, idempotency-key",
    }
    for found in (
        desk.send("OPTIONS", "/releases", headers=asked),
        desk.send("OPTIONS", "/releases", "analyst", headers=asked),
        desk.send("GET", "/me", "analyst", headers={"Origin": ELSEWHERE}),
        desk.send("GET", "/public/releases", headers={"Origin": ELSEWHERE}),
        visit.send("OPTIONS", "/releases", headers=asked),
        visit.send("GET", "/", headers={"Origin": ELSEWHERE}),
    ):
        assert not [name for name in found.headers if name.startswith("access-control")]
        assert found.headers["cross-origin-resource-policy"] == "same-origin"
        assert found.request.method != "OPTIONS" or found.status_code == 405


def test_a_page_that_fails_shows_an_id_and_nothing_else(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fails(*_: object, **__: object) -> None:
        raise RuntimeError(PLANTED)

    visit = visit_as(desk, "auditor")
    monkeypatch.setattr(Vault, "verify", fails)
    with caplog.at_level(logging.ERROR):
        found = visit.submit("/verify")
    assert found.status_code == 500
    assert "internal-1" in found.text
    assert found.headers["X-Request-Id"] in found.text
    assert PLANTED not in found.text + caplog.text
