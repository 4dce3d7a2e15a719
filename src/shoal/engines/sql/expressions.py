"""Expressions as SQL of linear size: a value that is needed twice is named once, in a layer below.

A layer is a SELECT around the ones before it that adds named values.  A piece of SQL has a level:
the number of layers below it that it may refer to.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from shoal.engines.sql.dialect import Dialect, literal
from shoal.plan import REAL, Call, Expression, Literal, Ref

if TYPE_CHECKING:
    from shoal.engines.sql.functions import Lower


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


def lowered(
    expression: Expression, names: Mapping[str, str], layers: Layers, dialect: Dialect
) -> SqlPiece:
    """SQL for an expression; ``names`` says how each of its columns is written.

    Equal values of it are the same value, as those of columns are: see `Dialect.canonical`.
    """
    if isinstance(expression, Literal):
        held = dialect.one_of_equals(literal(expression, dialect), expression.type.kind)
        return SqlPiece(held, atom=True)
    return _lowered(expression, names, layers, dialect)


def _lowered(
    expression: Expression, names: Mapping[str, str], layers: Layers, dialect: Dialect
) -> SqlPiece:
    """The same for an argument: a constant there stands beside something that is no constant, and
    is compared as that is.
    """
    match expression:
        case Ref(column):
            return SqlPiece(names[column.name], atom=True)
        case Literal():
            return SqlPiece(literal(expression, dialect), atom=True)
        case Call(arguments=arguments, type=kind):
            pieces = [_lowered(argument, names, layers, dialect) for argument in arguments]
            made = _called(expression, pieces, layers, dialect)
            if kind == REAL and _keeps_one_zero(expression):
                return made
            held = dialect.one_of_equals(made.sql, kind.kind)
            return made if held == made.sql else SqlPiece(held, made.level)


def _called(call: Call, pieces: list[SqlPiece], layers: Layers, dialect: Dialect) -> SqlPiece:
    from shoal.engines.sql.casts import lower_cast  # noqa: PLC0415 - functions are made of pieces
    from shoal.engines.sql.functions import LOWER_CALL, Lowered  # noqa: PLC0415

    it = Lowered(call, pieces, layers, dialect)
    if call.name == "cast":
        return lower_cast(it)
    lower: Lower = dialect.own.get(call.name) or LOWER_CALL[call.name]
    return lower(it)


_KEEPS_ONE_ZERO = {
    *("add", "subtract", "bin"),  # a sum is -0.0 only of two -0.0
    *("abs", "sqrt", "floor"),  # what floor makes 0 is not negative
    *("case", "coalesce", "nullif", "least", "greatest"),  # one of their arguments
}


def _keeps_one_zero(call: Call) -> bool:
    """Whether a real function of reals without -0.0 never is -0.0; of those not listed nothing is
    assumed.
    """
    return call.name in _KEEPS_ONE_ZERO or (call.name == "cast" and call.arguments[0].type.exact)
