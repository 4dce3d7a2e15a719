"""What must hold of the pages that came out, whichever generator made them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

LOADED = {"script": "src", "img": "src", "iframe": "src", "source": "src", "link": "href"}


@dataclass
class _Reader(HTMLParser):
    """The anchors of a page, where it leads, and what it loads."""

    anchors: set[str] = field(default_factory=set)
    targets: list[str] = field(default_factory=list)
    loaded: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        named = {name: value or "" for name, value in attrs}
        self.anchors |= {named[key] for key in ("id", "name") if key in named}
        if tag == "a" and "href" in named:
            self.targets.append(named["href"])
        elif LOADED.get(tag) in named and named.get("rel") not in {"canonical", "prev", "next"}:
            self.loaded.append(named[LOADED[tag]])


@cache
def _read(page: Path) -> _Reader:
    reader = _Reader()
    reader.feed(page.read_text(encoding="utf-8"))
    return reader


def problems(site: Path) -> list[str]:
    """Links and anchors that lead nowhere, and files that a page loads from elsewhere."""
    _read.cache_clear()
    return [
        f"{page.relative_to(site)}: {problem}"
        for page in sorted(site.rglob("*.html"))
        for problem in _problems(page)
    ]


def _problems(page: Path) -> Iterator[str]:
    read = _read(page)
    for target in read.loaded:
        if urlsplit(target).scheme not in {"", "data"} or target.startswith("//"):
            yield f"loads {target} from outside"
        elif not urlsplit(target).scheme and not _file(page, target).is_file():
            yield f"loads {target}, which is not there"
    for target in read.targets:
        if urlsplit(target).scheme or target.startswith("//"):
            continue
        path, anchor = _file(page, target), unquote(urlsplit(target).fragment)
        if not path.is_file():
            yield f"leads to {target}, which is not there"
        elif anchor and path.suffix == ".html" and anchor not in _read(path).anchors:
            yield f"leads to {target}, a page without this anchor"


def _file(page: Path, target: str) -> Path:
    path = unquote(urlsplit(target).path)
    found = (page.parent / path).resolve() if path else page
    return found / "index.html" if found.is_dir() else found
