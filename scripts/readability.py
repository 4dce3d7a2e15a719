"""How hard the pages of the documentation are to read: ``python -m scripts.readability``.

The measure is the Flesch-Kincaid grade as textstat counts it: about the years of school that a
text asks for.  Code, tables and formulas are left out; an item of a list, a heading and a caption
are sentences of their own.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
CEILING, CEILING_OF_README = 11.0, 9.0


def pages() -> list[Path]:
    """What a reader meets: the README, how to contribute, and every page of docs."""
    return [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted(ROOT.glob("docs/**/*.md"))]


def ceiling(page: Path) -> float:
    return CEILING_OF_README if page.name == "README.md" else CEILING


def prose(markdown: str) -> str:
    """The sentences of a page, one paragraph or item a line."""
    text = re.sub(r"(?s)<!--.*?-->", "", markdown)
    text = re.sub(r"(?ms)^( *)(```+|~~~+).*?^\1\2 *$", "\n\n", text)
    text = re.sub(r"(?m)^ *\|.*$", "", text)
    text = re.sub(r"(?m)^ *(#+|\* |- |\d+\. |>)", r"\n\n", text)
    text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", text)
    text = re.sub(r"<[^>\n]+>", "", text)
    text = re.sub(r"``?([^`\n]+)``?", _spoken, text)
    text = re.sub(r"[*_]{1,2}(\S[^*_]*)[*_]{1,2}", r"\1", text)
    parts = (re.sub(r"\s+", " ", part).strip(" :;") for part in re.split(r"\n\s*\n", text))
    return "\n".join(part if part[-1] in ".!?" else part + "." for part in parts if part)


def _spoken(code: re.Match[str]) -> str:
    """Code in a sentence counts as one word, and its points end no sentence."""
    return "code" if re.search(r"[^A-Za-z ]", code[1]) else code[1]


def grade(markdown: str) -> float:
    """The grade of a page."""
    import textstat  # noqa: PLC0415 - one of the development tools

    # 4.5 and "e.g." end no sentence either
    text = re.sub(r"(?<=\d)\.(?=\d)", "", prose(markdown))
    text = re.sub(r"\b(e\.g|i\.e|et al|vs)\.", lambda found: found[0].replace(".", ""), text)
    return float(textstat.flesch_kincaid_grade(text))


def main() -> int:
    found = [(grade(page.read_text(encoding="utf-8")), page) for page in pages()]
    for value, page in sorted(found, reverse=True):
        hard = "  above its ceiling" if value > ceiling(page) else ""
        print(f"{value:5.1f}  {page.relative_to(ROOT)}{hard}")
    return int(any(value > ceiling(page) for value, page in found))


if __name__ == "__main__":
    sys.exit(main())
