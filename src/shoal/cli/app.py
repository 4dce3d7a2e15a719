"""The command and its parts."""

from __future__ import annotations

import sys
from importlib.metadata import version
from typing import Annotated

import typer

from shoal.cli import asking, attack, budgets, curating, looking, mechanism, reproduce, tour
from shoal.cli.account import EXAMPLES as ACCOUNT_EXAMPLES
from shoal.cli.account import account
from shoal.cli.console import set_debug

EXAMPLES = """
For example:

    shoal tour

    shoal init office.shoal

    shoal add visits visits.parquet --person user_id --groups 5 --rows-per-group 3 --range spend=0:500 --budget 3,1e-7

    shoal ask "SELECT COUNT(*) AS n FROM visits" --epsilon 0.1

    shoal account "gaussian sigma=30 | x 1000"

Each command has more with `--help`. Exit codes: 2 usage, 3 refused, 4 budget, 5 not sound, 6 key, 7 data changed, 8 vault.
"""

CURATOR, ANALYST, AUDITOR, TOOLS = "The curator", "The analyst", "The auditor", "Without a vault"

app = typer.Typer(
    name="shoal",
    no_args_is_help=True,
    rich_markup_mode="markdown",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog=EXAMPLES,
)
for panel, name, act, examples in (
    (CURATOR, "init", curating.init, curating.INIT),
    (CURATOR, "add", curating.add, curating.ADD),
    (CURATOR, "update", curating.update, curating.UPDATE),
    (CURATOR, "grant", budgets.grant, budgets.GRANT),
    (CURATOR, "budget", budgets.budget, budgets.BUDGET),
    (ANALYST, "list", curating.list_, curating.LIST),
    (ANALYST, "describe", curating.describe, curating.DESCRIBE),
    (ANALYST, "preview", asking.preview, asking.PREVIEW),
    (ANALYST, "ask", asking.ask, asking.ASK),
    (ANALYST, "explain", asking.explain, asking.EXPLAIN),
    (ANALYST, "plan", asking.plan, asking.PLAN),
    (ANALYST, "dummy", asking.dummy, asking.DUMMY),
    (AUDITOR, "log", looking.log, looking.LOG),
    (AUDITOR, "show", looking.show, looking.SHOW),
    (AUDITOR, "report", looking.report, looking.REPORT),
    (AUDITOR, "verify", looking.verify, looking.VERIFY),
    (AUDITOR, "accept", curating.accept, curating.ACCEPT),
    (TOOLS, "account", account, ACCOUNT_EXAMPLES),
    (TOOLS, "mechanism", mechanism.mechanism, mechanism.EXAMPLES),
    (TOOLS, "tour", tour.tour, tour.EXAMPLES),
    (TOOLS, "reproduce", reproduce.reproduce, reproduce.EXAMPLES),
    (TOOLS, "attack", attack.attack, attack.EXAMPLES),
):
    app.command(name, epilog=examples, rich_help_panel=panel)(act)
app.add_typer(asking.suggest, name="suggest", rich_help_panel=ANALYST)


def _print_version(value: bool) -> None:  # noqa: FBT001 - the form that typer calls
    if value:
        typer.echo(f"shoal {version('shoal')}")
        raise typer.Exit


@app.callback()
def shoal(
    *,
    show_version: Annotated[  # noqa: ARG001 - its callback has printed it
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version, and stop."
        ),
    ] = False,
    debug: Annotated[
        bool, typer.Option("--debug", help="Print where an error comes from; it may quote data.")
    ] = False,
) -> None:
    """Differential privacy whose guarantees are exact."""
    set_debug(on=debug)


def main() -> None:
    """Run the command; docs/command-line.md lists its exit codes."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")  # a terminal without é prints ? for it
    app()
