"""Intervals on the researcher's pages, from the very script that is served, run in Node."""

from __future__ import annotations

import json
import random
import shutil
import subprocess
from fractions import Fraction
from pathlib import Path

import pytest

from shoal.server.rendering import STATIC

HOSTILE = (0.0, 1e-300, 0.0005, 0.1, 0.123, 0.999949, 1.0, 12_345_567.0, 1e-5, 99_999.5)


def cases() -> list[tuple[str, float, float]]:
    chance = random.Random(17)
    ends = [sign * each for each in HOSTILE for sign in (1, -1)]
    pairs = [(one, two) for one in ends for two in ends if one <= two]
    pairs += [tuple(sorted((chance.random(), chance.random()))) for _ in range(2000)]  # type: ignore[misc]
    pairs += [(at / 1000, (at + 1) / 1000) for at in range(1000)]
    return [(kind, *pair) for kind in ("yes_no", "range") for pair in pairs]


# A float stands for its shortest decimal here, as it does in the script: 0.1 is a tenth.
def test_every_interval_on_the_page_holds_the_exact_one(tmp_path: Path) -> None:
    node = shutil.which("node")
    if node is None:
        pytest.skip("Node is not installed")
    (tmp_path / "drawing.js").write_bytes((STATIC / "drawing.js").read_bytes())
    (tmp_path / "package.json").write_text('{"type": "module"}')
    runner, asked = Path(__file__).parent / "drawing.mjs", cases()
    done = subprocess.run(
        [node, runner, tmp_path],
        input=json.dumps(asked),
        capture_output=True,
        text=True,
        check=True,
    )
    for (kind, low, high), text in zip(asked, json.loads(done.stdout), strict=True):
        scale = 1 if kind == "range" else 100
        shown = [
            Fraction(end.replace(",", "").replace("%", "").strip()) for end in text.split(" to ")
        ]
        assert shown[0] <= scale * Fraction(repr(low)), (kind, low, text)
        assert shown[1] >= scale * Fraction(repr(high)), (kind, high, text)
