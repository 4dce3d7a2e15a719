"""The page of a certificate, for an auditor, and an answer as a table."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from shoal.errors import VaultError
from shoal.interpret import risk_of
from shoal.page import Code, Fold, Heading, Page, PageCell, PageTable, Words
from shoal.query.showing import Presentable, sheet_of
from shoal.vault.certificate_text import cost_lines, neighbours, noise_lines, promise_of


def certificate_page(certificate: Mapping[str, Any]) -> Page:
    """A certificate for people, rounded numbers beside exact ones, with all that it says as JSON
    below.
    """
    promise = promise_of(certificate)
    number = f" {certificate['release']}" if "release" in certificate else ""
    return Page(
        f"Certificate of release{number}",
        [
            Words("It says what was computed, for whom it is private, and what it cost."),
            Code(certificate["question"]),
            PageTable(["", ""], _facts(certificate)),
            Heading("What it costs"),
            Words(f"In words: {risk_of(promise)}"),
            PageTable(["measure", "at most", "exactly"], cost_lines(certificate)),
            Heading("The noise that was added"),
            Words(
                f"What one {'row' if certificate['protects'] == 'each row' else 'person'} can change "
                "in each total, and the noise that hides it.",
                "note",
            ),
            PageTable(
                ["total", "changes by at most", "noise"],
                [
                    [total, moved, PageCell(law, f"exactly: {exact}")]
                    for total, moved, law, exact in noise_lines(certificate)
                ],
            ),
            Fold("How it was computed, step by step", [Code(certificate["plan"])]),
            Heading("The certificate itself"),
            Words("Save it as a file and check it with: shoal verify certificate.json"),
            Fold(
                "The certificate as JSON",
                [Code(json.dumps(certificate, indent=1, ensure_ascii=False))],
            ),
        ],
    )


def _facts(certificate: Mapping[str, Any]) -> list[tuple[str, str]]:
    place = certificate.get("ledger")
    facts = [
        ("protects", certificate["protects"]),
        ("neighbours", f"datasets with {neighbours(certificate)}"),
        ("asked for", str(promise_of(certificate))),
        ("groups released", str(certificate["groups"])),
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
            ("charged", f"{_moment(place['time'])}, to {', '.join(place['accounts'])}"),
            ("place in the journal", f"entry {place['entry']}, hash {place['hash']}"),
        ]
    facts.append(("made by", ", ".join(f"{k} {v}" for k, v in certificate["versions"].items())))
    facts.append(("hash of this certificate", certificate["hash"]))
    return facts


def _moment(time: str) -> str:
    return f"{time[:16].replace('T', ' ')} UTC"


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
