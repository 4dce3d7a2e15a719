"""An answer for people to read: its table with intervals, and how to cite it."""

from __future__ import annotations

from dataclasses import dataclass

from shoal.query.shown_answer import Presentable, Sheet, sheet_of
from shoal.query.stored_answer import Kept
from shoal.vault import Release

MOST_ROWS = 500
"""A page shows so many rows; downloads have all of them."""


@dataclass(frozen=True)
class AnswerRow:
    """One row: each cell as text, with the text of its interval if it has one."""

    cells: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class AnswerView:
    """A table for a page."""

    columns: tuple[tuple[str, bool], ...]
    """Each name, and whether it is of numbers."""
    rows: tuple[AnswerRow, ...]
    caption: str
    notes: tuple[str, ...]

    @classmethod
    def of(cls, answer: Presentable) -> AnswerView:
        """The table of an answer."""
        sheet = sheet_of(answer, MOST_ROWS)
        columns = tuple((each.name, each.number) for each in sheet.columns)
        rows = tuple(AnswerRow(_cells(sheet, at)) for at in range(sheet.length))
        return cls(columns, rows, sheet.caption, tuple(sheet.notes))


def _cells(sheet: Sheet, at: int) -> tuple[tuple[str, str], ...]:
    return tuple(
        (each.values[at], "" if each.ends is None else each.ends[at].ends) for each in sheet.columns
    )


def view_of(release: Release) -> AnswerView | None:
    """The table of a release; None where it has none."""
    kept = release.answer
    return None if kept is None or "columns" not in kept else AnswerView.of(Kept(kept))


def citation(release: Release) -> str:
    """How to cite a release."""
    named = " and ".join(f"{name} (version {at})" for name, at in release.datasets.items())
    mark = release.certificate.get("hash", "")[:16]
    return (
        f"Release {release.number} of {named}, {release.time[:10]}, differentially private with "
        f"{release.request}. Shoal certificate {mark}."
    )
