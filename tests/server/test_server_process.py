"""The command: it starts, says where, refuses what is not safe, and stops cleanly."""

from __future__ import annotations

import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest
from typer.testing import CliRunner

import shoal
from shoal.cli import app
from shoal.cli.serve_command import SERVE
from shoal.polls import Poll

FARE = Poll("fare", "Have you ever travelled without a ticket?", odds=3)
ONCE = "0123456789abcdef0123456789abcdef"


@pytest.fixture
def office(tmp_path: Path) -> Path:
    path = tmp_path / "office.shoal"
    with shoal.open(path) as vault:
        vault.publish(FARE)
    return path


EXAMPLES = [line.split()[1:] for line in SERVE.splitlines() if line.startswith("    shoal ")]


@contextmanager
def started(words: list[str], folder: Path) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """The command on a free port, and the link it prints first."""
    asked = [sys.executable, "-m", "shoal", *words, "--port", "0"]
    pipe = subprocess.PIPE
    with subprocess.Popen(asked, stdout=pipe, stderr=pipe, text=True, cwd=folder) as run:
        assert run.stdout is not None
        yield run, run.stdout.readline().rpartition(" ")[2].strip()


@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGTERM])
def test_the_command_serves_until_it_is_stopped_and_logs_no_request(
    office: Path, stop: signal.Signals
) -> None:
    with started(["serve"], office.parent) as (run, link):
        assert re.fullmatch(r"http://127\.0\.0\.1:\d+/\?key=[0-9a-f]{32}", link)
        with httpx.Client(follow_redirects=True) as client:
            page = client.get(link)
            assert "Have you ever travelled" in page.text
            assert not {"server", "date"} & set(page.headers)
            body = {"mark": FARE.mark, "report": "01", "once": ONCE}
            told = client.post(f"{link.partition('?')[0]}p/fare/reports", json=body)
            assert told.status_code == 201
        run.send_signal(stop)
        rest, errors = run.communicate(timeout=300)
    assert (run.returncode, errors) == (0, "")
    assert rest.splitlines()[-1] == "Stopped; everything that was counted is kept."
    said = ("For people with a token:", "For respondents:", "Stopped;")
    assert [line for line in rest.splitlines() if not line.startswith(said)] == []
    with shoal.open(office) as vault:
        assert vault.poll("fare").cells == {"01": 1}


@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGTERM])
def test_a_server_that_is_stopped_as_soon_as_its_link_is_read_ends_as_any_other(
    office: Path, stop: signal.Signals
) -> None:
    with started(["serve"], office.parent) as (run, _):
        run.send_signal(stop)
        rest, errors = run.communicate(timeout=300)
    assert (run.returncode, errors) == (0, "")
    assert rest.splitlines()[-1] == "Stopped; everything that was counted is kept."


@pytest.mark.slow
@pytest.mark.parametrize("words", EXAMPLES, ids=" ".join)
def test_an_example_of_the_help_serves(office: Path, words: list[str]) -> None:
    (office.parent / "data").mkdir()
    with started(words, office.parent) as (run, link):
        assert "/?key=" in link
        assert link.startswith("https://polls.example.org" if "--public" in words else "http://127")
        run.send_signal(signal.SIGINT)
        run.communicate(timeout=300)
    assert run.returncode == 0


def ran(*words: str) -> tuple[int, str]:
    done = CliRunner().invoke(app, ["serve", *words])
    return done.exit_code, " ".join(done.output.split())


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.1", "polls.example.org"])
def test_other_machines_are_let_in_only_behind_tls(office: Path, host: str) -> None:
    code, words = ran("--vault", str(office), "--host", host)
    assert code == 2
    assert "does not speak TLS" in words
    assert "--behind-tls" in words


def test_behind_a_proxy_the_address_that_people_see_must_be_said(office: Path) -> None:
    code, words = ran("--vault", str(office), "--host", "0.0.0.0", "--behind-tls")
    assert code == 2
    assert "--behind-tls --public https://" in words


@pytest.mark.parametrize(
    "public", ["http://polls.example.org", "polls.example.org", "https://", "https://a.example/polls", "https://me@a.example", "ftp://a"]
)  # fmt: skip
def test_a_public_address_is_https_and_has_no_path(office: Path, public: str) -> None:
    code, words = ran("--vault", str(office), "--public", public)
    assert code == 2
    assert "https://host" in words


def test_a_port_that_is_taken_is_said_to_be(office: Path) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        code, words = ran("--vault", str(office), "--port", str(port))
    assert code == 2
    assert f"port {port}" in words


def test_an_installation_without_the_web_framework_is_told_which_extra_to_install(
    office: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    code, words = ran("--vault", str(office))
    assert code == 2
    assert "missing: uvicorn" in words
    assert 'pip install "shoal[server]"' in words


def test_the_command_line_loads_no_web_framework_until_it_serves() -> None:
    words = "import sys, shoal.cli; print(sorted({'fastapi', 'uvicorn', 'jinja2', 'starlette'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", words], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
