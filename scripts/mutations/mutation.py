"""A mutation: one planted fault, who would be harmed by it, and the tests that must notice."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


class DoesNotApply(ValueError):  # noqa: N818 - what is wrong with the list
    """The text of a mutation is not in its file, or not once."""


@dataclass(frozen=True)
class Mutation:
    """A fault: in ``file``, which is below the root, ``old`` stands exactly once and becomes
    ``new``.

    ``harm`` is what a person would lose; ``tests`` are files or node ids, at least one of which
    must fail.  ``needs`` is a program without which these cannot run.
    """

    name: str
    file: str
    old: str
    new: str
    harm: str
    tests: tuple[str, ...]
    needs: str = ""

    def applied_to(self, text: str) -> str:
        """The text with the fault in it."""
        found = text.count(self.old)
        if found != 1 or self.old == self.new:
            raise DoesNotApply(f"{self.name}: its text stands {found} times in {self.file}")
        return text.replace(self.old, self.new)

    def plant(self, root: Path) -> None:
        """Change the file below ``root``."""
        path = root / self.file
        path.write_text(self.applied_to(path.read_text()))
