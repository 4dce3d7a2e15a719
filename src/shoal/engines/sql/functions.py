"""Every function of the row language as SQL that never fails, whatever the data."""

from __future__ import annotations

from collections.abc import Callable

from shoal.engines.sql.dialect import Dialect, real, whole
from shoal.engines.sql.expressions import Layers, SqlPiece, filled
from shoal.engines.sql.patterns import is_searched, linear
from shoal.plan import REAL, Call, Kind, Literal, Value
from shoal.plan.facts import widest
from shoal.plan.functions.dates import step_of
from shoal.plan.functions.logic import parts_of_pattern
from shoal.plan.functions.patterns import pattern_in
from shoal.plan.functions.rounding import WHOLE_REALS
from shoal.plan.functions.text import LOWER, UPPER
from shoal.plan.patterns import pattern_of, run_of
from shoal.plan.patterns.syntax import written

Lower = Callable[["Lowered"], SqlPiece]


class Lowered:
    """A call with its arguments as SQL, and what is needed to write it."""

    def __init__(
        self, call: Call, pieces: list[SqlPiece], layers: Layers, dialect: Dialect
    ) -> None:
        self.call = call
        self.pieces = pieces
        self.layers = layers
        self.dialect = dialect

    @property
    def is_real(self) -> bool:
        return self.call.type == REAL

    def form(self, form: str) -> SqlPiece:
        """The arguments in a form that names each at most once."""
        return filled(form, self.pieces)

    def again(self, form: str) -> SqlPiece:
        """The arguments in a form that may name them several times."""
        return filled(form, [self.layers.once(piece) for piece in self.pieces])

    def fitting(self, piece: SqlPiece, kind: Kind = Kind.INTEGER) -> SqlPiece:
        """A piece cast, NULL where it does not fit."""
        return filled(self.dialect.try_cast.replace("{type}", self.dialect.types[kind]), [piece])

    def wide(self, at: int) -> SqlPiece:
        # A sum or product of two 64-bit numbers fits the wide type, so nothing fails before it is
        # known whether the result fits.
        return filled(f"CAST({{0}} AS {self.dialect.wide})", [self.pieces[at]])

    def wide_form(self, form: str) -> SqlPiece:
        """Whole-number arithmetic without overflow, brought back to 64 bits."""
        wide = [self.wide(at) for at in range(len(self.pieces))]
        if any(form.count(f"{{{at}}}") > 1 for at in range(len(wide))):
            wide = [self.layers.once(piece) for piece in wide]
        return self.fitting(filled(form, wide))

    def finite(self, piece: SqlPiece) -> SqlPiece:
        """A real, NULL where it is not finite; checked only where it may not be."""
        if not self.call.partial:
            return piece
        checked = self.dialect.finite.format("{0}")
        return filled(f"CASE WHEN {checked} THEN {{0}} END", [self.layers.once(piece)])

    def constant(self, at: int) -> Value:
        argument = self.call.arguments[at]
        assert isinstance(argument, Literal)
        return argument.value

    def divided(self, above: str, below: str) -> str:
        return self.dialect.divided.replace("{0}", above).replace("{1}", below)


def _arithmetic(sign: str) -> Lower:
    def lower(it: Lowered) -> SqlPiece:
        form = f"({{0}} {sign} {{1}})"
        return it.finite(it.form(form)) if it.is_real else it.wide_form(form)

    return lower


def _negate(it: Lowered) -> SqlPiece:
    return it.form("(-{0})") if it.is_real else it.wide_form("(-{0})")


def _divide(it: Lowered) -> SqlPiece:
    return it.finite(it.again("CASE WHEN {1} <> 0 THEN {0} / {1} END"))


def _int_divide(it: Lowered) -> SqlPiece:
    return it.wide_form(it.divided("{0}", "NULLIF({1}, 0)"))


def _mod(it: Lowered) -> SqlPiece:
    if it.is_real:
        return it.again("CASE WHEN {1} <> 0 THEN {0} % {1} END")
    return it.wide_form("({0} % NULLIF({1}, 0))")


def _abs(it: Lowered) -> SqlPiece:
    return it.form("ABS({0})") if it.is_real else it.wide_form("ABS({0})")


def _sign(it: Lowered) -> SqlPiece:
    return it.form("CAST(SIGN({0}) AS BIGINT)")


def _sqrt(it: Lowered) -> SqlPiece:
    # ABS, because an engine may compute both branches, and a root of a negative number can fail.
    return it.again("CASE WHEN {0} >= 0 THEN SQRT(ABS({0})) END")


def _floor(it: Lowered) -> SqlPiece:
    step = 10 ** it.call.arguments[0].type.scale
    if it.is_real or step == 1:
        return it.again(it.dialect.floor) if it.is_real else it.pieces[0]
    # The remainder is made non-negative first: SQL's % has the sign of the number, and its
    # division cuts towards 0.
    return it.wide_form(it.divided(f"({{0}} - ((({{0}} % {step}) + {step}) % {step}))", str(step)))


def _ceil(it: Lowered) -> SqlPiece:
    step = 10 ** it.call.arguments[0].type.scale
    if it.is_real or step == 1:
        return it.again(it.dialect.ceil) if it.is_real else it.pieces[0]
    return it.wide_form(it.divided(f"({{0}} + (({step} - ({{0}} % {step})) % {step}))", str(step)))


def rescaled(it: Lowered, by: int) -> SqlPiece:
    """Units of another scale, halves away from zero."""
    if by >= 0:
        return it.pieces[0] if by == 0 else it.wide_form(f"({{0}} * {10**by})")
    step = 10**-by
    up = it.divided(f"({{0}} + {step // 2})", str(step))
    # Negative numbers are rounded by their size: halves away from zero on both sides.
    down = it.divided(f"({step // 2} - {{0}})", str(step))
    return it.wide_form(f"CASE WHEN {{0}} >= 0 THEN {up} ELSE -{down} END")


def _round(it: Lowered) -> SqlPiece:
    digits = it.constant(1)
    assert isinstance(digits, int)
    if not it.is_real:
        it.pieces = it.pieces[:1]
        return rescaled(it, it.call.type.scale - it.call.arguments[0].type.scale)
    operand, power = it.layers.once(it.pieces[0]), real(float(10**digits))
    scaled = it.layers.once(filled(f"({{0}} * {power})", [operand]))
    nearest = it.dialect.away.replace("{0}", "{1}")
    form = f"CASE WHEN ABS({{1}}) < {real(WHOLE_REALS)} THEN {nearest} / {power} ELSE {{0}} END"
    return filled(form, [operand, scaled])


def _bin(it: Lowered) -> SqlPiece:
    if it.is_real:
        steps = it.layers.once(it.form("(({0} - {2}) / {1})"))
        start = it.dialect.floor.replace("{0}", "{3}")
        return it.finite(filled(f"({start} * {{1}} + {{2}})", [*it.pieces, steps]))
    step = "(((({0} - {2}) % {1}) + {1}) % {1})"
    return it.wide_form(f"({{0}} - {step})")


def _width_bucket(it: Lowered) -> SqlPiece:
    lo, hi, count = (it.constant(at) for at in (1, 2, 3))
    assert isinstance(lo, int | float)
    assert isinstance(hi, int | float)
    assert isinstance(count, int)
    if it.call.arguments[0].type == REAL:
        inside = f"LEAST(FLOOR(({{0}} - {{1}}) / {real(hi - lo)} * {real(count)}), {real(count - 1)}) + 1"
    else:
        above = f"((CAST({{0}} AS {it.dialect.wide}) - {whole(int(lo))}) * {count})"
        inside = it.divided(above, f"CAST({int(hi) - int(lo)} AS {it.dialect.wide})") + " + 1"
    form = (
        f"CASE WHEN {{0}} IS NULL THEN NULL WHEN {{0}} < {{1}} THEN 0 WHEN {{0}} >= {{2}} "
        f"THEN {count + 1} ELSE {inside} END"
    )
    return it.fitting(it.again(form))


def _case(it: Lowered) -> SqlPiece:
    whens = "".join(f"WHEN {{{at}}} THEN {{{at + 1}}} " for at in range(0, len(it.pieces) - 1, 2))
    return it.form(f"CASE {whens}ELSE {{{len(it.pieces) - 1}}} END")


def _in(it: Lowered) -> SqlPiece:
    listed = ", ".join(f"{{{at}}}" for at in range(1, len(it.pieces)))
    return it.form(f"({{0}} IN ({listed}))")


def matching(it: Lowered, regular: str) -> SqlPiece:
    """Whether the first argument matches a regular expression as a whole."""
    return it.form(it.dialect.matches.replace("{1}", quoted(it, regular)))


def quoted(it: Lowered, text: str) -> str:
    """A text constant within a form, where braces are doubled."""
    return it.dialect.text(text).replace("{", "{{").replace("}", "}}")


def _regexp_matches(it: Lowered) -> SqlPiece:
    return it.form(f"REGEXP_MATCHES({{0}}, {quoted(it, written(pattern_of(pattern_in(it.call))))})")


def _of_run(form: str) -> Lower:
    def lower(it: Lowered) -> SqlPiece:
        regular = run_of(pattern_in(it.call)).written(possessive=False)
        return it.form(form.replace("{1}", quoted(it, regular)))

    return lower


def _like(it: Lowered) -> SqlPiece:
    escape = it.constant(2)
    parts = parts_of_pattern(str(it.constant(1)), str(escape))
    # A regular expression of linear size: LIKE with several wildcards can take time that grows
    # with a power of the text's length.
    if is_searched(parts) and (escape or any(None in part for part in parts)):
        return matching(it, linear(parts))
    return it.form("({0} LIKE {1} ESCAPE {2})" if escape else "({0} LIKE {1})")


def _starts_with(it: Lowered) -> SqlPiece:
    return it.form(it.dialect.starts_with)


def _trimmed(it: Lowered) -> SqlPiece:
    return it.form(it.dialect.trims[it.call.name])


def _part(it: Lowered) -> SqlPiece:
    """SUBSTRING, LEFT and RIGHT; places and lengths are constants."""
    places = ", ".join(str(it.constant(at)) for at in range(1, len(it.pieces)))
    return it.form(f"{it.call.name.upper()}({{0}}, {places})")


def _translated(old: str, new: str) -> Lower:
    return lambda it: it.form(f"TRANSLATE({{0}}, '{old}', '{new}')")


def _date_part(it: Lowered) -> SqlPiece:
    return it.form(f"CAST(EXTRACT({it.constant(0)} FROM {{1}}) AS BIGINT)")


def _date_trunc(it: Lowered) -> SqlPiece:
    kind = it.dialect.types[it.call.type.kind]
    return it.form(f"CAST(DATE_TRUNC('{it.constant(0)}', {{1}}) AS {kind})")


def _days_between(it: Lowered) -> SqlPiece:
    return it.form(it.dialect.days_between)


def _add_days(it: Lowered) -> SqlPiece:
    kind, wide = it.call.type, it.dialect.wide
    limits = widest(kind)
    assert limits is not None
    start = it.dialect.days_between.replace("{1}", "DATE '1970-01-01'")
    start = it.dialect.microseconds if kind.kind is Kind.TIMESTAMP else start
    moved = f"(CAST({start} AS {wide}) + CAST({{1}} AS {wide}) * {step_of(it.call)})"
    lo, hi = int(limits.lo), int(limits.hi)
    at = it.dialect.moment_at if kind.kind is Kind.TIMESTAMP else it.dialect.day_at
    # Held within the calendar although the CASE already asks: an engine may compute the branch
    # first, and a date out of range fails.
    inside = at.replace("{0}", f"LEAST(GREATEST({{0}}, {lo}), {hi})")
    place = it.layers.once(it.form(moved))
    return filled(f"CASE WHEN {{0}} BETWEEN {lo} AND {hi} THEN {inside} END", [place])


def _plain(form: str) -> Lower:
    return lambda it: it.form(form)


LOWER_CALL: dict[str, Lower] = {
    "add": _arithmetic("+"),
    "subtract": _arithmetic("-"),
    "multiply": _arithmetic("*"),
    "negate": _negate,
    "divide": _divide,
    "int_divide": _int_divide,
    "mod": _mod,
    "abs": _abs,
    "sign": _sign,
    "sqrt": _sqrt,
    "floor": _floor,
    "ceil": _ceil,
    "round": _round,
    "bin": _bin,
    "width_bucket": _width_bucket,
    "eq": _plain("({0} = {1})"),
    "ne": _plain("({0} <> {1})"),
    "lt": _plain("({0} < {1})"),
    "le": _plain("({0} <= {1})"),
    "gt": _plain("({0} > {1})"),
    "ge": _plain("({0} >= {1})"),
    "between": _plain("({0} BETWEEN {1} AND {2})"),
    "same": _plain("({0} IS NOT DISTINCT FROM {1})"),
    "in": _in,
    "and": _plain("({0} AND {1})"),
    "or": _plain("({0} OR {1})"),
    "not": _plain("(NOT {0})"),
    "is_null": _plain("({0} IS NULL)"),
    "like": _like,
    "regexp_matches": _regexp_matches,
    "regexp_extract": _of_run("REGEXP_EXTRACT({0}, {1})"),
    "regexp_replace": _of_run("REGEXP_REPLACE({0}, {1}, {2}, 'g')"),
    "case": _case,
    "coalesce": _plain("COALESCE({*})"),
    "nullif": lambda it: it.again("CASE WHEN {0} = {1} THEN NULL ELSE {0} END"),
    "least": _plain("LEAST({*})"),
    "greatest": _plain("GREATEST({*})"),
    "lower": _translated(UPPER, LOWER),
    "upper": _translated(LOWER, UPPER),
    "trim": _trimmed,
    "ltrim": _trimmed,
    "rtrim": _trimmed,
    "length": _plain("CAST(LENGTH({0}) AS BIGINT)"),
    "concat": _plain("({0} || {1})"),
    "starts_with": _starts_with,
    "ends_with": lambda it: it.form(it.dialect.ends_with),
    "contains": _plain("CONTAINS({0}, {1})"),
    "substring": _part,
    "left": _part,
    "right": _part,
    "replace": _plain("REPLACE({0}, {1}, {2})"),
    "trim_of": _plain("TRIM({0}, {1})"),
    "ltrim_of": _plain("LTRIM({0}, {1})"),
    "rtrim_of": _plain("RTRIM({0}, {1})"),
    "position": _plain("CAST(STRPOS({0}, {1}) AS BIGINT)"),
    "split_part": lambda it: it.form(f"SPLIT_PART({{0}}, {{1}}, {it.constant(2)})"),
    "date_part": _date_part,
    "date_trunc": _date_trunc,
    "days_between": _days_between,
    "add_days": _add_days,
    "add_seconds": _add_days,
}
"""How each function is written; `cast` stands in a file of its own."""
