"""Remedies work when they are pasted: those of the page of errors, and those in the messages.

Every block of the page runs in `test_examples.py`; here each error is made, and what its message
says to type is typed.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import parquet
from tests.docs.test_complete import KINDS, error_sections
from typer.testing import CliRunner

import shoal
from shoal import errors
from shoal.accounting import PureFilter
from shoal.cli import app
from shoal.cli.command_spelling import as_typed
from shoal.errors import ShoalError
from shoal.events import Gaussian, StatedPure, read_events
from shoal.exact import rational
from shoal.ledger import Ledger
from shoal.plan import INTEGER, TEXT, Row, Scan, Table, column, range_of
from shoal.polls import Poll
from shoal.sql import expression, question
from shoal.vault import Vault

LEAVES = [kind for kind in KINDS if not kind.__subclasses__()]
VISITS = Scan(Table("visits", (column("age", INTEGER), column("city", TEXT)), protects=Row()))
COUNT = "SELECT COUNT(*) AS n FROM people"


@pytest.mark.parametrize("kind", LEAVES, ids=lambda kind: kind.code)
def test_what_to_do_instead_ends_in_a_block_that_can_be_pasted(kind: type[ShoalError]) -> None:
    instead = error_sections()[kind.code].partition("**Do instead.**")[2].rstrip()
    assert re.search(r"```pycon\n>>> .+\n```\Z", instead, re.DOTALL)
    typed = [line for line in instead.splitlines() if line.startswith((">>> ", "... "))]
    assert typed


def test_no_block_below_do_instead_ends_in_an_error() -> None:
    for section in error_sections().values():
        assert "Traceback" not in section.partition("**Do instead.**")[2]


# the messages


def people(folder: Path) -> Path:
    path = folder / "people.parquet"
    parquet.write_table(pa.table({"age": [34, 71, 12]}), path)
    return path


def office(**more: Any) -> Vault:
    vault = shoal.open("office.shoal")
    columns = {"age": (0, 120)}
    vault.add(
        "people",
        people(Path.cwd()),
        protects=shoal.Row(),
        budget=shoal.Pure(1),
        columns=columns,
        **more,
    )
    return vault


def said(act: Callable[[], Any], kind: type[ShoalError]) -> str:
    """The remedy of the error that an act ends in."""
    with pytest.raises(kind) as caught:
        act()
    return caught.value.remedy


def found(pattern: str, remedy: str) -> str:
    """The part of a remedy that is to be typed."""
    part = re.search(pattern, remedy)
    assert part, remedy
    return part[1]


def typed(remedy: str, pattern: str = r"(shoal [a-z][^,]*?)(?:, or|\.$|, for example)") -> None:
    """Type the command of a remedy, as the command line words it."""
    words = found(pattern, as_typed(remedy))
    ended = CliRunner().invoke(app, shlex.split(words)[1:])
    assert ended.exit_code == 0, f"{words}\n{ended.output}"


def number_1() -> None:
    remedy = said(lambda: rational("one half", "epsilon"), errors.NumberError)
    for each in re.findall(r"'([^']+)'", remedy):
        assert rational(each, "epsilon") > 0


def event_2() -> None:
    remedy = said(lambda: read_events("gausian sigma=20"), errors.EventTextError)
    meant = found(r"Did you mean '(\w+)'", remedy)
    read_events(f"{meant} sigma=20")


def facts_1() -> None:
    remedy = said(lambda: range_of(expression("age * 2", VISITS)), errors.FactsError)
    low, high = found(r"Range\((.+?)\)", remedy).split(", ")
    stated = column("age", INTEGER, shoal.Range(int(low), int(high)))
    rows = Scan(Table("visits", (stated,), protects=Row()))
    assert range_of(expression("age * 2", rows))


def expression_1() -> None:
    remedy = said(lambda: expression("age > city", VISITS), errors.ExpressionError)
    assert "CAST(x AS" in remedy
    expression("CAST(age AS VARCHAR) > city", VISITS)


def sql_3() -> None:
    ask = "SELECT COUNT(*) FROM {}"
    remedy = said(
        lambda: question(ask.format("visit"), {"visits": VISITS.table}), errors.UnknownNameError
    )
    question(ask.format(found(r"Did you mean (\w+)", remedy)), {"visits": VISITS.table})


def poll_1() -> None:
    asked = ("commute", "Have you ever travelled without a ticket?")
    remedy = said(lambda: Poll(*asked), errors.PollError)
    for name, number in re.findall(r"(epsilon|odds)=(\d+)", remedy):
        Poll(*asked, **{name: int(number)})


def price_1() -> None:
    bill = shoal.account([Gaussian(sigma=1, sensitivity=1)])
    remedy = said(lambda: bill.cost(shoal.Pure), errors.PriceError)
    name = found(r"such as (\w+)\(delta=", remedy)
    assert getattr(bill, name)(delta="1e-6")


def budget_1() -> None:
    budget = PureFilter(1)
    remedy = said(lambda: budget.spend(StatedPure("1.5")), errors.BudgetExceeded)
    budget.spend(StatedPure(found(r"at most epsilon ([\d.]*\d)", remedy)))
    vault = office()
    remedy = said(lambda: vault.sql(COUNT).release(epsilon=3), errors.BudgetExceeded)
    vault.sql(COUNT).release(epsilon=found(r"epsilon=([\d.]*\d)", remedy))


def owner_1() -> None:
    import copy  # noqa: PLC0415 - beside its use

    remedy = said(lambda: copy.copy(PureFilter(1)), errors.OwnerError)
    shoal.open(found(r"shoal\.open\('([^']+)'\)", remedy)).close()


def ledger_5() -> None:
    ledger = Ledger("accounts.shoal")
    remedy = said(lambda: ledger.account("visits"), errors.AccountError)
    assert "open_account" in remedy
    ledger.open_account("visits", shoal.Pure(1), relation="add_remove")
    assert ledger.account("visits")
    assert {"accounts()", "open_account"} <= set(re.findall(r"\w+(?:\(\))?", remedy))


def vault_1() -> None:
    typed(said(lambda: shoal.open("gone.shoal", create=False), errors.VaultError))
    shoal.open("gone.shoal", create=False).close()
    Path("gone.shoal").unlink()
    vault = office()
    ask = vault.as_("ana").sql(COUNT)
    remedy = said(lambda: ask.release(epsilon="0.1"), errors.VaultError)
    vault.close()
    typed(remedy, r"(shoal grant .*?)\.$")
    with shoal.open("office.shoal") as again:
        again.as_("ana").sql(COUNT).release(epsilon="0.1")


def vault_2() -> None:
    vault = office()
    parquet.write_table(pa.table({"age": [34, 71, 12, 5]}), "people.parquet")
    remedy = said(lambda: vault.sql(COUNT).release(epsilon="0.1"), errors.ChangedError)
    vault.close()
    typed(remedy, r"(shoal update .*?)\.$")
    with shoal.open("office.shoal") as again:
        again.sql(COUNT).release(epsilon="0.1")


def certificate_1() -> None:
    with office() as vault:
        vault.sql(COUNT).release(epsilon="0.1")
        Path("letter.json").write_text("{}")
    ended = CliRunner().invoke(app, ["verify", "letter.json"])
    words = found(r"(shoal show 1 --certificate) > certificate\.json", ended.output)
    Path("letter.json").write_text(CliRunner().invoke(app, shlex.split(words)[1:]).output)
    assert CliRunner().invoke(app, ["verify", "letter.json"]).exit_code == 0


def poll_3() -> None:
    with shoal.open("office.shoal") as vault:
        remedy = said(lambda: vault.poll("commute"), errors.UnknownPollError)
        vault.publish(Poll("tickets", "Have you ever travelled without a ticket?", epsilon=1))
        assert set(vault.polls) == {"tickets"}
    typed(remedy, r"(shoal poll list)")


def poll_6() -> None:
    with shoal.open("office.shoal") as vault:
        poll = vault.publish(
            Poll("tickets", "Have you ever travelled without a ticket?", epsilon=1)
        )
        poll.close()
        remedy = said(poll.close, errors.ClosedError)
    assert remedy
    assert CliRunner().invoke(app, ["poll", "reopen", "tickets"]).exit_code == 0


MESSAGES = (
    *(number_1, event_2, facts_1, expression_1, sql_3, poll_1, price_1, budget_1, owner_1),
    *(ledger_5, vault_1, vault_2, certificate_1, poll_3, poll_6),
)


@pytest.mark.parametrize("situation", MESSAGES, ids=lambda each: each.__name__)
def test_what_a_message_says_to_type_works(
    situation: Callable[[], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    situation()
