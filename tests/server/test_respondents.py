"""What anyone can reach: the page, the definition, and the one place that takes reports."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from tests.server.asking import ELSEWHERE, Asker, hosting

from shoal.errors import StorageError
from shoal.local import crosswise
from shoal.polls import Arm, Poll, PollQuestion, by_device, by_own, directly
from shoal.server.headers import HEADERS

FARE = Poll("fare", "Have you ever travelled without a ticket?", odds=3)
GUESTS = Poll("guests", "Have you ever travelled without a ticket?", odds=3, once="invitation")
HOSTILE = Poll(
    "hostile", "</script><script>alert(1)</script> & <!-- <b>?", odds=3, answers=("<i>a", "b\"'")
)
MIXED = Poll(
    "mixed", title="Mixed", intro="Two lines,\nand <more>.",
    questions=[PollQuestion("fare", "Fare?"), PollQuestion("hours", "Hours?", range=(0, 4, "0.5"), unit="h")],
    arms=[
        Arm("device", by_device(odds=3)),
        Arm("own", {"fare": by_own(crosswise("1/4"), harmless="Born in spring?"), "hours": directly()}, share=2),
    ],
)  # fmt: skip
ONCE = "0123456789abcdef0123456789abcdef"
OTHER = "f" * 32
PATHS = ["/", "/p/fare", "/p/none", "/p/fare/definition.json", "/p/none/definition.json", "/polls", "/polls/new",
         "/polls/fare", "/api/polls", "/static/style.css", "/static/none.js", "/nothing", "/p/fare/reports"]  # fmt: skip


@pytest.fixture
def asker(tmp_path: Path) -> Iterator[Asker]:
    with hosting(tmp_path, FARE, GUESTS, HOSTILE, MIXED) as made:
        yield made


def counted(asker: Asker, name: str = "fare") -> dict[str, int]:
    return asker.vault.poll(name).cells


# the page


@pytest.mark.parametrize("path", PATHS)
def test_every_answer_carries_the_headers_and_leaves_no_cookie(asker: Asker, path: str) -> None:
    answer = asker.get(path)
    assert {name: answer.headers[name] for name in HEADERS} == HEADERS
    assert "set-cookie" not in answer.headers
    if not path.startswith("/static/"):
        assert answer.headers["cache-control"] == "no-store"


def test_nothing_but_own_files_may_be_loaded() -> None:
    policy = dict(
        part.strip().split(" ", 1) for part in HEADERS["Content-Security-Policy"].split(";")
    )
    assert policy["default-src"] == policy["base-uri"] == policy["frame-ancestors"] == "'none'"
    assert {policy[part] for part in ("script-src", "style-src", "connect-src")} == {"'self'"}


def embedded(page: str) -> Any:
    found = re.search(r'<script type="application/json"[^>]*>(.*?)</script>', page, re.DOTALL)
    assert found
    return json.loads(found[1])


@pytest.mark.parametrize("poll", [FARE, HOSTILE, MIXED])
def test_the_page_holds_the_definition_and_its_mark(asker: Asker, poll: Poll) -> None:
    page = asker.get(f"/p/{poll.name}").text
    assert embedded(page) == poll.to_dict()
    assert page.count(poll.mark) == 2


def test_text_of_the_poll_is_never_markup(asker: Asker) -> None:
    page = asker.get("/p/hostile").text
    assert page.count("<script") == 4
    assert "alert(1)</script>" not in page.replace("\\u003c", "<<<").replace("&lt;", "<<<")
    assert "<i>a" not in page


@pytest.mark.parametrize("poll", [FARE, MIXED])
def test_scripts_and_styles_are_loaded_with_their_fingerprint(asker: Asker, poll: Poll) -> None:
    page = asker.get(f"/p/{poll.name}").text
    loaded = re.findall(r'<(?:script|link)[^>]*(?:src|href)="(/[^"]+)"([^>]*)>', page)
    assert [path for path, _ in loaded] == [
        "/static/style.css",
        "/static/client.js",
        "/static/report_meaning.js",
        "/static/respond.js",
    ]
    assert all('integrity="sha384-' in rest for _, rest in loaded)


def test_the_definition_is_the_very_text_whose_digest_is_the_mark(asker: Asker) -> None:
    answer = asker.get("/p/mixed/definition.json")
    assert sha256(answer.content).hexdigest() == MIXED.mark
    assert Poll.from_json(answer.text) == MIXED


def test_a_closed_poll_and_an_unknown_one_say_so(asker: Asker) -> None:
    asker.vault.poll("fare").close()
    assert "This poll is closed" in asker.get("/p/fare").text
    missing = asker.get("/p/none")
    assert (missing.status_code, "There is no poll here" in missing.text) == (404, True)


# reports


def test_a_report_is_counted(asker: Asker) -> None:
    answer = asker.report(FARE, "01", ONCE)
    assert (answer.status_code, answer.json()) == (201, {"counted": True})
    assert counted(asker) == {"01": 1}


@pytest.mark.parametrize("again", ["01", "00"])
def test_a_second_report_with_the_same_number_changes_nothing(asker: Asker, again: str) -> None:
    asker.report(FARE, "01", ONCE)
    answer = asker.report(FARE, again, ONCE)
    assert (answer.status_code, answer.json()["error"]["code"]) == (409, "poll-5")
    assert counted(asker) == {"01": 1}


def test_only_an_invitation_counts_where_people_are_invited(asker: Asker) -> None:
    token = asker.vault.poll("guests").invite(1)[0]
    codes = [asker.report(GUESTS, "01", once).status_code for once in (ONCE, token, token)]
    assert codes == [403, 201, 409]
    assert counted(asker, "guests") == {"01": 1}


def test_a_closed_poll_counts_nothing_until_it_is_reopened(asker: Asker) -> None:
    handle = asker.vault.poll("fare")
    handle.close()
    assert asker.report(FARE, "01", ONCE).status_code == 410
    handle.reopen()
    assert asker.report(FARE, "01", ONCE).status_code == 201


def test_an_unknown_poll_is_a_404(asker: Asker) -> None:
    assert asker.post("/p/none/reports", {}).status_code == 404


def body(**other: Any) -> dict[str, Any]:
    return {"mark": FARE.mark, "report": "01", "once": ONCE, **other}


@pytest.mark.parametrize(
    "wrong",
    [
        body(report="02"), body(report="10"), body(report="1"), body(report="001"), body(report="0x"), body(report="٠١"),
        body(report=1), body(report=None), body(report=["01"]), body(once="0" * 31), body(once="G" * 32), body(once=ONCE.upper()),
        body(once=5), body(mark=GUESTS.mark), body(mark=""), body(more=1), {}, {"report": "01"}, [], "01", None, 7,
    ],
)  # fmt: skip
def test_a_malformed_report_is_refused_and_not_quoted(asker: Asker, wrong: Any) -> None:
    answer = asker.post("/p/fare/reports", wrong)
    assert answer.status_code == 400
    assert set(answer.json()["error"]) == {"code", "message", "remedy"}
    assert counted(asker) == {}


@pytest.mark.parametrize("content", [b"", b"{", b"\xff\xfe", b"[" * 900, b'{"a":1e999999}'])
def test_what_is_not_json_is_refused(asker: Asker, content: bytes) -> None:
    kind = {"Content-Type": "application/json"}
    answer = asker.send("POST", "/p/fare/reports", content=content, headers=kind)
    assert answer.status_code == 400


@pytest.mark.parametrize("extra", ['"report": "00"', '"once": "' + OTHER + '"', '"mark": ""'])
def test_a_name_that_stands_twice_is_refused(asker: Asker, extra: str) -> None:
    content = json.dumps(body())
    for twice in ("{" + extra + ", " + content[1:], content[:-1] + ", " + extra + "}"):
        kind = {"Content-Type": "application/json"}
        answer = asker.send("POST", "/p/fare/reports", content=twice.encode(), headers=kind)
        assert (answer.status_code, answer.json()["error"]["code"]) == (400, "request-1")
    assert counted(asker) == {}


def test_a_long_body_is_refused(asker: Asker) -> None:
    assert asker.post("/p/fare/reports", body(report="0" * 2000)).status_code == 413
    assert asker.post("/api/polls", {"draft": "0" * 10**6}).status_code == 401
    assert asker.unlock().post("/api/polls", {"draft": "0" * 10**6}).status_code == 413


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", ""])
def test_a_body_that_other_sites_could_send_unasked_is_refused(asker: Asker, kind: str) -> None:
    content = json.dumps(body()).encode()
    answer = asker.send("POST", "/p/fare/reports", content=content, headers={"Content-Type": kind})
    assert answer.status_code == 415


@pytest.mark.parametrize(
    "header",
    [{"Origin": "https://elsewhere.example"}, {"Origin": "null"}, {"Sec-Fetch-Site": "cross-site"}],
)
def test_a_report_from_a_page_of_another_site_is_refused(
    asker: Asker, header: dict[str, str]
) -> None:
    assert asker.report(FARE, "01", ONCE, headers=header).status_code == 403
    assert counted(asker) == {}


def test_the_first_report_from_another_address_is_said_on_the_terminal_and_no_other(
    asker: Asker, caplog: pytest.LogCaptureFixture
) -> None:
    for _ in range(3):
        asker.report(FARE, "01", ONCE, headers={"Origin": "https://elsewhere.example"})
    assert [each.getMessage()[:10] for each in caplog.records if each.name == "uvicorn.error"] == [
        "[origin-1]"
    ]
    assert "--public" in caplog.text
    assert not any(word in caplog.text for word in ("elsewhere", ONCE, "fare"))


def test_no_address_is_answered_with_a_way_to_another_one(asker: Asker) -> None:
    for path in ("/p/fare/", "/polls/", "/static/style.css/", "/p/fare/definition.json/"):
        for host, status in (("localhost", 404), ("elsewhere.example", 400)):
            answer = asker.get(path, headers={"Host": host})
            assert (answer.status_code, "location" in answer.headers) == (status, False)


def test_a_closed_poll_does_not_say_that_nothing_was_sent(asker: Asker) -> None:
    open_page = asker.get("/p/fare").text
    asker.vault.poll("fare").close()
    for page in (open_page, asker.get("/p/fare").text):
        assert "nothing of yours was sent" not in page
    assert "reached the server and was not counted" in open_page


def test_an_unexpected_error_says_nothing_of_itself(
    asker: Asker, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("row 17 holds Ada")

    monkeypatch.setattr("shoal.polls.PublishedPoll.add", broken)
    answer = asker.report(FARE, "01", ONCE)
    assert (answer.status_code, answer.json()["error"]["code"]) == (500, "internal-1")
    assert "Ada" not in answer.text + caplog.text
    assert {name: answer.headers[name] for name in HEADERS} == HEADERS


def test_a_respondent_is_not_told_what_is_wrong_with_the_vault(
    asker: Asker, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise StorageError("the file /home/ada/office.shoal is full.", remedy="Buy a disk.")

    monkeypatch.setattr("shoal.polls.PublishedPoll.add", broken)
    answer = asker.report(FARE, "01", ONCE)
    assert (answer.status_code, answer.json()["error"]["code"]) == (503, "ledger-1")
    assert "ada" not in answer.text


# what is kept


def test_the_file_holds_nothing_of_who_sent_a_report(tmp_path: Path) -> None:
    with hosting(tmp_path, GUESTS) as asker:
        handle = asker.vault.poll("guests")
        tokens = handle.invite(3)
        before = _count(tmp_path / "office.shoal")
        headers = {
            "User-Agent": "Agent-7f3c",
            "Accept-Language": "x-very-rare",
            "Referer": "https://clinic.example/",
            "X-Forwarded-For": "198.51.100.23",
            "Cookie": "who=lovelace",
        }
        for token in tokens:
            assert asker.report(GUESTS, "01", token, headers=headers).status_code == 201
        after = _count(tmp_path / "office.shoal")
    assert after == before  # the journal, which has times, is not written
    kept = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    for secret in ("Agent-7f3c", "x-very-rare", "clinic.example", "198.51.100.23", ELSEWHERE[0], "lovelace", *tokens):  # fmt: skip
        assert secret.encode() not in kept
    assert not any(bytes.fromhex(token) in kept for token in tokens)
    assert sha256(f"{GUESTS.mark}\n{tokens[0]}".encode()).hexdigest().encode() in kept


def _count(path: Path) -> int:
    with closing(sqlite3.connect(path)) as file:
        return int(file.execute("SELECT COUNT(*) FROM shoal_entries").fetchone()[0])


def test_the_file_grows_by_no_time_and_no_order(tmp_path: Path) -> None:
    """Two servers that count the same reports in opposite orders keep the same rows."""
    rows = []
    for turn, order in enumerate((1, -1)):
        folder = tmp_path / str(turn)
        folder.mkdir()
        with hosting(folder, FARE) as asker:
            for number in list(range(20))[::order]:
                asker.report(FARE, f"0{number % 2}", f"{number:032x}")
        rows.append(_rows(folder / "office.shoal"))
    assert rows[0] == rows[1]


def _rows(path: Path) -> list[list[tuple[Any, ...]]]:
    with closing(sqlite3.connect(path)) as file:
        names = [
            name for (name,) in file.execute("SELECT name FROM sqlite_master WHERE type='table'")
        ]
        kept = [name for name in names if "mark" in name or "counter" in name]
        assert len(kept) == 2
        return [file.execute(f"SELECT * FROM {name}").fetchall() for name in kept]
