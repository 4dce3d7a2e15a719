"""Expressions as SQL of linear size: a value that is needed twice is named once, in a layer below.

A layer is a SELECT around the ones before it that adds named values.  A piece of SQL has a level:
the number of layers below it that it may refer to.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple


class SqlPiece(NamedTuple):
    """Some SQL, the level it stands on, and whether it is a mere name or constant."""

    sql: str
    level: int = 0
    atom: bool = False


class Layers:
    """The named values of one SELECT."""

    def __init__(self) -> None:
        self._layers: list[dict[str, str]] = []

    def once(self, piece: SqlPiece) -> SqlPiece:
        """A piece that may be written several times: itself if it is a name, or a name for it."""
        if piece.atom:
            return piece
        while len(self._layers) <= piece.level:
            self._layers.append({})
        layer = self._layers[piece.level]
        # Equal SQL at one level is the same value, so it is named and computed once.
        name = layer.setdefault(piece.sql, f"t{piece.level}_{len(layer)}")
        return SqlPiece(name, piece.level + 1, atom=True)

    def over(self, source: str) -> str:
        """A source with every named value added to its columns."""
        for layer in self._layers:
            named = ", ".join(f"{sql} AS {name}" for sql, name in layer.items())
            # A SELECT of its own for each level: SQL lets no column refer to another of the same
            # SELECT.
            source = f"(SELECT *, {named} FROM {source})"
        return source


def filled(form: str, pieces: Sequence[SqlPiece]) -> SqlPiece:
    """A form with pieces in the places {0}, {1}, and {*} for all of them."""
    sql = form.replace("{*}", ", ".join("{%d}" % i for i in range(len(pieces))))  # noqa: UP031
    level = max((piece.level for piece in pieces), default=0)
    return SqlPiece(sql.format(*(piece.sql for piece in pieces)), level)
