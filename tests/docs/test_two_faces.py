"""The command and Python spell every act alike: the tables of docs/two-faces.md hold."""

from __future__ import annotations

import importlib
import inspect
import re
from pathlib import Path
from typing import Any, get_type_hints

import pytest

import shoal
from shoal.cli.app import COMMANDS
from shoal.polls import PublishedPoll
from shoal.query import Ask
from shoal.vault.people.gallery import Gallery
from shoal.vault.people.people import People
from shoal.vault.people.requests import Requests

PAGE = Path(__file__).parent.parent.parent / "docs" / "two-faces.md"
ROOTS: dict[str, Any] = {
    "vault": shoal.Vault,
    "ask": Ask,
    "poll": PublishedPoll,
    "people": People,
    "requests": Requests,
    "gallery": Gallery,
}
ONLY = "only a command"
ACTS_OF_A_VAULT = (
    "declare", "add", "check", "update", "grant", "budget", "describe", "preview", "ask", "explain", "plan", "dummy",
    "suggest bounds", "suggest groups", "log", "verify", "accept", "guide",
)  # fmt: skip
"""Where options and parameters are compared; the other commands have words of their own."""
PYTHON_ALONE = {
    "by": "the owner who acts through an office; on the command line it is the curator",
    "weights": "how much the error of each aggregate matters; a mapping has no short form",
    "name": "an argument of the command",
    "beside": "where paths of a declaration begin: the folder of the vault",
    "progress": "a function that is called; a terminal shows a bar",
    "intervals": "a plan and its steps are the same with intervals of any confidence",
    "noise": "a plan finds the law of least error by itself",
}


def table(head: str) -> list[list[str]]:
    """The rows of the table that begins with a head."""
    body = PAGE.read_text().partition(head)[2].split("\n\n")[0]
    return [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in body.splitlines()[2:]
        if line.startswith("|")
    ]


ACTS = {
    command.strip("`").removeprefix("shoal "): python
    for _, command, python in table("| act | command | Python |")
}
DIFFERENT = table("| on the command line | in Python |")
SHORT_FORMS = {
    option.lstrip("-").replace("-", "_")
    for left, _ in DIFFERENT
    for option in re.findall(r"(--?[a-z-]+)", left)
}


def commands() -> dict[str, Any]:
    """Every command by what is typed for it."""
    found = {}
    for each in COMMANDS:
        loaded = each.load()
        for name, one in getattr(loaded, "commands", {"": loaded}).items():
            found[f"{each.name} {name}".strip()] = one
    return found


KNOWN = commands()


def callables(python: str) -> list[Any]:
    """What the spellings of a cell lead to; a step after a call is looked up in what it returns."""
    found = []
    for spelling in re.findall(r"`([^`]+)`", python):
        plain = re.sub(r"\([^()]*\)", "()", spelling)
        root, *steps = plain.split(".")
        thing: Any = shoal if root == "shoal" else ROOTS[root]
        for step in steps:
            name = step.removesuffix("()")
            if inspect.ismodule(thing) and not hasattr(thing, name):
                importlib.import_module(f"{thing.__name__}.{name}")
            held = getattr(thing, name)
            found += [held] if step.endswith("()") else []
            thing = get_type_hints(held)["return"] if step.endswith("()") and step is not steps[-1] else held  # fmt: skip
    return found


def test_every_command_stands_in_the_table_and_every_row_is_a_command() -> None:
    assert sorted(ACTS) == sorted(KNOWN)


@pytest.mark.parametrize("act", [act for act, python in ACTS.items() if python != ONLY])
def test_the_python_of_a_row_is_there(act: str) -> None:
    assert callables(ACTS[act]) or re.fullmatch(r"`vault\.(datasets|polls)`", ACTS[act])


def typed(act: str) -> set[str]:
    """The names of the options of a command, as Python would spell them."""
    options = (each for each in KNOWN[act].params if each.param_type_name == "option")
    return {max(each.opts, key=len).lstrip("-").replace("-", "_") for each in options}


def taken(act: str) -> set[str]:
    """The names of the parameters of what Python calls for the same act."""
    return {
        name
        for held in callables(ACTS[act])
        for name in inspect.signature(held).parameters
        if name != "self"
    }


@pytest.mark.parametrize("act", ACTS_OF_A_VAULT)
def test_an_option_is_a_parameter_of_the_same_name_or_is_explained_on_the_page(act: str) -> None:
    assert typed(act) - taken(act) - SHORT_FORMS == set()


@pytest.mark.parametrize("act", ACTS_OF_A_VAULT)
def test_a_parameter_is_an_option_or_argument_of_the_same_name_or_is_explained(act: str) -> None:
    right = {word for _, said in DIFFERENT for word in re.findall(r"([a-z_]+)=", said)}
    arguments = {each.name for each in KNOWN[act].params}
    shown = {"path", "source", "text", "handle", "targets", "certificate", "n", "budget"}
    assert taken(act) - typed(act) - arguments - right - shown - set(PYTHON_ALONE) == set()
