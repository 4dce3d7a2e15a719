"""The way to an office: what `shoal.open(path).as_(...)` has, over HTTP."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, Self

from shoal.client.office_connection import Connection, part
from shoal.client.remote_ask import RemoteAsk, RemoteBuilding, RemoteTables
from shoal.client.token_source import token_from
from shoal.client.told_values import dataset_of, release_of, standing_of, verification_of
from shoal.errors import VaultError
from shoal.exact import Number
from shoal.ledger import Verification
from shoal.plan import name_of
from shoal.query.question_builder import Building
from shoal.vault import Dataset, Release, Standing
from shoal.vault.made_up_rows import dummy_rows


def connect(address: str, *, token: str | Path | None = None, patience: float = 600) -> RemoteVault:
    """The office at an address, for whoever has a token: ``shoal.connect("http://127.0.0.1:8000")``.

    ``token`` is its text, or a `Path` of a file that holds it; without one it is taken from
    SHOAL_TOKEN or from the file that SHOAL_TOKEN_FILE names.  ``patience`` is how many seconds an
    answer is waited for.

    Edges: a token is sent by TLS, or within this machine; other addresses are refused.
    """
    return RemoteVault(Connection.to(address, token_from(token), patience=patience))


class RemoteVault:
    """A vault at an office, as its holder of a token sees it; made by `shoal.connect`.

    Guarantee: answers are those of the vault: the same `Answer`, charged there, once for each key.
    """

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    # asking

    def sql(
        self,
        text: str,
        *,
        weights: Mapping[str, Any] | None = None,
        intervals: Number | None = None,
    ) -> RemoteAsk:
        """A question in SQL over any of the datasets; nothing is spent yet."""
        return self._tables.ask(text, weights, intervals)

    def table(self, name: str) -> RemoteBuilding:
        """The rows of a dataset, to build a question on without writing a SELECT."""
        tables = self._tables
        made = Building.of(tables, name)
        return RemoteBuilding(tables, made.rows, (), made.steps, name_of(name))

    @property
    def _tables(self) -> RemoteTables:
        return RemoteTables(
            self._connection, {name: each.table for name, each in self.datasets.items()}
        )

    # looking

    @property
    def datasets(self) -> dict[str, Dataset]:
        """Every dataset that this token may see."""
        told = self._connection.get("/datasets")["datasets"]
        return {each["name"]: dataset_of(each, self._connection.origin) for each in told}

    def dataset(self, name: str) -> Dataset:
        """What is public about one dataset."""
        told = self._connection.get(f"/datasets/{part(name)}")
        return dataset_of(told, self._connection.origin)

    def dummy(self, name: str, n: int = 1000, *, seed: int | None = None) -> Any:
        """A made-up Arrow table with the columns of a dataset; free."""
        return dummy_rows(self.dataset(name), n, seed=seed).to_arrow()

    def budget(self, name: str) -> Standing:
        """What is left of the budget of a dataset, and of one's allowance."""
        return standing_of(self._connection.get(f"/budgets/{part(name)}"))

    def log(self, limit: int | None = 50) -> list[Release]:
        """The last releases that this token may see, oldest first."""
        told = self._connection.get(f"/releases?limit={min(limit or 10_000, 10_000)}")
        return [release_of(each) for each in told["releases"]]

    def show(self, number: int) -> Release:
        """One release, with its answer and certificate."""
        return release_of(self._connection.get(f"/releases/{int(number)}"))

    def verify(
        self, *, known: Iterable[object] = (), progress: Callable[[int, int], None] | None = None
    ) -> Verification:
        """Let the office read its whole journal again, and say what is wrong."""
        del progress  # the office reads it
        if list(known):
            raise VaultError(
                "heads that were noted elsewhere are compared at the vault itself.",
                remedy="Leave them out, and compare the head that verify prints.",
            )
        return verification_of(self._connection.post("/verify"))

    def release_number(self, certificate: Mapping[str, Any]) -> int:
        """The number of the release that a certificate is of."""
        found: int = certificate["release"]
        return found

    @property
    def position(self) -> int:
        """The entry of the last release that this token may see."""
        found = self.log(1)
        return found[-1].entry.number if found else 0

    def check_out(self, path: str | Path) -> None:
        """Nothing: no file of the office is here."""

    @property
    def me(self) -> dict[str, Any]:
        """Who this token is, and what it may do."""
        found: dict[str, Any] = self._connection.get("/me")
        return found

    # requests

    def ask_for(self, question: str, *, purpose: str, **terms: Any) -> dict[str, Any]:
        """Request a release beyond one's allowance; the request as the office has it."""
        said = {name: str(value) for name, value in terms.items() if value is not None}
        body = {"sql": question, "purpose": purpose, **said}
        found: dict[str, Any] = self._connection.post("/requests", body)
        return found

    @property
    def requests(self) -> list[dict[str, Any]]:
        """The requests that this token may see."""
        found: list[dict[str, Any]] = self._connection.get("/requests")["requests"]
        return found

    def close(self) -> None:
        """Nothing is held open."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<office at {self._connection.origin}>"
