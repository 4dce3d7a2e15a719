"""A checklist by NIST SP 800-226, filled from what the vault knows.

The points are the parts of the "differential privacy pyramid" of NIST Special Publication 800-226,
"Guidelines for Evaluating Differential Privacy Guarantees" (March 2025): the parameters and the unit
of privacy; algorithms, utility and bias; trust, side channels, access and the collection of data.
Each answer says who vouches for it: Shoal, the curator's declaration, or nobody yet.
"""

from __future__ import annotations

import stat
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from shoal.query.payment import left_text
from shoal.vault.accounts.budgets import Standing
from shoal.vault.dataset import Dataset

SHOAL, DECLARED, OPEN = "Shoal", "declared by the curator", "for the curator to answer"


@dataclass(frozen=True)
class ChecklistPoint:
    """One point: its name, the answer, and who vouches for it."""

    point: str
    answer: str
    by: str


@dataclass(frozen=True)
class VaultFacts:
    """What a checklist is filled from."""

    dataset: Dataset
    standing: Standing
    releases: int
    unanswered: int
    analysts: Sequence[str]
    place: Path | None
    sound: bool
    versions: str


def checklist(facts: VaultFacts) -> list[ChecklistPoint]:
    """Every point of the pyramid, from its top down."""
    return [*_guarantee(facts), *_algorithms(facts), *_surroundings(facts)]


def _guarantee(facts: VaultFacts) -> list[ChecklistPoint]:
    unit, standing = facts.dataset.protects, facts.standing
    assert unit is not None
    relation = {
        "add_remove": "datasets that differ by adding or removing one",
        "change": "datasets of the same size that differ in the data of one",
    }[str(unit.relation)]
    accounts = "; ".join(
        f"{each.name}: budget {each.budget}, spent {each.spent}, left {left_text(each.left)}"
        for each in standing.accounts
    )
    return [
        ChecklistPoint("Epsilon and delta", f"{accounts}. {standing.risk()[0]}", SHOAL),
        ChecklistPoint(
            "Unit of privacy",
            f"{unit}; neighbours are {relation}. That the unit is right, for example that one person "
            "has one id, is the curator's word.",
            DECLARED,
        ),
        ChecklistPoint(
            "Composition",
            f"The account adds up every release before it is made ({_many(facts.releases)} so "
            "far), for all analysts together, whatever the questions depend on. Data about the same "
            "people in another vault are not counted here.",
            SHOAL,
        ),
    ]


def _many(releases: int) -> str:
    return f"{releases} release{'s' * (releases != 1)}"


def _algorithms(facts: VaultFacts) -> list[ChecklistPoint]:
    wasted = (
        f" {facts.unanswered} charges have no answer; their cost stays spent."
        if facts.unanswered
        else ""
    )
    return [
        ChecklistPoint(
            "Algorithms and their implementation",
            "Totals are exact integers; noise is drawn exactly, in integers, from secret bits; the "
            "result is rounded once, after the noise. Each certificate lists the noise and can be "
            f"checked without the data. Newest release made by {facts.versions}.{wasted}",
            SHOAL,
        ),
        ChecklistPoint(
            "Tests of the implementation",
            "Shoal's test suite compares neighbouring datasets and audits every mechanism. Whether "
            "it was run on this installation is not recorded in a vault.",
            OPEN,
        ),
        ChecklistPoint(
            "Utility",
            "Every released count, sum and mean has a confidence interval of its noise, known before "
            "it is paid for. Whether that is enough for the purpose is not known here.",
            OPEN,
        ),
        ChecklistPoint(
            "Bias",
            "Noise has mean zero. Limits for each person and declared ranges cut large contributions, "
            "which moves totals in one direction; shoal check shows the curator how much. Small "
            "groups have large relative errors. Bias in how the data were collected stays.",
            OPEN,
        ),
    ]


def _surroundings(facts: VaultFacts) -> list[ChecklistPoint]:
    count = len(facts.analysts)
    who = (
        "No analyst has an allowance; the curator asks."
        if count == 0
        else f"{count} analyst{'' if count == 1 else 's'} with an allowance: {', '.join(facts.analysts)}."
    )
    journal = "sound" if facts.sound else "NOT sound: see the findings above"
    return [
        ChecklistPoint(
            "Trust model",
            "Central: the curator holds the rows and is trusted with them. Analysts and readers are "
            "not trusted.",
            SHOAL,
        ),
        ChecklistPoint(
            "Side channels",
            "Whether a question is refused, what errors say, which columns there are and what is left "
            "of the budget do not depend on rows. The running time of the engine, and its memory, are "
            "not hidden.",
            SHOAL,
        ),
        ChecklistPoint("Query access", who, DECLARED),
        ChecklistPoint("Access to the vault", _access(facts.place), SHOAL),
        ChecklistPoint("Record of releases", f"The journal is {journal}.", SHOAL),
        ChecklistPoint(
            "Access to the rows",
            "The rows stay where they are; Shoal keeps no copy. Who can read those files, their "
            "backups and the machine is not known here.",
            OPEN,
        ),
        ChecklistPoint(
            "Data collection",
            "How the data were collected, with which consent, and how long they are kept is not known "
            "here. Differential privacy does not protect data before they are asked about.",
            OPEN,
        ),
    ]


def _access(place: Path | None) -> str:
    """Who can open the file, as the system says now."""
    if place is None:
        return "The vault is on a PostgreSQL server; its roles decide who can open it."
    mode = stat.S_IMODE(place.stat().st_mode)
    others = mode & (stat.S_IRWXG | stat.S_IRWXO)
    readers = "other users of the machine can, too" if others else "nobody else can"
    return (
        f"The owner of the file can open it; {readers} (mode {mode:o}). Whoever can open it is the "
        "curator: Shoal has no passwords."
    )
