"""Which files of Shoal an act passes: what somebody has to open who follows it through the code.

    python -m scripts.trace_files                    the three acts: a question, an account, a poll
    python -m scripts.trace_files question --json    the files in the order in which they are first passed

A file is passed when one of its functions is called after everything is imported.  That a module is
executed or a class is made does not count, and what is made ready for the act (a vault, a dataset,
a poll) is done in another process, so that a trace shows the act as it is in a fresh one.
"""

from __future__ import annotations

import argparse
import inspect
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from threading import setprofile
from types import CodeType, FrameType

from typer.testing import CliRunner

import shoal
from shoal.cli.app import app

ROOT = Path(__file__).parent.parent
SOURCE = Path(shoal.__file__).parent
VAULT = "office.shoal"
PIECES = ("<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>")
"""What Python calls a function and a reader does not."""


@dataclass
class Trace:
    """The functions that were called, by file; both in the order of the first call."""

    calls: dict[str, dict[str, None]] = field(default_factory=dict)
    _known: dict[CodeType, tuple[str, str] | None] = field(default_factory=dict)

    def called(self, frame: FrameType, event: str, _: object) -> None:
        """What `sys.setprofile` is given."""
        if event != "call":
            return
        code = frame.f_code
        if code not in self._known:
            self._known[code] = _named(code)
        named = self._known[code]
        if named is not None:
            self.calls.setdefault(named[0], {})[named[1]] = None

    @property
    def files(self) -> list[str]:
        """The files, in the order in which they were first passed."""
        return list(self.calls)

    @property
    def functions(self) -> int:
        """How many functions were called."""
        return sum(map(len, self.calls.values()))


def _named(code: CodeType) -> tuple[str, str] | None:
    """The file and the function of a piece of code; None outside Shoal, and of the body of a module
    or class.
    """
    path = Path(code.co_filename)
    is_function = code.co_flags & inspect.CO_OPTIMIZED and code.co_name not in PIECES
    if not is_function or not path.is_relative_to(SOURCE):
        return None
    return path.relative_to(SOURCE).as_posix(), code.co_qualname


@contextmanager
def traced() -> Iterator[Trace]:
    """A trace of what is called in this block, by any thread."""
    found = Trace()
    setprofile(found.called)
    sys.setprofile(found.called)
    try:
        yield found
    finally:
        sys.setprofile(None)
        setprofile(None)


def import_everything() -> None:
    """Import every module, so that nothing of a module's own making is in a trace; what an extra
    lacks is left out.
    """
    for path in sorted(SOURCE.rglob("*.py")):
        parts = ("shoal", *path.relative_to(SOURCE).with_suffix("").parts)
        if parts[-1] not in ("__main__", "__init__"):
            _import(".".join(parts))


def _import(name: str) -> None:
    try:
        import_module(name)
    except ImportError as missing:
        if str(missing.name).startswith("shoal"):
            raise


# the acts


@dataclass(frozen=True)
class Act:
    """What is made ready beforehand, and the commands that are traced."""

    ready: Callable[[], None]
    commands: tuple[tuple[str, ...], ...]


def _make_visits() -> None:
    """A vault with a small CSV file."""
    lines = ["user_id,kind,spend"]
    lines += [f"{at // 2},{('work', 'leisure')[at % 2]},{at * 7 % 300}" for at in range(200)]
    Path("visits.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    types = {"user_id": "integer", "kind": "text", "spend": "integer"}
    with shoal.open(VAULT) as vault:
        vault.add(
            "visits",
            shoal.CsvFile("visits.csv", types),
            protects=shoal.Person("user_id", groups=2, rows_per_group=2),
            columns={"kind": shoal.Choices(["work", "leisure"]), "spend": shoal.Range(0, 500)},
            budget=shoal.Pure(3),
        )


def _make_poll() -> None:
    """A vault with a poll that some people answered."""
    with shoal.open(VAULT) as vault:
        poll = vault.publish(shoal.Poll("commute", "Ever without a ticket?", odds=3))
        name = poll.poll.questions[0].name
        for at in range(20):
            report = poll.poll.client().respond({name: "no" if at % 3 else "yes"})
            poll.add(report, once=shoal.polls.once_number(), mark=poll.poll.mark)


def _nothing() -> None:
    """An account needs neither vault nor data."""


SQL = "SELECT kind, COUNT(*) AS n, AVG(spend) AS spend FROM visits GROUP BY kind"
RELEASES = "gaussian sigma=0.8 | sampled q=0.01 | x 1000"
ACTS = {
    "question": Act(_make_visits, (("ask", SQL, "--epsilon", "0.5", "--vault", VAULT),)),
    "account": Act(_nothing, (("account", RELEASES, "--delta", "1e-6"),)),
    "poll": Act(
        _make_poll,
        (
            ("poll", "answer", "commute", "commute=yes", "--count", "--vault", VAULT),
            ("poll", "results", "commute", "--vault", VAULT),
        ),
    ),
}
"""A question of a small CSV file; the account of a sampled Gaussian; a poll's report, sent, counted
and estimated.
"""


def trace_here(name: str) -> Trace:
    """The trace of an act, for a process in which nothing was done before."""
    import_everything()
    found = [_run(command) for command in ACTS[name].commands]
    whole = Trace()
    for each in found:
        for file, functions in each.calls.items():
            whole.calls.setdefault(file, {}).update(functions)
    return whole


def _run(command: Sequence[str]) -> Trace:
    with traced() as found:
        done = CliRunner().invoke(app, list(command))
    if done.exit_code:
        raise RuntimeError(f"{' '.join(command)}: {done.output}") from done.exception
    return found


def trace(name: str) -> Trace:
    """The trace of an act, each part in a process of its own."""
    with tempfile.TemporaryDirectory() as folder:
        _in_process(folder, name, "--ready")
        said = json.loads(_in_process(folder, name, "--here"))
    return Trace({file: dict.fromkeys(functions) for file, functions in said.items()})


def _in_process(folder: str, *words: str) -> str:
    paths = {"PYTHONPATH": f"{SOURCE.parent}:{ROOT}", "XDG_STATE_HOME": folder}
    done = subprocess.run(  # noqa: S603 - ourselves
        [sys.executable, "-m", "scripts.trace_files", *words],
        cwd=folder,
        env={**_environment(), **paths},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise RuntimeError(done.stderr)
    return done.stdout


def _environment() -> dict[str, str]:
    """The variables of this process, without what would choose another vault."""
    return {name: value for name, value in os.environ.items() if not name.startswith("SHOAL")}


def main(given: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m scripts.trace_files", description=__doc__)
    parser.add_argument("acts", nargs="*", metavar="ACT", help=", ".join(ACTS))
    parser.add_argument("--json", action="store_true", help="the functions by file, in order")
    parser.add_argument("--ready", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--here", action="store_true", help=argparse.SUPPRESS)
    said = parser.parse_args(given)
    wrong = [each for each in said.acts if each not in ACTS]
    if wrong:
        parser.error(f"there is no act {wrong[0]!r}; the acts are: {', '.join(ACTS)}")
    names = said.acts or list(ACTS)
    if said.ready:
        ACTS[names[0]].ready()
    elif said.here:
        print(json.dumps(_plain(trace_here(names[0]))))
    elif said.json:
        print(json.dumps({name: _plain(trace(name)) for name in names}, indent=1))
    else:
        for name in names:
            _print(name, trace(name))


def _plain(found: Trace) -> dict[str, list[str]]:
    return {file: list(functions) for file, functions in found.calls.items()}


def _print(name: str, found: Trace) -> None:
    print(f"{name}: {len(found.files)} files, {found.functions} functions")
    for file, functions in found.calls.items():
        print(f"  {len(functions):4}  {file}")


if __name__ == "__main__":
    main()
