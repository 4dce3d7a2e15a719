"""Functions that Spark is given in a way of their own: 64-bit arithmetic that is NULL where it does
not fit, dates, LIKE.

No form here can raise an error in ANSI mode, nor wrap around outside of it; `exactness.md` goes
through them.
"""

from __future__ import annotations

from itertools import chain

from shoal.engines.spark.pattern_walks import regexp_extract, regexp_matches, regexp_replace
from shoal.engines.sql.expressions import SqlPiece, filled
from shoal.engines.sql.functions import LOWER_CALL, Lower, Lowered, matching, quoted
from shoal.engines.sql.patterns import is_searched, without_return
from shoal.plan import REAL, Kind
from shoal.plan.functions.logic import parts_of_pattern

_DAY = 86_400_000_000
MOMENT_OF_DAY = f"(CAST(DATEDIFF({{0}}, DATE '1970-01-01') AS BIGINT) * {_DAY})"
DAY_OF_MOMENT = (
    f"DATE_ADD(DATE '1970-01-01', CAST(({{0}} - PMOD({{0}}, {_DAY})) DIV {_DAY} AS INT))"
)
_ZERO = "CAST(0 AS BIGINT)"


def _exact(form: str, name: str) -> Lower:
    """A form for whole numbers; reals are as everywhere."""

    def lower(it: Lowered) -> SqlPiece:
        return LOWER_CALL[name](it) if it.is_real else it.again(form)

    return lower


def _bin(it: Lowered) -> SqlPiece:
    if it.is_real:
        return LOWER_CALL["bin"](it)
    width, origin = it.constant(1), it.constant(2)
    assert isinstance(width, int)
    assert isinstance(origin, int)
    wide = f"CAST({width} AS BIGINT)"
    above = f"PMOD(PMOD({{0}}, {wide}) - CAST({origin % width} AS BIGINT), {wide})"
    return it.again(f"TRY_SUBTRACT({{0}}, {above})")


def _in(it: Lowered) -> SqlPiece:
    """A list of reals is looked up by bits where it is long, so the sign of a zero is taken off."""
    listed = ", ".join(f"{{{at}}}" for at in range(1, len(it.pieces)))
    first = "({0} + CAST('0.0' AS DOUBLE))" if it.call.arguments[0].type == REAL else "{0}"
    return it.form(f"({first} IN ({listed}))")


def _extreme(it: Lowered) -> SqlPiece:
    return it.pieces[0] if len(it.pieces) == 1 else LOWER_CALL[it.call.name](it)


_SIGNS = "!#^~&*+/"


def _like(it: Lowered) -> SqlPiece:
    """LIKE with a sign of escape that is none of its letters: Spark has one even where none is
    given.
    """
    pattern, escape = str(it.constant(1)), str(it.constant(2))
    parts = parts_of_pattern(pattern, escape)
    if is_searched(parts):
        return matching(it, without_return(parts))
    letters = list(_letters(pattern, escape))
    held = {letter for letter, _ in letters}
    sign = next(sign for sign in chain(_SIGNS, map(chr, range(48, 128))) if sign not in held)
    written = "".join(
        sign + letter if plain and letter in "%_" else letter for letter, plain in letters
    )
    return it.form(f"({{0}} LIKE {quoted(it, written)} ESCAPE '{sign}')")


def _letters(pattern: str, escape: str) -> list[tuple[str, bool]]:
    """Each letter of a pattern, and whether it means itself."""
    found, letters = [], iter(pattern)
    for letter in letters:
        if escape and letter == escape:
            found.append((next(letters, ""), True))
        else:
            found.append((letter, letter not in "%_"))
    return found


def _of_moment(it: Lowered) -> SqlPiece:
    """The day of the second argument, which is a date or a timestamp."""
    moment = it.pieces[1]
    if it.call.arguments[1].type.kind is not Kind.TIMESTAMP:
        return moment
    return filled(DAY_OF_MOMENT, [it.layers.once(moment)])


_PARTS = {
    "hour": f"(PMOD({{0}}, {_DAY}) DIV 3600000000)",
    "minute": "(PMOD({0}, 3600000000) DIV 60000000)",
    "second": "(PMOD({0}, 60000000) DIV 1000000)",
}


def _date_part(it: Lowered) -> SqlPiece:
    part = str(it.constant(0))
    if part in _PARTS:
        return filled(_PARTS[part], [it.layers.once(it.pieces[1])])
    since = " - 1" if part == "dow" else ""
    form = f"(CAST(EXTRACT({part} FROM {{0}}) AS BIGINT){since})"
    return filled(form, [_of_moment(it)])


_UNITS = {"hour": 3_600_000_000, "minute": 60_000_000, "second": 1_000_000}


def _date_trunc(it: Lowered) -> SqlPiece:
    unit = str(it.constant(0))
    if unit in _UNITS:
        moment = it.layers.once(it.pieces[1])
        return filled(f"({{0}} - PMOD({{0}}, {_UNITS[unit]}))", [moment])
    form = "{0}" if unit == "day" else f"TRUNC({{0}}, '{unit}')"
    day = filled(form, [_of_moment(it)])
    return filled(MOMENT_OF_DAY, [day]) if it.call.type.kind is Kind.TIMESTAMP else day


def _replace(it: Lowered) -> SqlPiece:
    old, new = (it.dialect.text(str(it.constant(at))) for at in (1, 2))
    pieces = [it.pieces[0], SqlPiece(old), SqlPiece(new)]
    return filled("REPLACE({0}, {1}, {2})", pieces)


def _of(form: str) -> Lower:
    return lambda it: it.form(form)


OWN: dict[str, Lower] = {
    "add": _exact("TRY_ADD({0}, {1})", "add"),
    "subtract": _exact("TRY_SUBTRACT({0}, {1})", "subtract"),
    "multiply": _exact("TRY_MULTIPLY({0}, {1})", "multiply"),
    "negate": _exact(f"TRY_SUBTRACT({_ZERO}, {{0}})", "negate"),
    "abs": _exact(f"CASE WHEN {{0}} < 0 THEN TRY_SUBTRACT({_ZERO}, {{0}}) ELSE {{0}} END", "abs"),
    "int_divide": _exact(
        f"CASE WHEN {{1}} = -1 THEN TRY_SUBTRACT({_ZERO}, {{0}}) ELSE {{0}} DIV NULLIF({{1}}, 0) END",
        "int_divide",
    ),
    "mod": _exact("({0} % NULLIF({1}, 0))", "mod"),
    "bin": _bin,
    "in": _in,
    "least": _extreme,
    "greatest": _extreme,
    "like": _like,
    "replace": _replace,
    "regexp_matches": regexp_matches,
    "regexp_extract": regexp_extract,
    "regexp_replace": regexp_replace,
    "trim_of": _of("TRIM(BOTH {1} FROM {0})"),
    "ltrim_of": _of("TRIM(LEADING {1} FROM {0})"),
    "rtrim_of": _of("TRIM(TRAILING {1} FROM {0})"),
    "position": _of("CAST(INSTR({0}, {1}) AS BIGINT)"),
    "date_part": _date_part,
    "date_trunc": _date_trunc,
}
"""How each function is written that Spark is given otherwise than others."""
