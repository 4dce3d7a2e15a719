"""An expression as a piece of SQL over named columns."""

from __future__ import annotations

from collections.abc import Mapping

from shoal.engines.sql.casts import lower_cast
from shoal.engines.sql.dialect import Dialect
from shoal.engines.sql.functions import LOWER_CALL, Lower, Lowered
from shoal.engines.sql.layers import Layers, Piece
from shoal.engines.sql.literals import literal
from shoal.plan import Call, Expression, Literal, Ref


def lowered(
    expression: Expression, names: Mapping[str, str], layers: Layers, dialect: Dialect
) -> Piece:
    """SQL for an expression; ``names`` says how each of its columns is written."""
    match expression:
        case Ref(column):
            return Piece(names[column.name], atom=True)
        case Literal():
            return Piece(literal(expression, dialect), atom=True)
        case Call(name, arguments):
            pieces = [lowered(argument, names, layers, dialect) for argument in arguments]
            it = Lowered(expression, pieces, layers, dialect)
            if name == "cast":
                return lower_cast(it)
            own: Lower | None = dialect.own.get(name)
            return (own or LOWER_CALL[name])(it)
