"""The command and its parts, which are loaded when they are used: a list of names and sentences is
all that ``shoal --help`` needs.
"""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.metadata import version
from typing import Annotated, Any, Literal, NamedTuple

import typer
from typer.core import TyperGroup

MARKUP: Literal["markdown"] = "markdown"


class LazyCommand(NamedTuple):
    """A command by name: its panel, where it is (``module.function``), the name of its examples
    there, and its first sentence.
    """

    panel: str
    name: str
    where: str
    examples: str | None
    says: str

    def load(self) -> Any:
        """The command itself; now its module is imported, with the floors that it stands on."""
        module, _, attribute = self.where.partition(".")
        found = import_module(f"shoal.cli.{module}")
        act = getattr(found, attribute)
        alone = typer.Typer(rich_markup_mode=MARKUP, pretty_exceptions_enable=False)
        alone.callback()(_nothing)
        if isinstance(act, typer.Typer):
            alone.add_typer(act, name=self.name, rich_help_panel=self.panel)
        else:
            said = None if self.examples is None else getattr(found, self.examples)
            alone.command(self.name, epilog=said, rich_help_panel=self.panel)(act)
        from shoal.cli.options import read_plainly  # noqa: PLC0415 - not for the list of commands

        made: Any = typer.main.get_command(alone)
        return read_plainly(made.commands[self.name])


def group_of(commands: tuple[LazyCommand, ...]) -> type[TyperGroup]:
    """A group that knows its commands by name and sentence, and loads the one that is called."""
    by_name = {each.name: each for each in commands}

    class CommandGroup(TyperGroup):
        # Click's own lazy group overrides `get_command`, but help and completion ask that for every
        # name: `shoal --help` would load all commands (2.9 s of CPU instead of 0.26 s). Only a
        # command that is called is resolved, so that is where it is loaded.
        def resolve_command(self, ctx: Any, args: list[str]) -> Any:
            name, listed, rest = super().resolve_command(ctx, args)
            late = None if name is None else by_name.get(name)
            return name, listed if late is None else late.load(), rest

    return CommandGroup


def _nothing() -> None:
    """A group of one command stays a group."""


EXAMPLES = """
For example:

    shoal tour

    shoal init office.shoal

    shoal add visits visits.parquet --person user_id --groups 5 --rows-per-group 3 --range spend=0:500 --budget 3,1e-7

    shoal ask "SELECT COUNT(*) AS n FROM visits" --epsilon 0.1

    shoal poll new commute "Have you ever travelled without a ticket?" --epsilon 1

    shoal account "gaussian sigma=30 | x 1000"

Each command has more with `--help`. Exit codes: 2 usage, 3 refused, 4 budget, 5 not sound, 6 key, 7 data changed, 8 vault.
"""

CURATOR, ANALYST, AUDITOR, TOOLS = "The curator", "The analyst", "The auditor", "Without a vault"
RESEARCHER = "The survey researcher"

COMMANDS = (
    LazyCommand(
        CURATOR,
        "init",
        "curator_commands.init",
        "INIT",
        "Make a vault: one file that only you can read, without a row of anybody's data in it.",
    ),
    LazyCommand(
        CURATOR,
        "declare",
        "declaration_commands.declare",
        "DECLARE",
        "Write a declaration of a file for you to edit: its columns, who is protected, and the budget. Nothing is registered.",
    ),
    LazyCommand(
        CURATOR,
        "add",
        "curator_commands.add",
        "ADD",
        "Register a dataset: where the file is, which people it describes, what is known of its columns, and its budget.",
    ),
    LazyCommand(
        CURATOR,
        "check",
        "declaration_commands.check",
        "CHECK",
        "Show what a declaration cuts off: values outside ranges and choices, cells of another type, people beyond their share.",
    ),
    LazyCommand(
        CURATOR,
        "update",
        "curator_commands.update",
        "UPDATE",
        "Register a change of a dataset: its file was written or moved, or other facts hold.",
    ),
    LazyCommand(
        CURATOR,
        "grant",
        "budgets.grant",
        "GRANT",
        "Give an analyst an allowance. Allowances may sum to more than the budget; what is spent never does.",
    ),
    LazyCommand(
        CURATOR,
        "budget",
        "budgets.budget",
        "BUDGET",
        "What may be spent, what was, by whom, and what that means for one person.",
    ),
    LazyCommand(
        CURATOR, "people", "people_commands.people", None, "Who may do what through a server."
    ),
    LazyCommand(
        CURATOR,
        "token",
        "people_commands.token",
        "MAKE",
        "Make a token for somebody, which is printed once, or end one.",
    ),
    LazyCommand(
        ANALYST,
        "sign-in",
        "sign_in_command.sign_in",
        "SIGN_IN",
        "Sign in at an office through your organisation, by a code that you confirm in a browser.",
    ),
    LazyCommand(
        CURATOR,
        "requests",
        "people_commands.requests",
        None,
        "Releases that analysts request beyond their allowance.",
    ),
    LazyCommand(
        CURATOR, "gallery", "people_commands.gallery", None, "Releases that everybody may see."
    ),
    LazyCommand(ANALYST, "list", "curator_commands.list_", "LIST", "The datasets of a vault."),
    LazyCommand(
        ANALYST,
        "describe",
        "curator_commands.describe",
        "DESCRIBE",
        "Show a dataset: where the file is, who is protected, and what is declared of its columns.",
    ),
    LazyCommand(
        ANALYST,
        "preview",
        "analyst_commands.preview",
        "PREVIEW",
        "How far each number of an answer would be off, before anything is spent. Free.",
    ),
    LazyCommand(
        ANALYST,
        "ask",
        "analyst_commands.ask",
        "ASK",
        "Release the private answer to a question, and pay for it.",
    ),
    LazyCommand(
        ANALYST,
        "batch",
        "batch_command.batch",
        "BATCH",
        "Release several counts of the same rows together, for one charge.",
    ),
    LazyCommand(
        ANALYST,
        "publish",
        "publish_command.publish",
        "PUBLISH",
        "Release many tables at once, with the least noise, so that they add up.",
    ),
    LazyCommand(
        ANALYST,
        "stream",
        "stream_command.stream",
        "STREAM",
        "Release one count a day, paid for once.",
    ),
    LazyCommand(
        ANALYST,
        "explain",
        "analyst_commands.explain",
        "EXPLAIN",
        "What is computed, step by step, and how far one row or person reaches. Free.",
    ),
    LazyCommand(
        ANALYST,
        "plan",
        "analyst_commands.plan",
        "PLAN",
        "What to spend for a wanted accuracy. Free.",
    ),
    LazyCommand(
        ANALYST,
        "dummy",
        "analyst_commands.dummy",
        "DUMMY",
        "Made-up rows with the columns of a dataset, from public facts alone: to write questions on, for free.",
    ),
    LazyCommand(
        AUDITOR, "log", "history_commands.log", "LOG", "The releases of a vault, newest last."
    ),
    LazyCommand(
        AUDITOR,
        "show",
        "history_commands.show",
        "SHOW",
        "One release: what was asked, what was answered, and its certificate.",
    ),
    LazyCommand(
        AUDITOR,
        "report",
        "history_commands.report",
        "REPORT",
        "A page for publication: figures with error bars, the method, and where they come from.",
    ),
    LazyCommand(
        AUDITOR,
        "verify",
        "history_commands.verify",
        "VERIFY",
        "Check a vault from its first entry to its last, or a certificate by itself or against a vault.",
    ),
    LazyCommand(
        AUDITOR,
        "accept",
        "curator_commands.accept",
        "ACCEPT",
        "Acknowledge the problems that shoal verify found, and resume; the journal says why.",
    ),
    LazyCommand(
        RESEARCHER,
        "poll",
        "poll_commands.poll",
        None,
        "Ask a sensitive question whose answers are randomised before they are sent.",
    ),
    LazyCommand(
        RESEARCHER,
        "serve",
        "serve_command.serve",
        "SERVE",
        "Host a vault: its office for people with tokens, and its polls, with pages that randomise in the respondent's browser.",
    ),
    LazyCommand(
        TOOLS,
        "guide",
        "guide.guide",
        "EXAMPLES",
        "Which epsilon? From how many people, how accurate and how many questions to a budget.",
    ),
    LazyCommand(
        TOOLS,
        "account",
        "account.account",
        "EXAMPLES",
        "What releases cost together: epsilon at a delta, in every measure, and which is the one to quote.",
    ),
    LazyCommand(
        TOOLS,
        "mechanism",
        "mechanism.mechanism",
        "EXAMPLES",
        "One mechanism for a budget: its noise, its error, what it promises, and a release if wanted.",
    ),
    LazyCommand(
        TOOLS,
        "tour",
        "tour.tour",
        "EXAMPLES",
        "A guided walk through a vault on generated data: nobody in it exists.",
    ),
    LazyCommand(
        TOOLS,
        "attack",
        "attack.attack",
        "EXAMPLES",
        "Stage the classic attacks on made-up people, with and without Shoal in front.",
    ),
    LazyCommand(
        TOOLS,
        "audit",
        "audit_group.audit",
        None,
        "Try to refute a claim of privacy: ours or anybody's.",
    ),
    LazyCommand(
        TOOLS,
        "reproduce",
        "reproduce.reproduce",
        "EXAMPLES",
        "Run the experiments of the sources again, and write what they give beside what was printed.",
    ),
    LazyCommand(
        ANALYST,
        "suggest",
        "analyst_commands.suggest",
        None,
        "Estimate column bounds and limits per person privately (uses budget).",
    ),
)
"""Every command, in the order of the help; the sentence is the first of its own help."""

app = typer.Typer(
    name="shoal",
    cls=group_of(COMMANDS),
    no_args_is_help=True,
    rich_markup_mode=MARKUP,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog=EXAMPLES,
)


def _listed() -> None:
    """What stands in the list of commands for one that is not loaded."""


for each in COMMANDS:
    app.command(each.name, help=each.says, rich_help_panel=each.panel)(_listed)


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
    """Publish statistics about people without exposing anyone."""
    from shoal.cli.console import set_debug  # noqa: PLC0415 - the help needs no console

    set_debug(on=debug)


def main() -> None:
    """Run the command; docs/command-line.md lists its exit codes."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")  # a terminal without é prints ? for it
    app()
