"""Casts as SQL: text by the fixed grammar of the plan, numbers by whole-number and IEEE
arithmetic.
"""

from __future__ import annotations

from shoal.engines.sql.dialect import real
from shoal.engines.sql.expressions import SqlPiece, filled
from shoal.engines.sql.functions import Lowered, rescaled
from shoal.plan import INTEGER, Kind
from shoal.plan.functions.casts import TEXT_FORMS


def lower_cast(it: Lowered) -> SqlPiece:
    """A cast that is NULL where the value does not fit."""
    source, to = it.call.arguments[0].type, it.call.type
    if source == to:
        return it.pieces[0]
    match source.kind, to.kind:
        case Kind.TEXT, kind:
            return _from_text(it, kind)
        case ((Kind.INTEGER | Kind.DECIMAL), (Kind.INTEGER | Kind.DECIMAL)):
            return rescaled(it, to.scale - source.scale)
        case ((Kind.INTEGER | Kind.DECIMAL), Kind.REAL):
            form = "CAST({0} AS DOUBLE)"
            return it.form(f"({form} / {real(float(10**source.scale))})" if source.scale else form)
        case Kind.INTEGER, Kind.BOOLEAN:
            return it.form("({0} <> 0)")
        case Kind.REAL, _:
            return _from_real(it)
        case Kind.DATE, Kind.TIMESTAMP:
            return it.form(it.dialect.moment_of_day)
        case Kind.TIMESTAMP, Kind.DATE:
            return it.again(it.dialect.day_of_moment)
    return it.form(f"CAST({{0}} AS {it.dialect.types[to.kind]})")


def _from_real(it: Lowered) -> SqlPiece:
    if it.call.type == INTEGER:
        return it.again(it.dialect.nearest)
    power, limit = real(float(10**it.call.type.scale)), real(2.0**63)
    scaled = it.layers.once(it.form(f"({{0}} * {power})"))
    whole = it.layers.once(filled(it.dialect.away, [scaled]))
    # Beyond 2^63 no 64-bit number holds the whole real.
    form = f"CASE WHEN ABS({{1}}) < {limit} THEN {it.dialect.nearest} END"
    return filled(form, [whole, scaled])


def _from_text(it: Lowered, kind: Kind) -> SqlPiece:
    text = it.layers.once(it.pieces[0])
    anchored = it.dialect.anchored.replace("{0}", TEXT_FORMS[kind])
    form = it.dialect.text(anchored).replace("{", "{{").replace("}", "}}")
    condition = it.dialect.matches.replace("{1}", form)
    match kind:
        case Kind.DECIMAL:
            result = _decimal(it)
        case Kind.BOOLEAN:
            result = "(LENGTH({0}) = 4)"
        case Kind.REAL:
            number = it.layers.once(it.fitting(text, kind))
            finite = it.dialect.finite.replace("{0}", "{1}")
            form = f"CASE WHEN {condition} AND {finite} THEN {{1}} END"
            return filled(form, [text, number])
        case _:
            result = it.dialect.read_text.get(kind) or it.fitting(SqlPiece("{0}"), kind).sql
            if kind in (Kind.DATE, Kind.TIMESTAMP):
                # The plan's calendar begins with the year 1.
                condition += " AND {0} >= '0001'"
    return filled(f"CASE WHEN {condition} THEN {result} END", [text])


def _decimal(it: Lowered) -> str:
    """Digits with one more than the scale as a whole number, rounded on that last one."""
    scale = it.call.type.scale
    plain = it.dialect.without_sign
    # Read by digits, not by way of a double, which would round decimals of more than 15 digits.
    digits = f"SPLIT_PART({plain}, '.', 1) || LEFT(RPAD(SPLIT_PART({plain}, '.', 2), {scale + 1}, '0'), {scale + 1})"
    held = it.dialect.digits or it.dialect.wide
    number = it.dialect.try_cast.replace("{0}", digits).replace("{type}", held)
    units = it.dialect.tenth.replace("{0}", f"({number} + 5)")
    negative = it.dialect.starts_with.replace("{1}", "'-'")
    signed = f"CASE WHEN {negative} THEN -{units} ELSE {units} END"
    return it.fitting(SqlPiece(signed)).sql
