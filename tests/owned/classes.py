"""Every class of the package that changes its own attributes after it was made, found by reading
the source.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

SOURCE = Path(__file__).parent.parent.parent / "src" / "shoal"
MAKING = {"__init__", "__post_init__", "__new__", "__set_name__", "__setstate__"}
CHANGING = {
    "add", "append", "appendleft", "clear", "discard", "extend", "insert", "pop", "popitem",
    "popleft", "put", "remove", "send", "setdefault", "update",
}  # fmt: skip


@dataclass(frozen=True)
class Changing:
    """A class, the file it is in, and which of its attributes its methods change."""

    file: str
    name: str
    attributes: tuple[str, ...]

    @property
    def module(self) -> str:
        return "shoal." + self.file.removesuffix(".py").replace("/", ".")

    def __str__(self) -> str:
        return f"{self.file} {self.name}"


def changing_classes(source: Path = SOURCE) -> list[Changing]:
    return [
        Changing(path.relative_to(source).as_posix(), node.name, tuple(sorted(changed)))
        for path in sorted(source.rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.ClassDef) and (changed := set(_changed(node)))
    ]


def _changed(kind: ast.ClassDef) -> Iterator[str]:
    for method in kind.body:
        if isinstance(method, ast.FunctionDef | ast.AsyncFunctionDef):
            if method.name in MAKING:
                continue
            for node in ast.walk(method):
                for target in _targets(node):
                    attribute = _of_self(target)
                    if attribute is not None:
                        yield attribute


def _targets(node: ast.AST) -> list[ast.expr]:
    """What a statement or a call changes."""
    match node:
        case ast.Assign(targets=targets) | ast.Delete(targets=targets):
            found = targets
        case ast.AugAssign(target=target) | ast.AnnAssign(target=target):
            found = [target]
        case ast.Call(func=ast.Attribute(attr=name, value=value)) if name in CHANGING:
            found = [value]
        case ast.Call(func=ast.Name(id="next"), args=[first, *_]):
            found = [first]
        case _:
            return []
    return [
        each
        for target in found
        for each in (target.elts if isinstance(target, ast.Tuple | ast.List) else [target])
    ]


def _of_self(target: ast.expr) -> str | None:
    """The attribute of ``self`` or ``cls`` that a target leads into."""
    while isinstance(target, ast.Attribute | ast.Subscript):
        value = target.value
        if isinstance(target, ast.Attribute) and isinstance(value, ast.Name):
            return target.attr if value.id in {"self", "cls"} else None
        target = value
    return None
