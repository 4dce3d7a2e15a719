"""What is in a wheel and in a source archive of Shoal: all that it needs, and nothing else.

python -m scripts.check_dist dist
"""

from __future__ import annotations

import sys
import tarfile
import zipfile
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src"
KINDS = {".py", ".md", ".typed", ".html", ".css", ".js", ".svg", ".json", ".txt", ".toml"}
"""Endings of files that belong into a package; rows of data end otherwise."""
FOREIGN = ("test", "tests", "benchmarks", "scripts", "fixtures", "__pycache__", ".data")
"""Folders, and beginnings of file names, that must stay at home."""


def wheel_names(path: Path) -> list[str]:
    """The files of a wheel."""
    with zipfile.ZipFile(path) as held:
        return held.namelist()


def sdist_names(path: Path) -> list[str]:
    """The files of a source archive, without the folder that holds them all."""
    with tarfile.open(path) as held:
        return [each.name.partition("/")[2] for each in held.getmembers() if each.isfile()]


def own_files() -> set[str]:
    """Every file of the package as it lies in the source, by its path in the package."""
    found = (path for path in (SOURCE / "shoal").rglob("*") if path.is_file())
    return {str(path.relative_to(SOURCE)) for path in found if "__pycache__" not in path.parts}


def wrong_in_wheel(names: Iterable[str]) -> list[str]:
    """What is missing in a wheel, and what has no place in it."""
    listed = set(names)
    inside = {name for name in listed if name.startswith("shoal/")}
    beside = {name for name in listed - inside if ".dist-info/" not in name}
    licences = [name for name in listed if name.endswith("/licenses/LICENSE")]
    return [
        *(f"missing: {name}" for name in sorted(own_files() - inside)),
        *(f"not of the package: {name}" for name in sorted(beside | (inside - own_files()))),
        *([] if licences else ["missing: the licence"]),
        *_foreign(listed),
    ]


def wrong_in_sdist(names: Iterable[str]) -> list[str]:
    """What is missing in a source archive, and what has no place in it."""
    listed = set(names)
    needed = {f"src/{name}" for name in own_files()}
    needed |= {"LICENSE", "README.md", "CHANGELOG.md", "pyproject.toml", "PKG-INFO"}
    return [
        *(f"missing: {name}" for name in sorted(needed - listed)),
        *(f"not of the package: {name}" for name in sorted(listed - needed - {".gitignore"})),
        *_foreign(listed),
    ]


def _foreign(names: Iterable[str]) -> list[str]:
    found = []
    for name in sorted(names):
        parts = name.split("/")
        kind = Path(name).suffix
        if any(part in FOREIGN for part in parts) or parts[-1].startswith("test_"):
            found.append(f"a test or a tool: {name}")
        elif name.startswith("shoal/") and kind not in KINDS:
            found.append(f"not a kind of file of the package: {name}")
    return found


def main(folder: str) -> int:
    """Check the one wheel and the one source archive of a folder, and say what is wrong."""
    (wheel,), (sdist,) = Path(folder).glob("*.whl"), Path(folder).glob("*.tar.gz")
    wrong = [f"{wheel.name}: {each}" for each in wrong_in_wheel(wheel_names(wheel))]
    wrong += [f"{sdist.name}: {each}" for each in wrong_in_sdist(sdist_names(sdist))]
    for each in wrong:
        print(each)
    if not wrong:
        print(
            f"dist: {wheel.name} and {sdist.name} hold the package, its licence, and nothing else"
        )
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
