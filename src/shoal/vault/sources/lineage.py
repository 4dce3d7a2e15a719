"""Which accounts pay for a version of a dataset: budgets follow the people in the data, not names
of files.

Guarantee: whoever is in several versions, or under several names, is protected by one account that
    all of them are charged to, and has one id in all datasets of which it is declared (`shares`,
    and every word but `new people`) that an id means the same person there.  `same rows`, `more
    rows` and `same people` go on with the accounts of the version before: a question is charged for everyone in it,
    so that is right whoever came or went.  `new people` opens an account: right only if nobody of
    this version is in an earlier one, for then each person is in the data of one account.  `all
    people` charges every account the dataset ever had: right whoever is in it.  Content that is
    known to the vault keeps its accounts, whatever is said.  A new dataset where private rows lie
    or lay shares their accounts, unless it is said that its people are new.  A dataset that is
    moved to such a place pays from their accounts, too, but nobody said that its ids are theirs:
    `shoal.plan.id_spaces` then refuses questions that read both.
Needs: the curator's word is true where the vault cannot see for itself.  What it sees: the same
    bytes, the same place, and, by keyed samples (`people_sample.py`), many of the same ids or rows.
    What it does not see: ids that were replaced, few people in common, what Spark reads.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from shoal.errors import SchemaError, VaultError
from shoal.plan import Person, Row, Unit
from shoal.vault.dataset import Dataset
from shoal.vault.sources.data_source import DataSource, Overlap

SAME_ROWS, MORE_ROWS, SAME_PEOPLE, NEW_PEOPLE, ALL_PEOPLE = (
    "same rows",
    "more rows",
    "same people",
    "new people",
    "all people",
)
RELATIONS = (SAME_ROWS, MORE_ROWS, SAME_PEOPLE, NEW_PEOPLE, ALL_PEOPLE)
"""How a version can stand to the one before it."""


class Paying(NamedTuple):
    """Accounts that pay for a dataset, and those of them whose datasets use the same ids for the
    same people.
    """

    accounts: tuple[str, ...]
    ids: tuple[str, ...]

    @classmethod
    def of(cls, datasets: Iterable[Dataset]) -> Paying:
        """The accounts of datasets whose people, by their ids, it is declared to be about."""
        found = cls((), ())
        for each in datasets:
            found = found.joined(cls(each.accounts, each.ids))
        return found

    @classmethod
    def opened(cls, name: str) -> Paying:
        """An account of one's own."""
        return cls((name,), (name,))

    def joined(self, other: Paying) -> Paying:
        """Both, each account once."""
        return Paying(
            *(tuple(dict.fromkeys(one + two)) for one, two in zip(self, other, strict=True))
        )


def read_relation(relation: str | None) -> str:
    """One of the four words."""
    if relation in RELATIONS:
        return str(relation)
    raise VaultError(
        "the data changed, and the vault must know who is in them now."
        if relation is None
        else f"{str(relation)[:40]!r} does not say how the new data stand to the old.",
        remedy="Give relation='same people' (rows were added or corrected; if in doubt, this), 'more rows' (rows were only "
        "added, which streams need to go on), 'new people' (nobody is in "
        "both; opens a new account and needs a budget), 'all people' (people of several earlier versions), "
        "or 'same rows' (the file was only written anew).",
    )


def with_content(digest: str, history: Sequence[Dataset]) -> Dataset | None:
    """The first declaration of the same content, under whatever name."""
    return next((each for each in history if each.digest == digest), None)


def of_content(digest: str, history: Sequence[Dataset]) -> Paying:
    """Every account that ever paid for some content; the same content has the same ids."""
    return Paying.of(each for each in history if each.digest == digest)


def accounts_of_place(
    name: str, location: DataSource, protects: Unit, history: Sequence[Dataset], secret: bytes
) -> tuple[str, ...]:
    """The accounts of other datasets whose private rows lie or lay at a place that a dataset moves
    to.
    """
    met = [
        each
        for each in history
        if each.name != name
        and not each.public
        and each.location.overlaps(location, secret) is Overlap.TABLE
    ]
    for each in met:
        check_known(each, protects)
    return tuple(dict.fromkeys(account for each in met for account in each.accounts))


def check_place(
    location: DataSource,
    relation: str | None,
    shares: Sequence[str],
    history: Sequence[Dataset],
    secret: bytes,
    *,
    is_copy: Callable[[Dataset], bool] = lambda _: False,
) -> None:
    """Refuse new content at a place of private rows, unless it is said whether the same people are
    in it.

    A file that was written anew, and another table of the same file or of a copy of it, are most
    often about the same people.  The same is asked where it cannot be told whether two places hold
    the same rows.  ``is_copy`` says whether a dataset lies or lay in a file with the same bytes.
    """
    if relation not in (None, NEW_PEOPLE):
        raise VaultError(
            f"{str(relation)[:40]!r} does not say how a new dataset stands to those there are.",
            remedy="Give relation='new people' if nobody in it is in another dataset, or shares= with the name of the other.",
        )
    for each in history if relation is None else ():
        if each.public or each.name in shares:
            continue
        overlap = each.location.overlaps(location, secret)
        if overlap.meets:
            found = f"{each.name!r} lies or lay in {location.label}"
        elif is_copy(each):
            found = f"{each.name!r} lies or lay in {location.label} or a copy of it"
        elif overlap is Overlap.UNKNOWN:
            found = f"it cannot be told whether rows of {each.name!r} are in {location.label}"
        else:
            continue
        raise VaultError(
            f"{found}; are the same people in the new dataset?",
            remedy=f"If anybody may be in both, or in doubt, give shares={each.name!r} (--shares {each.name}), "
            "which declares that an id means the same person in both. If nobody is, give "
            f"relation='new people' (--new-people). New data of {each.name!r} itself are declared with update.",
        )


def check_public_place(location: DataSource, history: Sequence[Dataset], secret: bytes) -> None:
    """Refuse to call public what lies where private rows lay, and what may be computed from
    them.
    """
    for each in history:
        if each.public:
            continue
        if each.location.overlaps(location, secret) is Overlap.TABLE:
            raise VaultError(
                f"{location.label} is or was where {each.name!r} lies, which is private.",
                remedy="Keep the public table in a file, or a table, of its own.",
            )
        if not location.listed:
            raise VaultError(
                f"{location.label} may be computed from {each.name!r}, which is private.",
                remedy="Write the public table to a file, or a table of the catalogue, and give that.",
            )


def after(name: str, relation: str, history: Sequence[Dataset], version: int) -> Paying:
    """The accounts of the next version of a dataset; whoever was in it before has the ids of
    before.
    """
    own = [each for each in history if each.name == name]
    if relation == NEW_PEOPLE:
        return Paying.opened(f"{name}#{version}")
    return Paying.of(own if relation == ALL_PEOPLE else own[-1:])


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
    """What a budget is counted for; how much of a person may count in an answer is not part of
    it.
    """
    if isinstance(unit, Row):
        return "row", unit.relation
    assert isinstance(unit, Person)
    return unit.columns, unit.nulls, unit.relation


def check_read_alike(made: Dataset, digest: str, history: Iterable[Dataset]) -> None:
    """Refuse to tell people apart by other cells of known content than before.

    A CSV file names and types its columns only by what is declared, so equal names need not be
    equal columns.
    """
    for each in history:
        if each.digest == digest and _person_cells(each) != _person_cells(made):
            raise SchemaError(
                f"this content is registered as {each.name!r}, where other cells say which person a row belongs to.",
                remedy="Declare the columns of the person as there: the same place, type, delimiter, decimal and encoding.",
            )


def _person_cells(dataset: Dataset) -> tuple[object, ...]:
    """Which cells of a CSV file identify a person, and as what they are read; nothing for other
    sources.
    """
    location, unit = dataset.location, dataset.protects
    if location.form != "csv" or not isinstance(unit, Person):
        return ()
    named = location.header is not False
    read = {c.name: (c.name if named else at, str(c.type)) for at, c in enumerate(dataset.columns)}
    mark = None if named else location.delimiter
    written = location.decimal or ".", location.encoding or "utf-8"
    return (mark, *written, *(read[name] for name in unit.columns))
