"""Which accounts pay for a version of a dataset: budgets follow the people in the data, not names of files.

Guarantee: whoever is in several versions, or under several names, is protected by one account that all of them are
    charged to.  `same rows` and `same people` go on with the accounts of the version before: a question is charged for
    everyone in it, so that is right whoever came or went.  `new people` opens an account: right only if nobody of this
    version is in an earlier one, for then each person is in the data of one account.  `all people` charges every account
    the dataset ever had: right whoever is in it.  Content that is known to the vault keeps its accounts, whatever is said.
"""

from __future__ import annotations

from collections.abc import Sequence

from shoal.errors import SchemaError, VaultError
from shoal.plan import Person, Row, Unit
from shoal.vault.dataset import Dataset

SAME_ROWS, SAME_PEOPLE, NEW_PEOPLE, ALL_PEOPLE = (
    "same rows",
    "same people",
    "new people",
    "all people",
)
RELATIONS = (SAME_ROWS, SAME_PEOPLE, NEW_PEOPLE, ALL_PEOPLE)
"""How a version can stand to the one before it."""


def read_relation(relation: str | None) -> str:
    """One of the four words."""
    if relation in RELATIONS:
        return str(relation)
    raise VaultError(
        "the data changed, and the vault must know who is in them now."
        if relation is None
        else f"{str(relation)[:40]!r} does not say how the new data stand to the old.",
        remedy="Give relation='same people' (rows were added or corrected; if in doubt, this), 'new people' (nobody is in "
        "both; opens a new account and needs a budget), 'all people' (people of several earlier versions), "
        "or 'same rows' (the file was only written anew).",
    )


def with_content(digest: str, history: Sequence[Dataset]) -> Dataset | None:
    """The first declaration of the same content, under whatever name."""
    return next((each for each in history if each.digest == digest), None)


def accounts_after(
    name: str, relation: str, history: Sequence[Dataset], version: int
) -> tuple[str, ...]:
    """The accounts of the next version of a dataset."""
    own = [each for each in history if each.name == name]
    if relation == NEW_PEOPLE:
        return (f"{name}#{version}",)
    if relation == ALL_PEOPLE:
        return tuple(dict.fromkeys(account for each in own for account in each.accounts))
    return own[-1].accounts


def check_known(known: Dataset, protects: Unit | None) -> None:
    """Refuse to protect known content otherwise than before."""
    if known.protects is None or protects is None:
        if known.protects is not protects:
            raise VaultError(
                f"this content is registered as {known.name!r}, which is "
                f"{'public' if known.public else 'private'}.",
                remedy="Content is public or private, under every name alike.",
            )
        return
    if _protected(known.protects) != _protected(protects):
        raise SchemaError(
            f"this content is registered as {known.name!r}, which protects {known.protects} "
            f"({known.protects.relation}).",
            remedy="Protect the same unit, with the same relation: its budget is counted for that.",
        )


def _protected(unit: Unit) -> tuple[object, ...]:
    """What a budget is counted for; how much of a person may count in an answer is not part of it."""
    if isinstance(unit, Row):
        return "row", unit.relation
    assert isinstance(unit, Person)
    return unit.columns, unit.nulls, unit.relation
