"""Shoal as others get it: the wheel and the source archive hold the package and nothing else, and
the wheel works by itself in a new environment.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from scripts.check_dist import (
    own_files,
    sdist_names,
    wheel_names,
    wrong_in_sdist,
    wrong_in_wheel,
)

ROOT = Path(__file__).parents[1]
PIP = ("-m", "pip", "--disable-pip-version-check")
EXTRAS = ("altair", "fastapi", "pandas", "psycopg", "pyarrow", "pyspark", "scipy", "uvicorn")


def done(*words: str | Path, cwd: Path | None = None) -> str:
    """What a program prints, if it ends well."""
    away = {"PYTHONPATH", "PYTHONHOME", "SHOAL_VAULT", "VIRTUAL_ENV"}
    env = {name: value for name, value in os.environ.items() if name not in away}
    ended = subprocess.run(
        list(map(str, words)), check=False, cwd=cwd, capture_output=True, text=True, env=env
    )
    assert ended.returncode == 0, ended.stdout[-2000:] + ended.stderr[-2000:]
    return ended.stdout


def environment(folder: Path, *options: str) -> Path:
    """A new environment; its Python."""
    done(sys.executable, "-m", "venv", *options, folder)
    return folder / "bin" / "python"


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with a wheel and a source archive, as `make dist` builds them."""
    place = tmp_path_factory.mktemp("built")
    python = environment(place / "tools")
    done(python, *PIP, "install", "-qq", "--no-compile", "build")
    done(python, "-m", "build", "--outdir", place / "dist", ROOT)
    return place / "dist"


def test_a_file_that_is_missing_or_foreign_is_found() -> None:
    whole = [*own_files(), "shoal-1.dist-info/licenses/LICENSE"]
    assert wrong_in_wheel(whole) == []
    assert wrong_in_wheel(whole[:-1]) == ["missing: the licence"]
    assert wrong_in_wheel([n for n in whole if n != "shoal/py.typed"]) == [
        "missing: shoal/py.typed"
    ]
    for foreign in ("tests/test_x.py", "shoal/rows.parquet"):
        assert any(foreign in each for each in wrong_in_wheel([*whole, foreign]))
    source = [f"src/{each}" for each in own_files()]
    source += ["LICENSE", "README.md", "CHANGELOG.md", "pyproject.toml", "PKG-INFO"]
    assert wrong_in_sdist(source) == []
    assert wrong_in_sdist([*source, "tests/test_x.py"])


def test_what_pages_and_type_checkers_need_belongs_to_the_package() -> None:
    needed = {"shoal/py.typed", "shoal/server/static/client.js", "shoal/server/static/style.css"}
    assert needed <= own_files()
    assert any(name.startswith("shoal/server/pages/") for name in own_files())


@pytest.mark.slow
def test_the_wheel_and_the_source_archive_hold_the_package_and_nothing_else(built: Path) -> None:
    (wheel,), (sdist,) = built.glob("*.whl"), built.glob("*.tar.gz")
    assert wrong_in_wheel(wheel_names(wheel)) == []
    assert wrong_in_sdist(sdist_names(sdist)) == []


@pytest.mark.slow
def test_the_wheel_works_in_a_new_environment_without_any_extra(
    built: Path, tmp_path: Path
) -> None:
    (wheel,) = built.glob("*.whl")
    python = environment(tmp_path / "new", "--without-pip")
    done(sys.executable, *PIP, "--python", python, "install", "-qq", "--no-compile", wheel)
    asked = f"import importlib.util as u; print([n for n in {EXTRAS!r} if u.find_spec(n)])"
    assert done(python, "-c", asked).strip() == "[]"
    command, here = python.parent / "shoal", tmp_path / "here"
    here.mkdir()
    rows = "\n".join(f"{n},{('a', 'b')[n % 2]}" for n in range(2000))
    (here / "people.csv").write_text(f"person,kind\n{rows}\n")
    words = ["--type", "person=integer", "--type", "kind=text", "--person", "person"]
    words += ["--groups", "1", "--rows-per-group", "1"]
    done(command, "init", "office.shoal", cwd=here)
    words = ["people", "people.csv", *words, "--choices", "kind=a,b", "--budget", "1"]
    done(command, "add", *words, cwd=here)
    question = "SELECT kind, COUNT(*) AS n FROM people GROUP BY kind"
    assert "Release 1; cost epsilon 0.5." in done(
        command, "ask", question, "--epsilon", "0.5", cwd=here
    )
    assert "Wrote report.html." in done(command, "report", "1", "--out", "report.html", cwd=here)
    assert "sound" in done(command, "verify", cwd=here)
    assert "sound: certificate.json" in done(command, "tour", "--rows", "500", cwd=here)
    version = done(command, "--version", cwd=here).split()[1]
    assert version in wheel.name
