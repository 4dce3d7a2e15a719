"""From what a curator says to the columns of a dataset: what is found in the source, and what is stated of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from shoal.engines.choosing import close, engine_over
from shoal.engines.engine import Engine
from shoal.errors import SchemaError
from shoal.plan import Choices, Column, Range, Scan, Table, Type, Unit
from shoal.query.public_tables import read_public
from shoal.vault.dataset import Stated
from shoal.vault.location import Place
from shoal.vault.wording import choice_from


@dataclass(frozen=True)
class Said:
    """What a curator states of the columns: facts, which hold no NULL, how often values repeat per person, and types."""

    facts: Mapping[str, Range | Choices] = field(default_factory=dict)
    required: Sequence[str] = ()
    keys: Mapping[str, int] = field(default_factory=dict)
    types: Mapping[str, str] = field(default_factory=dict)

    def check(self, found: Sequence[Column]) -> None:
        """Refuse what is stated of a column that is not there, or is of another type."""
        known = [each.name for each in found]
        for name in (*self.facts, *self.required, *self.keys, *self.types):
            if name not in known:
                raise SchemaError(
                    f"something is stated of a column {str(name)[:60]!r}, which is not there.",
                    remedy=f"The columns are: {', '.join(known)}.",
                )
        for each in found:
            said = self.types.get(each.name, str(each.type))
            if said != str(each.type):
                raise SchemaError(
                    f"column {each.name!r} is declared as {said}; the source has {each.type}.",
                    remedy="Correct the declaration, or the source.",
                )


def private_columns(
    name: str, location: Place, said: Said, protects: Unit
) -> tuple[tuple[Stated, ...], Mapping[str, str]]:
    """The columns of a private source with what is stated, and the columns that cannot be used.

    Every row is read once, so that a file that is not whole is refused now, by the curator's own act, and
    no question ever fails for what a row holds.
    """
    engine = engine_over({name: location.source})
    try:
        return _private_columns(name, engine, said, protects), engine.left_out(name)
    finally:
        close(engine)


def _private_columns(name: str, engine: Engine, said: Said, protects: Unit) -> tuple[Stated, ...]:
    found = engine.columns(name)
    said.check(found)
    stated = tuple(
        Stated(
            each.name,
            each.type,
            _read(said.facts.get(each.name), each.type),
            each.name in said.required,
            said.keys.get(each.name),
        )
        for each in found
    )
    table = Table(
        name,
        tuple(each.column for each in stated),
        protects=protects,
        keys={(each.name,): each.rows for each in stated if each.rows is not None},
    )
    engine.read_through(Scan(table))
    return stated


def _read(fact: Range | Choices | None, kind: Type) -> Range | Choices | None:
    """A fact whose choices, where they are text, are read as values of the column's type."""
    if not isinstance(fact, Choices):
        return fact
    return Choices([choice_from(value, kind) for value in fact.values])


def public_columns(name: str, location: Place) -> tuple[Stated, ...]:
    """The columns of a public source, with all that there is to know of them."""
    table, _ = read_public({name: location.source})[name]
    return tuple(
        Stated(each.name, each.type, rows=table.keys[(each.name,)], span=each.span)
        for each in table.columns
    )
