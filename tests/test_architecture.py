"""The table in docs/architecture.md is the law; this file reads it and holds every import to it."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src" / "shoal"
TABLE = ROOT / "docs" / "architecture.md"
FRONT = "__init__.py"
EVERYTHING = "everything"
LONGEST_FILE = (
    550  # with lines of at most 100 characters; a signature may take one line for each name
)
PARTS = {"local/protocols/"}  # parts of a folder that have a row of their own
NAMED_AFTER_THEIR_SUBJECT = {
    "cli": "a command has the name of what it is about",
    "reproduce": "an experiment has the name of what it repeats",
    "auditing/suite": "a suite has the name of the folder it audits",
}
FAMILIES = (
    # one kind of release: its event, its mechanism, its price in each measure, its loss
    {"events", "mechanisms", "accounting", "accounting/kinds", "loss", "measures", "functions/smooth"},
    # one part of the row language: what it means, how SQL says it, how each engine computes it
    {"sql", "plan", "plan/functions", "engines", "engines/sql", "engines/reference", "engines/duckdb", "engines/spark"},
)  # fmt: skip
ONE_IDEA = {
    "app.py": "the application object of a framework",
    "estimates.py": "an estimate and its interval from noisy counts",
    "extra.py": "libraries of an extra, loaded when they are first needed",
    "intervals.py": "confidence intervals from counts",
    "means.py": "private means, and the experiment on them",
    "mechanism.py": "what all mechanisms of a folder share",
    "pricing.py": "what something costs: events, or a query made of them",
    "registry.py": "the one list of what is known by name",
    "regression.py": "regression from private data",
    "report.py": "the page that a run leaves",
    "shuffled.py": "reports in random order",
    "shuffling.py": "what reports cost in random order",
    "values.py": "values as they come in: which are taken, and as what",
}
NAMES_WITHOUT_AN_IDEA = {"util", "helper", "common", "manager", "base", "misc", "tool"}

Table = dict[str, set[str]]


def read_table(text: str) -> Table:
    """Folder -> what it may import, from the one table headed ``| folder | ... | may import |``."""
    _, _, body = text.partition("| folder | its one sentence | may import |\n")
    rows = [line for line in body.split("\n\n")[0].splitlines()[1:] if line.startswith("|")]
    table: Table = {}
    for row in rows:
        folder, _, allowed = (cell.strip() for cell in row.strip("|").split("|"))
        table[folder.strip("`")] = (
            {EVERYTHING} if allowed == EVERYTHING else set(re.findall(r"`([^`]+)`", allowed))
        )
    return table


def place_of(path: Path) -> str:
    """The row of the table a file belongs to: a file, a folder, or a part of one."""
    first, *rest = path.relative_to(SOURCE).parts
    if rest and f"{first}/{rest[0]}/" in PARTS:
        return f"{first}/{rest[0]}/"
    return f"{first}/" if rest else first


def places() -> set[str]:
    return {place_of(path) for path in SOURCE.rglob("*.py")}


def target_of(name: str, known: set[str]) -> str | None:
    """The row an absolute dotted name leads to; None outside Shoal."""
    head, *rest = name.split(".")
    if head != "shoal":
        return None
    part = "/".join(rest[:2]) + "/"
    for place in (part, f"{rest[0]}/", f"{rest[0]}.py") if rest else ():
        if place in known:
            return place
    return FRONT


def imported_names(source: str, module: str) -> Iterator[tuple[int, str]]:
    """Line and absolute dotted name of every import, wherever it stands in the file."""
    package = module.split(".")
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            start = package[: len(package) - node.level + 1] if node.level else []
            parts = [*start, *(node.module.split(".") if node.module else [])]
            yield from ((node.lineno, ".".join([*parts, alias.name])) for alias in node.names)
        elif isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Constant):
            called = node.func.attr if isinstance(node.func, ast.Attribute) else ""
            called = node.func.id if isinstance(node.func, ast.Name) else called
            if called in {"import_module", "__import__"}:
                yield node.lineno, str(node.args[0].value)


def violations(source: str, place: str, module: str, table: Table) -> list[str]:
    """Every import of ``source`` that its row does not allow; ``module`` is the package it is
    in.
    """
    allowed = table.get(place, set()) | {place}
    if EVERYTHING in allowed:
        return []
    targets = [(line, target_of(name, set(table))) for line, name in imported_names(source, module)]
    return [
        f"line {line}: {place} may not import {target}"
        for line, target in targets
        if target is not None and target not in allowed
    ]


def draws_on_its_own(source: str, module: str) -> list[str]:
    """Every use of a source of randomness that is not ours."""
    found = [
        f"line {line}: {name}"
        for line, name in imported_names(source, module)
        if re.match(r"(random|secrets|numpy\.random|os\.urandom|uuid)\b", name)
    ]
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            dotted = f"{node.value.id}.{node.attr}"
            if dotted in {"np.random", "numpy.random", "os.urandom", "os.getrandom"}:
                found.append(f"line {node.lineno}: {dotted}")
    return found


def package_of(path: Path) -> str:
    return ".".join(["shoal", *path.relative_to(SOURCE).parts[:-1]])


def without_an_idea(path: Path) -> list[str]:
    words = [word for part in path.with_suffix("").parts for word in part.strip("_").split("_")]
    return [word for word in words if word.removesuffix("s") in NAMES_WITHOUT_AN_IDEA]


FILES = sorted(SOURCE.rglob("*.py"))


def offenders(check: Callable[[Path], object]) -> dict[str, object]:
    """What a check finds wrong, by file."""
    found = {str(path.relative_to(SOURCE)): check(path) for path in FILES}
    return {name: wrong for name, wrong in found.items() if wrong}


@pytest.mark.slow
def test_files_import_only_what_the_row_of_their_folder_allows() -> None:
    table = read_table(TABLE.read_text())
    found = offenders(
        lambda path: violations(path.read_text(), place_of(path), package_of(path), table)
    )
    assert found == {}


@pytest.mark.parametrize("engine", ["duckdb", "reference", "spark"])
def test_no_engine_leans_on_another(engine: str) -> None:
    others = {"duckdb", "reference", "spark"} - {engine}
    for path in (SOURCE / "engines" / engine).glob("*.py"):
        for _, name in imported_names(path.read_text(), package_of(path)):
            assert name.split(".")[:2] != ["shoal", "engines"] or name.split(".")[2] not in others


def test_every_folder_has_a_row_and_every_row_a_folder() -> None:
    assert set(read_table(TABLE.read_text())) == places()


def test_a_row_allows_only_rows_above_it() -> None:
    table = read_table(TABLE.read_text())
    order = list(table)
    for place, allowed in table.items():
        above = set(order[: order.index(place)]) | {EVERYTHING}
        assert allowed <= above, place


def test_no_file_has_more_than_five_hundred_lines() -> None:
    assert offenders(lambda path: len(path.read_text().splitlines()) > LONGEST_FILE) == {}


def test_every_file_is_named_after_an_idea() -> None:
    assert offenders(lambda path: without_an_idea(path.relative_to(SOURCE))) == {}


@pytest.mark.slow
def test_only_noise_draws_random_numbers() -> None:
    def draws(path: Path) -> list[str]:
        allowed = place_of(path) in {"noise/", "demo.py"}
        return [] if allowed else draws_on_its_own(path.read_text(), package_of(path))

    assert offenders(draws) == {}


def classes_by_name(sources: dict[str, str]) -> dict[str, list[str]]:
    """The files in which each class name is defined, at any depth."""
    found: dict[str, list[str]] = {}
    for place, source in sources.items():
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.ClassDef):
                found.setdefault(node.name, []).append(place)
    return found


def names_twice(sources: dict[str, str]) -> dict[str, list[str]]:
    """Class names that stand more than once; an event and its mechanism may share theirs."""
    return {
        name: sorted(found)
        for name, found in classes_by_name(sources).items()
        if len(found) > 1
        and [place.split("/")[0] for place in sorted(found)] != ["events", "mechanisms"]
    }


def files_with_one_name(places: list[str]) -> dict[str, set[str]]:
    """File names that folders share without a reason that stands above."""
    folders: dict[str, set[str]] = {}
    for place in places:
        folder, _, name = place.rpartition("/")
        if name != FRONT and folder not in NAMED_AFTER_THEIR_SUBJECT:
            folders.setdefault(name, set()).add(folder)
    return {
        name: found
        for name, found in folders.items()
        if len(found) > 1 and name not in ONE_IDEA and not any(found <= each for each in FAMILIES)
    }


def relative(path: Path) -> str:
    return path.relative_to(SOURCE).as_posix()


def test_a_class_name_stands_for_one_thing() -> None:
    assert names_twice({relative(path): path.read_text() for path in FILES}) == {}


def test_files_share_a_name_only_where_they_are_one_idea() -> None:
    assert files_with_one_name([relative(path) for path in FILES]) == {}


def test_every_reason_for_a_shared_name_is_needed() -> None:
    names = [path.name for path in FILES]
    assert {name for name in ONE_IDEA if names.count(name) < 2} == set()
    folders = {path.parent.relative_to(SOURCE).as_posix() for path in FILES}
    assert set(NAMED_AFTER_THEIR_SUBJECT).union(*FAMILIES) <= folders


def test_the_checks_look_at_every_file() -> None:
    assert len(offenders(lambda _: True)) == len(FILES) > 500


# the checker itself

SMALL_TABLE = """
| folder | its one sentence | may import |
|---|---|---|
| `errors.py` | Errors. | nothing |
| `exact/` | Numbers. | `errors.py` |
| `noise/` | Noise. | `errors.py`, `exact/` |
| `__init__.py` | The front. | everything |

| another | table | here |
|---|---|---|
| `noise/` | x | `vault/` |
"""
SMALL = {
    "errors.py": set[str](),
    "exact/": {"errors.py"},
    "noise/": {"errors.py", "exact/"},
    FRONT: {EVERYTHING},
}


def test_the_table_is_read_as_it_stands() -> None:
    assert read_table(SMALL_TABLE) == SMALL


@pytest.mark.parametrize(
    "planted",
    [
        "import shoal.noise",
        "import shoal.noise.block_laws as laws",
        "from shoal.noise import discrete_laplace",
        "from shoal import noise",
        "from shoal import Laplace",
        "import shoal",
        "from .. import noise",
        "from ..noise import laws",
        "from ..noise.laws import Law",
        "def later():\n    from shoal.noise import block_laws",
        "if TYPE_CHECKING:\n    from shoal.noise import block_laws",
        "import importlib\nimportlib.import_module('shoal.noise')",
        "__import__('shoal.noise.block_laws')",
        "import numpy, shoal.noise",
    ],
)
def test_a_planted_import_is_found(planted: str) -> None:
    assert len(violations(planted, "exact/", "shoal.exact", SMALL)) == 1


@pytest.mark.parametrize(
    "harmless",
    [
        "import numpy",
        "from shoal.errors import DataError",
        "from shoal import errors",
        "from shoal.exact.rational import rational",
        "from . import rational",
        "from .rational import rational",
        "from ..errors import DataError",
        "from shoalling import noise",
        "text = 'import shoal.noise'",
    ],
)
def test_an_allowed_import_is_let_pass(harmless: str) -> None:
    assert violations(harmless, "exact/", "shoal.exact", SMALL) == []


def test_a_folder_without_a_row_may_import_nothing() -> None:
    assert violations("from shoal.exact import Grid", "vault/", "shoal.vault", SMALL)
    assert not violations("from shoal.exact import Grid", FRONT, "shoal", SMALL)


@pytest.mark.parametrize(
    "planted",
    ["import random", "from numpy.random import default_rng", "from os import urandom",
     "import os\nos.urandom(8)", "import numpy as np\nnp.random.default_rng()", "import secrets"],
)  # fmt: skip
def test_a_planted_draw_is_found(planted: str) -> None:
    assert draws_on_its_own(planted, "shoal.exact")


@pytest.mark.parametrize(
    "name", ["utils.py", "noise/_helpers.py", "common/laws.py", "noise/base.py", "law_manager.py"]
)
def test_a_name_without_an_idea_is_found(name: str) -> None:
    assert without_an_idea(Path(name))


def test_a_name_with_an_idea_is_let_pass() -> None:
    assert without_an_idea(Path("noise/baseline.py")) == []


def test_a_class_name_that_stands_twice_is_found() -> None:
    law = "class Law: ..."
    assert names_twice({"noise/a.py": law, "loss/b.py": law}) == {
        "Law": ["loss/b.py", "noise/a.py"]
    }
    assert names_twice({"noise/a.py": law, "noise/b.py": f"def f():\n    {law}"}) != {}
    assert names_twice({"mechanisms/a.py": law, "events/b.py": law}) == {}
    assert names_twice({"mechanisms/a.py": law, "events/b.py": law, "loss/c.py": law}) != {}


def test_a_file_name_that_is_shared_without_a_reason_is_found() -> None:
    assert files_with_one_name(["exact/grid.py", "loss/grid.py"]) == {"grid.py": {"exact", "loss"}}
    assert files_with_one_name(["events/tuning.py", "accounting/tuning.py"]) == {}
    assert files_with_one_name(["cli/account.py", "accounting/account.py"]) == {}
