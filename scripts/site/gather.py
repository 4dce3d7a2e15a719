"""The pages of the site, and links that lead on the site to what they lead to in the repository."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).parent.parent.parent
PROOFS = "proofs"
PROJECT = {
    "README.md": "index.md",
    "CONTRIBUTING.md": "project/contributing.md",
    "CHANGELOG.md": "project/changelog.md",
    "benchmarks/README.md": "project/benchmarks.md",
    "benchmarks/RESULTS.md": "project/results.md",
    "benchmarks/PEERS.md": "project/peers.md",
    "LICENSE": "project/licence.md",
}
_LINK = re.compile(r"(?P<before>\]\(\s*)(?P<target>[^)\s]+)(?P<after>\s*\))")
_NAMED = re.compile(r"\[(?P<text>[\w./-]+\.md)\]\((?P<target>[^)\s]+)\)")
_FENCED = re.compile(r"(?ms)^(?P<indent> *)(?P<fence>```+|~~~+).*?^(?P=indent)(?P=fence) *$")
_CODE = re.compile(r"`[^`\n]*`")
_OUTSIDE = re.compile(r"[a-z][a-z+.-]*:")


@dataclass
class Pages:
    """Every page of the site by its path there: the text, and the file it is written in."""

    text: dict[str, str] = field(default_factory=dict)
    source: dict[str, str] = field(default_factory=dict)
    files: dict[str, Path] = field(default_factory=dict)

    def add(self, at: str, text: str, *, source: str = "") -> None:
        self.text[at] = text
        if source:
            self.source[at] = source

    @property
    def place(self) -> dict[str, str]:
        """File of the repository -> where it stands on the site."""
        found = {source: at for at, source in self.source.items()}
        return found | {str(path.relative_to(ROOT)): at for at, path in self.files.items()}


def gathered() -> Pages:
    """What the repository holds for readers, with its links as they must be on the site."""
    pages = Pages()
    for name, at in PROJECT.items():
        text = (ROOT / name).read_text(encoding="utf-8")
        pages.add(at, text if name.endswith(".md") else _as_code(name, text), source=name)
    for path in sorted((ROOT / "docs").rglob("*.md")):
        pages.add(
            str(path.relative_to(ROOT / "docs")),
            path.read_text(encoding="utf-8"),
            source=str(path.relative_to(ROOT)),
        )
    for at, path in proofs().items():
        text = path.read_text(encoding="utf-8")
        pages.add(at, text, source=str(path.relative_to(ROOT)))
    for path in sorted((ROOT / "docs").rglob("*")):
        if path.suffix in {".svg", ".png"}:
            pages.files[str(path.relative_to(ROOT / "docs"))] = path
    _add_linked_sources(pages)
    place = pages.place
    titles = {source: title_of(pages.text[at]) for at, source in pages.source.items()}
    for at, source in pages.source.items():
        titled = _titled(pages.text[at], source, titles)
        linked = _relinked(titled, source, at, place)
        pages.text[at] = _without_comments(_without_marks_of_doctest(linked))
    return pages


def proofs() -> dict[str, Path]:
    """The notes beside the sources, by where they stand on the site."""
    package = ROOT / "src" / "shoal"
    return {
        str(PurePosixPath(PROOFS) / path.relative_to(package)): path
        for path in sorted(package.rglob("*.md"))
    }


def title_of(markdown: str) -> str:
    """The first heading of a page."""
    found = re.search(r"^# +(.+?) *$", markdown, re.MULTILINE)
    return found[1].replace("`", "") if found else ""


def links(markdown: str) -> Iterator[str]:
    """The relative links of a page that lead to another file."""
    for found in _LINK.finditer(_CODE.sub("", _FENCED.sub("", markdown))):
        if not _OUTSIDE.match(found["target"]) and not found["target"].startswith("#"):
            yield found["target"]


def _add_linked_sources(pages: Pages) -> None:
    """A page for each file of code that some page points at."""
    for source in list(pages.source.values()):
        for target in links((ROOT / source).read_text(encoding="utf-8")):
            name = _resolved(target, source)
            path = ROOT / name
            if path.suffix == ".py" and path.is_file() and name not in pages.place:
                text = path.read_text(encoding="utf-8")
                pages.add(f"source/{name}.md", _as_code(name, text), source=name)


def _as_code(name: str, text: str) -> str:
    language = "python" if name.endswith(".py") else "text"
    return f"# {name}\n\n````{language}\n{text}````\n"


def _resolved(target: str, source: str) -> str:
    """The file of the repository that a link in another file leads to."""
    name = target.partition("#")[0]
    return os.path.normpath(PurePosixPath(source).parent / name)


def _titled(markdown: str, source: str, titles: dict[str, str]) -> str:
    """The page with links that show the name of a file, such as docs/start.md, showing its title:
    a reader of the site sees no files.
    """

    def shown(found: re.Match[str]) -> str:
        title = titles.get(_resolved(found["target"], source), "")
        return f"[{title}]({found['target']})" if title else found[0]

    return _NAMED.sub(shown, markdown)


def _relinked(markdown: str, source: str, at: str, place: dict[str, str]) -> str:
    """The page with each relative link leading to the same thing on the site."""

    def mended(found: re.Match[str]) -> str:
        target = found["target"]
        if _OUTSIDE.match(target) or target.startswith("#"):
            return found[0]
        there = place.get(_resolved(target, source))
        if there is None:
            return found[0]  # which the build then reports as broken
        anchor = target.partition("#")[1:]
        relative = os.path.relpath(there, PurePosixPath(at).parent)
        return f"{found['before']}{relative}{''.join(anchor)}{found['after']}"

    kept: list[str] = []

    def hidden(found: re.Match[str]) -> str:
        kept.append(found[0])
        return f"\0{len(kept) - 1}\0"

    bare = _CODE.sub(hidden, _FENCED.sub(hidden, markdown))
    linked = _LINK.sub(mended, bare)
    while "\0" in linked:
        linked = re.sub(r"\0(\d+)\0", lambda found: kept[int(found[1])], linked)
    return linked


def _without_marks_of_doctest(markdown: str) -> str:
    """What only the tests of the examples need: <BLANKLINE>, and # doctest: +SKIP."""

    def bare(found: re.Match[str]) -> str:
        text = re.sub(r"(?m)^<BLANKLINE>$", "", found[0])
        return re.sub(r"(?m) *# doctest: \+\w+ *$", "", text)

    return _FENCED.sub(bare, markdown)


def _without_comments(markdown: str) -> str:
    return re.sub(r"(?s)<!--.*?-->\n?", "", markdown)
