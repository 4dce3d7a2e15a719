"""Budgets and allowances: budget, grant."""

from __future__ import annotations

import json
from typing import Annotated

import typer
from rich.text import Text

from shoal.cli.console import answers, refusals
from shoal.cli.options import AsJson, SeenAs, VaultOption, opened
from shoal.cli.printed_tables import plain_table
from shoal.errors import VaultError
from shoal.measures import budget_of
from shoal.vault import Standing

BUDGET = """
For example:

    shoal budget

    shoal budget visits --set 4,1e-7
"""
GRANT = """
For example:

    shoal grant ana visits --budget 1,1e-7
"""


def budget(
    name: Annotated[str | None, typer.Argument(help="The dataset.  [default: all]")] = None,
    *,
    vault: VaultOption = None,
    analyst: SeenAs = None,
    new: Annotated[
        str | None,
        typer.Option("--set", metavar="EPS[,DELTA]|rho=RHO", help="Give it another budget."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """What may be spent, what was, by whom, and what that means for one person."""
    with refusals(), opened(vault, analyst, only_reads=new is None, from_afar=new is None) as held:
        if new is not None:
            if name is None:
                raise VaultError(
                    "a new budget is for one dataset.",
                    remedy="Write shoal budget visits --set 4,1e-7.",
                )
            held.set_budget(name, budget_of(new))
        names = (
            [name] if name else [each.name for each in held.datasets.values() if not each.public]
        )
        found = [held.budget(each) for each in names]
        if as_json:
            typer.echo(json.dumps([each.to_dict() for each in found], indent=2))
            return
        shown: dict[tuple[str, ...], str] = {}
        for each in found:
            accounts = tuple(account.name for account in each.accounts)
            if accounts in shown and not each.allowances:
                answers().print(
                    f"{each.dataset} shares the account of {shown[accounts]}.\n", markup=False
                )
                continue
            shown.setdefault(accounts, each.dataset)
            _show_budget(each)
        if not found:
            answers().print("No private datasets yet.")


def grant(
    analyst: Annotated[str, typer.Argument(help="Who may ask.")],
    dataset: Annotated[str, typer.Argument(help="Of which dataset.")],
    *,
    vault: VaultOption = None,
    budget: Annotated[
        str,
        typer.Option(
            metavar="EPS[,DELTA]|rho=RHO", help="How much, within the budget of the dataset."
        ),
    ],
) -> None:
    """Give an analyst an allowance. Allowances may sum to more than the budget; what is spent never
    does.
    """
    with refusals(), opened(vault) as held:
        _show_budget(held.grant(analyst, dataset, budget_of(budget)))


def _show_budget(standing: Standing) -> None:
    console = answers()
    rows = [
        (each.name, str(each.budget), str(each.spent), f"{each.events:,}")
        for each in (*standing.accounts, *standing.allowances)
    ]
    console.print(plain_table(["account", "budget", "spent", "releases"], rows, [3]))
    for sentence in standing.risk():
        console.print(Text(sentence, style="dim"))
    console.print()
