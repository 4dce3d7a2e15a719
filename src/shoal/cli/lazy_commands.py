"""Commands that are loaded when they are used: a list of names and sentences is all that ``shoal
--help`` needs.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any, Literal, NamedTuple

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
        from shoal.cli.typed_numbers import read_plainly  # noqa: PLC0415 - not for the list of commands

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
