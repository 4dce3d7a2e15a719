"""The report of a whole account: what was spent, by whom and when, and what it means for a
person.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from shoal.ledger import Verification
from shoal.page import Fold, Heading, Page, PageCell, PagePicture, PageTable, Part, Words
from shoal.query.payment import left_text
from shoal.vault.accounts.budgets import Standing
from shoal.vault.accounts.spending import AccountSpending
from shoal.vault.dataset import Dataset
from shoal.vault.deployment_record import REGISTRY_SCHEMA, record_of_account, to_fill_in
from shoal.vault.evaluation_checklist import VaultFacts, checklist
from shoal.vault.releases import Release

_MOST_RELEASES = 500
"""A report lists so many of the newest releases, and says how many more there are."""


@dataclass(frozen=True)
class AccountFacts:
    """What the report of an account is made of; ``checked`` is when the journal was verified."""

    dataset: Dataset
    standing: Standing
    releases: Sequence[Release]
    spending: Sequence[AccountSpending]
    verdict: Verification
    checked: str
    place: Path | None

    @property
    def analysts(self) -> list[str]:
        return [each.name.partition("@")[2] for each in self.standing.allowances]

    @property
    def certificates(self) -> list[Mapping[str, Any]]:
        """Those of the releases that have one."""
        return [each.certificate for each in self.releases if "certificate" in (each.answer or {})]


def account_page(
    facts: AccountFacts, *, title: str | None = None, pictures: Mapping[str, str] | None = None
) -> Page:
    """The account of a dataset; ``pictures`` are drawings as SVG, by the name of the account."""
    name = facts.dataset.name
    return Page(
        title or f"Privacy account of {name}",
        [
            Words(_lead(facts), "lead"),
            PageTable(["", ""], _summary(facts)),
            Heading("What this means for one person"),
            *(Words(each) for each in facts.standing.risk()),
            Heading("Who spent what, and when"),
            *_spent(facts, pictures or {}),
            Heading("Releases"),
            *_releases(facts),
            Heading("Checklist by NIST SP 800-226"),
            Words(
                "The points of the guidelines for evaluating differential privacy guarantees. The last "
                "column says who vouches for the answer; what nobody vouches for is for the curator.",
                "note",
            ),
            PageTable(
                ["point", "this vault", "vouched for by"],
                [[each.point, each.answer, each.by] for each in _checklist(facts)],
            ),
            Heading("Fields of the Deployments Registry"),
            *_registry(facts),
        ],
    )


def account_record(facts: AccountFacts) -> dict[str, Any] | None:
    """The account as a record of the Deployments Registry; None while nothing was released."""
    if not facts.certificates:
        return None
    return record_of_account(
        facts.certificates,
        dataset=facts.dataset.name,
        spent=facts.standing.spent,
        budget=facts.standing.whole,
        first=facts.releases[0].time,
        versions=facts.dataset.version,
        analysts=facts.analysts,
    )


def _lead(facts: AccountFacts) -> str:
    standing, count = facts.standing, len(facts.releases)
    said = "release was" if count == 1 else "releases were"
    return (
        f"{count} {said} made about {facts.dataset.name}. Of the budget, {standing.whole}, "
        f"{standing.spent} is spent and {left_text(standing.left)} is left."
    )


def _summary(facts: AccountFacts) -> list[tuple[str, str | PageCell]]:
    unit = facts.dataset.protects
    assert unit is not None
    first, last = (
        (facts.releases[0].time[:10], facts.releases[-1].time[:10])
        if facts.releases
        else ("-", "-")
    )
    verdict = facts.verdict
    state = "sound" if verdict.is_sound else "NOT SOUND"
    found = "; ".join([*verdict.findings, *(f"accepted: {each}" for each in verdict.accepted)])
    return [
        ("protects", str(unit)),
        *(
            (
                f"account {each.name}",
                PageCell(
                    f"{each.budget}, spent {each.spent}, left {left_text(each.left)}",
                    f"{each.events} release{'s' * (each.events != 1)}",
                ),
            )
            for each in facts.standing.accounts
        ),
        ("first and last release", f"{first}, {last}"),
        ("version of the data", str(facts.dataset.version)),
        (
            "journal",
            PageCell(f"{state}, verified {facts.checked[:16].replace('T', ' ')} UTC", found),
        ),
        ("head of the journal", str(verdict.head)),
    ]


def _spent(facts: AccountFacts, pictures: Mapping[str, str]) -> list[Part]:
    parts: list[Part] = []
    for each in facts.spending:
        if not each.points:
            continue
        if len(facts.spending) > 1:
            parts.append(Heading(f"Account {each.account.name}", 3))
        if each.account.name in pictures:
            caption = "What was spent in all after each release, and the budget (dashed)."
            parts.append(PagePicture(pictures[each.account.name], caption))
        rows = [[one.by, str(one.releases), str(one.spent)] for one in each.askers]
        parts.append(PageTable(["asked by", "releases", "cost together"], rows, frozenset({1})))
    if not parts:
        return [Words("Nothing was released yet.")]
    left = [
        [each.name.partition("@")[2], str(each.budget), str(each.spent), left_text(each.left)]
        for each in facts.standing.allowances
    ]
    if left:
        parts += [
            Words("What each analyst may spend, within the budget:"),
            PageTable(["analyst", "allowance", "spent", "left"], left),
        ]
    return parts


def _releases(facts: AccountFacts) -> list[Part]:
    shown = facts.releases[-_MOST_RELEASES:]
    rows: list[list[str | PageCell]] = [
        [
            str(each.number),
            PageCell(each.time[:10], each.asked_by),
            PageCell(each.request, "" if each.state == "answered" else each.state),
            " ".join(each.question.split()),
        ]
        for each in shown
    ]
    more = len(facts.releases) - len(shown)
    parts: list[Part] = [PageTable(["release", "when and by whom", "cost", "question"], rows)]
    if more:
        parts.append(Words(f"{more:,} earlier releases are not listed; shoal log --all has them."))
    return parts if shown else [Words("Nothing was released yet.")]


def _checklist(facts: AccountFacts) -> list[Any]:
    made = facts.certificates[-1]["versions"] if facts.certificates else {}
    return checklist(
        VaultFacts(
            facts.dataset,
            facts.standing,
            releases=len(facts.releases),
            unanswered=sum(each.state in ("pending", "unanswered") for each in facts.releases),
            analysts=facts.analysts,
            place=facts.place,
            sound=facts.verdict.is_sound,
            versions=", ".join(f"{name} {number}" for name, number in made.items()) or "nobody yet",
        )
    )


def _registry(facts: AccountFacts) -> list[Part]:
    record = account_record(facts)
    if record is None:
        return [Words("Nothing was released yet.")]
    missing = set(to_fill_in(record))
    rows = [
        [path, "to be filled in by the curator" if path in missing else said]
        for path, said in _leaves(record, "")
    ]
    return [
        Words(
            f"As shoal report --account {facts.dataset.name} --registry writes them, by the schema of "
            f"{REGISTRY_SCHEMA}. {len(missing)} fields are for the curator to fill in.",
            "note",
        ),
        Fold("All fields", [PageTable(["field", "value"], rows)]),
    ]


def _leaves(part: Any, path: str) -> list[tuple[str, str]]:
    if isinstance(part, Mapping):
        return [
            leaf
            for name, value in part.items()
            for leaf in _leaves(value, f"{path}.{name}" if path else name)
        ]
    if isinstance(part, list):
        return [leaf for each in part for leaf in _leaves(each, path)]
    return [(path, str(part))]
