"""Killed at any moment: every answer that anyone saw is charged, and the vault is sound."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.vault.office import office

import shoal

ASKING = """
import sys, shoal
vault = shoal.open(sys.argv[1])
start = int(sys.argv[2])
for at in range(start, start + 100000):
    answer = vault.sql(f"SELECT COUNT(*) AS n FROM visits WHERE spend > {at} / 1000").release(epsilon="0.001")
    print(f"saw {at} {answer.rows[0][0]}", flush=True)
"""


def killed_after(path: Path, start: int, answers: int, moment: float) -> list[tuple[int, int]]:
    """What a child saw that asks one question after another, until it is killed."""
    child = subprocess.Popen(
        [sys.executable, "-c", ASKING, str(path), str(start)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert child.stdout is not None
    lines = []
    for line in child.stdout:
        lines.append(line)
        if len(lines) >= answers:
            break
    time.sleep(moment)
    child.send_signal(signal.SIGKILL)
    rest, errors = child.communicate()
    assert "Error" not in errors
    lines += rest.splitlines(keepends=True)
    found = [re.fullmatch(r"saw (\d+) (-?\d+)\n", line) for line in lines]
    return [(int(each[1]), int(each[2])) for each in found if each]


@pytest.mark.slow
@pytest.mark.parametrize("times", [6, pytest.param(100, marks=pytest.mark.audit)])
def test_every_answer_that_was_seen_before_a_kill_is_charged(times: int, tmp_path: Path) -> None:
    office(tmp_path, shoal.Pure(1000)).close()
    path, seen = tmp_path / "office.shoal", dict[int, int]()
    for at in range(times):
        moment = (at * 7919 % 97) / 2000
        seen |= dict(killed_after(path, 1000 * at, 3 + at % 5, moment))
    with shoal.open(path) as vault:
        assert vault.verify().is_sound
        releases = vault.log(None)
        told = {}
        for each in releases:
            if each.answer is not None:
                number = int(re.findall(r"> (\d+) /", each.question)[0])
                told[number] = each.answer["rows"][0][0]
        assert len(seen) >= 3 * times
        assert seen.items() <= told.items()
        spent = vault.budget("visits").spent
        assert spent == shoal.Pure(shoal.exact.rational("0.001", "x") * len(releases))


@pytest.mark.slow
@pytest.mark.parametrize("times", [4, pytest.param(60, marks=pytest.mark.audit)])
def test_every_answer_that_the_command_printed_before_a_kill_is_charged(
    times: int, tmp_path: Path
) -> None:
    office(tmp_path, shoal.Pure(1000)).close()
    path, script = tmp_path / "office.shoal", Path(sys.executable).parent / "shoal"
    printed = {}
    for at in range(times):
        sql = f"SELECT COUNT(*) AS n FROM visits WHERE spend > {at}"
        arguments = [str(script), "ask", sql, "--epsilon", "0.5", "--csv", "--vault", str(path)]
        with subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True) as child:
            assert child.stdout is not None
            if at % 2:
                time.sleep(0.6 + (at * 7919 % 97) / 97)
            else:
                child.stdout.readline()
            child.send_signal(signal.SIGKILL)
            rest = child.stdout.read()
        found = re.search(r"^(-?\d+),", rest, re.MULTILINE)
        if found:
            printed[sql] = int(found[1])
    with shoal.open(path) as vault:
        told = {r.question: r.answer["rows"][0][0] for r in vault.log(None) if r.answer is not None}
        assert printed
        assert printed.items() <= told.items()
        assert vault.budget("visits").spent == shoal.Pure(len(vault.log(None)) / 2)
        assert vault.verify().is_sound
