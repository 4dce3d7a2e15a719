"""Servers that are killed, many clients at once, and two servers over one vault."""

from __future__ import annotations

import random
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from tests.server.office.running import ForkedOffices, OfficeProcess
from tests.vault.office import COUNT, office

import shoal
from shoal.client.office_connection import Connection
from shoal.errors import BudgetExceeded, OfficeError, ShoalError
from shoal.vault import Vault
from shoal.vault.accounts.payer import LedgerCharge

EACH = "0.01"


def question(at: int) -> dict[str, str]:
    """A question that no other number gives: who dies over one keeps nobody else waiting."""
    return {"sql": f"{COUNT} WHERE spend > {at}", "epsilon": EACH}


def made(
    folder: Path, budget: str, *, people: int = 1, place: str | None = None
) -> tuple[str, list[str]]:
    """A vault with some analysts, and their tokens."""
    where = place or str(folder / "office.shoal")
    with office(folder, shoal.Pure(budget), place=where) as vault:
        names = [f"ana{at}" for at in range(people)]
        for each in names:
            vault.people.add(each, role="analyst", dataset="visits", allowance=budget)
        return where, [vault.people.token(each) for each in names]


def released(vault: Vault) -> Counter[str]:
    return Counter(each.state for each in vault.log(None))


def check_books(vault: Vault) -> None:
    """What was spent is what the charges in the journal cost, and nothing is wrong with it."""
    charges = sum(count for state, count in released(vault).items() if state != "given back")
    spent = vault.budget("visits").accounts[0].spent
    assert spent == shoal.Pure(charges * shoal.Pure(EACH).epsilon)
    assert vault.verify().is_sound


class Clients:
    """People who ask, each question under a key of its own, and write down what they were told."""

    def __init__(self, tokens: list[str], origin: str) -> None:
        self.origin = origin
        self.told: dict[int, tuple[str, Any]] = {}
        self.asked = 0
        self.stop = threading.Event()
        self._lock = threading.Lock()
        self._threads = [threading.Thread(target=self._ask, args=(each,)) for each in tokens]

    def _ask(self, token: str) -> None:
        while not self.stop.is_set():
            with self._lock:
                self.asked += 1
                at = self.asked
            connection = Connection.to(self.origin, token, patience=0)
            try:
                found = connection.post("/releases", question(at), key=f"k{at}")
            except ShoalError:
                continue  # the server died, and somebody must wait until its charge is taken up
            answer = found if "rows" in found else found["answer"]
            if answer is not None:
                with self._lock:
                    self.told[at] = token, answer["rows"]

    def start(self) -> None:
        for each in self._threads:
            each.start()

    def end(self) -> None:
        self.stop.set()
        for each in self._threads:
            each.join()


def killed_while_asked(folder: Path, kills: int, clients: int) -> None:
    path, tokens = made(folder, "1000", people=clients)
    chance = random.Random(kills)
    servers = ForkedOffices(Path(path))
    running = Clients(tokens, servers.origin)
    running.start()
    try:
        for _ in range(kills):
            seen, limit = len(running.told), time.monotonic() + 180
            while len(running.told) == seen and time.monotonic() < limit:
                time.sleep(0.002)
            time.sleep(chance.random() * 0.2)
            servers.kill()
            servers.begin()
        running.end()
        assert len(running.told) >= kills
        for at, (token, rows) in list(running.told.items())[-200:]:
            connection = Connection.to(servers.origin, token)
            assert connection.get(f"/releases/by-key/k{at}")["answer"]["rows"] == rows
    finally:
        running.end()
        servers.end()
    with shoal.open(path) as vault:
        check_books(vault)
        answered = {each.question: each.answer for each in vault.log(None) if each.answer}
        for at, (_, rows) in running.told.items():  # no answer without its charge
            kept = answered[question(at)["sql"]]
            assert kept is not None
            assert kept["rows"] == rows


@pytest.mark.slow
def test_killed_servers_lose_no_answer_and_mint_no_budget(tmp_path: Path) -> None:
    killed_while_asked(tmp_path, kills=2, clients=4)


@pytest.mark.audit
def test_three_hundred_killed_servers_lose_no_answer_and_mint_no_budget(tmp_path: Path) -> None:
    killed_while_asked(tmp_path, kills=300, clients=16)


def asked_at_once(folder: Path, place: str, clients: int, fit: int) -> None:
    """So many clients ask two servers over one vault, whose budget is for some of them."""
    budget = str(shoal.Pure(EACH).epsilon * fit)
    path, tokens = made(folder, budget, people=min(clients, 20), place=place)
    servers = [OfficeProcess(path) for _ in range(2)]

    def one(at: int) -> str:
        connection = Connection.to(servers[at % 2].origin, tokens[at % len(tokens)])
        while True:
            try:
                connection.post("/releases", question(at), key=f"k{at}")
            except BudgetExceeded:
                return "refused"
            except OfficeError:
                continue  # busy: asked again with the same key
            return "answered"

    try:
        with ThreadPoolExecutor(clients) as pool:
            found = Counter(pool.map(one, range(clients)))
    finally:
        for each in servers:
            each.stop()
    assert found == {"answered": fit, "refused": clients - fit}
    with shoal.open(path) as vault:
        assert released(vault) == {"answered": fit}
        check_books(vault)


@pytest.mark.slow
def test_two_servers_over_one_vault_answer_exactly_as_many_as_fit(
    tmp_path: Path, place: str
) -> None:
    asked_at_once(tmp_path, place, clients=16, fit=8)


@pytest.mark.audit
def test_two_hundred_clients_on_a_budget_of_a_hundred_get_a_hundred(
    tmp_path: Path, place: str
) -> None:
    asked_at_once(tmp_path, place, clients=200, fit=100)


@pytest.mark.slow
def test_a_server_that_waits_for_the_answer_of_another_still_stops(tmp_path: Path) -> None:
    path, (token,) = made(tmp_path, "1")
    with shoal.open(path) as vault, ThreadPoolExecutor(1) as pool:
        asked = vault.as_("ana0").sql(question(1)["sql"])
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(LedgerCharge, "begin", _die)
            with pytest.raises(_DiedError):
                asked.release(epsilon=EACH)
        server = OfficeProcess(path)  # this process lives, and holds its charge
        connection = Connection.to(server.origin, token, patience=0)
        waiting = pool.submit(connection.post, "/releases", question(1), key="k")
        while connection.once("GET", "/releases/by-key/k")[0] != 202:
            time.sleep(0.01)
        server.stop()
        with pytest.raises(OfficeError):
            waiting.result()


@pytest.mark.slow
def test_a_killed_server_keeps_no_question_locked(tmp_path: Path) -> None:
    path, (token,) = made(tmp_path, "1")
    with shoal.open(path) as vault:
        asked = vault.as_("ana0").sql(question(1)["sql"])
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(LedgerCharge, "begin", _die)
            with pytest.raises(_DiedError):
                asked.release(epsilon=EACH)
    server = OfficeProcess(path)  # and whoever was charged is gone
    try:
        found = Connection.to(server.origin, token, patience=0).post(
            "/releases", question(1), key="k"
        )
        assert found["rows"]
    finally:
        server.stop()
    with shoal.open(path) as vault:
        assert released(vault) == {"answered": 1}
        check_books(vault)


class _DiedError(BaseException):
    """What a test says in place of dying."""


def _die(_: LedgerCharge) -> None:
    raise _DiedError


def status(connection: Connection) -> int:
    """The status of one request, which is not sent again."""
    return connection.once("GET", "/me")[0]


@pytest.mark.slow
def test_one_token_that_floods_does_not_keep_another_out(tmp_path: Path) -> None:
    path, (token,) = made(tmp_path, "1")
    with shoal.open(path) as vault:
        vault.people.add("aud", role="auditor")
        other = vault.people.token("aud")
    server = OfficeProcess(path, rate=20)
    stop = threading.Event()
    counted: Counter[int] = Counter()

    def flood() -> None:
        connection = Connection.to(server.origin, token)
        while not stop.is_set():
            counted[status(connection)] += 1

    threads = [threading.Thread(target=flood) for _ in range(6)]
    for each in threads:
        each.start()
    try:
        calm = Connection.to(server.origin, other)
        assert {status(calm) for _ in range(10)} == {200}
        while not counted[429]:
            time.sleep(0.01)
    finally:
        stop.set()
        for each in threads:
            each.join()
        server.stop()
