"""The console's door: who opens which page, what forms must carry, and what is never shown."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from time import monotonic, sleep

import pytest
from fastapi.routing import APIRoute
from tests.server.console.console_visit import ConsoleVisit, visit_as
from tests.server.office.desk import Desk, desk_with_everybody
from tests.vault.office import BY_KIND, COUNT, PLANTED
from typer.testing import CliRunner

from shoal.cli.app import app
from shoal.errors import TokenError
from shoal.server.console.console_app import PARTS
from shoal.server.console.page_rights import PAGES, role_may_open
from shoal.server.console.sql_builder import BuiltQuestion, types_in
from shoal.vault.people.rights import GIVEN
from shoal.vault.people.sessions import IDLE, read_session

pytestmark = pytest.mark.slow
SCRIPT = "\"'><script>alert(1)</script><img src=x onerror=alert(2)>{{ 7 * 7 }}"
KEY = "0" * 32


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("console")


@pytest.fixture(scope="module")
def desk(folder: Path) -> Iterator[Desk]:
    made = desk_with_everybody(folder, data=folder)
    analyst = visit_as(made, "analyst")
    analyst.submit("/releases", sql=BY_KIND, amount="0.1", key=KEY)
    with made.vault:
        yield made


def test_every_page_is_in_the_table_and_open_to_those_it_names(desk: Desk) -> None:
    pages = {
        (method, each.path)
        for part in PARTS
        for each in part.router.routes
        if isinstance(each, APIRoute)
        for method in each.methods or ()
    }
    assert pages == set(PAGES)
    visits: dict[str | None, ConsoleVisit] = {role: visit_as(desk, role) for role in GIVEN}
    visits[None] = ConsoleVisit(desk)
    # They end what this test needs, or need a proxy.
    endings = {"/sign-out", "/sign-out-everywhere", "/sign-in", "/sign-in/forwarded"}
    for role, visit in visits.items():
        for method, path in sorted(PAGES):
            if method == "POST" and path in endings:
                continue
            place = re.sub(
                r"\{(\w+)\}", lambda found: "visits" if found[1] == "name" else "1", path
            )
            found = visit.send(
                method, place, **({} if method == "GET" else {"data": {"form": visit.key}})
            )
            here = f"{role} {method} {path}: {found.status_code}"
            if role_may_open(role, method, path):
                assert found.status_code not in {401, 405, 500}, here
                known = path != "/tokens/{token}/revoke"  # of a token that is not there
                assert found.status_code != 403 or not known, here
            elif role is None:
                wanted = 303 if method == "GET" else 401
                assert found.status_code == wanted, here
            else:
                assert found.status_code == 403, here
            if role == "auditor" and path == "/releases/{number}":
                assert "<table" not in found.text, "an auditor sees no answer"
            assert PLANTED not in found.text
            assert found.headers["cache-control"] == "no-store"


def test_a_form_without_its_key_changes_nothing(desk: Desk) -> None:
    analyst, other, before = (
        visit_as(desk, "analyst"),
        visit_as(desk, "steward"),
        desk.vault.position,
    )
    for key in ("", "0" * 64, other.key, analyst.key[:-1], "é"):
        found = analyst.send(
            "POST", "/releases", data={"form": key, "sql": COUNT, "amount": "0.1", "key": "1" * 32}
        )
        assert found.status_code == 403
        assert "form-1" in found.text
    assert analyst.send("POST", "/releases", data={"sql": COUNT}).status_code == 403
    for headers in (
        {"Origin": "https://evil.example"},
        {"Sec-Fetch-Site": "cross-site", "Origin": "null"},
        {"Origin": "null"},
    ):
        for path in ("/releases", "/sign-in", "/sign-out"):
            assert (
                analyst.send("POST", path, data={"form": analyst.key}, headers=headers).status_code
                == 403
            )
    for body in (
        b"form=a&form=b",
        b"form=%ff",
        b"&".join(b"f%d=1" % at for at in range(50)),
        b"form",
    ):
        headers = {"Content-Type": "application/x-www-form-urlencoded"}
        assert analyst.send("POST", "/releases", content=body, headers=headers).status_code == 400
    assert analyst.send("POST", "/releases", json={"form": analyst.key}).status_code == 415
    assert (
        analyst.send("POST", "/ask", data={"form": analyst.key, "sql": "x" * 200_000}).status_code
        == 413
    )
    assert desk.vault.position == before


def test_tokens_that_do_not_count_get_the_same_words(desk: Desk) -> None:
    right = desk.tokens["analyst"]
    over = desk.vault.people.token("analyst")
    desk.vault.people.revoke(over.split("_")[1])
    once = desk.vault.people.token("analyst", once=True)
    assert ConsoleVisit(desk).sign_in(once).status_code == 303
    wrong = [
        "",
        "x",
        right[:-1] + ("0" if right[-1] != "0" else "1"),
        over,
        once,
        "é" * 150,
        right + "x" * 300,
    ]
    said = {
        (found.status_code, re.sub(r"\s+", " ", found.text), found.headers.get("set-cookie"))
        for each in wrong
        for found in [ConsoleVisit(desk).send("POST", "/sign-in", data={"token": each})]
    }
    assert len(said) == 1
    status, text, cookie = said.pop()
    assert status == 401
    assert cookie is None
    assert "not one of this vault" in text
    found = ConsoleVisit(desk).send("POST", "/sign-in", data={"token": right})
    kept = found.headers["set-cookie"]
    assert "HttpOnly" in kept
    assert "SameSite=Strict" in kept
    assert right not in kept


def test_a_link_of_the_command_signs_in_once(desk: Desk, folder: Path) -> None:
    words = ["token", "analyst", "--vault", str(folder / "office.shoal"), "--link"]
    refused = CliRunner().invoke(app, [*words, "http://office.example.org"])
    assert refused.exit_code != 0
    said = CliRunner().invoke(app, [*words, "https://office.example.org/"]).stdout.strip()
    place, _, token = said.partition("#")
    assert place == "https://office.example.org/office/sign-in"
    assert [ConsoleVisit(desk).sign_in(token).status_code for _ in range(2)] == [303, 401]


def test_a_session_ends(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    token = desk.vault.people.token("analyst")
    first, second, third = (ConsoleVisit(desk) for _ in range(3))
    first.sign_in(token)
    second.sign_in(desk.tokens["analyst"])
    third.sign_in(desk.tokens["analyst"])
    assert first.open("/").status_code == 200
    desk.vault.people.revoke(token.split("_")[1])
    gone = first.open("/")
    assert (gone.status_code, gone.headers["location"]) == (303, "/office/sign-in")
    assert first.submit("/releases", sql=COUNT, amount="0.1", key="2" * 32).status_code == 401
    kept = next(iter(second.cookies.jar)).value or ""
    assert second.submit("/sign-out").status_code == 303
    assert second.open("/").status_code == 303
    assert third.open("/").status_code == 200
    assert third.submit("/sign-out-everywhere").status_code == 303
    third.cookies.set("shoal-session-8000", kept)
    assert third.open("/").status_code == 303  # also the cookie that the second one had

    fourth = visit_as(desk, "analyst")
    late = datetime.now(UTC) + IDLE + timedelta(seconds=1)
    found = read_session(desk.vault._facts.secret, next(iter(fourth.cookies.jar)).value or "")
    assert found is not None
    assert not found.is_alive(late)
    old = found.at(datetime.now(UTC) - IDLE - timedelta(seconds=1))
    with pytest.raises(TokenError):
        desk.vault.resume(desk.vault.cookie_of(old))


def test_what_people_type_is_shown_as_text(desk: Desk) -> None:
    analyst, steward, owner = (visit_as(desk, role) for role in ("analyst", "steward", "owner"))
    shown = [
        analyst.submit("/ask", do="preview", sql=SCRIPT, amount=SCRIPT, delta=SCRIPT),
        analyst.submit(
            "/ask", do="plan", sql=COUNT, error=SCRIPT, error_column=SCRIPT, error_rows=SCRIPT
        ),
        analyst.submit(
            "/ask",
            do="build",
            **{
                f"build_{name}": SCRIPT
                for name in (
                    "dataset",
                    "measure",
                    "column",
                    "group",
                    "where",
                    "comparison",
                    "value",
                )
            },
        ),
        analyst.submit(
            "/ask",
            do="try",
            sql=f'SELECT COUNT(*) AS "{SCRIPT.replace(chr(34), "")}" FROM visits',
            amount="0.1",
        ),
        analyst.submit("/requests", sql=COUNT, amount="1.5", purpose=SCRIPT),
    ]
    assert [each.status_code for each in shown[-2:]] == [200, 303]
    number = desk.vault.requests_for("analyst")
    last = max(each.number for each in number)
    shown += [
        steward.submit(f"/requests/{last}/comment", word=SCRIPT),
        steward.submit(f"/requests/{last}/decide", do="deny", word=SCRIPT),
        owner.submit("/releases/1/publish", title=SCRIPT),
        owner.submit("/people", person=SCRIPT, role=SCRIPT, dataset=SCRIPT, allowance=SCRIPT),
        owner.submit("/tokens", person=SCRIPT, days="5"),
        owner.submit("/budgets/visits", person=SCRIPT, budget=SCRIPT),
        owner.submit("/people/analyst/remove", role=SCRIPT, dataset=SCRIPT),
    ]
    text = (
        f'name = "visits"\npath = "{SCRIPT[2:]}"\n[columns."{SCRIPT[2:]}"]\ntype = "{SCRIPT[2:]}"\n'
    )
    for path, more in (("/datasets/visits", {"follows": "1"}), ("/register", {})):
        for do in ("fill", "show", "review", "save", "propose", "version"):
            fields = ("column", "person", "relation", "budget", "path", "lowest", "choices")
            sent = {"form": owner.key, "do": do, **more, **dict.fromkeys(fields, SCRIPT)}
            for typed in (text, SCRIPT):
                shown.append(owner.send("POST", path, data={**sent, "text": typed}))
    shown += [analyst.open("/requests"), steward.open("/requests"), owner.open("/releases/1")]
    shown += [ConsoleVisit(desk).open("/public"), ConsoleVisit(desk).open("/public/1")]
    for each in shown:
        assert "<script>alert" not in each.text
        assert "<img src=x" not in each.text
        assert "49" not in re.sub(r"[0-9a-f]{12,}", "", each.text) or "{{ 7 * 7 }}" in each.text
        assert each.status_code in {200, 303, 400, 403, 404, 409}
        assert "script-src 'self'" in each.headers["content-security-policy"]
    assert "&lt;script&gt;" in shown[-1].text
    owner.submit("/releases/1/withdraw")
    assert ConsoleVisit(desk).open("/public/1").status_code == 404


def test_a_release_is_charged_once_however_often_its_form_is_sent(desk: Desk) -> None:
    analyst = visit_as(desk, "analyst")
    sent = {"sql": COUNT, "amount": "0.05", "key": "3" * 32}
    places = {analyst.submit("/releases", **sent).headers["location"] for _ in range(3)}
    assert len(places) == 1
    spent = desk.vault.as_("analyst").budget("visits").allowances[0].spent
    analyst.submit("/ask", do="preview", sql=COUNT, amount="0.5")
    analyst.submit("/ask", do="try", sql=COUNT, amount="0.5")
    analyst.submit("/ask", do="confirm", sql=COUNT, amount="0.5")
    refused = analyst.submit("/releases", sql=COUNT, amount="1", key="4" * 32)
    assert refused.status_code == 409
    assert "Request approval" in refused.text
    assert analyst.submit("/releases", sql=COUNT, amount="0.1", key="approval 1").status_code == 400
    assert desk.vault.as_("analyst").budget("visits").allowances[0].spent == spent


def test_an_answer_that_takes_long_is_waited_for(tmp_path: Path) -> None:
    desk = desk_with_everybody(tmp_path, patience=0)
    with desk.vault:
        analyst = visit_as(desk, "analyst")
        place = analyst.submit("/releases", sql=COUNT, amount="0.1", key=KEY).headers["location"]
        assert place == f"/office/under-way/{KEY}"
        assert visit_as(desk, "owner").send("GET", f"/under-way/{KEY}").status_code == 403
        until = monotonic() + 100
        while (found := analyst.open(f"/under-way/{KEY}")).status_code != 303:
            assert found.status_code in {200, 404}  # under way, or not charged yet
            assert monotonic() < until
            sleep(0.05)
        assert found.headers["location"] == "/office/releases/1"
        assert analyst.open("/releases/1").status_code == 200


@pytest.mark.parametrize("measure", ["count", "sum", "avg", "median"])
@pytest.mark.parametrize(
    ("where", "value"), [("", ""), ("town", "O'Hara"), ("spend", "12.5"), ("kind", "work")]
)
def test_what_is_built_from_choices_can_be_previewed(
    desk: Desk, measure: str, where: str, value: str
) -> None:
    access = desk.vault.enter(desk.tokens["analyst"])
    built = BuiltQuestion("visits", measure, "spend", "kind", where, "=", value)
    asked = access.sql(built.sql(types_in(access.dataset("visits").stated)))
    assert asked.preview(epsilon="0.1").fits
