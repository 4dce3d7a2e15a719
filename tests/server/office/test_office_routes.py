from __future__ import annotations

import asyncio
import json
import logging
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.server.office.desk import Desk, apart, desk_with_everybody
from tests.vault.office import COUNT, PLANTED

import shoal
from shoal.errors import SchemaError
from shoal.server.access_check import Door
from shoal.server.address import Address
from shoal.server.office.access_log import LOG
from shoal.server.office.dataset_routes import MOST_PLANNED
from shoal.server.office.office_app import PREFIX
from shoal.server.office.route_rights import ROUTES, is_open
from shoal.server.office.work import FIRST_CLASS, ReleaseWork, padded
from shoal.vault import Vault
from shoal.vault.people.access import Access
from shoal.vault.people.rights import GIVEN

ASK: dict[str, Any] = {"sql": COUNT, "epsilon": "0.1"}
BODIES: dict[str, dict[str, Any]] = {
    "/preview": ASK,
    "/explain": {"sql": COUNT},
    "/plan": {"sql": [COUNT], "error": "100"},
    "/releases": ASK,
    "/requests": {**ASK, "purpose": "why"},
    "/people": {"person": "bo", "role": "auditor"},
    "/tokens": {"person": "auditor", "days": 1},
    "/public/releases": {"release": 1},
    "/datasets": {"declaration": "name = 1"},
    "/datasets/proposal": {"path": "visits.parquet"},
    "/datasets/review": {"declaration": "name = 1"},
    "/datasets/{name}/review": {"declaration": "name = 1"},
    "/datasets/{name}/versions": {"declaration": "name = 1", "follows": 1},
    "/session": {"token": ""},
}


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    folder = tmp_path_factory.mktemp("office")
    made = desk_with_everybody(folder, data=folder)
    with made.vault:
        yield made


def asked(desk: Desk, method: str, path: str, role: str | None) -> Any:
    """A sensible request of a role to a route."""
    spare = desk.vault.people.tokens[-1].name
    filled = path
    for name, value in {
        "{name}": "visits",
        "{number}": "1",
        "{key}": "nothing",
        "{form}": "csv",
        "{person}": "nobody",
        "{token}": spare,
    }.items():
        filled = filled.replace(name, value)
    body = BODIES.get(path, {"budget": "2"} if method == "PUT" else {"word": "x"})
    more = {"json": body} if method in {"POST", "PUT"} else {}
    return desk.send(method, filled, role, headers={"Idempotency-Key": "k"}, **more)


def test_every_route_is_in_the_table_and_nothing_else_is(desk: Desk) -> None:
    paths = desk.send("GET", "/openapi.json").json()["paths"]
    published = {(method.upper(), path) for path, acts in paths.items() for method in acts}
    assert published == set(ROUTES)


@pytest.mark.slow
@pytest.mark.parametrize("role", [None, *GIVEN])
def test_each_role_is_let_in_where_the_table_says_and_nowhere_else(
    tmp_path: Path, role: str | None
) -> None:
    desk = desk_with_everybody(tmp_path)  # one of its own: what an owner does ends tokens of others
    with desk.vault:
        desk.send("POST", "/releases", "analyst", json=ASK, key="first")
        desk.send("POST", "/requests", "analyst", json={**ASK, "purpose": "why"})
        desk.vault.people.token("analyst")  # the one that is ended: nobody here comes with it
        check_every_route(desk, role)


def check_every_route(desk: Desk, role: str | None) -> None:
    paths = desk.send("GET", "/openapi.json").json()["paths"]
    # Sessions end last: a role that signs out everywhere still has its token.
    for path, acts in paths.items():
        for method in map(str.upper, acts):
            if (method, path) == ("DELETE", "/tokens/{token}") and role == "owner":
                continue  # it would end the token of somebody here
            found = asked(desk, method, path, role)
            code = found.json()["error"]["code"] if found.status_code >= 400 else None
            place = (method, path, found.status_code, code)
            assert found.status_code < 500, place
            if is_open(role, method, path):
                own = path == "/tokens/{token}"
                assert code != "rights-1" or own, place
                assert found.status_code != 401 or path == "/session", place
            else:
                assert (found.status_code, code) == (
                    (401, "token-1") if role is None else (403, "rights-1")
                ), place


def test_an_owner_of_one_dataset_cannot_reach_beyond_it(desk: Desk) -> None:
    desk.vault.people.add("dora", role="owner", dataset="visits")
    desk.tokens["dora"] = desk.vault.people.token("dora")
    beyond = [
        ("POST", "/people", {"person": "dora", "role": "owner"}),
        ("POST", "/people", {"person": "dora", "role": "analyst", "dataset": "towns"}),
        ("POST", "/tokens", {"person": "owner"}),
        ("GET", "/people", None),
        ("DELETE", "/people/owner", None),
    ]
    for method, path, body in beyond:
        found = (
            desk.send(method, path, "dora", json=body) if body else desk.send(method, path, "dora")
        )
        assert found.json()["error"]["code"] == "rights-1", (method, path)
    within = {"person": "eva", "role": "analyst", "dataset": "visits", "allowance": "0.1"}
    assert desk.send("POST", "/people", "dora", json=within).status_code == 201


# who comes in


@pytest.mark.parametrize(
    "headers",
    [
        [],
        [("Authorization", "")],
        [("Authorization", "Bearer")],
        [("Authorization", "Bearer ")],
        [("Authorization", "Bearer  {token}")],
        [("Authorization", "Basic {token}")],
        [("Authorization", "{token}")],
        [("Authorization", "Bearer {token}x")],
        [("Authorization", "Bearer {token}"), ("Authorization", "Bearer {token}")],
        [("Authorization", "Bearer {token}, Bearer {token}")],
        [("Authorization", "Bearer " + "x" * 5000)],
        [("X-Authorization", "Bearer {token}")],
    ],
)
def test_a_token_that_is_missing_blank_doubled_or_elsewhere_lets_nobody_in(
    desk: Desk, headers: list[tuple[str, str]]
) -> None:
    token = desk.tokens["analyst"]
    sent = [(name, value.replace("{token}", token)) for name, value in headers]
    found = desk.send("GET", f"/me?token={token}&access_token={token}", headers=sent)
    assert (found.status_code, found.json()["error"]["code"]) == (401, "token-1")
    assert found.headers["WWW-Authenticate"] == "Bearer"
    assert token not in found.text


def test_a_token_of_another_vault_lets_nobody_in(desk: Desk, tmp_path: Path) -> None:
    with shoal.open(tmp_path / "other.shoal") as other:
        other.people.add("olga", role="owner")
        desk.tokens["olga"] = other.people.token("olga")
    assert desk.send("GET", "/me", "olga").status_code == 401


def test_a_revoked_token_is_refused_on_the_next_request_by_another_server(tmp_path: Path) -> None:
    first = desk_with_everybody(tmp_path)
    with first.vault, shoal.open(tmp_path / "office.shoal") as again:
        second = Desk(again)
        second.tokens = first.tokens
        name = second.send("GET", "/me", "analyst").json()["token"]["token"]
        assert first.send("DELETE", f"/tokens/{name}", "owner").status_code == 200
        assert second.send("GET", "/me", "analyst").status_code == 401
        assert first.send("DELETE", "/people/steward", "owner").status_code == 200
        assert second.send("GET", "/datasets", "steward").status_code == 401


def test_a_browser_that_signed_in_sends_the_key_of_its_forms_or_changes_nothing(
    tmp_path: Path,
) -> None:
    desk = desk_with_everybody(tmp_path)
    with desk.vault:
        once = desk.vault.people.token("analyst", once=True)
        found = desk.send("POST", "/session", json={"token": once})
        cookie = found.headers["Set-Cookie"]
        assert "HttpOnly" in cookie
        assert "SameSite=Strict" in cookie
        assert desk.send("POST", "/session", json={"token": once}).status_code == 401
        form = {"X-Shoal-Form": found.json()["form"]}
        assert desk.send("GET", "/me").json()["person"] == "analyst"
        for headers in ({}, {"X-Shoal-Form": "0" * 64}, {**form, "Origin": "https://evil.example"}):
            assert desk.send("POST", "/preview", json=ASK, headers=headers).status_code == 403
        assert desk.send("POST", "/preview", json=ASK, headers=form).status_code == 200
        assert desk.send("DELETE", "/sessions", headers=form).status_code == 200
        desk.cookies.clear()
        desk.cookies.set(cookie.split("=", 1)[0], cookie.split("=", 1)[1].split(";")[0])
        assert desk.send("GET", "/me").status_code == 401


# asking


@pytest.fixture
def fresh(tmp_path: Path) -> Iterator[Desk]:
    made = desk_with_everybody(tmp_path)
    with made.vault:
        yield made


def spent(vault: Vault) -> str:
    return str(vault.budget("visits").spent)


def test_a_key_is_charged_once_and_finds_its_answer_again(fresh: Desk) -> None:
    first, second = (fresh.send("POST", "/releases", "analyst", json=ASK, key="k") for _ in "ab")
    assert (first.status_code, second.status_code) == (201, 201)
    assert (first.json()["free"], second.json()["free"]) == (False, True)
    again = fresh.send("GET", "/releases/by-key/k", "analyst").json()
    assert first.json()["rows"] == second.json()["rows"] == again["answer"]["rows"]
    other = fresh.send("POST", "/releases", "analyst", json={**ASK, "epsilon": "0.2"}, key="k")
    assert (other.status_code, other.json()["error"]["code"]) == (409, "ledger-3")
    assert fresh.send("GET", "/releases/by-key/k2", "analyst").status_code == 404
    assert spent(fresh.vault) == "epsilon 0.1"


def test_a_release_that_takes_long_is_found_by_its_key(tmp_path: Path) -> None:
    desk = desk_with_everybody(tmp_path, patience=1e-9)
    with desk.vault:

        async def patient() -> tuple[int, int, dict[str, Any]]:
            found = await desk._send("POST", "/releases", "analyst", json=ASK, key="a b")
            where = found.headers["Location"].removeprefix(PREFIX)
            while (  # noqa: ASYNC110 - a client can only look again
                later := await desk._send("GET", where, "analyst")
            ).status_code == 202:
                await asyncio.sleep(0.01)
            return found.status_code, later.status_code, later.json()

        first, last, told = apart(patient())
        assert (first, last, told["state"]) == (202, 200, "answered")
        assert spent(desk.vault) == "epsilon 0.1"


def test_refusals_cost_nothing_and_say_where_in_the_sql(fresh: Desk) -> None:
    refused = [
        ({"sql": "SELECT COUNT(*) AS n FROM vists", "epsilon": "0.1"}, 400, "sql-3"),
        ({**ASK, "epsilon": "1.5"}, 409, "budget-1"),
        ({**ASK, "epsilon": "-1"}, 400, "number-2"),
        ({**ASK, "epsilon": "NaN"}, 400, "number-1"),
        ({**ASK, "epsilon": True}, 400, "request-1"),
        ({**ASK, "rows": 1}, 400, "request-1"),
        ({"sql": 7}, 400, "request-1"),
    ]
    for body, status, code in refused:
        found = fresh.send("POST", "/releases", "analyst", json=body, key="k")
        error = found.json()["error"]
        assert (found.status_code, error["code"]) == (status, code), body
        assert error["request"] == found.headers["X-Request-Id"]
        if code == "sql-3":
            assert error["position"]["line"] == 1
            assert error["position"]["column"] > 20
    assert fresh.send("POST", "/releases", "analyst", json=ASK).status_code == 400
    assert fresh.send("POST", "/releases", "analyst", json=ASK, key="approval 1").status_code == 400
    assert spent(fresh.vault) == "epsilon 0"


def test_numbers_are_read_as_they_are_written(fresh: Desk) -> None:
    found = fresh.send(
        "POST",
        "/releases",
        "analyst",
        content=b'{"sql": "SELECT COUNT(*) AS n FROM visits", "epsilon": 0.1}',
        headers={"Content-Type": "application/json", "Idempotency-Key": "k"},
    )
    assert found.status_code == 201
    assert spent(fresh.vault) == "epsilon 0.1"


def test_an_analyst_is_refused_requests_and_releases_what_a_steward_approves(fresh: Desk) -> None:
    much = {**ASK, "epsilon": "1.5"}
    assert fresh.send("POST", "/releases", "analyst", json=much, key="k").status_code == 409
    made = fresh.send("POST", "/requests", "analyst", json={**much, "purpose": "Report"})
    assert made.json()["request"] == 1
    assert fresh.send("POST", "/requests/1/release", "analyst").status_code == 409
    assert fresh.send("POST", "/requests/1/approve", "analyst", json={}).status_code == 403
    fresh.send("POST", "/requests/1/comment", "steward", json={"word": "Why?"})
    assert fresh.send("POST", "/requests/1/approve", "steward", json={}).status_code == 200
    answers = [fresh.send("POST", "/requests/1/release", "analyst").json() for _ in "ab"]
    assert answers[0]["rows"] == answers[1]["rows"]
    assert [each["free"] for each in answers] == [False, True]
    assert spent(fresh.vault) == "epsilon 1.5"
    verdict = fresh.send("POST", "/verify", "auditor").json()
    assert verdict["sound"] is True
    fresh.send("POST", "/public/releases", "owner", json={"release": 1, "title": "Visits"})
    shown = fresh.send("GET", "/public/releases/1").json()
    assert (shown["title"], shown["answer"]["rows"]) == ("Visits", answers[0]["rows"])


@pytest.mark.slow
def test_many_at_once_spend_the_budget_exactly(tmp_path: Path) -> None:
    desk = desk_with_everybody(tmp_path, budget=shoal.Pure("0.5"))
    with desk.vault:
        wanted = [
            ("POST", "/releases", "analyst", {"json": {**ASK, "sql": _count(at)}, "key": f"k{at}"})
            for at in range(12)
        ]
        found = [each.status_code for each in desk.all_at_once(wanted)]
        assert sorted(found) == [201] * 5 + [409] * 7
        assert spent(desk.vault) == "epsilon 0.5"
        assert desk.vault.verify().is_sound


def _count(at: int) -> str:
    return f"{COUNT} WHERE spend > {at}"


def test_who_asks_too_much_is_told_when_to_come_back_and_is_not_charged(tmp_path: Path) -> None:
    desk = desk_with_everybody(tmp_path, rate=0.001)
    desk.host.limits.burst = 3
    with desk.vault:
        codes = [
            desk.send("POST", "/releases", "analyst", json={**ASK, "sql": _count(at)}, key=f"k{at}")
            for at in range(5)
        ]
        assert [each.status_code for each in codes] == [201, 201, 201, 429, 429]
        assert int(codes[-1].headers["Retry-After"]) > 0
        assert desk.send("GET", "/me", "auditor").status_code == 200
        assert spent(desk.vault) == "epsilon 0.3"


@pytest.mark.parametrize("seconds", [1e-9, 0.049, 0.05, 0.0500001, 0.7, 3, 19.9])
def test_a_release_is_held_back_to_one_of_a_few_public_moments(seconds: float) -> None:
    found = padded(seconds)
    assert seconds <= found <= max(FIRST_CLASS, 2 * seconds)
    assert (found / FIRST_CLASS).is_integer()
    assert int(found / FIRST_CLASS).bit_count() == 1


def test_only_what_read_rows_is_held_back(tmp_path: Path) -> None:
    slept: list[float] = []

    class Watched(ReleaseWork):
        async def _wait(self, began: float) -> None:
            slept.append(began)

    desk = desk_with_everybody(tmp_path)
    object.__setattr__(desk.host, "work", Watched())
    with desk.vault:
        for body in (ASK, ASK, {**ASK, "epsilon": "9"}):
            desk.send("POST", "/releases", "analyst", json=body, key=f"k{len(body['epsilon'])}")
    assert len(slept) == 1  # the first; then it was free, then refused


def test_other_machines_come_in_by_tls_only() -> None:
    with pytest.raises(SchemaError):
        Address.of("0.0.0.0", 8000)
    made = Address.of("0.0.0.0", 8000, tls=True)
    assert made.secure
    assert Door(made).cookie.startswith("__Host-")


# what is sent, and what is told


@pytest.mark.parametrize(
    ("body", "headers", "status"),
    [
        (b"[" * 100_000, {}, 400),
        (b'{"sql":' * 20_000, {}, 413),
        (b'{"sql": "x", "sql": "y"}', {}, 400),
        (b'{"sql": "x", "epsilon": ' + b"9" * 9000 + b"}", {}, 400),
        (b'{"sql": "x", "epsilon": 1e999999999}', {}, 400),
        (b'{"sql": "x", "epsilon": Infinity}', {}, 400),
        (b'{"sql": "' + b"x" * 30_000 + b'"}', {}, 400),
        (b"x" * 1_000_000, {}, 413),
        (b"\x1f\x8b\x08\x00", {"Content-Encoding": "gzip"}, 415),
        (b"{}", {"Content-Type": "text/plain"}, 415),
        (b"\xff\xfe", {}, 400),
        (b"null", {}, 400),
    ],
)
def test_bodies_that_are_bombs_or_no_json_are_refused(
    desk: Desk, body: bytes, headers: dict[str, str], status: int
) -> None:
    sent = {"Content-Type": "application/json", **headers}
    found = desk.send("POST", "/preview", "analyst", content=body, headers=sent)
    assert found.status_code == status
    assert "x" * 100 not in found.text


@pytest.mark.parametrize(
    "path",
    [
        "/datasets/..%2f..%2fetc%2fpasswd",
        "/datasets/visits%00",
        "/releases/1/data.exe",
        "/releases/-1",
        "/releases/0",
        "/releases/99999999999999999999999",
        "/releases/by-key/..%2f..%2f",
        "/public/releases/1e9",
        "/../../office.shoal",
    ],
)
def test_paths_that_lead_elsewhere_lead_nowhere(desk: Desk, path: str) -> None:
    found = desk.send("GET", path, "analyst")
    assert found.status_code in {400, 404}
    assert "root:" not in found.text


def test_what_people_write_is_never_markup(fresh: Desk) -> None:
    evil = "<script>alert(1)</script>"
    sql = f"SELECT COUNT(*) AS \"{evil}\" FROM visits WHERE town = '{evil}'"
    body = {"sql": sql, "epsilon": "0.1"}
    assert fresh.send("POST", "/releases", "analyst", json=body, key="k").status_code == 201
    fresh.send("POST", "/requests", "analyst", json={**body, "purpose": evil})
    fresh.send("POST", "/requests/1/comment", "steward", json={"word": evil})
    fresh.send("POST", "/public/releases", "owner", json={"release": 1, "title": evil})
    page = fresh.send("GET", "/releases/1/report.html", "analyst")
    assert evil not in page.text
    assert page.headers["Content-Disposition"].startswith("attachment")
    for path in ("/releases/1", "/requests", "/public/releases", "/releases/1/data.csv"):
        found = fresh.send("GET", path, "analyst")
        assert not found.headers["Content-Type"].startswith("text/html")
        assert found.headers["X-Content-Type-Options"] == "nosniff"
        assert found.headers["Cache-Control"] == "no-store"


def test_an_error_that_nobody_foresaw_shows_its_id_and_nothing_else(
    fresh: Desk, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fails(*_: object, **__: object) -> None:
        raise RuntimeError(PLANTED)

    monkeypatch.setattr(Vault, "verify", fails)
    with caplog.at_level(logging.ERROR):
        found = fresh.send("POST", "/verify", "auditor")
    assert found.status_code == 500
    assert found.json()["error"]["code"] == "internal-1"
    assert found.json()["error"]["request"] == found.headers["X-Request-Id"]
    assert PLANTED not in found.text + caplog.text
    assert found.headers["X-Request-Id"] in caplog.text


def test_the_access_log_says_who_and_what_for_and_never_a_value(fresh: Desk) -> None:
    lines: list[str] = []

    class Kept(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            lines.append(record.getMessage())

    handler = Kept()
    LOG.addHandler(handler)
    LOG.setLevel(logging.INFO)
    try:
        body = {**ASK, "sql": f"{COUNT} WHERE town = '{PLANTED}'"}
        found = fresh.send("POST", "/releases", "analyst", json=body, key="secret-key").json()
        fresh.send("POST", "/releases", "analyst", json={**body, "epsilon": "9"}, key="k2")
        fresh.send("GET", "/me")
    finally:
        LOG.removeHandler(handler)
        LOG.setLevel(logging.NOTSET)
    told = [json.loads(line) for line in lines]
    assert [each["who"] for each in told] == ["analyst", "analyst", None]
    assert [each["outcome"] for each in told] == ["done", "budget-1", "token-1"]
    assert told[0]["price"] == "epsilon 0.1"
    assert told[0]["question"] == told[1]["question"] != None  # noqa: E711 - a hash
    fields = "time request who token method route status question price outcome"
    assert [" ".join(each) for each in told] == [fields] * 3  # none of them has an answer
    assert found["rows"]
    whole = "".join(lines)
    for secret in (PLANTED, "secret-key", fresh.tokens["analyst"]):
        assert secret not in whole


def test_an_analyst_sees_no_release_request_or_token_of_another(fresh: Desk) -> None:
    fresh.vault.people.add("bo", role="analyst", dataset="visits", allowance="0.1")
    fresh.tokens["bo"] = fresh.vault.people.token("bo")
    fresh.send("POST", "/releases", "analyst", json=ASK, key="k")
    fresh.send("POST", "/requests", "analyst", json={**ASK, "purpose": "p"})
    assert fresh.send("GET", "/releases", "bo").json()["releases"] == []
    assert fresh.send("GET", "/requests", "bo").json()["requests"] == []
    for path in ("/releases/1", "/releases/1/certificate", "/releases/1/data.csv", "/requests/1"):
        assert fresh.send("GET", path, "bo").status_code == 404
    mine = fresh.vault.people.tokens[0].name
    assert fresh.send("DELETE", f"/tokens/{mine}", "bo").status_code == 403
    names = {each["person"] for each in fresh.send("GET", "/tokens", "bo").json()["tokens"]}
    assert names == {"bo"}


class SlowlyTold(ReleaseWork):
    """Holds every answer that read rows back until it is told to let go."""

    def __init__(self) -> None:
        super().__init__()
        self.let_go = asyncio.Event()

    async def _wait(self, began: float) -> None:
        await self.let_go.wait()


def test_an_answer_that_is_held_back_is_told_nowhere_and_under_no_other_key(tmp_path: Path) -> None:
    desk = desk_with_everybody(tmp_path)
    work = SlowlyTold()
    object.__setattr__(desk.host, "work", work)
    early: dict[str, Any] = {}

    async def asked(key: str) -> tuple[bool, bool]:
        found = await desk._send("POST", "/releases", "analyst", json=ASK, key=key)
        assert found.status_code == 201
        return found.json()["free"], work.let_go.is_set()

    async def asked_again(key: str) -> tuple[bool, bool]:
        while not desk.vault.log():  # noqa: ASYNC110
            await asyncio.sleep(0.01)
        return await asked(key)

    async def looked() -> None:
        while not desk.vault.log() or desk.vault.log()[-1].state != "answered":  # noqa: ASYNC110
            await asyncio.sleep(0.01)
        for path in ("/releases", "/releases/1", "/releases/by-key/first"):
            early[path] = await desk._send("GET", path, "analyst")
        for path in ("/releases/1/certificate", "/releases/1/data.csv", "/releases/1/report.html"):
            early[path] = await desk._send("GET", path, "analyst")
        early["/log"] = await desk._send("GET", "/log", "auditor")
        published = {"release": 1, "title": "t"}
        early["publish"] = await desk._send("POST", "/public/releases", "owner", json=published)
        await asyncio.sleep(0.5)  # whoever is not held back is told by now
        work.let_go.set()

    async def together() -> list[tuple[bool, bool]]:
        first, other, again, _ = await asyncio.gather(
            asked("first"), asked_again("other"), asked_again("first"), looked()
        )
        return [first, other, again]

    with desk.vault:
        assert apart(together()) == [(False, True), (True, True), (True, True)]
        assert early["/releases"].json()["releases"][0]["state"] == "pending"
        assert early["/log"].json()["log"][0]["state"] == "pending"
        assert early["/releases/1"].json()["answer"] is None
        assert early["/releases/by-key/first"].status_code == 202
        for path in ("certificate", "data.csv", "report.html"):
            assert early[f"/releases/1/{path}"].status_code == 404
        assert early["publish"].status_code == 409
        assert desk.send("GET", "/releases/1", "analyst").json()["state"] == "answered"


def test_what_one_person_has_under_way_keeps_nobody_else_out(tmp_path: Path) -> None:
    desk = desk_with_everybody(tmp_path, most_inside=2)
    go, inside = threading.Event(), threading.Semaphore(0)

    def slow(*_: object) -> Any:
        inside.release()
        go.wait(30)
        return []

    async def crowded() -> tuple[list[Any], list[Any]]:
        asked = [asyncio.ensure_future(desk._send("GET", "/requests", "analyst")) for _ in "12"]
        for _ in asked:
            await asyncio.to_thread(inside.acquire)
        meanwhile = [await desk._send("GET", "/me", who) for who in ("analyst", "auditor")]
        go.set()
        return list(await asyncio.gather(*asked)), meanwhile

    with desk.vault, pytest.MonkeyPatch.context() as patch:
        patch.setattr(Access, "requests", slow)
        done, (refused, served) = apart(crowded())
        assert [each.status_code for each in done] == [200, 200]
        assert (refused.status_code, refused.headers["Retry-After"]) == (429, "1")
        assert served.status_code == 200
        for _ in range(3):  # refusals and answers are counted out
            assert desk.send("GET", "/me", "analyst").status_code == 200
            assert desk.send("GET", "/people", "analyst").status_code == 403


def test_a_plan_is_of_so_many_columns(desk: Desk) -> None:
    many = ", ".join(f"AVG(spend) AS a{at}" for at in range(MOST_PLANNED // 2))
    body = {"sql": [f"SELECT {many} FROM visits"] * 3, "error": "1", "rows": 1000}
    found = desk.send("POST", "/plan", "analyst", json=body)
    assert (found.status_code, found.json()["error"]["code"]) == (400, "number-2")


def test_wrong_sign_ins_do_not_keep_right_ones_out(tmp_path: Path) -> None:
    desk = desk_with_everybody(tmp_path, rate=0.001)
    desk.host.limits.burst = 3
    with desk.vault:
        wrong = [desk.send("POST", "/session", json={"token": "x"}).status_code for _ in range(5)]
        assert wrong == [401, 401, 401, 429, 429]
        right = desk.send("POST", "/session", json={"token": desk.tokens["analyst"]})
        assert right.status_code == 200


def test_who_asks_the_same_after_somebody_else_finds_the_answer_by_number_too(fresh: Desk) -> None:
    fresh.vault.people.add("bo", role="analyst", dataset="visits", allowance=1)
    fresh.vault.people.add("cy", role="analyst", dataset="visits", allowance=1)
    fresh.tokens |= {name: fresh.vault.people.token(name) for name in ("bo", "cy")}
    fresh.send("POST", "/releases", "analyst", json=ASK, key="first")
    assert fresh.send("GET", "/releases/1", "bo").status_code == 404
    again = fresh.send("POST", "/releases", "bo", json=ASK, key="again")
    assert again.json()["free"]
    place = again.headers["location"].removeprefix(PREFIX)
    for path in (place, f"{place}/certificate", f"{place}/data.csv", f"{place}/report.html"):
        assert fresh.send("GET", path, "bo").status_code == 200, path
        assert fresh.send("GET", path, "cy").status_code == 404, path
    fresh.vault.people.add("bo", role="auditor")
    fresh.vault.people.remove("bo", role="analyst")
    assert fresh.send("GET", place, "bo").status_code == 403  # what is left is the log
