"""`shoal publish` with tables that are published only if they keep criteria."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import typer
from rich.text import Text

from shoal.cli.console import answers, remarks, working
from shoal.cli.printed_tables import show_plan
from shoal.cli.publication_folder import BESIDE, files_of, write_folder
from shoal.cli.publish_file import as_exact, asked_for, line_of, title_of
from shoal.errors import SchemaError
from shoal.query.acceptance import AcceptanceSearch, AcceptedTables
from shoal.vault import Vault
from shoal.workloads import ReleasedTable
from shoal.workloads.acceptance_criteria import CellsWithin, MeanWithin

_WORDS = {"criteria", "configurations", "runs", "share", "confidence"}
_TERMS = ("runs", "share", "confidence")
_OF_CRITERIA = {"table", "within", "mean_within", "share", "relative"}


@dataclass(frozen=True, eq=False)
class Accepting:
    """The search that [accept] of a file describes; ``folder`` is where it names other files from,
    and ``out`` the folder that gets what is published.
    """

    held: Vault
    wanted: Mapping[str, Any]
    folder: Path
    epsilon: str | None
    out: Path

    @cached_property
    def search(self) -> AcceptanceSearch:
        """The search, as it would be written in Python."""
        given = self.wanted["accept"]
        if not isinstance(given, Mapping) or not given.get("criteria") or set(given) - _WORDS:
            raise _unclear()
        others = given.get("configurations") or {}
        terms = {word: as_exact(given[word]) for word in _TERMS if word in given}
        return asked_for(self.held, self.wanted, self.folder).accept(
            [_criterion(each) for each in given["criteria"]],
            configurations={name: list(map(line_of, each)) for name, each in others.items()},
            whole_numbers=self._whole,
            **terms,
        )

    @property
    def _whole(self) -> bool:
        return bool(self.wanted.get("whole_numbers"))

    def preview(self, *, as_json: bool) -> None:
        """Show what is judged, and every error; free."""
        plan = self.search.preview(epsilon=self.epsilon)
        show_plan(str(plan.measure), plan.preview(), as_json=as_json)

    def publish(self, *, key: str | None, as_json: bool) -> None:
        """Search, and write the tables if they are accepted, or the certificate alone."""
        plan = self.search.preview(epsilon=self.epsilon)
        tables = [line for each in plan.configurations for line in each.plan.lines()]
        for name in (*files_of(tables).values(), *BESIDE):
            self.held.check_out(self.out / name)
        with working("Searching"):
            found = self.search.release(epsilon=self.epsilon, key=key)
        self._write(found)
        self._show(found, str(plan.measure), as_json=as_json)

    def _write(self, found: AcceptedTables) -> None:
        if found.tables is None or found.released is None:
            self.out.mkdir(parents=True, exist_ok=True)
            told = json.dumps(found.certificate, indent=1, ensure_ascii=False)
            (self.out / "certificate.json").write_text(told, encoding="utf-8")
            return
        with working("Making tables"):
            tables: list[ReleasedTable] = list(found.tables)
        write_folder(found.released, tables, self.out, title_of(self.wanted))

    def _show(self, found: AcceptedTables, price: str, *, as_json: bool) -> None:
        if as_json:
            said = {
                "price": price,
                "accepted": found.accepted,
                "configuration": found.configuration,
                "criteria": list(found.criteria),
            }
            typer.echo(json.dumps(said, indent=2))
            return
        for each in found.criteria:
            answers().print(Text(each), soft_wrap=True)
        outcome = (
            f"Accepted: {found.configuration}. Start with {self.out / 'index.html'}."
            if found.accepted
            else "No tables were accepted, so none are published. The search is paid for; its "
            f"certificate is {self.out / 'certificate.json'}."
        )
        remarks().print(outcome, soft_wrap=True, markup=False)


def _criterion(given: Mapping[str, Any]) -> CellsWithin | MeanWithin:
    """One [[accept.criteria]] of the file, as it would be written in Python."""
    if not isinstance(given, Mapping) or set(given) - _OF_CRITERIA:
        raise _unclear()
    table = given.get("table")
    beside = {word: as_exact(given[word]) for word in ("share", "relative") if word in given}
    if "mean_within" in given and not beside and "within" not in given:
        return MeanWithin(table, as_exact(given["mean_within"]))
    if "within" in given and "mean_within" not in given:
        return CellsWithin(table, as_exact(given["within"]), **beside)
    raise _unclear()


def _unclear() -> SchemaError:
    return SchemaError(
        "[accept] needs criteria, each with within or with mean_within.",
        remedy='Write [[accept.criteria]] with table = "region,sex", within = 20 and share = 0.95.',
    )
