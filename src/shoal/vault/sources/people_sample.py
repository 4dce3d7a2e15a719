"""A sample of who is in a dataset, by which the vault knows most of the same people again in
another file.

Of every person and of every row a hash is computed under a key of the vault, and the smallest
`MOST` are kept in the journal.  Which people are in the sample depends on the key alone, so two
datasets about the same people have nearly the same sample, and below the smaller of their largest
hashes both samples are whole.  `vault.md` in docs says who could learn what from it.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Sequence
from dataclasses import replace

from shoal.engines.duckdb import DuckDB
from shoal.errors import VaultError
from shoal.plan import Person
from shoal.vault.dataset import Dataset

MOST = 256
"""So many hashes are kept; of fewer people all."""
_MOST_COLUMNS = 64
"""Rows are known by so many of their columns, the first by name; more would only take time."""
_ALIKE = 10
"""Datasets are questioned when more than one in so many of the smaller sample is in the other."""


def with_samples(dataset: Dataset, secret: bytes) -> Dataset:
    """A dataset with the smallest keyed hashes of those whom it protects, and of its rows where it
    protects people.

    None where it is public, or lies in Spark.  Rows are sampled too since another dataset may
    protect the same rows in another way.
    """
    if dataset.protects is None or not dataset.location.is_local:
        return replace(dataset, sample=(), row_sample=())
    engine = DuckDB({dataset.name: dataset.source(dataset.location)})
    rows = sorted(each.name for each in dataset.columns)[:_MOST_COLUMNS]
    by_row = _least(engine, dataset.name, "\x1f".join(["row", *rows]), rows, secret)
    if not isinstance(dataset.protects, Person):
        return replace(dataset, sample=by_row, row_sample=())
    columns = [str(each) for each in dataset.protects.columns]
    by_person = _least(engine, dataset.name, "person", columns, secret)
    return replace(dataset, sample=by_person, row_sample=by_row)


def _least(
    engine: DuckDB, table: str, kind: str, columns: Sequence[str], secret: bytes
) -> tuple[str, ...]:
    key = hmac.new(secret, f"sample {kind}".encode(), hashlib.sha256).hexdigest()[:32]
    return tuple(engine.least_hashes(table, columns, key, MOST, persons=kind == "person"))


def overlap(one: Sequence[str], other: Sequence[str]) -> bool:
    """Whether so many are in both samples that the same people must be in both datasets."""
    ends = [each[-1] for each in (one, other) if len(each) == MOST]
    mine, theirs = (
        {each for each in some if not ends or each <= min(ends)} for some in (one, other)
    )
    return _ALIKE * len(mine & theirs) > min(len(mine), len(theirs)) > 0


def meet(one: Dataset, other: Dataset) -> bool:
    """Whether two datasets have many people, or many rows, in common, however they protect them."""
    by_row = [each.row_sample or each.sample for each in (one, other)]
    return overlap(one.sample, other.sample) or overlap(*by_row)


def check_people(made: Dataset, history: Sequence[Dataset], *, is_update: bool = False) -> None:
    """Refuse a dataset in which many are whom another account pays for already, and not those of
    this dataset.

    Datasets of which some under the accounts of this one met the other were questioned then, and
    the curator's word stands.
    """
    kin = [each for each in history if set(each.accounts) & set(made.accounts)]
    for each in history:
        if each in kin or not meet(made, each) or any(meet(other, each) for other in kin):
            continue
        raise VaultError(
            f"many of those in {made.location.label} are in {_named(each, made)} already; is it about the same people?",
            remedy=_remedy(
                made, each, [*dict.fromkeys(one.name for one in kin)], is_update=is_update
            ),
        )


def _named(each: Dataset, made: Dataset) -> str:
    return f"version {each.version} of {each.name!r}" if each.name == made.name else repr(each.name)


def _remedy(made: Dataset, each: Dataset, kin: Sequence[str], *, is_update: bool) -> str:
    """What to type if the people are the same, and what if they only have equal ids."""
    doubt, equal = "If anybody may be in both, or in doubt,", "If they only have equal ids,"
    if each.name == made.name:
        return f"{doubt} give relation='all people' (--relation 'all people')."
    names = [*kin, each.name]
    shares = repr(names[0]) if len(names) == 1 else repr(names)
    share = f"give shares={shares} ({' '.join(f'--shares {name}' for name in names)})"
    if type(each.protects) is not type(made.protects):
        share = f"protect {each.protects}, as {each.name!r} does, and {share}"
    if is_update:
        return f"{doubt} add it under a name of its own and {share}. {equal} add it with relation='new people' (--new-people)."
    own = "" if kin else f" New data of {each.name!r} itself are declared with update."
    return f"{doubt} {share}. {equal} give relation='new people' (--new-people).{own}"
