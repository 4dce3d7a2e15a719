"""``shoal audit lattice``, ``timing``, ``repeats`` and ``one-run``: programs that leave traces, and
tables of canaries.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from shoal.cli.app import app
from shoal.cli.console import Exit
from shoal.noise import uniform_below
from shoal.noise.seam import seeded

runner = CliRunner()

TEXTBOOK = """
import math, random, sys
value, wanted = float(sys.argv[1]), int(sys.argv[2])
random.seed(value)
for _ in range(wanted):
    u = random.random() - 0.5
    print(repr(value - math.copysign(1, u) * math.log(1 - 2 * abs(u))))
"""
GRID = """
import math, random, sys
value, wanted = int(sys.argv[1]), int(sys.argv[2])
random.seed(value)
for _ in range(wanted):
    print(value + sum(random.choice((-1, 1)) * int(-8 * math.log(1 - random.random())) for _ in range(3)))
"""
SEEDED = """
import random, sys
print(float(sys.argv[1]) + random.Random(7).gauss(0, 1))
"""
FRESH = """
import random, sys
print(float(sys.argv[1]) + random.gauss(0, 1))
"""
SLOW = """
import random, sys, time
time.sleep(0.4 * float(sys.argv[1]))  # far above what a busy machine adds
print(float(sys.argv[1]) + random.gauss(0, 1))
"""


def program(folder: Path, text: str, words: str = "{d}") -> str:
    place = folder / "mechanism.py"
    place.write_text(text)
    return f"{sys.executable} -S {place} {words}"


def asked(*words: str) -> tuple[int, dict[str, Any]]:
    done = runner.invoke(app, ["audit", *words, "--json"])
    return done.exit_code, json.loads(done.stdout)


NEIGHBOURS = ("--d0", "0", "--d1", "1")
MANY = ("--samples", "4000", "--per-run", "4000")


def test_textbook_noise_in_doubles_is_refuted_by_its_low_bits(tmp_path: Path) -> None:
    command = program(tmp_path, TEXTBOOK, "{d} {n}")
    code, told = asked("lattice", command, *NEIGHBOURS, *MANY, "--epsilon", "1")
    assert code == Exit.UNSOUND
    assert told["refuted"]
    assert told["test"] == "lattice"


def test_noise_in_integers_leaves_no_trace_in_low_bits(tmp_path: Path) -> None:
    command = program(tmp_path, GRID, "{d} {n}")
    code, told = asked("lattice", command, *NEIGHBOURS, *MANY, "--epsilon", "1")
    assert code == 0
    assert not told["refuted"]


@pytest.mark.audit
def test_a_formula_that_is_known_is_computed_back(tmp_path: Path) -> None:
    command = program(tmp_path, TEXTBOOK, "{d} {n}")
    words = ["--d0", "41", "--d1", "42", "--samples", "20000", "--per-run", "20000", "--epsilon", "1"]  # fmt: skip
    known = ["--formula", "laplace", "--scale", "1", "--truths", "41,42"]
    assert asked("lattice", command, *words)[0] == 0
    code, told = asked("lattice", command, *words, *known)
    assert code == Exit.UNSOUND
    assert told["figures"]["kind of event"] == "reach"


def test_a_formula_without_its_truths_is_refused(tmp_path: Path) -> None:
    done = runner.invoke(app, ["audit", "lattice", program(tmp_path, TEXTBOOK), *NEIGHBOURS, "--epsilon", "1", "--formula", "laplace"])  # fmt: skip
    assert done.exit_code == Exit.USAGE
    assert "--truths" in done.output


@pytest.mark.slow
def test_a_program_with_a_seed_always_gives_the_same_noise(tmp_path: Path) -> None:
    words = ["--draws", "12", "--epsilon", "0.5"]
    code, told = asked("repeats", program(tmp_path, SEEDED), *NEIGHBOURS, *words)
    assert code == Exit.UNSOUND
    assert "the same answer always" in told["found"]


@pytest.mark.slow
def test_a_program_without_a_seed_does_not(tmp_path: Path) -> None:
    command = program(tmp_path, FRESH)
    words = ["--draws", "8", "--other", command, "--confidence", "0.9999"]
    code, told = asked("repeats", command, *NEIGHBOURS, *words)
    assert code == 0
    assert "two questions: same" in told["figures"]


@pytest.mark.audit
def test_a_program_that_sleeps_on_one_dataset_is_refuted_by_the_clock(tmp_path: Path) -> None:
    words = ["--runs", "20", "--warm", "1", "--resolution", "0.001"]
    code, told = asked("timing", program(tmp_path, SLOW), *NEIGHBOURS, *words)
    assert code == Exit.UNSOUND
    assert "slower dataset" in told["found"]


def canaries(folder: Path, *, told: bool) -> Path:
    with seeded(5):
        coins, noise = uniform_below(2, 200).tolist(), uniform_below(1000, 200).tolist()
    lines = [
        f"{coin},{coin + each / 1e6 if told else each}"
        for coin, each in zip(coins, noise, strict=True)
    ]
    place = folder / "scores.csv"
    place.write_text("\n".join(["included,score", *lines]))
    return place


def test_canaries_that_are_all_guessed_refute_a_small_epsilon(tmp_path: Path) -> None:
    code, told = asked(
        "one-run", str(canaries(tmp_path, told=True)), "--delta", "1e-5", "--epsilon", "1"
    )
    assert code == Exit.UNSOUND
    assert told["figures"]["epsilon, at least"] > 3


def test_scores_that_know_nothing_refute_nothing(tmp_path: Path) -> None:
    code, told = asked(
        "one-run", str(canaries(tmp_path, told=False)), "--delta", "1e-5", "--confidence", "0.9999"
    )
    assert code == 0
    assert told["figures"]["epsilon, at least"] == 0


def test_a_page_is_written_where_it_was_asked_for(tmp_path: Path) -> None:
    place = tmp_path / "page.html"
    done = runner.invoke(
        app, ["audit", "one-run", str(canaries(tmp_path, told=True)), "--out", str(place)]
    )
    assert done.exit_code == 0
    assert "canaries" in place.read_text()


@pytest.mark.parametrize("text", ["a,b\n1,2\n", "included,score\n1,x\n", "included,score\n1\n"])
def test_a_table_without_the_two_columns_is_refused(tmp_path: Path, text: str) -> None:
    place = tmp_path / "scores.csv"
    place.write_text(text)
    done = runner.invoke(app, ["audit", "one-run", str(place)])
    assert done.exit_code != 0
    assert "included and score" in done.output


@pytest.mark.parametrize(
    "text",
    [
        "pass",
        "import sys\nsys.exit(3 * (sys.argv[1] == '1'))",
        "import sys\nprint(1) if sys.argv[1] == '0' else sys.exit(4)",
    ],
)
def test_a_program_that_gives_no_number_cannot_be_timed_and_is_told_so(
    tmp_path: Path, text: str
) -> None:
    done = runner.invoke(
        app, ["audit", "timing", program(tmp_path, text), *NEIGHBOURS, "--runs", "20"]
    )
    assert done.exit_code == Exit.USAGE
    assert "no answer" in done.stderr


def test_a_table_that_is_no_text_is_refused_in_words(tmp_path: Path) -> None:
    table = tmp_path / "scores.csv"
    table.write_bytes(b"included,score\n1,\xff\xfe\n")
    done = runner.invoke(app, ["audit", "one-run", str(table)])
    assert done.exit_code == Exit.USAGE
    assert "cannot be read" in done.stderr


def test_a_delta_without_an_epsilon_is_not_passed_over(tmp_path: Path) -> None:
    done = runner.invoke(
        app, ["audit", "repeats", program(tmp_path, FRESH), *NEIGHBOURS, "--delta", "0.1"]
    )
    assert done.exit_code == Exit.USAGE
    assert "epsilon" in done.stderr


def test_names_of_cases_with_a_comma_are_told_from_two_names() -> None:
    done = runner.invoke(app, ["audit", "suite", "no such case"])
    assert done.exit_code == Exit.USAGE
    assert "'laplace, reals'" in " ".join(done.stderr.split())
