"""All mutations: every tuple of them that a module of this folder holds."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

from scripts.mutations.mutation import Mutation


def _found() -> Iterator[Mutation]:
    for path in sorted(Path(__file__).parent.glob("[a-z]*.py")):
        if path.stem == "every":
            continue
        for value in vars(import_module(f"scripts.mutations.{path.stem}")).values():
            if isinstance(value, tuple) and value and all(isinstance(m, Mutation) for m in value):
                yield from value


MUTATIONS: tuple[Mutation, ...] = tuple(dict.fromkeys(_found()))
