"""Where output goes, and how a command ends: answers to standard output, everything else to
standard error.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import IntEnum
from pathlib import Path
from typing import Annotated, NoReturn

import typer
from rich.console import Console
from rich.progress import (
    BarColumn,
    Progress,
    TaskID,
    TaskProgressColumn,
    TextColumn,
    TimeRemainingColumn,
)
from rich.status import Status

from shoal.cli.command_spelling import as_typed
from shoal.errors import (
    AnsweredError,
    BudgetExceeded,
    ChangedError,
    ClosedError,
    ExpressionError,
    FactsError,
    InFlightError,
    InternalError,
    InvitationError,
    KeyReusedError,
    LedgerError,
    OfficeError,
    RangeError,
    RefusedError,
    RelationError,
    RightsError,
    ShoalError,
    TamperedError,
    TokenError,
    UnansweredError,
    UnknownNameError,
    UnknownPollError,
    UnreadableError,
    VaultError,
)


class Exit(IntEnum):
    """How a command ends."""

    DONE = 0
    UNEXPECTED = 1
    USAGE = 2
    REFUSED = 3
    BUDGET = 4
    UNSOUND = 5
    KEY = 6
    CHANGED = 7
    VAULT = 8


_CODES: tuple[tuple[tuple[type[ShoalError], ...], Exit], ...] = (
    ((BudgetExceeded,), Exit.BUDGET),
    ((TamperedError,), Exit.UNSOUND),
    ((KeyReusedError, InFlightError), Exit.KEY),
    ((ChangedError,), Exit.CHANGED),
    (
        (VaultError, LedgerError, UnknownPollError, TokenError, RightsError, OfficeError),
        Exit.VAULT,
    ),
    ((InternalError, UnansweredError), Exit.UNEXPECTED),
    (
        (
            RefusedError,
            FactsError,
            RelationError,
            UnknownNameError,
            UnreadableError,
            ExpressionError,
            InvitationError,
            AnsweredError,
            ClosedError,
        ),
        Exit.REFUSED,
    ),
)
LONG = 1 << 26
"""So many bytes take long enough to show how far they are read."""

_state: dict[str, object] = {"debug": False, "status": None}


def set_debug(*, on: bool) -> None:
    """Whether the way to an error is printed, too."""
    _state["debug"] = on


def code_of(error: ShoalError) -> Exit:
    """The exit code of an error: by its kind, and 2 for everything else that was typed."""
    return next((code for kinds, code in _CODES if isinstance(error, kinds)), Exit.USAGE)


def answers() -> Console:
    """Standard output, without colours where it is not a terminal or NO_COLOR is set."""
    return Console(highlight=False)


def remarks() -> Console:
    """Standard error."""
    return Console(stderr=True, highlight=False)


@contextmanager
def refusals(sql: str = "") -> Iterator[None]:
    """Print an error in the house form and stop, without a traceback.

    ``sql`` is the question that was asked, from which a remedy takes the name of the dataset.
    """
    try:
        yield
    except ShoalError as error:
        _stop(as_typed(str(error), sql), code_of(error))
    except OSError as error:
        words = f"{error.filename or 'a file'}: {error.strerror or 'cannot be read or written'}."
        _stop(words, Exit.USAGE)
    except (typer.Exit, typer.Abort):
        raise
    except Exception as error:  # noqa: BLE001 - whatever it is, its text may hold data
        words = (
            f"[internal-1] something unexpected happened ({type(error).__name__}).\n"
            "    Run it again with shoal --debug ..., and report this."
        )
        _stop(words, Exit.UNEXPECTED)


def _stop(words: str, code: Exit) -> NoReturn:
    if _state["debug"]:
        traceback.print_exc()
    remarks().print(words, style="red", markup=False, soft_wrap=True)
    raise typer.Exit(int(code))


@contextmanager
def working(words: str) -> Iterator[None]:
    """Something that may take seconds; a terminal shows that it goes on."""
    console = remarks()
    if not console.is_terminal:
        yield
        return
    with console.status(f"{words} ...") as status:
        _state["status"] = status
        try:
            yield
        finally:
            _state["status"] = None


def say(words: str) -> None:
    """Say how far the work at hand is, if a terminal shows it."""
    status = _state["status"]
    if isinstance(status, Status):
        status.update(f"{words} ...")


@contextmanager
def reading(words: str) -> Iterator[Callable[[int, int], None]]:
    """What is called while files are read or a cluster works; if that is long, a terminal shows how
    far it is.
    """
    bar = Progress(
        TextColumn(words),
        BarColumn(),
        TaskProgressColumn(),
        TimeRemainingColumn(),
        console=remarks(),
        transient=True,
    )
    task: list[TaskID] = []

    def told(done: int, total: int) -> None:
        if total < LONG or not bar.console.is_terminal:
            return
        if _state["status"] is not None:
            say(f"{words}, {done / total:.0%}")
            return
        if not task:
            bar.start()
            task.append(bar.add_task(words, total=total))
        bar.update(task[0], completed=done, total=total)

    try:
        yield told
    finally:
        if task:
            bar.stop()


Force = Annotated[bool, typer.Option("--force", help="Write over a file that is there already.")]


def fresh(path: Path | None, *, force: bool) -> None:
    """Refuse to write over a file that is there, unless that is wanted; checked before anything is
    spent for it.
    """
    if path is not None and path.exists() and not force:
        raise RangeError(
            f"{path.name!r} is there already; nothing was written.",
            remedy="Add --force to write over it, or choose another name.",
        )


def writable(path: Path) -> Path:
    """A path that can be written to, checked before anything is spent for it."""
    if path.is_dir():
        raise IsADirectoryError(21, "is a folder", str(path))
    if not path.parent.is_dir():
        raise NotADirectoryError(20, "there is no such folder", str(path.parent))
    return path
