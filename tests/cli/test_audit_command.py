"""``shoal audit run`` and ``suite``: programs are run, verdicts printed, pages written, codes
returned.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from shoal.cli.app import app
from shoal.cli.console import Exit

runner = CliRunner()
PROGRAM = """
import pathlib, random, sys
count, scale, outputs = float(sys.argv[1]), float(sys.argv[2]), int(sys.argv[3])
seen = pathlib.Path(f"{__file__} {count} {scale}")
runs = len(seen.read_text()) if seen.exists() else 0
seen.write_text("x" * (runs + 1))
random.seed(f"{count} {scale} {runs}")
for _ in range(outputs):
    print(count + scale * (random.expovariate(1) - random.expovariate(1)))
"""
"""Laplace noise; each run of a test has a seed of its own, the same whenever the test is run, if
one ends before the next.
"""
ONE_BY_ONE = ("--jobs", "1")
FAILS = """
import sys
if sys.argv[1] == "1":
    sys.exit("no rows are left")
for _ in range(int(sys.argv[2]) if len(sys.argv) > 2 else 1):
    print(3)
"""


def command(tmp_path: Path, text: str, words: str) -> str:
    place = tmp_path / "mech.py"
    place.write_text(text)
    return f"{sys.executable} {place} {words}"


def run(*words: str) -> tuple[int, str]:
    done = runner.invoke(app, ["audit", "run", *words])
    return done.exit_code, done.output


@pytest.mark.slow
def test_a_program_with_half_the_noise_is_refuted_with_a_page_and_code_5(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    code, told = run(
        command(tmp_path, PROGRAM, "{d} 0.5 {n}"), "--d0", "0", "--d1", "1", "--epsilon", "1",
        "--samples", "3000", "--per-run", "3000", "--out", str(page), *ONE_BY_ONE,
    )  # fmt: skip
    assert code == Exit.UNSOUND
    assert told.startswith("refuted: epsilon 1")
    assert page.read_text(encoding="utf-8").count("<svg") == 2


def test_a_program_with_enough_noise_stands_and_its_verdict_is_data(tmp_path: Path) -> None:
    done = runner.invoke(
        app,
        ["audit", "run", command(tmp_path, PROGRAM, "{d} 1 {n}"), "--d0", "0", "--d1", "1",
         "--epsilon", "1.2", "--samples", "2000", "--per-run", "1000", "--json", *ONE_BY_ONE],
    )  # fmt: skip
    data = json.loads(done.stdout)
    assert done.exit_code == 0
    assert data["refuted"] is False
    assert data["figures"]["samples on d0"] == 2000
    assert 0.5 < data["lower"] < 1.2


@pytest.mark.slow
@pytest.mark.parametrize(
    ("claim", "stands"),
    [
        (["--renyi", "2:0.6,8:1"], "Rényi, epsilon 0.6 at order 2, epsilon 1 at order 8"),
        (["--curve", "0:1,0.2:0.2,1:0"], "trade-off curve (0, 1) (0.2, 0.2) (1, 0)"),
    ],
)
def test_divergences_and_trade_off_curves_can_be_claimed(
    tmp_path: Path, claim: list[str], stands: str
) -> None:
    words = ["--d0", "0", "--d1", "1", "--samples", "3000", "--per-run", "1500", *ONE_BY_ONE, *claim]  # fmt: skip
    code, told = run(command(tmp_path, PROGRAM, "{d} 1 {n}"), *words)
    assert code == 0
    assert told.startswith(f"not refuted: {stands}")
    assert run(command(tmp_path, PROGRAM, "{d} 0.3 {n}"), *words)[0] == Exit.UNSOUND


@pytest.mark.slow
def test_a_program_that_fails_on_one_dataset_only_is_refuted_and_what_it_said_is_shown(
    tmp_path: Path,
) -> None:
    code, told = run(
        command(tmp_path, FAILS, "{d}"), "--d0", "0", "--d1", "1", "--epsilon", "1", "--samples", "100"
    )  # fmt: skip
    assert code == Exit.UNSOUND
    assert "no rows are left" in told


def test_a_run_of_many_outputs_that_fails_is_refused_with_the_way_out(tmp_path: Path) -> None:
    code, told = run(
        command(tmp_path, FAILS, "{d} {n}"), "--d0", "0", "--d1", "1", "--epsilon", "1", "--samples", "400", "--per-run", "50"
    )  # fmt: skip
    assert code == Exit.USAGE
    assert "no rows are left" in told
    assert "--per-run 1" in " ".join(told.split())


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--epsilon", "1", "--rho", "1"], "one claim"),
        ([], "one claim"),
        (["--mu", "1", "--curve", "0:1,1:0"], "--mu and --curve"),
        (["--curve", "0:1,1:0", "--delta", "0.1"], "--curve with --delta"),
        (["--rho", "1", "--delta", "0.1"], "with --delta"),
        (["--renyi", "2"], "pairs of numbers"),
        (["--renyi", ""], "pairs of numbers"),
        (["--curve", "0:1,0.5:0.8,1:0"], "convex"),
        (["--epsilon", "1", "--out", "page.pdf"], "is a page"),
        (["--epsilon", "1", "--samples", "3"], "samples"),
    ],
)
def test_wrong_use_ends_with_code_2(tmp_path: Path, words: list[str], said: str) -> None:
    code, told = run(command(tmp_path, FAILS, "{d}"), "--d0", "0", "--d1", "0", *words)
    assert code == Exit.USAGE
    assert said in told


@pytest.mark.parametrize(
    ("text", "words", "seconds", "said"),
    [
        (FAILS, "nothing", "300", "where the dataset goes"),
        ("import sys; sys.exit('broken')", "{d}", "300", "failed on both datasets"),
        ("print(1); print(2)", "{d}", "300", "one a line"),
        ("import time; time.sleep(600)", "{d}", "1", "longer than"),
    ],
)
def test_a_program_that_cannot_be_audited_is_refused_with_the_reason(
    tmp_path: Path, text: str, words: str, seconds: str, said: str
) -> None:
    code, told = run(
        command(tmp_path, text, words), "--d0", "1", "--d1", "1", "--epsilon", "1", "--timeout", seconds,
    )  # fmt: skip
    assert code == Exit.USAGE
    assert said in " ".join(told.split())


def test_a_program_that_is_not_there_is_refused() -> None:
    code, told = run("/no/such/program {d}", "--d0", "1", "--d1", "1", "--epsilon", "1")
    assert code == Exit.USAGE
    assert "cannot be started" in told


@pytest.mark.slow
def test_the_suite_prints_a_line_for_each_case_and_writes_its_page(tmp_path: Path) -> None:
    page = tmp_path / "suite.md"
    done = runner.invoke(
        app, ["audit", "suite", "laplace", "one bit", "--quick", "--seed", "3", "--out", str(page)]
    )
    assert done.exit_code == 0
    assert [line.split("  ")[0] for line in done.output.splitlines()[:2]] == ["laplace", "one bit"]
    assert "2 audits" in page.read_text(encoding="utf-8")
    told = runner.invoke(app, ["audit", "suite", "one bit", "--quick", "--json"])
    assert [each["name"] for each in json.loads(told.stdout)] == ["one bit"]


def test_an_unknown_case_is_refused_with_those_there_are() -> None:
    done = runner.invoke(app, ["audit", "suite", "laplce"])
    assert done.exit_code == Exit.USAGE
    assert "laplace" in done.output
