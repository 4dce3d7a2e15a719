"""A sample of who is in a dataset, by which the vault knows most of the same people again in another file.

Of every person (for `Row` units of every row) a hash is computed under a key of the vault, and the smallest `MOST` are kept in the journal.
Which people are in the sample depends on the key alone, so two datasets about the same people have nearly the same sample, and
below the smaller of their largest hashes both samples are whole.  `vault.md` in docs says who could learn what from it.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Sequence

from shoal.engines.duckdb import DuckDB
from shoal.errors import ShoalError, VaultError
from shoal.plan import Person
from shoal.vault.dataset import Dataset
from shoal.vault.location import Location

MOST = 256
"""So many hashes are kept; of fewer people all."""
_MOST_COLUMNS = 64
"""Rows are known by so many of their columns, the first by name; more would only take time."""
_ALIKE = 10
"""Datasets are questioned when more than one in so many of the smaller sample is in the other."""


def sample_of(dataset: Dataset, secret: bytes) -> tuple[str, ...]:
    """The smallest keyed hashes of those whom a dataset protects; none where it is public, or lies in Spark."""
    if dataset.protects is None or not isinstance(dataset.location, Location):
        return ()
    if isinstance(dataset.protects, Person):
        kind, columns = "person", [str(each) for each in dataset.protects.columns]
    else:
        columns = sorted(each.name for each in dataset.columns)[:_MOST_COLUMNS]
        kind = "\x1f".join(["row", *columns])
    key = hmac.new(secret, f"sample {kind}".encode(), hashlib.sha256).hexdigest()[:32]
    try:
        engine = DuckDB({dataset.name: dataset.source(dataset.location)})
        found = engine.least_hashes(dataset.name, columns, key, MOST, persons=kind == "person")
    except ShoalError:  # rows that cannot be read are refused when they are asked
        return ()
    return tuple(found)


def overlap(one: Sequence[str], other: Sequence[str]) -> bool:
    """Whether so many are in both samples that the same people must be in both datasets."""
    ends = [each[-1] for each in (one, other) if len(each) == MOST]
    mine, theirs = (
        {each for each in some if not ends or each <= min(ends)} for some in (one, other)
    )
    return _ALIKE * len(mine & theirs) > min(len(mine), len(theirs)) > 0


def check_people(made: Dataset, history: Sequence[Dataset]) -> None:
    """Refuse a new account for people of whom many are in another one already."""
    for each in history:
        if (
            each.sample
            and not set(each.accounts) & set(made.accounts)
            and overlap(made.sample, each.sample)
        ):
            raise VaultError(
                f"many of those in {made.location.label} are in {each.name!r} already; is it about the same people?",
                remedy=f"If anybody may be in both, or in doubt, give shares={each.name!r} (--shares {each.name}). If they only have equal "
                f"ids, give relation='new people' (--new-people). New data of {each.name!r} itself are declared with update.",
            )
