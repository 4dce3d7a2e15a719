"""Every kind of case, how often it comes, and how much of it runs in `make test`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module

from scripts.fuzzing.case import Case


@dataclass(frozen=True)
class Kind:
    """A kind of case.

    ``weight`` is how many of each round of cases are of it, and ``share`` how many run in `make
    test`.
    """

    name: str
    about: str
    weight: int
    share: int

    @property
    def make(self) -> Callable[[int], Case]:
        """Makes the case with a number; the module of a kind is imported with its first case."""
        made: Callable[[int], Case] = import_module(f"scripts.fuzzing.kinds.{self.name}").make
        return made


KINDS: Mapping[str, Kind] = {
    kind.name: kind
    for kind in (
        Kind(
            "questions",
            "random questions on random rows, through the reference and both ways of DuckDB",
            800,
            1600,
        ),
        Kind("canonical", "questions that differ by a word, and their canonical texts", 80, 240),
        Kind("ranges", "public ranges with hostile ends, in local and central mechanisms", 60, 700),
        Kind(
            "functions", "functions of callers that fail on one row, and rows of odd types", 30, 600
        ),
        Kind("histories", "local answers given again and again", 20, 60),
        Kind("declarations", "odd words in declarations and questions", 16, 160),
        Kind(
            "sources",
            "files, folders, frames and tables in which one row is written in another way",
            14,
            120,
        ),
        Kind("failures", "engines that fail after the charge, in many ways", 10, 24),
        Kind("sizes", "long questions over texts, and the public limits on size", 20, 120),
        Kind("identities", "tables whose ids mean the same people, or do not", 20, 100),
        Kind("accounts", "vaults with two datasets, of one account and of two", 3, 7),
        Kind("versions", "datasets of a vault that are moved, or read in another way", 1, 5),
        Kind("commands", "the command line on vaults of two neighbours", 1, 3),
        Kind("spark", "random questions through Spark, beside the reference", 1, 0),
        Kind("uniform", "tables in which every row is alike, and one that is not", 24, 120),
        Kind("growth", "text that grows in one row, within limits of memory and time", 1, 8),
        Kind(
            "replacements",
            "questions without groups where one row or person is replaced by another",
            60,
            600,
        ),
    )
}
ROUND = sum(kind.weight for kind in KINDS.values())
"""The number of cases in a round, in which every kind has as many as its weight."""


def case_of(seed: int) -> tuple[Kind, int]:
    """The kind of the case with a seed, and its number among those of its kind.

    >>> kind, number = case_of(0)
    >>> kind.name, number, case_of(ROUND)[1]
    ('questions', 0, 800)
    """
    turn, at = divmod(seed, ROUND)
    for kind in KINDS.values():
        if at < kind.weight:
            return kind, turn * kind.weight + at
        at -= kind.weight
    raise AssertionError(seed)


def seed_of(kind: Kind, number: int) -> int:
    """The seed of a case of a kind: `case_of`, the other way round."""
    turn, at = divmod(number, kind.weight)
    for each in KINDS.values():
        if each.name == kind.name:
            break
        at += each.weight
    return turn * ROUND + at
