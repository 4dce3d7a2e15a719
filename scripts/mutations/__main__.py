"""`python -m scripts.mutations`: exit code 0 if every fault was noticed, 5 if not, 2 if it could
not be found out.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from shutil import which
from tempfile import TemporaryDirectory

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from scripts.mutations.copying import copy_of, strangers
from scripts.mutations.every import MUTATIONS
from scripts.mutations.mutation import DoesNotApply, Mutation
from scripts.mutations.report import as_json, print_report
from scripts.mutations.running import LIMIT, Judged, Outcome, failing_without, judge_all, killers

ROOT = Path(__file__).parent.parent.parent
DONE, WRONG_USE, SURVIVORS = 0, 2, 5


def main(
    arguments: Sequence[str] | None = None,
    *,
    root: Path = ROOT,
    every: Sequence[Mutation] = MUTATIONS,
) -> int:
    """Read what is typed, judge, print, and say how it ended."""
    asked = _reader().parse_args(arguments)
    chosen = [each for each in every if not asked.only or each.name in asked.only]
    unknown = set(asked.only) - {each.name for each in every}
    if asked.list:
        print("\n".join(f"{each.name}: {each.harm}" for each in chosen))
        return DONE
    if unknown or not chosen:
        return _say(f"there is no mutation {', '.join(sorted(unknown))}; see --list.")
    chosen = [each for each in chosen if _can_run(each)]
    if not chosen:
        return DONE
    with TemporaryDirectory(prefix="shoal-mutations-", ignore_cleanup_errors=True) as folder:
        base = copy_of(root, Path(folder))
        if problem := _problem(base, chosen):
            return _say(problem)
        judged = _judged(base, chosen, asked.limit)
        if asked.json:
            print(as_json(judged), flush=True)
        else:
            print_report(Console(highlight=False), judged)
        if problem := _unproven(base, judged, asked.limit):
            return _say(problem)
    return DONE if all(each.outcome is Outcome.KILLED for each in judged) else SURVIVORS


def _reader() -> argparse.ArgumentParser:
    reader = argparse.ArgumentParser(prog="python -m scripts.mutations", description=__doc__)
    reader.add_argument(
        "--only",
        action="append",
        default=[],
        metavar="NAME",
        help="judge this one (may be repeated)",
    )
    reader.add_argument("--json", action="store_true", help="print the outcomes as JSON")
    reader.add_argument("--list", action="store_true", help="print what would be planted, and stop")
    reader.add_argument(
        "--limit",
        type=float,
        default=LIMIT,
        metavar="SECONDS",
        help="for the tests of one mutation",
    )
    return reader


def _can_run(mutation: Mutation) -> bool:
    """Whether its tests can run here; if not, that is said."""
    found = not mutation.needs or which(mutation.needs) is not None
    if not found:
        _say(f"{mutation.name} is left out: its tests need {mutation.needs}, which is not here.")
    return found


def _problem(base: Path, chosen: Sequence[Mutation]) -> str:
    """Why nothing can be judged: a text that is gone, or a package from elsewhere."""
    try:
        for each in chosen:
            each.applied_to((base / each.file).read_text())
    except (DoesNotApply, OSError) as error:
        return str(error)
    if found := strangers(base):
        return f"Python takes {', '.join(found)} from elsewhere than the copy."
    return ""


def _unproven(base: Path, judged: Sequence[Judged], limit: float) -> str:
    """Why kills prove nothing: the test that failed fails without the fault too.

    Only tests that killed are run: all that the faults name took 20 minutes.
    """
    tests = killers(judged)
    print(f"mutations: tests that failed, without a fault: {len(tests)}", file=sys.stderr)
    if failed := failing_without(base, tests, limit * max(1, len(tests))):
        return "these tests fail without any mutation:\n  " + "\n  ".join(failed)
    return ""


def _judged(base: Path, chosen: Sequence[Mutation], limit: float) -> list[Judged]:
    columns = (TextColumn("mutations"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True)) as bar:
        task = bar.add_task("mutations", total=len(chosen))
        return judge_all(base, chosen, limit=limit, told=lambda _: bar.advance(task))


def _say(problem: str) -> int:
    print(f"mutations: {problem}", file=sys.stderr)
    return WRONG_USE


if __name__ == "__main__":
    sys.exit(main())
