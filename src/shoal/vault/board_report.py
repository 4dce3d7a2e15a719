"""A report for people who decide: figures as they are read, the method once, where each comes
from.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from shoal.errors import RangeError, VaultError
from shoal.exact import is_unclear
from shoal.interpret import risk_of
from shoal.page import Code, Fold, Heading, Page, PageCell, PagePicture, PageTable, Part, Words
from shoal.query.shown_answer import level_of, sheet_of
from shoal.query.stored_answer import Kept
from shoal.vault.accounts.budgets import together
from shoal.vault.certificate_page import answer_grid, method, promise_of
from shoal.vault.releases import Release

_APART = "These groups are too small for a useful figure: the interval is at least as wide as the figure itself."


def report_page(
    releases: Sequence[Release],
    *,
    title: str | None = None,
    headings: Sequence[str] = (),
    notes: Sequence[str] = (),
    pictures: Mapping[int, str] | None = None,
) -> Page:
    """Figures with error bars, each release under a heading and a sentence of the curator's.

    ``headings`` and ``notes`` belong to the releases in their order; ``pictures`` are drawings as
    SVG, by the number of their release.
    """
    _check_count("heading", headings, releases)
    _check_count("note", notes, releases)
    names = sorted({name for each in releases for name in each.datasets})
    parts: list[Part] = []
    for at, each in enumerate(releases):
        own = headings[at] if at < len(headings) else ""
        alone = len(releases) == 1 and title is not None and not own
        if not alone:  # its title is the title of the page
            parts.append(Heading(own or _named(each)))
        if at < len(notes) and notes[at]:
            parts.append(Words(notes[at], "lead"))
        parts += _figures(each, (pictures or {}).get(each.number))
    if releases:
        parts += [*_method(releases), *_sources(releases)]
    return Page(title or f"Statistics about {', '.join(names)}", parts)


def _check_count(what: str, said: Sequence[str], releases: Sequence[Release]) -> None:
    if len(said) > len(releases):
        raise RangeError(
            f"{len(said)} {what}s were given for {len(releases)} release{'' if len(releases) == 1 else 's'}.",
            remedy=f"Give at most one {what} for each release, in the order of the releases.",
        )


def _kept(release: Release) -> Kept:
    answer = release.answer
    if answer is None or "columns" not in answer:
        why = "is no answer to a question" if answer is not None else f"is {release.state}"
        raise VaultError(
            f"release {release.number} {why}; it has no table to report.",
            remedy="Choose an answered question: shoal log.",
        )
    return Kept(answer)


def _named(release: Release) -> str:
    kept = _kept(release)
    numbers = [name for name in kept.columns if name not in kept.keys]
    by = f" by {' and '.join(kept.keys)}" if kept.keys else ""
    return f"Release {release.number}: {' and '.join(numbers)}{by}"


def _figures(release: Release, picture: str | None) -> list[Part]:
    kept = _kept(release)
    level = level_of(kept.confidence)
    caption = f"The lines are {level} confidence intervals of the noise."
    if any(any(_unclear(kept, name)) for name in kept.columns if kept.has_interval(name)):
        caption += " Where there is no bar, the interval is at least as wide as the number."
    drawn: list[Part] = [PagePicture(picture, caption)] if picture else []
    return [
        *drawn,
        *_tables(kept),
        *(Words(note, "note") for note in kept.notes),
        Fold(
            "Exact numbers and the question",
            [answer_grid(kept), Code(release.question)],
        ),
    ]


def _tables(kept: Kept) -> list[Part]:
    """The figures as they are read; groups of which nothing is known but that they are small stand
    apart.
    """
    unclear = {name: _unclear(kept, name) for name in kept.columns if kept.has_interval(name)}
    rows = range(len(kept.rows))
    apart = {at for at in rows if unclear and all(column[at] for column in unclear.values())}
    if not kept.keys or len(apart) == len(rows):
        return [_table(kept, list(rows))]
    clear = _table(kept, [at for at in rows if at not in apart])
    if not apart:
        return [clear]
    return [clear, Words(_APART, "note"), _table(kept, sorted(apart), faint=True)]


def _unclear(kept: Kept, column: str) -> list[bool]:
    at = kept.columns.index(column)
    return [
        is_unclear(row[at], ends) for row, ends in zip(kept.rows, kept.ends(column), strict=True)
    ]


def _table(kept: Kept, chosen: Sequence[int], *, faint: bool = False) -> PageTable:
    sheet = sheet_of(kept, coarse=True)
    head: list[str | PageCell] = []
    columns: list[list[str | PageCell]] = []
    for column in sheet.columns:
        if column.ends is None:
            head.append(column.name)
            columns.append([column.values[at] for at in chosen])
        elif faint:  # the number would be read as if it said something
            head.append(PageCell(column.name, f"{sheet.level} interval"))
            columns.append([column.ends[at].ends for at in chosen])
        else:
            head.append(PageCell(column.name, f"{sheet.level} interval"))
            columns.append([PageCell(column.values[at], column.ends[at].ends) for at in chosen])
    numbers = frozenset(at for at, column in enumerate(sheet.columns) if column.number)
    rows = [list(row) for row in zip(*columns, strict=True)]
    return PageTable(head, rows, numbers, frozenset(range(len(rows))) if faint else frozenset())


def _method(releases: Sequence[Release]) -> list[Part]:
    """How the figures were made, once for each kind of protection, and what they cost."""
    kinds: dict[tuple[str, str], list[Release]] = {}
    for each in releases:
        certificate = each.certificate
        kinds.setdefault((certificate["protects"], certificate["relation"]), []).append(each)
    parts: list[Part] = [Heading("How these figures were made")]
    for some in kinds.values():
        if len(kinds) > 1:
            parts.append(Heading(_which(some), 3))
        levels = sorted({level_of(_kept(each).confidence) for each in some})
        parts += [Words(text) for text in method(some[0].certificate, " or ".join(levels))]
    parts.append(Words(_cost(releases)))
    return parts


def _which(releases: Sequence[Release]) -> str:
    numbers = ", ".join(str(each.number) for each in releases)
    return f"Release{'' if len(releases) == 1 else 's'} {numbers}"


def _cost(releases: Sequence[Release]) -> str:
    promises = [promise_of(each.certificate) for each in releases]
    if len(promises) == 1:
        return f"This release costs {promises[0]}. In words: {risk_of(promises[0])}"
    each = "; ".join(
        f"release {release.number}, {promise}"
        for release, promise in zip(releases, promises, strict=True)
    )
    added = together(promises)
    if added is None:
        return f"The releases cost: {each}. What they tell about one person adds up."
    return (
        f"The releases cost: {each}. Together they cost at most {added}. In words: {risk_of(added)}"
    )


def _sources(releases: Sequence[Release]) -> list[Part]:
    rows: list[list[str | PageCell]] = [
        [
            str(each.number),
            each.time[:10],
            ", ".join(f"{name} (version {version})" for name, version in each.datasets.items()),
            PageCell(each.certificate["hash"], f"entry {each.entry.number} of the journal"),
        ]
        for each in releases
    ]
    return [
        Heading("Where they come from"),
        PageTable(["release", "date", "data", "certificate"], rows),
        Words(
            "A certificate says what was computed, with which noise and at which cost. "
            "Anyone can check it: shoal verify certificate.json",
            "note",
        ),
    ]
