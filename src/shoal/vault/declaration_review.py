"""What a declaration would change, for somebody to review before it is written down."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from difflib import unified_diff
from typing import Any

from shoal.measures import Measure
from shoal.vault.dataset import Dataset, StatedColumn
from shoal.vault.plain_values import fact_to

_AROUND = 2
"""So many lines are shown around each that changes."""


@dataclass(frozen=True)
class DeclarationReview:
    """A declaration that was tried and not written: its text before and after, and what follows
    from it, in words.

    ``follows`` is the entry of the declaration that it would take the place of, and ``content`` the
    vault's own hash of the rows that were looked at.
    """

    name: str
    before: str
    after: str
    notes: tuple[str, ...]
    content: str
    follows: int | None = None

    @property
    def lines(self) -> list[str]:
        """The lines that change, each with its sign, and some around them."""
        both = self.before.splitlines(), self.after.splitlines()
        found = list(unified_diff(*both, lineterm="", n=_AROUND))
        first = "@@ -0" if not self.before else "@@ -1,"
        whole = [each for each in found[2:] if not each.startswith(first)]
        return ["…" if each.startswith("@@") else each for each in whole]

    @property
    def changes(self) -> bool:
        """Whether anything would be different from before."""
        return self.before != self.after or bool(self.notes)

    def to_dict(self) -> dict[str, Any]:
        """The review as plain values."""
        return {
            "name": self.name,
            "follows": self.follows,
            "content": self.content,
            "notes": list(self.notes),
            "lines": self.lines,
            "declaration": self.after,
        }


def notes_on(
    before: Dataset | None, made: Dataset, opened: Mapping[str, Measure]
) -> tuple[str, ...]:
    """What follows from a declaration; ``opened`` are the budgets of the accounts that it opens."""
    if before is None:
        return (*_first(made), *_paying(made, opened))
    if _what_counts(before) == _what_counts(made):
        return ()
    return (*_version(before, made, opened), *_limits(before, made), *_columns(before, made))


def _what_counts(dataset: Dataset) -> tuple[object, ...]:
    return dataset.digest, dataset.data_digest, str(dataset.location), dataset.accounts


def _first(made: Dataset) -> Iterator[str]:
    yield f"A new dataset {made.name!r} with {len(made.columns)} columns."
    if made.protects is None:
        yield "It is public: it protects nobody, and everybody with a role may see its rows."
    else:
        yield f"It protects {made.protects}."


def _paying(made: Dataset, opened: Mapping[str, Measure]) -> Iterator[str]:
    for name, budget in opened.items():
        yield f"A new budget is opened for its people: {budget} (account {name!r})."
    others = [each for each in made.accounts if each not in opened]
    if others:
        yield f"Questions about it are charged to: {', '.join(others)}."


def _version(before: Dataset, made: Dataset, opened: Mapping[str, Measure]) -> Iterator[str]:
    if before.digest == made.digest:
        yield "The rows are those of before."
    elif before.version == made.version:
        yield f"The file was written anew with the same rows; version {made.version} stays."
    else:
        yield f"Version {made.version} of the data: {made.declared}."
        yield from _paying(made, opened)
    if before.data_digest != made.data_digest:
        yield "Answers that were released stay. A question that is asked again is charged again."


def _limits(before: Dataset, made: Dataset) -> Iterator[str]:
    if before.protects != made.protects:
        yield f"It protects {made.protects}; before, {before.protects}."
    if str(before.location) != str(made.location):
        there, then = made.location.label, before.location.label
        where = f"{there!r}; before, from {then!r}" if there != then else f"another {there!r}"
        yield f"The rows are read from {where}."


def _columns(before: Dataset, made: Dataset) -> Iterator[str]:
    old, new = ({each.name: each for each in some.columns} for some in (before, made))
    for name, each in new.items():
        if name not in old:
            yield f"Column {name!r} is new: {_said(each)}."
        elif _said(old[name]) != _said(each):
            yield f"Column {name!r}: {_said(each)}; before, {_said(old[name])}."
    for name in old:
        if name not in new:
            yield f"Column {name!r} is there no longer."


def _said(each: StatedColumn) -> str:
    """What is stated of a column, in words."""
    fact, found = fact_to(each.fact), [str(each.type)]
    if "range" in fact:
        found.append(f"from {fact['range'][0]} to {fact['range'][1]}")
    if "choices" in fact:
        found.append(f"one of {len(fact['choices'])} values")
    if each.required:
        found.append("never empty")
    if each.rows is not None and each.span is None:
        found.append(f"at most {each.rows} rows of a person agree in it")
    return ", ".join(found)
