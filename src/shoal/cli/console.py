"""Where output goes: answers to standard output, everything else to standard error."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import typer
from rich.console import Console

from shoal.errors import ShoalError

REFUSED = 2
"""The exit code of a question that was refused."""


def answers() -> Console:
    """Standard output, without colours where it is not a terminal or NO_COLOR is set."""
    return Console(highlight=False)


def remarks() -> Console:
    """Standard error."""
    return Console(stderr=True, highlight=False)


@contextmanager
def refusals() -> Iterator[None]:
    """Print an error in the house form and stop, without a traceback."""
    try:
        yield
    except ShoalError as error:
        _stop(str(error).replace("relation='change'", "--relation change"))
    except OSError as error:
        _stop(f"{error.filename or 'a file'}: {error.strerror or 'cannot be read or written'}.")


def _stop(words: str) -> None:
    remarks().print(words, style="red", markup=False, soft_wrap=True)
    raise typer.Exit(REFUSED)


@contextmanager
def working(words: str) -> Iterator[None]:
    """Something that may take seconds; a terminal shows that it goes on."""
    console = remarks()
    if not console.is_terminal:
        yield
        return
    with console.status(f"{words} ..."):
        yield
