"""A page for each command, from the same words that ``--help`` prints."""

from __future__ import annotations

import inspect
import textwrap
from collections.abc import Iterator
from typing import Any

from shoal.cli.app import COMMANDS

FOLDER = "reference/commands"
_INTRODUCTION = (
    "These pages are written by the program itself: they say what `shoal COMMAND --help` says. "
    "[The command line](../../command-line.md) shows a session from start to end."
)


def pages() -> dict[str, str]:
    """Where each page stands, and its text."""
    made = {f"{FOLDER}/index.md": _list()}
    for command in COMMANDS:
        text = "\n\n".join(_sections(command.load(), f"shoal {command.name}", "#"))
        made[f"{FOLDER}/{command.name}.md"] = text + "\n"
    return made


def _list() -> str:
    parts = ["# The command, by its help", _INTRODUCTION]
    for panel in dict.fromkeys(command.panel for command in COMMANDS):
        rows = "\n".join(
            f"| [`shoal {each.name}`]({each.name}.md) | {_cell(each.says)} |"
            for each in COMMANDS
            if each.panel == panel
        )
        parts += [f"## {panel}", f"| command | what it does |\n|---|---|\n{rows}"]
    return "\n\n".join(parts) + "\n"


def _sections(command: Any, name: str, heading: str) -> Iterator[str]:
    """The help of a command, and below it those of its parts."""
    yield f"{heading} {name}"
    if command.help:
        yield inspect.cleandoc(command.help)
    parts = getattr(command, "commands", {})
    given = [each for each in command.params if not each.hidden]
    if not parts:
        yield f"```text\n{_usage(name, given)}\n```"
    for title, chosen in (("argument", _arguments(given)), ("option", _options(given))):
        if chosen:
            rows = "\n".join(f"| {_spelled(each)} | {_said(each)} |" for each in chosen)
            yield f"| {title} | meaning |\n|---|---|\n{rows}"
    if command.epilog:
        yield _with_shell_blocks(inspect.cleandoc(command.epilog))
    for part in sorted(parts):
        yield from _sections(parts[part], f"{name} {part}", heading + "#")


def _arguments(given: list[Any]) -> list[Any]:
    return [each for each in given if not each.opts[0].startswith("-")]


def _options(given: list[Any]) -> list[Any]:
    return [each for each in given if each.opts[0].startswith("-") and each.name != "help"]


def _usage(name: str, given: list[Any]) -> str:
    words = [_word(each) + ("..." if each.nargs == -1 else "") for each in _arguments(given)]
    needed = [f"{each.opts[0]} {_word(each)}" for each in _options(given) if each.required]
    rest = ["[OPTIONS]"] if _options(given) else []
    return " ".join([name, *needed, *rest, *words])


def _word(parameter: Any) -> str:
    """What stands for the value of an argument or option."""
    return str(parameter.metavar or parameter.name.upper())


def _spelled(parameter: Any) -> str:
    if not parameter.opts[0].startswith("-"):
        return f"`{_word(parameter)}`"
    names = [*parameter.opts, *parameter.secondary_opts]
    value = "" if parameter.is_flag else f" {_word(parameter)}"
    return ", ".join(f"`{name}{value}`" for name in names)


def _said(parameter: Any) -> str:
    """The sentence of a parameter, and whether it is needed, repeatable or has a default."""
    words = [parameter.help or ""]
    if parameter.required:
        words.append("*Required.*")
    if getattr(parameter, "multiple", False):
        words.append("*May be repeated.*")
    default = parameter.default
    if not parameter.required and default not in (None, False, True, ()) and not callable(default):
        words.append(f"*Default: {default}.*")
    if parameter.envvar:
        words.append(f"*Also read from the environment: `{parameter.envvar}`.*")
    return _cell(" ".join(each for each in words if each))


def _cell(text: str) -> str:
    """Text as a cell of a table; ``*`` and ``<`` are no markup there."""
    plain = " ".join(text.split())
    return plain.replace("|", "\\|").replace("*.shoal", "\\*.shoal").replace("<", "&lt;")


def _with_shell_blocks(text: str) -> str:
    """Examples, which are indented in the help, as one block of commands each."""
    parts: list[str] = []
    for paragraph in text.split("\n\n"):
        if paragraph.startswith("    "):
            block = textwrap.dedent(paragraph)
            if parts and parts[-1].startswith("```sh"):
                parts[-1] = parts[-1].removesuffix("\n```") + f"\n{block}\n```"
            else:
                parts.append(f"```sh\n{block}\n```")
        else:
            parts.append(paragraph)
    return "\n\n".join(parts)
