"""A page of results in sections: rows that were run replace theirs, the others keep what they
had.
"""

from __future__ import annotations

import re
from collections.abc import Sequence


def merged(page: str, head: str, found: Sequence[str], order: Sequence[str]) -> str:
    """The page with a new head and new sections, by title, in order."""
    sections = {
        _title(each): each.strip() for each in re.split(r"^(?=## )", page, flags=re.MULTILINE)
    }
    sections |= {_title(each): each.strip() for each in found}
    kept = [sections[title] for title in order if title in sections]
    return "\n\n".join([head, *kept]) + "\n"


def _title(section: str) -> str:
    first = section.strip().partition("\n")[0]
    return first.removeprefix("## ") if first.startswith("## ") else ""
