"""Copies of the source and its tests, which can be spoilt without harm.

Compiled files are checked by the hash of their source, not by its date: a fault that is planted
within the same second as the copy was made is seen all the same.

Faults are planted one after the other in the same copy, which is made whole again in between: to
copy 2,500 files and to compile the tests anew took three quarters of the time of a fault.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from scripts.mutations.mutation import Mutation

COPIED = ("src", "tests", "scripts", "docs", "benchmarks")
FILES = ("pyproject.toml", "README.md", "CHANGELOG.md", "LICENSE")
COMPILED = ("src", "tests", "scripts")
_NOT_COMPILED = "PYTHONDONTWRITEBYTECODE"
_LEFT_OUT = shutil.ignore_patterns("__pycache__", ".*", "*.pyc")


def copy_of(root: Path, into: Path) -> Path:
    """The parts of a project that its tests need, compiled once."""
    for name in (*COPIED, *FILES):
        if (root / name).is_dir():
            shutil.copytree(root / name, into / name, ignore=_LEFT_OUT)
        elif (root / name).is_file():
            shutil.copy2(root / name, into / name)
    folders = [name for name in COMPILED if (into / name).is_dir()]
    compiled = ["-m", "compileall", "-q", "--invalidation-mode", "checked-hash"]
    subprocess.run([sys.executable, *compiled, *folders], cwd=into, check=True)  # noqa: S603 - our own words
    return into


class ReusedCopy:
    """A copy of a copy, for one fault at a time.

    Guarantee: `spoilt` begins with the files of the base and no others, whatever the tests of
        earlier faults have written: what was changed or removed comes back, what was added goes.
        Compiled tests alone stay.
    Needs: a base that nobody changes, and nobody else who works in ``root`` meanwhile.
    """

    def __init__(self, base: Path, root: Path) -> None:
        self.base, self.root = base, root
        shutil.copytree(base, root, dirs_exist_ok=True)
        self._whole = _files(root)

    @contextmanager
    def spoilt(self, mutation: Mutation) -> Iterator[Path]:
        """The copy with one fault in it, for as long as it is needed."""
        mutation.plant(self.root)
        try:
            yield self.root
        finally:
            self._restore(Path(mutation.file).stem)

    def _restore(self, planted: str) -> None:
        found = _files(self.root)
        for name in found.keys() - self._whole.keys():
            path = self.root / name
            # compiled tests are as the tests are; what was compiled of the fault itself is not
            if path.parent.name != "__pycache__" or path.name.startswith(f"{planted}."):
                path.unlink()
        for name, seen in self._whole.items():
            if found.get(name) != seen:
                (self.root / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(self.base / name, self.root / name)
                self._whole[name] = _seen(self.root / name)


def _files(root: Path) -> dict[str, tuple[int, int, int]]:
    """Every file below a folder, with what changes when it is written."""
    found = {}
    for folder, _, names in os.walk(root):
        for name in names:
            path = Path(folder) / name
            found[str(path.relative_to(root))] = _seen(path)
    return found


def _seen(path: Path) -> tuple[int, int, int]:
    """Size, date and the date of the last change of any kind, which nobody can set."""
    about = path.lstat()
    return about.st_size, about.st_mtime_ns, about.st_ctime_ns


def surroundings(root: Path) -> dict[str, str]:
    """The environment in which Python finds the source of a copy before any that is installed."""
    kept = {name: value for name, value in os.environ.items() if name != _NOT_COMPILED}
    return {**kept, "PYTHONPATH": f"{root / 'src'}{os.pathsep}{root}"}


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
