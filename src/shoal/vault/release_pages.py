"""The two pages of a release: its certificate for an auditor, and a report for publication."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from shoal.errors import VaultError
from shoal.page import Code, Heading, Page, PagePicture, PageTable, Part, Words
from shoal.query.showing import Presentable, level_of, sheet_of
from shoal.query.storing import Kept
from shoal.vault.certificate_text import cost_lines, method, neighbours, noise_lines, promise_of
from shoal.vault.releases import Release


def certificate_page(certificate: Mapping[str, Any]) -> Page:
    """A certificate for people, with all that it says as JSON below."""
    place = certificate.get("ledger")
    facts = [
        ("protects", certificate["protects"]),
        ("neighbours", neighbours(certificate)),
        ("asked for", str(promise_of(certificate))),
        ("groups told", str(certificate["groups"])),
    ]
    if certificate.get("dummy"):
        facts.insert(0, ("data", "MADE UP: this release is about nobody"))
    facts += [
        (f"dataset {each['name']}", f"version {each['version']}")
        for each in certificate.get("datasets", [])
    ]
    if place:
        facts += [
            ("asked by", certificate["asked_by"]),
            ("charged", f"{place['time']}, to {', '.join(place['accounts'])}"),
            ("place in the ledger", f"entry {place['entry']}, {place['hash']}"),
        ]
    facts.append(("made by", ", ".join(f"{k} {v}" for k, v in certificate["versions"].items())))
    facts.append(("hash of this certificate", certificate["hash"]))
    return Page(
        "Certificate of a private release",
        [
            Code(certificate["question"]),
            PageTable(["", ""], facts),
            Heading("What it costs"),
            PageTable(["measure", "at most"], cost_lines(certificate)),
            Heading("What was drawn"),
            PageTable(["total", "one unit moves it by at most", "noise"], noise_lines(certificate)),
            Heading("How it was computed"),
            Code(certificate["plan"]),
            Heading("The certificate"),
            Words("Save it as a file and check it with: shoal verify certificate.json"),
            Code(json.dumps(certificate, indent=1, ensure_ascii=False)),
        ],
    )


def report_page(
    releases: Sequence[Release],
    *,
    title: str | None = None,
    pictures: Mapping[int, str] | None = None,
) -> Page:
    """Tables with error bars, a paragraph on the method, and where each figure comes from.

    ``pictures`` are drawings as SVG, by the number of their release.
    """
    parts: list[Part] = []
    for each in releases:
        parts += _release_parts(each, (pictures or {}).get(each.number))
    names = sorted({name for each in releases for name in each.datasets})
    return Page(title or f"Private statistics of {', '.join(names)}", parts)


def _release_parts(release: Release, picture: str | None) -> list[Part]:
    answer, certificate = release.answer, release.certificate
    assert answer is not None
    if "columns" not in answer:
        raise VaultError(
            f"release {release.number} is a suggestion; it has no table to report.",
            remedy="Choose an answered question: shoal log.",
        )
    level = level_of(Fraction(answer["confidence"]))
    parts: list[Part] = [Heading(f"Release {release.number}"), Code(release.question)]
    if picture:
        parts.append(PagePicture(picture, f"Error bars are {level} confidence intervals."))
    return [
        *parts,
        answer_grid(Kept(answer)),
        *(Words(note) for note in answer["notes"]),
        Heading("Method", 3),
        Words(method(certificate, level)),
        Heading("Source", 3),
        Words(
            f"Datasets: {', '.join(f'{n} (version {v})' for n, v in release.datasets.items())}. "
            f"Released {release.time[:10]}; release {release.number}, ledger entry {release.entry.number}; certificate {certificate['hash']}."
        ),
    ]


def answer_grid(answer: Presentable) -> PageTable:
    """An answer as a table; each number with an interval has a column for it."""
    sheet = sheet_of(answer)
    head: list[str] = []
    numbers: set[int] = set()
    columns: list[Sequence[str]] = []
    for column in sheet.columns:
        if column.number:
            numbers.add(len(head))
        head.append(column.name)
        columns.append(column.values)
        if column.ends is not None:
            numbers.add(len(head))
            head.append(f"{sheet.level} interval")
            columns.append([each.ends for each in column.ends])
    rows = [list(row) for row in zip(*columns, strict=True)] if columns else []
    return PageTable(head, rows, frozenset(numbers))


def page_for(path: str, page: Page) -> str:
    """A page in the form that the ending of a file says."""
    if path.lower().endswith((".html", ".htm")):
        return page.html()
    if path.lower().endswith((".md", ".markdown")):
        return page.markdown()
    raise VaultError(
        f"{path!r} is neither .html nor .md.", remedy="Choose one of these endings for the page."
    )
