"""The files that a path names: plain ones only, found and looked at before any is opened.

Opening a pipe waits for somebody to write into it, and a device need not end.
"""

from __future__ import annotations

import glob
from collections.abc import Sequence
from pathlib import Path

from shoal.errors import SourceError


def is_plain(path: Path) -> bool:
    """Whether a path leads to a plain file; one that cannot be followed does not."""
    try:
        return path.is_file()
    except (OSError, ValueError):  # too long, or forbidden
        return False


def found_at(path: Path) -> tuple[Path, ...]:
    """What lies at a path, or, where nothing does, at the places that it is a pattern for; as
    absolute paths.
    """
    try:
        places = [path] if is_plain(path) else sorted(glob.glob(str(path)))  # noqa: PTH207 - absolute too
        return tuple(Path(each).resolve() for each in places)
    except (OSError, RuntimeError, ValueError):  # a link to itself
        return ()


def check_plain(paths: Sequence[Path], name: str) -> None:
    """Refuse a source that is not there or is no plain file, or whose name DuckDB would take for a
    pattern.
    """
    if not paths:
        raise SourceError(
            f"the file of {name!r} is not there.", remedy="Check the path, or give an absolute one."
        )
    if not all(map(is_plain, paths)):
        raise SourceError(
            f"the source of {name!r} is not a plain file.",
            remedy="Give files, and no folders, pipes or devices.",
        )
    if any(glob.has_magic(str(each)) for each in paths):  # it would read other files in its place
        raise SourceError(
            f"the name of a file or folder of {name!r} holds *, ? or [, which DuckDB reads as a pattern.",
            remedy="Rename it.",
        )
