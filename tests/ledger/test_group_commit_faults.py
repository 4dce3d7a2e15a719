"""Death, full disks, failing disks and races: nothing that anyone saw is uncharged, and nothing is
granted twice.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from shoal.ledger import group_commit

ROOT = Path(__file__).parent.parent.parent
FAILING_FSYNC = """
#include <errno.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>
static int fails(void) { return access(getenv("FSYNC_FAILS"), F_OK) == 0; }
int fsync(int file) { if (fails()) { errno = EIO; return -1; } return syscall(SYS_fsync, file); }
int fdatasync(int file) { if (fails()) { errno = EIO; return -1; } return syscall(SYS_fdatasync, file); }
"""


def lives(act: str, *words: object, **environment: str) -> Any:
    """What a process of its own found."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.ledger.lives", act, *map(str, words)],
        cwd=ROOT,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


# races


@pytest.mark.slow
def test_eight_processes_get_exactly_what_the_budget_holds(place: str) -> None:
    found = lives("race", place, 8, 50)
    assert sum(found["granted"]) == 100
    assert found["sound"]
    assert found["left"] == "epsilon 0"


# death


def check_killed(found: Any) -> None:
    assert found["seen and not charged"] == []
    assert found["answered and not stored"] == []
    assert found["seen"] > 0
    charged = found["charged"]
    assert found["accounts"] == [[f"epsilon {charged}", charged]] * 2


@pytest.mark.slow
def test_whatever_was_seen_before_a_kill_is_charged(places: Callable[[str], str]) -> None:
    check_killed(lives("kill", places("sqlite"), 30, 1))


@pytest.mark.audit
def test_whatever_was_seen_before_any_of_three_hundred_kills_is_charged(
    places: Callable[[str], str], record_property: Callable[[str, object], None]
) -> None:
    found = lives("kill", places("sqlite"), 300, 2)
    check_killed(found)
    for name in ("seen", "charged", "slowest opening"):
        record_property(name, found[name])
    assert found["slowest opening"] < 5


@pytest.mark.postgres
def test_whatever_was_seen_on_a_server_before_a_kill_is_charged(
    places: Callable[[str], str],
) -> None:
    check_killed(lives("kill", places("postgres"), 5, 3))


@pytest.mark.slow
@pytest.mark.parametrize("step", group_commit.STEPS)
def test_death_after_a_step_never_mints_and_never_alarms(
    step: str, places: Callable[[str], str]
) -> None:
    found = lives("die", places("sqlite"), step, 3)
    is_durable = step in {"committed", "marked"}
    assert len(found["seen"]) == 2
    assert len(found["there"]) == (3 if is_durable else 2)
    assert found["there"][:2] == found["seen"]
    assert found["sound"]
    assert found["events"] == len(found["there"]) + 1
    assert found["after"] > max(found["there"])


# storage that fails


def check_survived(found: Any, *, problem: str) -> None:
    assert found["code"] == "ledger-1"
    assert problem in found["problem"]
    assert set(found["granted"]) <= set(found["there"])
    assert found["events"] == len(found["there"])
    assert found["sound"]


@pytest.mark.slow
def test_a_full_disk_grants_nothing_and_loses_nothing(places: Callable[[str], str]) -> None:
    found = lives("fill", places("sqlite"))
    check_survived(found, problem="disk")
    assert len(found["granted"]) > 2


@pytest.mark.slow
def test_a_disk_that_cannot_sync_grants_nothing_and_loses_nothing(
    places: Callable[[str], str], tmp_path: Path
) -> None:
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("no C compiler here to make an fsync that fails")
    source, library = tmp_path / "failing.c", tmp_path / "failing.so"
    source.write_text(FAILING_FSYNC)
    subprocess.run([compiler, "-shared", "-fPIC", "-o", library, source], check=True)
    flag = tmp_path / "fails"
    found = lives(
        "unsynced", places("sqlite"), flag, LD_PRELOAD=str(library), FSYNC_FAILS=str(flag)
    )
    check_survived(found, problem="disk I/O error")
    assert len(found["granted"]) == 6


@pytest.mark.slow
def test_a_ledger_that_cannot_be_written_charges_nothing() -> None:
    with tempfile.TemporaryDirectory() as directory:  # which others may look into, unlike tmp_path
        Path(directory).chmod(0o755)
        found = lives("read_only", Path(directory) / "office.shoal")
        Path(directory).chmod(0o755)
    assert found["code"] == "ledger-1"
    assert "read" in found["problem"]


@pytest.mark.slow
@pytest.mark.parametrize("step", group_commit.STEPS)
def test_a_step_that_fails_grants_nothing_and_the_ledger_goes_on(
    step: str, places: Callable[[str], str]
) -> None:
    found = lives("raising", places("sqlite"), step)
    check_survived(found, problem="Input/output error")
    is_durable = step in {"committed", "marked"}
    assert len(found["granted"]) == 2
    assert len(found["there"]) == (3 if is_durable else 2)
