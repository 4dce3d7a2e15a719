"""The picture of the house in docs/architecture.md: every folder on its floor, drawn from the table
of folders.

    python -m scripts.house_figure        writes docs/figures/house.svg

A folder stands one floor above the highest folder that it imports, so that all imports point down.
"""

from __future__ import annotations

import html
import re
from pathlib import Path

ROOT = Path(__file__).parent.parent
TABLE = ROOT / "docs" / "architecture.md"
NAME = "house"
PICTURE = ROOT / "docs" / "figures" / f"{NAME}.svg"
HEAD = "| folder | its one sentence | may import |\n"
EVERYTHING = "everything"

WIDTH, MARGIN, GAP = 960, 16, 10
BOX, FLOOR = 46, 60
PER_FLOOR = 6
LETTER = 6.1
"""The width of a small letter, for cutting sentences to the width of a box."""

STYLE = """
text { font: 11px system-ui, sans-serif; fill: #3b4252 }
.name { font: 600 13px ui-monospace, monospace; fill: #1f2733 }
rect { fill: #eef3f9; stroke: #7f93ad }
@media (prefers-color-scheme: dark) {
  text { fill: #c3ccd9 }
  .name { fill: #f2f5f9 }
  rect { fill: #243042; stroke: #7f93ad }
}
"""


def rows_of(text: str) -> dict[str, tuple[str, set[str]]]:
    """Folder -> its sentence and what it may import, from the table of folders."""
    body = text.partition(HEAD)[2].split("\n\n")[0]
    found = {}
    for line in body.splitlines()[1:]:
        name, sentence, allowed = (cell.strip() for cell in line.strip("|").split("|"))
        found[name.strip("`")] = sentence, set(re.findall(r"`([^`]+)`", allowed) or [allowed])
    return found


def floors_of(rows: dict[str, tuple[str, set[str]]]) -> list[list[str]]:
    """The folders floor by floor, the lowest first, each floor in the order of the table."""
    level: dict[str, int] = {}
    for name, (_, allowed) in rows.items():  # the table allows only rows above
        below = [level[each] for each in allowed if each in level]
        all_below = list(level.values()) if EVERYTHING in allowed else below
        level[name] = 1 + max(all_below, default=-1)
    return [
        [name for name in rows if level[name] == each] for each in range(max(level.values()) + 1)
    ]


def drawn(text: str) -> str:
    """The picture as SVG."""
    rows = rows_of(text)
    lines = [
        floor[at : at + PER_FLOOR]
        for floor in reversed(floors_of(rows))
        for at in range(0, len(floor), PER_FLOOR)
    ]
    height = 2 * MARGIN + FLOOR * len(lines) - (FLOOR - BOX)
    boxes = [box for at, line in enumerate(lines) for box in _line(line, rows, MARGIN + at * FLOOR)]
    said = "The folders of Shoal by floors: each imports only folders on floors below its own"
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img">',
            f"<title>{said}</title>",
            f"<style>{STYLE}</style>",
            *boxes,
            "</svg>\n",
        ]
    )


def _line(names: list[str], rows: dict[str, tuple[str, set[str]]], top: int) -> list[str]:
    width = (WIDTH - 2 * MARGIN - GAP * (len(names) - 1)) / len(names)
    return [
        _box(name, rows[name][0], MARGIN + at * (width + GAP), top, width)
        for at, name in enumerate(names)
    ]


def _box(name: str, sentence: str, left: float, top: int, width: float) -> str:
    whole = html.escape(sentence.replace("`", ""))
    short = html.escape(_cut(sentence.replace("`", ""), int((width - 16) / LETTER)))
    return (
        f"<g><title>{whole}</title>"
        f'<rect x="{left:.1f}" y="{top}" width="{width:.1f}" height="{BOX}" rx="5"/>'
        f'<text class="name" x="{left + 8:.1f}" y="{top + 19}">{html.escape(name)}</text>'
        f'<text x="{left + 8:.1f}" y="{top + 36}">{short}</text></g>'
    )


def _cut(sentence: str, most: int) -> str:
    """As many whole words as fit."""
    if len(sentence) <= most:
        return sentence
    return sentence[: most - 1].rpartition(" ")[0].rstrip(",;:.") + "…"


def write() -> None:
    PICTURE.write_text(drawn(TABLE.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    write()
