"""The page of a certificate, for an auditor; what it says in words: what was asked, who is protected
and how, and what it costs; and an answer as a table.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from shoal.errors import VaultError
from shoal.exact import short, short_up
from shoal.interpret import risk_of
from shoal.measures import Approx, Measure, Pure, ZeroConcentrated
from shoal.page import Code, Fold, Heading, Page, PageCell, PageTable, Words
from shoal.query.shown_answer import Presentable, sheet_of


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


_NEIGHBOURS = {
    "add_remove": "one {unit} more or less",
    "change": "one {unit} with other data",
}
_MEASURES = {
    "Pure": "pure",
    "Approx": "approximate",
    "ZeroConcentrated": "zero-concentrated",
    "GaussianDP": "Gaussian",
}


def promise_of(certificate: Mapping[str, Any]) -> Measure:
    """What was asked for, as a promise; the delta of keys counts in."""
    cost = {name: Fraction(number) for name, number in certificate["cost"].items()}
    if "rho" in cost:
        return ZeroConcentrated(cost["rho"])
    delta = cost["delta"] + cost["failing"]
    return Approx(cost["epsilon"], delta) if delta else Pure(cost["epsilon"])


def neighbours(certificate: Mapping[str, Any]) -> str:
    """Which data the promise cannot tell apart."""
    return _NEIGHBOURS[certificate["relation"]].format(unit=_unit(certificate))


def cost_lines(certificate: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    """The cost in each measure: rounded up, and exactly."""
    lines = []
    for measure, numbers in certificate["costs"].items():
        shown = {
            name: Fraction(number)
            for name, number in numbers.items()
            if name != "delta" or Fraction(number)
        }
        rounded = ", ".join(f"{name} {short_up(number)}" for name, number in shown.items())
        exact = ", ".join(f"{name} {number}" for name, number in shown.items())
        lines.append((_MEASURES.get(measure, measure), rounded, exact))
    return lines


def noise_lines(certificate: Mapping[str, Any]) -> list[tuple[str, str, str, str]]:
    """Each total: what it is, how far one unit moves it, and the law of its noise, in the total's
    own units; then the last two exactly.
    """
    lines = []
    for each in certificate.get("terms", []):
        moved = Fraction(each["sensitivity"]) * _unit_of(each)
        word, scale = _law(each)
        law = f"{word} {short(scale)}" if word else "none"
        exact = f"moves by {moved}; {word} {scale}" if word else f"moves by {moved}"
        lines.append((each["total"], short_up(moved), law, exact))
    return lines


def method(certificate: Mapping[str, Any], confidence: str = "95%") -> list[str]:
    """The paragraphs that stand below published figures: what was done, for whom, and what the
    intervals leave out.
    """
    by_row = certificate["protects"] == "each row"
    limits = (
        "How much one row can change a total is limited: values outside the declared ranges count "
        "as the nearer end of the range."
        if by_row
        else "How much one person can change a total is limited: people with more rows or groups "
        "than declared count for less in each, and values outside the declared ranges count as the "
        "nearer end of the range."
    )
    done = (
        "Random noise was added to the totals before anyone saw them. The noise is chosen so that "
        f"any one {_unit(certificate)} is hidden: with {neighbours(certificate)} in the data, the "
        "chance of any answer would change by a small factor only. This is called differential "
        "privacy. Epsilon measures that factor: the smaller, the stronger the protection. "
        f"What is protected is {certificate['protects']}."
    )
    left_out = (
        f"Intervals cover the noise with {confidence} confidence each. They do not cover these "
        "limits, nor how well the people in the data stand for others."
    )
    return [done, f"{limits} {left_out}"]


def _unit(certificate: Mapping[str, Any]) -> str:
    return "row" if certificate["protects"] == "each row" else "person"


def _law(term: Mapping[str, str]) -> tuple[str, Fraction]:
    """The words for a law of noise, and its scale in the total's own units; no words for none."""
    word, _, number = term["noise"].removesuffix(" units").rpartition(" ")
    if not word:
        return "", Fraction(0)
    return word, Fraction(number) * _unit_of(term)


def _unit_of(term: Mapping[str, str]) -> Fraction:
    """What a whole number of a total stands for; sums that a model is made of have no unit."""
    return Fraction(term.get("unit", "1"))
