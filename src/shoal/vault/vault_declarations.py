"""The part of a vault in which its curator declares datasets: where rows are, whom they describe, and
what is known of their columns.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from shoal.errors import SchemaError, VaultError
from shoal.measures import Measure, StatedBudget, budget_of
from shoal.plan import Person as PersonUnit
from shoal.plan import Row, Unit, facts_of
from shoal.query.private_tables import Facts
from shoal.vault.dataset import Dataset
from shoal.vault.declaration import declared_source, from_toml, names_of, to_toml
from shoal.vault.declaration_check import DeclarationCheck, check_declaration
from shoal.vault.proposal import declare, proposal
from shoal.vault.stated_columns import Said, proposed_dataset
from shoal.vault.vault_reviews import VaultReviews


class VaultDeclarations(VaultReviews):
    """What a `Vault` has for its curator, who declares datasets."""

    def add(
        self,
        name: str,
        source: object,
        *,
        protects: Unit | None = None,
        budget: StatedBudget | None = None,
        columns: Facts | None = None,
        required: Sequence[str] = (),
        keys: Mapping[str, int] | None = None,
        table: str | None = None,
        public: bool = False,
        shares: str | Sequence[str] | None = None,
        relation: str | None = None,
    ) -> Dataset:
        """Declare a dataset: where its rows lie, whom it protects, what is known of its columns,
        and its budget.

        ``source`` is a path to Parquet, a `CsvFile` with the types of its columns, a folder of
        Parquet files, a DuckDB file with a ``table``, an address of Spark with a ``table``, a
        `SparkTable`, or a frame of Spark, which this process alone remembers.  A ``public`` one
        protects nobody and has no budget.  ``shares`` names a dataset whose account it shares: an
        id means the same person in both.  Where private rows lie or lay already, ``shares`` or
        ``relation="new people"`` must say who is in it.

        Edges: content that is registered already, under whatever name, shares that account; no
        budget is added.
        """
        self._curator()
        if public == (protects is not None) or (
            protects is not None and not isinstance(protects, Row | PersonUnit)
        ):
            raise SchemaError(
                "protects must say who is protected, or public that nobody is.",
                remedy="Give protects=shoal.Person('user_id', groups=5, rows_per_group=3), shoal.Row(), or public=True.",
            )
        said = Said(facts_of(columns), tuple(required), dict(keys or {}))
        return self._registry.add(
            name,
            source,
            table=table,
            protects=protects,
            said=said,
            budget=_budget(budget),
            shares=names_of(shares),
            relation=relation,
        )

    def add_from(
        self, path: str | Path, *, name: str | None = None, relation: str | None = None
    ) -> Dataset:
        """Declare a dataset as a file says that `to_toml` wrote, under its name or another;
        ``relation`` as in `add`.
        """
        self._curator()
        said = from_toml(path)
        return self.register(replace(said, name=name or said.name), relation=relation)

    def proposal(
        self,
        name: str,
        source: object,
        *,
        protects: Unit | None = None,
        budget: StatedBudget | None = None,
        columns: Facts | None = None,
        required: Sequence[str] = (),
        keys: Mapping[str, int] | None = None,
        shares: str | Sequence[str] | None = None,
        file: Path | None = None,
    ) -> str | None:
        """The text of a declaration to edit in ``file``, with the types that fit the cells of a CSV
        file; None if all types are known.
        """
        self._curator()
        said = Said(facts_of(columns), tuple(required), dict(keys or {}))
        made = proposed_dataset(name, source, said, protects, names_of(shares))
        if made is None:
            return None
        self._registry.check_first(made, _budget(budget))
        return proposal(made, _budget(budget), file or Path(f"{name}.toml"))

    def declare(
        self,
        path: str | Path,
        out: str | Path | None = None,
        *,
        name: str | None = None,
        protects: Unit | None = None,
        budget: StatedBudget | None = None,
        types: Mapping[str, str] | None = None,
        header: bool | None = None,
        names: Sequence[str] = (),
        delimiter: str | None = None,
        decimal: str | None = None,
        encoding: str | None = None,
        force: bool = False,
    ) -> Path:
        """Write a declaration of a file for you to edit, NAME.toml here or ``out``; `add_from`
        registers it.

        ``header``, ``names``, ``delimiter``, ``decimal`` and ``encoding`` say how a CSV file is
        written, as in `CsvFile`; ``names`` are those of a file without a header.
        """
        self._curator()
        source = declared_source(
            str(path),
            types or {},
            header=header,
            delimiter=delimiter,
            decimal=decimal,
            encoding=encoding,
        )
        return declare(
            source,
            name=name,
            out=out,
            names=names,
            protects=protects,
            budget=_budget(budget),
            force=force,
        )

    def check(self, name: str) -> DeclarationCheck:
        """What the declaration of a dataset cuts off, as exact numbers for the curator alone;
        nothing is written.
        """
        self._curator()
        return check_declaration(self.dataset(name))

    def to_toml(self, name: str, *, beside: Path | None = None) -> str:
        """A dataset as a declaration that people can review, and `add_from` reads."""
        dataset = self.dataset(name)
        return to_toml(dataset, self.stated_budget(dataset), beside=beside)

    def update(
        self,
        name: str,
        *,
        relation: str | None = None,
        path: object = None,
        table: str | None = None,
        budget: StatedBudget | None = None,
        columns: Facts | None = None,
        required: Sequence[str] | None = None,
        keys: Mapping[str, int] | None = None,
        groups: int | None = None,
        rows_per_group: int | None = None,
    ) -> Dataset:
        """Declare how the data of a dataset stand to those before, where they are now, or other
        facts of its columns.

        ``relation`` is ``"same people"``, ``"new people"`` (with a ``budget``), ``"all people"`` or
        ``"same rows"``; see `shoal.vault.sources.lineage`.  ``path`` and ``table`` say where they
        are, as in `add`; ``groups`` and ``rows_per_group`` how much of each person may count from
        now on.
        """
        self._curator()
        said = Said(facts_of(columns), tuple(required or ()), dict(keys or {}))
        unit = self.dataset(name).unit_with(groups, rows_per_group)
        return self._registry.update(
            name,
            relation=relation,
            path=path,
            table=table,
            said=said,
            budget=_budget(budget),
            protects=unit,
        )

    def check_out(self, path: str | Path) -> None:
        """Refuse to write to a file that holds rows of a dataset, now or in an earlier version."""
        for each in self._registry.history:
            if each.location.holds(Path(path), self._registry.secret):
                raise VaultError(
                    f"{Path(path).name!r} is where the rows of {each.name!r} lie; nothing was written.",
                    remedy="Choose another file.",
                )


def _budget(given: StatedBudget | None) -> Measure | None:
    return None if given is None else budget_of(given)
