"""A server among bad clients: what stays unfinished is closed, a crowd is told when to come back,
and everyone else is served.
"""

from __future__ import annotations

import gc
import logging
import re
import select
import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import httpx
import pytest
from tests.server.asking import Asker
from tests.server.conftest import Running

import shoal
from shoal.errors import SchemaError
from shoal.polls import Poll
from shoal.server import early_refusals
from shoal.server.address import Address
from shoal.server.connection_limits import RETRY_SECONDS, Guarded

FARE = Poll("fare", "Have you ever travelled without a ticket?", odds=3)
HALF = b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n"
NAMED = r"[0-9a-f]{16}"


@pytest.fixture(scope="module")
def served(running: Running) -> Running:
    running.vault.publish(FARE)
    return running


@pytest.fixture
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Guarded, "head_seconds", 1.0)
    monkeypatch.setattr(Guarded, "body_seconds", 1.0)


def connected(served: Running, sent: bytes = b"") -> socket.socket:
    made = socket.create_connection(("127.0.0.1", served.door.address.port), timeout=30)
    made.sendall(sent)
    return made


def read(place: socket.socket) -> bytes:
    """All that comes until the server closes."""
    found = b""
    try:
        while part := place.recv(65536):
            found += part
    except ConnectionResetError:
        pass
    return found


def test_after_600_half_open_connections_a_normal_request_is_served(
    served: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Guarded, "most", 100)  # the default is half of what the process may open
    with ExitStack() as held:
        for at in range(600):
            held.enter_context(connected(served, HALF if at % 2 else b""))
        begun = time.monotonic()
        answer = httpx.get(f"{served.origin}/p/fare", timeout=20)
        assert answer.status_code == 200
        assert time.monotonic() - begun < 15


@pytest.mark.usefixtures("hasty")
@pytest.mark.parametrize("sent", [b"", HALF, b"G"])
def test_a_head_that_does_not_end_is_closed_with_408(served: Running, sent: bytes) -> None:
    with connected(served, sent) as place:
        told = read(place)
    assert told.startswith(b"HTTP/1.1 408 ")
    assert b"request-5" in told
    assert re.search(rb"X-Request-Id: " + NAMED.encode() + rb"\r\n", told)


@pytest.mark.usefixtures("hasty")
def test_a_drip_of_bytes_wins_no_time(served: Running) -> None:
    with connected(served, HALF) as place:
        place.settimeout(0.2)
        begun, told = time.monotonic(), b""
        while not told and time.monotonic() - begun < 20:
            try:
                place.sendall(b"X")
                told = place.recv(65536)
            except TimeoutError:
                continue
            except (BrokenPipeError, ConnectionResetError):
                break
    assert time.monotonic() - begun < 15


@pytest.mark.usefixtures("hasty")
def test_a_slow_body_is_closed_and_logs_nothing(
    served: Running, caplog: pytest.LogCaptureFixture
) -> None:
    head = (
        "POST /p/fare/reports HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
        'Content-Length: 200\r\n\r\n{"mark": '
    )
    with caplog.at_level(logging.WARNING), connected(served, head.encode()) as place:
        told = read(place)
    assert told.startswith(b"HTTP/1.1 408 ")
    assert "internal-1" not in caplog.text
    assert served.vault.poll("fare").people == 0
    assert httpx.get(f"{served.origin}/p/fare").status_code == 200


def test_half_sent_bodies_take_no_place_and_the_oldest_makes_room(
    served: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(early_refusals, "MOST_AT_ONCE", 2)
    monkeypatch.setattr(early_refusals, "MOST_ARRIVING", 3)
    head = (
        "POST /api/v1/session HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
        "Content-Length: 9\r\n\r\n"
    )
    with ExitStack() as held:
        places = [held.enter_context(connected(served, head.encode())) for _ in range(4)]
        left, _, _ = select.select(places, [], [], 30)
        assert left[0].recv(65536).startswith(b"HTTP/1.1 429 ")
        assert httpx.get(f"{served.origin}/p/fare").status_code == 200
        sent = httpx.post(f"{served.origin}/api/v1/session", json={"token": "x"})
        assert sent.status_code in {401, 403}  # it was read


@contextmanager
def deaf(served: Running, count: int) -> Iterator[None]:
    """Connections that ask many times and take no answer, until nothing more fits on the way."""
    sent = 300 * b"GET /api/v1/openapi.json HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
    with ExitStack() as held:
        for _ in range(count):
            made = held.enter_context(socket.socket())
            made.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1024)
            made.connect(("127.0.0.1", served.door.address.port))
            made.sendall(sent)
        end = time.monotonic() + 30
        while stuck() < count and time.monotonic() < end:
            time.sleep(0.1)
        yield


def stuck() -> int:
    """How many connections of the server in this process have answers that wait to be taken."""
    found = [each for each in gc.get_objects() if isinstance(each, Guarded)]
    return sum(bool(each.flow.write_paused) and each in each.connections for each in found)


@pytest.mark.slow
def test_answers_that_nobody_takes_hold_no_place(
    served: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    with deaf(served, 3):
        monkeypatch.setattr(early_refusals, "MOST_AT_ONCE", 2)
        assert stuck() == 3
        assert httpx.get(f"{served.origin}/p/fare", timeout=20).status_code == 200


@pytest.mark.slow
def test_who_takes_no_answer_makes_room_for_others(
    served: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    with deaf(served, 3):
        monkeypatch.setattr(Guarded, "most", 3)
        assert httpx.get(f"{served.origin}/p/fare", timeout=20).status_code == 200


@pytest.mark.slow
def test_who_takes_no_answer_is_closed(served: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Guarded, "take_seconds", 3.0)
    with deaf(served, 1):
        assert stuck() == 1
        end = time.monotonic() + 15
        while stuck() and time.monotonic() < end:
            time.sleep(0.2)
        assert stuck() == 0


@pytest.mark.slow
def test_an_answer_that_is_taken_in_pieces_comes_whole(
    served: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is looked at twice while it waits, and each time more of it is gone.

    A look comes after 5 seconds, so that a machine on which this process waits for a second or two
    is not taken for a client that reads nothing.  Reading all takes 12.
    """
    monkeypatch.setattr(Guarded, "take_seconds", 5.0)
    size = len(httpx.get(f"{served.origin}/api/v1/openapi.json").content)
    asked = 300
    with socket.socket() as place:
        place.settimeout(20)
        place.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 16)
        place.connect(("127.0.0.1", served.door.address.port))
        place.sendall(asked * b"GET /api/v1/openapi.json HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        begun, got = time.monotonic(), 0
        while got < asked * size:
            part = place.recv(1 << 16)
            assert part, got
            got += len(part)
            due = 12 * got / (asked * size)
            time.sleep(max(0.0, begun + due - time.monotonic()))


@pytest.mark.slow
def test_an_idle_connection_is_closed_after_its_answer(served: Running) -> None:
    with connected(served, HALF + b"\r\n") as place:
        begun = time.monotonic()
        told = read(place)
    assert told.startswith(b"HTTP/1.1 401 ")
    assert 3 < time.monotonic() - begun < 25


def test_a_crowd_of_whole_requests_is_told_when_to_come_back(
    served: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Guarded, "most", 3)
    monkeypatch.setattr(Guarded, "_make_room", lambda _: False)  # nobody is unfinished
    with ExitStack() as held:
        for _ in range(3):
            held.enter_context(connected(served, HALF))
        time.sleep(0.5)
        with connected(served, HALF + b"\r\n") as place:
            told = read(place)
    assert told.startswith(b"HTTP/1.1 429 ")
    assert f"Retry-After: {RETRY_SECONDS}\r\n".encode() in told


def test_more_requests_than_are_worked_on_at_a_time_are_told_when_to_come_back(
    tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(early_refusals, "MOST_AT_ONCE", 0)
    with shoal.open(tmp_path / "office.shoal") as vault:
        answer = Asker(vault).get("/p/fare")
    assert answer.status_code == 429
    assert answer.headers["Retry-After"] == str(RETRY_SECONDS)
    assert answer.json()["error"]["code"] == "request-4"


@pytest.mark.parametrize(
    "host",
    ["evil.example", "evil.example:8000", "127.0.0.1.evil.example", "", "localhost@evil.example"],
)
def test_a_request_that_names_another_host_is_refused(served: Running, host: str) -> None:
    answer = httpx.get(f"{served.origin}/p/fare", headers={"Host": host})
    assert answer.status_code == 400
    assert answer.json()["error"]["code"] == "host-1"
    assert "evil" not in answer.text


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost:8000", "[::1]:8000", "LOCALHOST"])
def test_names_of_this_machine_are_its_own(served: Running, host: str) -> None:
    assert httpx.get(f"{served.origin}/p/fare", headers={"Host": host}).status_code == 200


def test_a_public_name_and_allowed_ones_are_taken(tmp_path: Any) -> None:
    address = Address.of(
        "127.0.0.1", 8000, public="https://polls.example.org:8443", also=["Polls.internal"]
    )
    with shoal.open(tmp_path / "office.shoal") as vault:
        vault.publish(FARE)
        asker = Asker(vault, address)
        for host, status in (
            ("polls.example.org", 200),
            ("polls.internal:80", 200),
            ("polls.other", 400),
        ):
            assert asker.get("/p/fare", headers={"Host": host}).status_code == status


@pytest.mark.parametrize("name", ["", "https://a.example", "a b", "*"])
def test_an_allowed_host_is_a_name(name: str) -> None:
    with pytest.raises(SchemaError, match="name of a host"):
        Address.of("127.0.0.1", 8000, also=[name])


@pytest.mark.parametrize(
    ("query", "status"),
    [("confidence=0." + "9" * 5000, 414), ("confidence=0." + "9" * 1000, 400), ("confidence=0.95", 200), ("confidence=0." + "9" * 40, 200), ("confidence=2", 400)],
)  # fmt: skip
def test_long_queries_are_refused_and_not_failures(tmp_path: Any, query: str, status: int) -> None:
    with shoal.open(tmp_path / "office.shoal") as vault:
        vault.publish(FARE)
        answer = Asker(vault).unlock().get(f"/api/polls/fare/results?{query}")
    assert answer.status_code == status
    assert "999" not in answer.text or status == 200


@pytest.mark.parametrize(
    "path", ["/p/fare", "/nothing", "/api/polls", "/static/style.css", "/p/" + "a" * 3000]
)
def test_every_answer_names_its_request(served: Running, path: str) -> None:
    asked = {"X-Request-Id": "mine"}
    names = [
        httpx.get(f"{served.origin}{path}", headers=asked).headers["X-Request-Id"] for _ in range(2)
    ]
    assert all(re.fullmatch(NAMED, name) for name in names)
    assert names[0] != names[1]


def test_what_is_logged_names_the_request_and_nothing_of_it(
    tmp_path: Any, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(*_: object) -> None:
        raise ValueError("secret-text")

    with shoal.open(tmp_path / "office.shoal") as vault:
        asker = Asker(vault)
        monkeypatch.setattr(asker.app.state.host, "poll", broken)
        with caplog.at_level(logging.ERROR):
            answer = asker.get("/p/fare")
    assert answer.status_code == 500
    assert f"request {answer.headers['X-Request-Id']}" in caplog.text
    assert "secret-text" not in caplog.text + answer.text


def test_what_is_no_http_is_refused_in_our_words(served: Running) -> None:
    with connected(served, b"\x16\x03\x01 nonsense\r\n\r\n") as place:
        told = read(place)
    assert told.startswith(b"HTTP/1.1 400 ")
    assert b"request-1" in told
