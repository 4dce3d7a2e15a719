"""An expression as a piece of SQL over named columns."""

from __future__ import annotations

from collections.abc import Mapping

from shoal.engines.sql.casts import lower_cast
from shoal.engines.sql.dialect import Dialect, literal
from shoal.engines.sql.functions import LOWER_CALL, Lower, Lowered
from shoal.engines.sql.layers import Layers, SqlPiece
from shoal.plan import REAL, Call, Expression, Literal, Ref


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
            made = _called(Lowered(expression, pieces, layers, dialect))
            if kind == REAL and _keeps_one_zero(expression):
                return made
            held = dialect.one_of_equals(made.sql, kind.kind)
            return made if held == made.sql else SqlPiece(held, made.level)


def _called(it: Lowered) -> SqlPiece:
    if it.call.name == "cast":
        return lower_cast(it)
    own: Lower | None = it.dialect.own.get(it.call.name)
    return (own or LOWER_CALL[it.call.name])(it)


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
