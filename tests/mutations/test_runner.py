"""The runner says of a small project what became of the faults in it."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from scripts.mutations.__main__ import DONE, SURVIVORS, WRONG_USE, main
from scripts.mutations.copying import ReusedCopy, copy_of, strangers
from scripts.mutations.mutation import Mutation
from scripts.mutations.running import Judged, Outcome, judge, judge_all, killers

FILE = "src/pond/depth.py"
TESTS = """
from pond.depth import deep

def test_depth():
    assert deep(3) == 4

def test_something_else():
    assert True
"""


@pytest.fixture(scope="module")
def pond(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("pond")
    for folder in ("src/pond", "tests"):
        (root / folder).mkdir(parents=True)
    (root / "src/pond/__init__.py").write_text("")
    (root / FILE).write_text(
        "def deep(by):\n    for _ in range(by):\n        by = by\n    return by + 1\n"
    )
    (root / "tests/test_depth.py").write_text(TESTS)
    (root / "tests/test_broken.py").write_text("def test_broken():\n    assert False\n")
    return root


def fault(new: str, name: str, test: str = "tests/test_depth.py") -> Mutation:
    return Mutation(name, FILE, "return by + 1", new, "Somebody drowns.", (test,))


def reused(pond: Path, folder: Path) -> ReusedCopy:
    return ReusedCopy(copy_of(pond, folder / "base"), folder / "copy")


def contents(root: Path) -> dict[str, bytes]:
    files = (path for path in root.rglob("*") if path.is_file())
    return {str(path.relative_to(root)): path.read_bytes() for path in files}


WRONG = fault("return by + 2", "too-deep")
UNSEEN = fault("return by + 2", "unseen", "tests/test_depth.py::test_something_else")
ENDLESS = fault("while True:\n        pass", "endless")
UNREADABLE = fault("return (", "unreadable")
ENDING = fault("import os; os._exit(1)", "ending")


@pytest.mark.parametrize(
    ("mutation", "outcome"),
    [
        (WRONG, Outcome.KILLED),
        (UNSEEN, Outcome.SURVIVED),
        (ENDLESS, Outcome.TIMED_OUT),
        (UNREADABLE, Outcome.NOT_RUN),
        (ENDING, Outcome.NOT_RUN),
    ],
    ids=lambda value: str(getattr(value, "name", value)),
)
def test_only_a_fault_that_fails_a_test_is_killed(
    mutation: Mutation, outcome: Outcome, pond: Path, tmp_path: Path
) -> None:
    copy = reused(pond, tmp_path)
    judged = judge(copy, mutation, limit=3 if mutation is ENDLESS else 60)
    assert judged.outcome is outcome
    assert judged.killed_by.endswith("test_depth") == (outcome is Outcome.KILLED)
    assert ("ERROR tests/test_depth.py" in judged.said) == (mutation is UNREADABLE)


def test_the_source_itself_is_never_touched(pond: Path, tmp_path: Path) -> None:
    before = (pond / FILE).read_text()
    copy = reused(pond, tmp_path)
    judge(copy, WRONG, limit=60)
    assert (pond / FILE).read_text() == (copy.base / FILE).read_text() == before


def test_a_copy_is_whole_again_after_a_fault_whatever_its_tests_did(
    pond: Path, tmp_path: Path
) -> None:
    copy = reused(pond, tmp_path)
    before = contents(copy.root)
    with copy.spoilt(WRONG) as root:
        assert "by + 2" in (root / FILE).read_text()
        (root / "tests/test_depth.py").write_text(TESTS.replace("4", "5"))  # as long as it was
        (root / "tests/test_broken.py").unlink()
        (root / "src/pond/added.py").write_text("")
        (root / "src/pond/__pycache__/depth.cpython-99.pyc").write_text("the fault, compiled")
        (root / "tests/__pycache__/test_depth.cpython-99.pyc").write_text("a test, compiled")
    kept = {"tests/__pycache__/test_depth.cpython-99.pyc": b"a test, compiled"}
    assert contents(copy.root) == {**before, **kept}


@pytest.mark.slow
def test_faults_in_one_copy_do_not_see_each_other(pond: Path, tmp_path: Path) -> None:
    """The same fault is seen by one test and not by the other, however often they take turns."""
    turns = [WRONG, UNSEEN, UNREADABLE, WRONG, UNSEEN]
    judged = judge_all(copy_of(pond, tmp_path), turns, limit=60)
    wanted = ["killed", "survived", "not run", "killed", "survived"]
    assert [str(each.outcome) for each in judged] == wanted


def test_a_survivor_shows_in_the_exit_code_and_in_the_figures(
    pond: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["--json"], root=pond, every=(WRONG, UNSEEN)) == SURVIVORS
    told = json.loads(capsys.readouterr().out)
    assert told["score"] == {"killed": 1, "survived": 1, "timed out": 0, "not run": 0}
    assert [each["outcome"] for each in told["mutations"]] == ["killed", "survived"]


def test_one_fault_can_be_judged_by_its_name(
    pond: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["--only", "too-deep"], root=pond, every=(WRONG, UNSEEN)) == DONE
    assert "unseen" not in capsys.readouterr().out


def test_a_fault_whose_tests_cannot_run_here_is_left_out_and_that_is_said(
    pond: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    needy = replace(WRONG, name="needy", needs="a-program-that-nobody-has")
    assert main([], root=pond, every=(needy,)) == DONE
    assert "needy is left out: its tests need a-program-that-nobody-has" in capsys.readouterr().err


def test_a_test_that_fails_anyway_kills_nothing(
    pond: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    broken = fault("return by + 2", "broken", "tests/test_broken.py")
    assert main(["--json"], root=pond, every=(broken,)) == WRONG_USE
    shown = capsys.readouterr()
    assert "tests/test_broken.py::test_broken" in shown.err
    assert json.loads(shown.out)["score"]["killed"] == 1  # what was found out is told all the same


@pytest.mark.parametrize(
    ("arguments", "mutation", "words"),
    [
        (["--only", "nobody"], WRONG, "there is no mutation nobody"),
        ([], Mutation("gone", FILE, "return by + 9", "x", "Harm.", ("tests",)), "gone: its text"),
        ([], Mutation("lost", "src/pond/none.py", "x", "y", "Harm.", ("tests",)), "none.py"),
    ],
    ids=["unknown", "gone", "no-file"],
)
def test_what_cannot_be_judged_is_said(
    arguments: list[str],
    mutation: Mutation,
    words: str,
    pond: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(arguments, root=pond, every=(mutation,)) == WRONG_USE
    assert words in capsys.readouterr().err


def test_a_package_from_elsewhere_is_noticed(pond: Path, tmp_path: Path) -> None:
    base = copy_of(pond, tmp_path)
    assert strangers(base) == []
    (base / "src/json").mkdir()
    (base / "src/json/__init__.py").write_text("")
    assert strangers(base) == []
    (base / "src/sys").mkdir()
    (base / "src/sys/__init__.py").write_text("")
    assert strangers(base) == ["sys"]


def test_tests_that_killed_are_listed_once_with_all_their_cases() -> None:
    killed = [Judged(WRONG, Outcome.KILLED, 1.0, f"tests/a.py::test_b[{case}]") for case in "cd"]
    assert killers([*killed, Judged(WRONG, Outcome.SURVIVED, 1.0)]) == ["tests/a.py::test_b"]
