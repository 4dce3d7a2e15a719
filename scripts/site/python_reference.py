"""A page for each package of Shoal, from its docstrings."""

from __future__ import annotations

import enum
import importlib
import inspect
import re
from collections.abc import Iterator
from types import ModuleType
from typing import Any

import shoal
from shoal.errors import ShoalError

FOLDER = "reference/python"
_HEADS = "Guarantee|Needs|Edges|Reference|Proof|Raises|Returns|Example"
_HEADED = re.compile(rf"^({_HEADS}):", re.MULTILINE)
_WIDTH = 80
_INTRODUCTION = (
    "These pages are made from the docstrings of the code, whose examples are run by the tests. "
    "`import shoal` gives every name of the first table; the second lists the packages."
)


def packages() -> list[str]:
    """The public packages, by name."""
    return [name for name in shoal.__all__ if inspect.ismodule(getattr(shoal, name))]


def public_names(package: ModuleType) -> list[str]:
    """What a package offers: its ``__all__``, or the errors if it is a module of errors."""
    if hasattr(package, "__all__"):
        return sorted(package.__all__, key=str.lower)
    return [
        name
        for name, thing in inspect.getmembers(package, inspect.isclass)
        if issubclass(thing, ShoalError)
    ]


def pages() -> dict[str, str]:
    """Where each page stands, and its text."""
    made = {f"{FOLDER}/index.md": _list()}
    for name in packages():
        package = importlib.import_module(f"shoal.{name}")
        parts = [f"# shoal.{name}", markdown_of(inspect.getdoc(package) or "")]
        for public in public_names(package):
            parts += _described(public, getattr(package, public))
        made[f"{FOLDER}/{name}.md"] = "\n\n".join(part for part in parts if part) + "\n"
    parts = ["# shoal", "Names of `shoal` that belong to no package of the list."]
    for public in shoal.__all__:
        if _home(public, getattr(shoal, public)) == "shoal":
            parts += _described(public, getattr(shoal, public))
    made[f"{FOLDER}/shoal.md"] = "\n\n".join(part for part in parts if part) + "\n"
    return made


def _list() -> str:
    """Where each public name is described."""
    lines = [
        "# Python",
        _INTRODUCTION,
        "## Names of `shoal`",
        "| name | what it is |\n|---|---|",
    ]
    rows = []
    for name in shoal.__all__:
        thing = getattr(shoal, name)
        if inspect.ismodule(thing):
            continue
        home = _home(name, thing)
        rows.append(f"| [`shoal.{name}`]({home}.md#{_anchor(name)}) | {_first_line(thing)} |")
    lines[-1] += "\n" + "\n".join(rows)
    table = "\n".join(
        f"| [`shoal.{name}`]({name}.md) | {_first_line(getattr(shoal, name))} |"
        for name in packages()
    )
    lines += ["## Packages", f"| package | what it does |\n|---|---|\n{table}"]
    return "\n\n".join(lines) + "\n"


def _home(name: str, thing: Any) -> str:
    """The package whose page describes a public name, or ``shoal`` itself."""
    if inspect.ismodule(thing):
        return name
    own = (getattr(thing, "__module__", "") or "").split(".")[1:2]
    holders = [
        package
        for package in packages()
        if name in public_names(importlib.import_module(f"shoal.{package}"))
    ]
    return own[0] if own and own[0] in holders else (holders or ["shoal"])[0]


def _anchor(name: str) -> str:
    return name.lower()


def _first_line(thing: Any) -> str:
    paragraph = (inspect.getdoc(thing) or "").split("\n\n")[0]
    return _escaped(" ".join(paragraph.split())).replace("|", "\\|")


def _described(name: str, thing: Any) -> Iterator[str]:
    """A heading, the signature, the docstring, and the members of a class."""
    yield f"## `{name}`"
    if inspect.isclass(thing) or inspect.isroutine(thing):
        yield _signature(name, thing)
        yield markdown_of(_own_doc(thing))
    elif not inspect.ismodule(thing):
        yield f"A constant of type `{type(thing).__name__}`." if _is_plain(thing) else ""
    if inspect.isclass(thing) and not issubclass(thing, enum.Enum):
        yield from _members(thing)
    if inspect.isclass(thing) and issubclass(thing, enum.Enum):
        yield "\n".join(f"* `{each.name}` = `{each.value!r}`" for each in thing)


def _is_plain(thing: Any) -> bool:
    return isinstance(thing, str | int | float | tuple | dict | frozenset)


def _own_doc(thing: Any) -> str:
    """The docstring, but not the one that dataclasses make up."""
    written = inspect.getdoc(thing) or ""
    return "" if written.startswith(f"{getattr(thing, '__name__', '')}(") else written


def _members(kind: type[Any]) -> Iterator[str]:
    for name, value in inspect.getmembers_static(kind):
        if name.startswith("_") or not _is_of_shoal(kind, name):
            continue
        plain = getattr(value, "__func__", value)
        if isinstance(value, property):
            yield f"### `{kind.__name__}.{name}`"
            yield markdown_of(inspect.getdoc(value) or "") or "A property."
        elif inspect.isfunction(plain):
            yield f"### `{kind.__name__}.{name}()`"
            yield _signature(name, plain)
            yield markdown_of(inspect.getdoc(plain) or "")


def _is_of_shoal(kind: type[Any], name: str) -> bool:
    """Whether a member is ours, not one of a base class of Python."""
    holder = next(base for base in kind.__mro__ if name in vars(base))
    return holder.__module__.startswith("shoal")


def _signature(name: str, thing: Any) -> str:
    """How it is called, one parameter a line where it is long."""
    try:
        found = inspect.signature(thing)
    except (TypeError, ValueError):
        return ""
    given = [each for each in found.parameters.values() if each.name not in {"self", "cls"}]
    shown = [_parameter(each) for each in given]
    for kind, mark in ((inspect.Parameter.KEYWORD_ONLY, "*"),):
        at = next((at for at, each in enumerate(given) if each.kind is kind), None)
        starred = any(each.kind is inspect.Parameter.VAR_POSITIONAL for each in given)
        if at is not None and not starred:
            shown.insert(at, mark)
    back = "" if inspect.isclass(thing) else _returns(found)
    line = f"{name}({', '.join(shown)}){back}"
    if len(line) > _WIDTH:
        line = f"{name}(\n" + "".join(f"    {each},\n" for each in shown) + f"){back}"
    return f"```python\n{line}\n```"


_STARS = {"VAR_POSITIONAL": "*", "VAR_KEYWORD": "**"}


def _parameter(parameter: inspect.Parameter) -> str:
    star = _STARS.get(parameter.kind.name, "")
    empty = inspect.Parameter.empty
    kind = "" if parameter.annotation is empty else f": {_type(parameter.annotation)}"
    default = "" if parameter.default is empty else f" = {_default(parameter.default)}"
    return f"{star}{parameter.name}{kind}{default}"


def _type(annotation: Any) -> str:
    return annotation if isinstance(annotation, str) else inspect.formatannotation(annotation)


def _returns(signature: inspect.Signature) -> str:
    back = signature.return_annotation
    return "" if back is inspect.Signature.empty else f" -> {_type(back)}"


def _default(value: Any) -> str:
    """A default as it would be typed; an address in memory is no default."""
    if isinstance(value, enum.Enum):
        return f"{type(value).__name__}.{value.name}"
    shown = repr(value)
    return "..." if " at 0x" in shown or shown.startswith("<") else shown


def markdown_of(docstring: str) -> str:
    """A docstring of the house as Markdown: dialogues become blocks, the four words bold."""
    parts = re.split(r"\n\s*\n", docstring)
    return "\n\n".join(_paragraph(each) for each in parts if each.strip() not in ("", "::"))


def _paragraph(text: str) -> str:
    if text.lstrip().startswith(">>>"):
        return f"```pycon\n{inspect.cleandoc(text)}\n```"
    if _HEADED.search(text):
        items = re.split(rf"\n(?=(?:{_HEADS}):)", text)
        return "\n\n".join(_HEADED.sub(r"**\1:**", _joined(item)) for item in items)
    if all(line.startswith("    ") for line in text.splitlines()):
        return f"```text\n{inspect.cleandoc(text)}\n```"
    if re.match(r"\s*[*-] ", text):
        items = re.split(r"\n(?=\s*[*-] )", text)
        return "\n".join(f"- {_joined(item.lstrip()[2:])}" for item in items)
    return _joined(text.removesuffix("::") + ":" if text.endswith("::") else text)


def _joined(text: str) -> str:
    return _escaped(" ".join(text.split()))


def _escaped(text: str) -> str:
    """Outside code, ``<`` and ``*`` and ``_`` stand for themselves; a single backtick is code, and
    words between two stars are emphasised.
    """
    pieces = re.split(r"(``.+?``|`[^`]+`|(?<!\w)\*[A-Za-z][^*]*\*(?!\w))", text)
    return "".join(piece if at % 2 else _literal(piece) for at, piece in enumerate(pieces))


def _literal(text: str) -> str:
    # A backslash before "<" would be shown: Markdown knows an entity for it, and no escape.
    return re.sub(r"([*_\[\]])", r"\\\1", text).replace("<", "&lt;")
