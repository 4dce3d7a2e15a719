"""A newcomer's session in a real terminal: what is typed, what is seen, and how each command
ends.
"""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import sys
import termios
import time
from pathlib import Path

import pytest
from tests.vault.office import rows, write

import shoal

SCRIPT = str(Path(sys.executable).parent / "shoal")
BY_KIND = "SELECT kind, COUNT(*) AS n FROM visits GROUP BY kind"
_CODES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\r")


class Terminal:
    """Runs a command in a pseudo-terminal of 80 columns; everything that a person would see is
    kept.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.raw = ""

    def type(self, *arguments: str) -> tuple[int, str]:
        """Run a command to its end; its exit code, and what it printed without the colours."""
        master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 80, 0, 0))
        hidden = {"NO_COLOR", "SHOAL_VAULT", "COLUMNS"}
        environment = {name: said for name, said in os.environ.items() if name not in hidden}
        child = subprocess.Popen(
            [SCRIPT, *arguments],
            cwd=self.folder,
            env={**environment, "TERM": "xterm-256color"},
            stdin=slave,
            stdout=slave,
            stderr=slave,
            start_new_session=True,
        )
        os.close(slave)
        self.raw = self._read(master)
        return child.wait(), _CODES.sub("", self.raw)

    @staticmethod
    def _read(master: int) -> str:
        found, end = b"", time.monotonic() + 600
        while time.monotonic() < end:
            if not select.select([master], [], [], 1)[0]:
                continue
            try:
                piece = os.read(master, 65536)
            except OSError:  # the other side is closed
                break
            if not piece:
                break
            found += piece
        os.close(master)
        return found.decode()


def squeezed(text: str) -> str:
    return " ".join(text.split())


@pytest.mark.slow
def test_a_newcomers_session(tmp_path: Path) -> None:
    write(tmp_path, "visits.csv", rows())
    terminal = Terminal(tmp_path)

    def typed(expected: int, *arguments: str) -> str:
        code, seen = terminal.type(*arguments)
        assert code == expected, seen
        assert "Traceback" not in seen
        return squeezed(seen)

    assert "Made office.shoal" in typed(0, "init", "office.shoal")
    asked = typed(
        2, "add", "visits", "visits.csv", "--vault", "office.shoal", "--person", "user_id", "--groups", "2",
        "--rows-per-group", "3", "--range", "spend=0:500", "--choices", "kind=work,leisure", "--budget", "1",
    )  # fmt: skip
    assert "shoal add visits.toml" in asked
    assert 'type = "integer"' in (tmp_path / "visits.toml").read_text()
    added = typed(0, "add", "visits.toml", "--vault", "office.shoal")
    assert "protects each person by user_id (2 groups, 3 rows per group)" in added
    assert (tmp_path / "visits.toml").is_file()
    seen = typed(0, "preview", BY_KIND, "--epsilon", "0.5")
    assert "Would cost epsilon 0.5" in seen
    assert "within 35.95" in seen

    first = typed(0, "ask", BY_KIND, "--epsilon", "0.5")
    assert "cost epsilon 0.5" in first
    assert "\x1b[" in terminal.raw  # colours, on a terminal
    again = typed(0, "ask", BY_KIND, "--epsilon", "0.5")
    assert "Free: this is the answer of release 1" in again
    numbers = re.findall(r"(?:work|leisure|NULL) (-?[\d,]+) ", first)
    assert len(numbers) == 3
    assert re.findall(r"(?:work|leisure|NULL) (-?[\d,]+) ", again) == numbers

    refused = typed(4, "ask", "SELECT COUNT(*) AS n FROM visits", "--epsilon", "0.75")
    assert "[budget-1]" in refused
    assert "Nothing was spent" in refused
    with shoal.open(tmp_path / "office.shoal") as vault:
        assert vault.budget("visits").spent == shoal.Pure("0.5")
        assert len(vault.log()) == 1

    assert "1 " in typed(0, "log")
    assert "Wrote report.html" in typed(0, "report", "1", "--out", "report.html")
    assert "<svg" in (tmp_path / "report.html").read_text()
    assert ("sound: 6 entries, the last " + _head(tmp_path)) in typed(0, "verify")


def _head(folder: Path) -> str:
    with shoal.open(folder / "office.shoal") as vault:
        return str(vault.verify().head.hash[:16])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        ([], 2, "Usage"),
        (["aks", "SELECT 1"], 2, "No such command"),
        (["ask", "SELECT COUNT(*) FROM visits", "--epsilon", "0.1"], 8, "shoal init office.shoal"),
        (["init"], 2, "Missing argument"),
    ],
)
def test_a_first_mistake_is_met_with_the_next_step(
    arguments: list[str], code: int, words: str, tmp_path: Path
) -> None:
    ended, seen = Terminal(tmp_path).type(*arguments)
    assert (ended, words in squeezed(seen)) == (code, True), seen
    assert list(tmp_path.iterdir()) == []
