from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from tests.polls.samples import VECTORS

from shoal.server.rendering import FILES, STATIC

SCRIPTS = [name for name in FILES if name.endswith(".js")]


def test_the_script_that_is_served_makes_the_same_reports_as_python_bit_for_bit(
    tmp_path: Path,
) -> None:
    node = shutil.which("node")
    if node is None:
        pytest.skip("Node is not installed; the browser runs the same vectors")
    script = (
        tmp_path / "client.mjs"
    )  # the same bytes, under a name that every Node takes for a module
    script.write_bytes((STATIC / "client.js").read_bytes())
    runner = Path(__file__).parent / "vectors.mjs"
    done = subprocess.run(
        [node, runner, script, VECTORS], capture_output=True, text=True, check=False
    )
    assert done.stdout.splitlines()[-1:] == ["440 cases, 0 wrong"], done.stdout + done.stderr


@pytest.mark.parametrize("name", SCRIPTS)
def test_no_script_knows_another_source_of_chance_or_another_place(name: str) -> None:
    text = (STATIC / name).read_text()
    code = re.sub(r"//.*|/\*.*?\*/", "", text)
    for word in ("Math.random", "eval(", "innerHTML", "document.write", "https:", "sendBeacon"):
        assert word not in code
    assert set(re.findall(r"https?://[^\"']+", code)) <= {"http://www.w3.org/2000/svg"}


def test_the_client_draws_without_a_float() -> None:
    text = (STATIC / "client.js").read_text()
    made = text[text.index("export function secretBytes") : text.index("/** Of `people`")]
    assert "crypto.getRandomValues" in made
    assert not re.search(r"\d\.\d|parseFloat|Number\(|Math\.(?!ceil\(bits / 8\))", made)


def test_every_file_that_is_served_is_listed_and_there() -> None:
    assert set(FILES) == {path.name for path in STATIC.iterdir()}
