"""The command and its parts."""

from __future__ import annotations

import sys
from importlib.metadata import version
from typing import Annotated

import typer

from shoal.cli.account import EXAMPLES as ACCOUNT_EXAMPLES
from shoal.cli.account import account

EXAMPLES = """
For example:

    shoal account "gaussian sigma=30 | x 1000"

    shoal account "gaussian sigma=0.8 | sampled q=0.01 | x 10000" --delta 1e-7

    shoal account events.json --epsilon 2 --json

`shoal account --help` has the words of the compact text.
"""

app = typer.Typer(
    name="shoal",
    no_args_is_help=True,
    rich_markup_mode="markdown",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog=EXAMPLES,
)
app.command(epilog=ACCOUNT_EXAMPLES)(account)


def _print_version(value: bool) -> None:  # noqa: FBT001 - the form that typer calls
    if value:
        typer.echo(f"shoal {version('shoal')}")
        raise typer.Exit


@app.callback()
def shoal(
    *,
    show_version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version, and stop."
        ),
    ] = False,
) -> None:
    """Differential privacy whose guarantees are exact."""


def main() -> None:
    """Run the command; its exit code is 0, or 2 where what was asked for was refused."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")  # a terminal without é prints ? for it
    app()
