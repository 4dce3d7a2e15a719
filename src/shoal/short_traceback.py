"""What a notebook shows of an error: the caller's own line and the message; all frames on request.

IPython asks an exception for `_render_traceback_` before it prints one, so nothing of IPython is
loaded or changed.  Python itself, and every other program, prints tracebacks as always.
"""

from __future__ import annotations

import re
import sys
import traceback
from pathlib import Path

__all__ = ["full_traceback"]

_PACKAGE = Path(__file__).parent
_SHELL = re.compile(r"[\\/]IPython[\\/](core|terminal)[\\/]")
_CELL = re.compile(r"[\\/]ipykernel_\d+[\\/]|^<ipython-input-")
_ADVICE = "Every frame and every cause of the error. It may quote data: keep it to yourself.\n"


def short_traceback(error: BaseException) -> list[str]:
    """The caller's frames, one line each, and then the error as it prints itself."""
    frames = [
        each
        for each in traceback.extract_tb(error.__traceback__)
        if not _SHELL.search(each.filename)
    ]
    own = _before_shoal(frames)
    return [*map(_line, own), f"{type(error).__name__}: {error}"]


def full_traceback() -> None:
    """Print every frame of the last error that was shown, with those of Shoal and of what caused
    it.

    Edges: it may quote data, as every traceback may; without an error it says so.
    """
    last = getattr(sys, "last_value", None)
    if last is None:
        sys.stderr.write("No error was shown in this session.\n")
        return
    sys.stderr.write(_ADVICE)
    traceback.print_exception(last)


def _before_shoal(frames: list[traceback.FrameSummary]) -> list[traceback.FrameSummary]:
    """The frames up to the call of Shoal; what follows is its own affair."""
    for at, each in enumerate(frames):
        if Path(each.filename).is_relative_to(_PACKAGE):
            return frames[:at]
    return frames


def _line(frame: traceback.FrameSummary) -> str:
    """Where a frame is: a line of a cell, or of a file, and what stands there."""
    where = "" if _CELL.search(frame.filename) else f"{Path(frame.filename).name}, "
    inside = "" if frame.name == "<module>" else f" in {frame.name}"
    return f"{where}line {frame.lineno}{inside}: {frame.line or ''}".rstrip(": ")
