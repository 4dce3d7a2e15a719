"""The two pages of a release: its certificate for an auditor, and a report for publication; and what
a certificate says, in words.
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
from shoal.page import Code, Heading, Page, PagePicture, PageTable, Part, Words
from shoal.query.showing import Presentable, level_of, sheet_of
from shoal.query.storing import Kept
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
            f"Released {release.time[:10]}; ledger entry {release.number}; certificate {certificate['hash']}."
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
    unit = "row" if certificate["protects"] == "each row" else "person"
    return _NEIGHBOURS[certificate["relation"]].format(unit=unit)


def cost_lines(certificate: Mapping[str, Any]) -> list[tuple[str, str]]:
    """The cost in each measure, rounded up."""
    lines = []
    for measure, numbers in certificate["costs"].items():
        said = ", ".join(
            f"{name} {short_up(Fraction(number))}"
            for name, number in numbers.items()
            if name != "delta" or Fraction(number)
        )
        lines.append((_MEASURES.get(measure, measure), said))
    return lines


def noise_lines(certificate: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    """Each total: what it is, how far one unit moves it, and the law of its noise, in the total's
    own units.
    """
    return [
        (
            each["total"],
            short_up(Fraction(each["sensitivity"]) * Fraction(each["unit"])),
            _law(each),
        )
        for each in certificate["terms"]
    ]


def method(certificate: Mapping[str, Any], confidence: str = "95%") -> str:
    """The paragraph that stands beside published figures."""
    promise = promise_of(certificate)
    by_row = certificate["protects"] == "each row"
    say, beyond = (
        ("each row's say", "")
        if by_row
        else (
            "everyone's say",
            ", and people with more rows or groups than stated count for less in each",
        )
    )
    return (
        f"These figures were released with differential privacy. They protect {certificate['protects']}: data that differ by "
        f"{neighbours(certificate)} give answers that can hardly be told apart. The promise is {promise}. In words: "
        f"{risk_of(promise)} Random noise, drawn exactly from the laws in the certificate, was added to totals in which {say} is "
        f"bounded: values beyond the stated ranges are moved to the nearer end{beyond}. Intervals hold with {confidence} confidence each and cover the noise; they do not say how a sample "
        "stands for a population, nor what bounding changed."
    )


def _law(term: Mapping[str, str]) -> str:
    word, _, number = term["noise"].removesuffix(" units").rpartition(" ")
    if not word:
        return "none"
    return f"{word} {short(Fraction(number) * Fraction(term['unit']))}"
