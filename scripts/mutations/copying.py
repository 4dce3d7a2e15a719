"""Copies of the source and its tests, which can be spoilt without harm.

Compiled files are checked by the hash of their source, not by its date: a fault that is planted
within the same second as the copy was made is seen all the same.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from scripts.mutations.mutation import Mutation

COPIED = ("src", "tests", "scripts", "docs", "benchmarks", "pyproject.toml", "README.md")
_LEFT_OUT = shutil.ignore_patterns("__pycache__", ".*", "*.pyc")


def copy_of(root: Path, into: Path) -> Path:
    """The parts of a project that its tests need, compiled once."""
    for name in COPIED:
        if (root / name).is_dir():
            shutil.copytree(root / name, into / name, ignore=_LEFT_OUT)
        elif (root / name).is_file():
            shutil.copy2(root / name, into / name)
    compiled = ["-m", "compileall", "-q", "--invalidation-mode", "checked-hash", "src"]
    subprocess.run([sys.executable, *compiled], cwd=into, check=True)  # noqa: S603 - our own words
    return into


@contextmanager
def spoilt(base: Path, mutation: Mutation) -> Iterator[Path]:
    """A copy of a copy with one fault in it, for as long as it is needed."""
    with TemporaryDirectory(prefix="shoal-mutant-", ignore_cleanup_errors=True) as folder:
        made = Path(folder)
        shutil.copytree(base, made, dirs_exist_ok=True)
        mutation.plant(made)
        yield made


def surroundings(root: Path) -> dict[str, str]:
    """The environment in which Python finds the source of a copy before any that is installed."""
    return {**os.environ, "PYTHONPATH": f"{root / 'src'}{os.pathsep}{root}"}


def strangers(root: Path) -> list[str]:
    """Packages of a copy that Python would take from elsewhere: then nothing planted in it could be
    noticed.
    """
    names = sorted(path.parent.name for path in (root / "src").glob("*/__init__.py"))
    asked = "import importlib.util as u, sys; print(*(u.find_spec(n).origin for n in sys.argv[1:]), sep='\\n')"
    done = subprocess.run(  # noqa: S603 - our own words
        [sys.executable, "-c", asked, *names],
        cwd=root,
        env=surroundings(root),
        check=True,
        capture_output=True,
        text=True,
    )
    found = zip(names, done.stdout.split("\n"), strict=False)
    home = root.resolve()
    return [name for name, origin in found if home not in Path(origin).resolve().parents]
