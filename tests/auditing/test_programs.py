"""Programs as mechanisms: what a run may print, how it may fail, and that it ends with all that it
started.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from shoal.auditing.programs import Program, read_line
from shoal.errors import SourceError

Written = Callable[..., Program]


@pytest.fixture
def program(tmp_path: Path) -> Written:
    def written(text: str, words: str = "{d}", **options: Any) -> Program:
        place = tmp_path / "mech.py"
        place.write_text(text)
        return Program(f"{sys.executable} {place} {words}", **options)

    return written


FLAKY = """
import pathlib, sys
seen = pathlib.Path(sys.argv[3])
runs = len(seen.read_text()) if seen.exists() else 0
seen.write_text("x" * (runs + 1))
if runs % 3 == 2:
    raise SystemExit("not today")
for _ in range(int(sys.argv[2])):
    print(runs % 2)
"""


def test_a_failed_run_of_many_outputs_is_not_many_missing_answers(
    program: Written, tmp_path: Path
) -> None:
    """Whatever the dataset, one failed run made a thousand samples say the same."""
    flaky = program(FLAKY, f"{{d}} {{n}} {tmp_path / 'seen'}", per_run=50, jobs=1)
    flaky.check("0", "1")
    with pytest.raises(SourceError, match="should print 50 outputs") as refused:
        flaky.sample("0", "1", 200)
    assert "not today" in str(refused.value)
    assert "--per-run 1" in refused.value.remedy


def test_a_failed_run_of_one_output_is_one_missing_answer(program: Written, tmp_path: Path) -> None:
    flaky = program(FLAKY, f"{{d}} {{n}} {tmp_path / 'seen'}", jobs=1)
    first, second = flaky.sample("0", "1", 3)
    assert [*first.listed, *second.listed].count(None) == 2
    assert len(flaky.failures) == 2


def test_the_datasets_take_turns(program: Written, tmp_path: Path) -> None:
    place = tmp_path / "order"
    noted = program(f"import sys; open({str(place)!r}, 'a').write(sys.argv[1]); print(1)", jobs=1)
    noted.sample("0", "1", 8)
    order = place.read_text()
    assert {order[at : at + 2] for at in range(0, 16, 2)} <= {"01", "10"}


def test_a_program_reads_nothing(program: Written) -> None:
    """It would wait for what is typed, or eat it."""
    read, write = os.pipe()
    kept = os.dup(0)
    try:
        os.dup2(read, 0)
        found = program("import sys; print(len(sys.stdin.read()))", seconds=20).run("0", 1)
    finally:
        os.dup2(kept, 0)
        for each in (read, write, kept):
            os.close(each)
    assert found.outputs == [0]


CHILD = """
import subprocess, sys, time
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
open(sys.argv[2], "w").write(str(child.pid))
time.sleep(600)
"""


def test_a_run_that_takes_too_long_ends_with_its_children(program: Written, tmp_path: Path) -> None:
    place = tmp_path / "child"
    for seconds in (2, 20, 200):  # until the program comes so far that it has a child
        found = program(CHILD, f"{{d}} {place}", seconds=seconds).run("0", 1)
        assert found.failure is not None
        if place.exists() and place.read_text():
            break
    child = Path(f"/proc/{place.read_text()}/stat")
    for _ in range(600):
        if not child.exists() or child.read_text().rsplit(")", 1)[1].split()[0] == "Z":
            break
        time.sleep(0.05)
    else:
        pytest.fail("the child is still there")


@pytest.mark.parametrize(
    ("line", "output"),
    [
        ("inf", float("inf")), ("-Infinity", float("-inf")), ("nan", "nan"), ("NaN", "nan"), ("[1, NaN]", [1, "nan"]),
        ("infer", "infer"), ("3", 3), ("null", None), ("[" * 10_000, "[" * 10_000),
    ],
)  # fmt: skip
def test_lines_are_numbers_json_or_text(line: str, output: Any) -> None:
    assert read_line(line) == output
