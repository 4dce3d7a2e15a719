"""What every mechanism is: a frozen value that is told by its parameters."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields
from fractions import Fraction
from typing import Any

from shoal.exact import exactly
from shoal.sensitivity import Sensitivity


@dataclass(frozen=True, init=False, repr=False)
class Mechanism:
    """Equal, printed, copied and sent to other processes by its parameters alone."""

    def __repr__(self) -> str:
        shown = ", ".join(part for name, value in self._shown() for part in _parts(name, value))
        return f"{type(self).__name__}({shown})"

    def __getstate__(self) -> dict[str, Any]:
        """The parameters; noise that is kept at hand is made anew where a copy is used."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def _shown(self) -> Iterator[tuple[str, Any]]:
        """The parameters to print; those that are None or False are left out."""
        for field in fields(self):
            yield field.name, getattr(self, field.name)


def _parts(name: str, value: Any) -> Iterator[str]:
    if value is None or value is False:
        return
    if isinstance(value, Sensitivity):
        yield f"{name}={exactly(value.value)}"
        if value.relation is not None:
            yield f"relation='{value.relation}'"
    else:
        yield f"{name}={exactly(value) if isinstance(value, Fraction) else repr(value)}"
