"""The pages are laid out in a folder, and the generator makes the site of them."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

from scripts.site import command_reference, python_reference
from scripts.site.gather import PROOFS, ROOT, Pages, gathered, title_of

NAVIGATION = ROOT / "docs" / "nav.toml"
THEME = Path(__file__).parent / "theme"
SHIM = "https://unpkg.com/iframe-worker/shim"
STAGE = ROOT / "build" / "site-pages"
NOT_FOUND = Path(__file__).parent / "404.html"
"""Our own page in the place of the generator's, which loads its styles from the root of a server:
below a folder, or opened from disk, it has none.
"""

Entry = dict[str, Any]


def every_page() -> Pages:
    """The pages that are written, and those that are made."""
    pages = gathered()
    for at, text in {**python_reference.pages(), **command_reference.pages()}.items():
        pages.add(at, text)
    pages.add(f"{PROOFS}/index.md", _list_of_proofs(pages))
    return pages


def navigation(pages: Pages) -> list[Entry]:
    """The order of ``docs/nav.toml``, with the made pages where it names their folder."""
    told = tomllib.loads(NAVIGATION.read_text(encoding="utf-8"))
    return [
        {section["title"]: [each for name in section["pages"] for each in _entries(name, pages)]}
        for section in told["section"]
    ]


def _entries(name: str, pages: Pages) -> list[Entry]:
    """One page, or all pages of a folder (``proofs/``), by their titles."""
    if not name.endswith("/"):
        return [{title_of(pages.text[name]): name}]
    first = [f"{name}index.md"]
    rest = sorted(at for at in pages.text if at.startswith(name) and at not in first)
    return [{title_of(pages.text[at]): at} for at in (*first, *rest)]


def build(out: Path, *, stage: Path = STAGE) -> str:
    """Build the site into ``out``; what the generator said if it was not content, or nothing."""
    pages = every_page()
    shutil.rmtree(stage, ignore_errors=True)
    shutil.rmtree(out, ignore_errors=True)
    for at, text in pages.text.items():
        _write(stage / "pages" / at, text)
    for at, path in pages.files.items():
        (stage / "pages" / at).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, stage / "pages" / at)
    shutil.copytree(THEME, stage / "pages" / "theme")
    _write(stage / "mkdocs.yml", json.dumps(_settings(pages), indent=1))
    done = subprocess.run(
        [sys.executable, "-m", "zensical", "build", "--strict", "-f", "mkdocs.yml"],
        cwd=stage,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "NO_COLOR": "1"},
    )
    if done.returncode != 0:
        return done.stdout + done.stderr
    shutil.copytree(stage / "site", out)
    _load_nothing_from_outside(out)
    shutil.copyfile(NOT_FOUND, out / NOT_FOUND.name)
    return ""


def _settings(pages: Pages) -> dict[str, Any]:
    """What the generator is told; JSON is YAML."""
    return {
        "site_name": "Shoal",
        "site_description": "Statistics about people that expose nobody",
        "docs_dir": "pages",
        "site_dir": "site",
        "use_directory_urls": False,
        "nav": navigation(pages),
        "theme": {
            "name": "material",
            "font": False,
            "language": "en",
            "features": [
                "navigation.tabs",
                "navigation.top",
                "navigation.footer",
                "search.highlight",
                "content.code.copy",
                "toc.follow",
            ],
            "palette": [
                _palette("(prefers-color-scheme: light)", "default", "dark"),
                _palette("(prefers-color-scheme: dark)", "slate", "light"),
            ],
        },
        "extra": {"generator": False},
        "extra_css": ["theme/shoal.css"],
        "extra_javascript": ["theme/labels.js"],
        "plugins": ["search", "offline"],
        "markdown_extensions": [
            "admonition",
            "attr_list",
            "md_in_html",
            "tables",
            {"toc": {"permalink": True, "slugify": _SLUGS, "toc_depth": 3}},
            {"pymdownx.highlight": {"use_pygments": True}},
            "pymdownx.inlinehilite",
            "pymdownx.superfences",
        ],
        "validation": {"invalid_links": True, "invalid_link_anchors": True},
    }


_SLUGS = {"object": "pymdownx.slugs.slugify", "kwds": {"case": "lower"}}


def _palette(media: str, scheme: str, other: str) -> dict[str, Any]:
    return {
        "media": media,
        "scheme": scheme,
        "toggle": {
            "icon": f"lucide/{'moon' if other == 'dark' else 'sun'}",
            "name": f"Switch to {other} mode",
        },
    }


def _load_nothing_from_outside(out: Path) -> None:
    """The search of a site that is opened from disk needs a stand-in for a worker; take ours."""
    for page in out.rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        up = "../" * len(page.relative_to(out).parts[:-1])
        page.write_text(text.replace(SHIM, f"{up}theme/worker.js"), encoding="utf-8")


def _list_of_proofs(pages: Pages) -> str:
    rows = "\n".join(
        f"| [{title_of(text)}]({at.removeprefix(PROOFS + '/')}) | `{pages.source[at]}` |"
        for at, text in sorted(pages.text.items())
        if at.startswith(f"{PROOFS}/")
    )
    return (
        "# Proofs\n\nEach note proves what the code in its folder claims. It is kept next to that "
        "code, so that both change together.\n\n"
        f"| note | file |\n|---|---|\n{rows}\n"
    )


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
