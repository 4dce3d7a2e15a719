"""Words about dates that are made of a few functions every engine has: names of days and months,
STRFTIME and STRPTIME, months and years added, ages, seconds since 1970.

Each is a composition of functions of the row language, so it means the same on every engine, is
total, and its values are known where those of its column are.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Mapping

from shoal.errors import ExpressionError
from shoal.plan import DATE, INTEGER, TEXT, Expression, Kind, Literal, call, cast

DAYS = ("Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday")
MONTHS = (
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
)
_EPOCH = Literal(dt.date(1970, 1, 1), DATE)
_LAST_MONTH = 9999 * 12 + 11


def whole(number: int) -> Expression:
    return Literal(number, INTEGER)


def words(text: str) -> Expression:
    return Literal(text, TEXT)


def part(name: str, moment: Expression) -> Expression:
    return call("date_part", words(name), moment)


def _plus(left: Expression, right: Expression | int) -> Expression:
    return call("add", left, whole(right) if isinstance(right, int) else right)


def _minus(left: Expression, right: Expression | int) -> Expression:
    return call("subtract", left, whole(right) if isinstance(right, int) else right)


def _times(left: Expression, right: int) -> Expression:
    return call("multiply", left, whole(right))


def _over(left: Expression, right: int) -> Expression:
    return call("int_divide", left, whole(right))


def _rest(left: Expression, right: int) -> Expression:
    return call("mod", left, whole(right))


def _if(condition: Expression, yes: Expression, no: Expression) -> Expression:
    return call("case", condition, yes, no)


def _listed(number: Expression, first: int, names: tuple[str, ...]) -> Expression:
    """The name that stands at a number."""
    parts: list[Expression] = []
    for at, name in enumerate(names):
        parts += [call("eq", number, whole(first + at)), words(name)]
    return call("case", *parts, Literal(None, TEXT))


def day_name(moment: Expression, letters: int | None = None) -> Expression:
    """The English name of the day of the week, or its first letters."""
    return _listed(part("dow", moment), 0, tuple(name[:letters] for name in DAYS))


def month_name(moment: Expression, letters: int | None = None) -> Expression:
    """The English name of the month, or its first letters."""
    return _listed(part("month", moment), 1, tuple(name[:letters] for name in MONTHS))


def day(moment: Expression) -> Expression:
    return cast(moment, DATE)


def start(unit: str, moment: Expression) -> Expression:
    """The first moment of a year, month or day, or of a decade, century or millennium."""
    years = {"decade": 10, "century": 100, "millennium": 1000}.get(unit)
    if years is None:
        return call("date_trunc", words(unit), moment)
    january = call("date_trunc", words("year"), moment)
    since = _rest(part("year", moment), years)
    return add_months(january, call("negate", _times(since, 12)))


COMPOSED: dict[str, Callable[[Expression], Expression]] = {
    "isodow": lambda d: _plus(_rest(_plus(part("dow", d), 6), 7), 1),
    "doy": lambda d: _plus(call("days_between", day(d), start("year", day(d))), 1),
    "isoyear": lambda d: part("year", call("add_days", start("week", day(d)), whole(3))),
    "decade": lambda d: _over(part("year", d), 10),
    "century": lambda d: _over(_plus(part("year", d), 99), 100),
    "millennium": lambda d: _over(_plus(part("year", d), 999), 1000),
    "yearweek": lambda d: _plus(_times(COMPOSED["isoyear"](d), 100), part("week", d)),
}
"""Parts of a date that are computed from others."""


def any_part(name: str, moment: Expression) -> Expression:
    """A part of a date, of those that engines have or of those that are computed."""
    if name == "epoch":
        return epoch(moment)
    made = COMPOSED.get(name)
    return part(name, moment) if made is None else made(moment)


def epoch(moment: Expression) -> Expression:
    """Whole seconds since the beginning of 1970, rounded down."""
    return borders("SECOND", moment)


BORDERS: Mapping[str, tuple[tuple[str, int], ...]] = {
    "HOUR": (("hour", 1),),
    "MINUTE": (("hour", 60), ("minute", 1)),
    "SECOND": (("hour", 3600), ("minute", 60), ("second", 1)),
}
_IN_A_DAY = {"HOUR": 24, "MINUTE": 1440, "SECOND": 86_400}


def borders(unit: str, moment: Expression) -> Expression:
    """How many hours, minutes or seconds have begun since the beginning of 1970."""
    found = _times(call("days_between", day(moment), _EPOCH), _IN_A_DAY[unit])
    for name, size in BORDERS[unit] if moment.type.kind is Kind.TIMESTAMP else ():
        found = _plus(found, _times(part(name, moment), size))
    return found


def _days_until(year: Expression, month: Expression, of_month: Expression) -> Expression:
    """Days from a fixed day to a date of the Gregorian calendar; years begin in March."""
    early = call("le", month, whole(2))
    shifted = _minus(year, _if(early, whole(1), whole(0)))
    months = _plus(month, _if(early, whole(9), whole(-3)))
    leaps = _plus(_minus(_over(shifted, 4), _over(shifted, 100)), _over(shifted, 400))
    before = _over(_plus(_times(months, 153), 2), 5)
    return _plus(_plus(_plus(_times(shifted, 365), leaps), before), of_month)


def add_months(moment: Expression, months: Expression) -> Expression:
    """A date so many months later, on the same day of the month or on its last.

    Edges: NULL beyond the years 1 to 9999.
    """
    year, month, of_month = (part(name, moment) for name in ("year", "month", "day"))
    total = _plus(_minus(_plus(_times(year, 12), month), 1), months)
    new_year, new_month = _over(total, 12), _plus(_rest(total, 12), 1)
    after = _plus(total, 1)
    first = _days_until(new_year, new_month, whole(1))
    next_first = _days_until(_over(after, 12), _plus(_rest(after, 12), 1), whole(1))
    there = _minus(_plus(first, call("least", of_month, _minus(next_first, first))), 1)
    moved = call("add_days", moment, _minus(there, _days_until(year, month, of_month)))
    inside = call("between", total, whole(12), whole(_LAST_MONTH))
    return _if(inside, moved, Literal(None, moment.type))


def last_day(moment: Expression) -> Expression:
    """The last day of a month."""
    first = start("month", day(moment))
    return call("add_days", add_months(first, whole(1)), whole(-1))


def full_units(unit: str, earlier: Expression, later: Expression) -> Expression:
    """Full years or months from one date to another, as ages are counted; below 0 backwards.

    Edges: who was born on 29 February is a year older on 1 March of a year that is no leap year;
        DuckDB counts the last day of February.
    """
    if unit == "day":
        return call("days_between", later, earlier)

    def months(moment: Expression) -> Expression:
        return _plus(_times(part("year", moment), 12), part("month", moment))

    apart = _minus(months(later), months(earlier))
    before = call("lt", part("day", later), part("day", earlier))
    after = call("gt", part("day", later), part("day", earlier))
    forward = _minus(apart, _if(before, whole(1), whole(0)))
    back = _plus(apart, _if(after, whole(1), whole(0)))
    found = _if(call("ge", later, earlier), forward, back)
    return _over(found, 12) if unit == "year" else found


def _padded(number: Expression, width: int) -> Expression:
    """A number with zeros in front."""
    text: Expression = cast(number, TEXT)
    zeros: list[Expression] = []
    for digits in range(1, width):
        few = call("lt", number, whole(10**digits))
        zeros += [few, call("concat", words("0" * (width - digits)), text)]
    return call("case", *zeros, text)


_FIELDS: dict[str, Callable[[Expression], Expression]] = {
    "Y": lambda d: _padded(part("year", d), 4),
    "y": lambda d: _padded(_rest(part("year", d), 100), 2),
    "m": lambda d: _padded(part("month", d), 2),
    "d": lambda d: _padded(part("day", d), 2),
    "H": lambda d: _padded(part("hour", d), 2),
    "M": lambda d: _padded(part("minute", d), 2),
    "S": lambda d: _padded(part("second", d), 2),
    "j": lambda d: _padded(COMPOSED["doy"](d), 3),
    "V": lambda d: _padded(part("week", d), 2),
    "G": lambda d: _padded(COMPOSED["isoyear"](d), 4),
    "w": lambda d: cast(part("dow", d), TEXT),
    "u": lambda d: cast(COMPOSED["isodow"](d), TEXT),
    "A": day_name,
    "a": lambda d: day_name(d, 3),
    "B": month_name,
    "b": lambda d: month_name(d, 3),
}
_LONGEST = 40


def formatted(moment: Expression, pattern: str) -> Expression:
    """STRFTIME: a date as text by a constant pattern."""
    made: Expression = words("")
    for kind, letter in _pieces(pattern):
        piece = _FIELDS[letter](moment) if kind else words(letter)
        made = call("concat", made, piece)
    return made


def _pieces(pattern: str, allowed: str = "".join(_FIELDS)) -> list[tuple[bool, str]]:
    """The fields and the letters between them."""
    if len(pattern) > _LONGEST:
        raise ExpressionError(
            f"a pattern of dates has more than {_LONGEST} letters.", remedy="Write a shorter one."
        )
    whole_words = {"F": "%Y-%m-%d", "T": "%H:%M:%S", "R": "%H:%M"}
    for letter, meant in whole_words.items():
        pattern = pattern.replace(f"%{letter}", meant)
    found, letters = list[tuple[bool, str]](), iter(pattern)
    for letter in letters:
        if letter != "%":
            found.append((False, letter))
            continue
        field = next(letters, "")
        if field == "%":
            found.append((False, "%"))
        elif field and field in allowed:
            found.append((True, field))
        else:
            raise ExpressionError(
                f"%{field} is not a part of a date that is read here.",
                remedy=f"Choose from {', '.join(f'%{each}' for each in allowed)}.",
            )
    return found


_WIDTHS = {"Y": 4, "m": 2, "d": 2}


def parsed(text: Expression, pattern: str) -> Expression:
    """STRPTIME: a date from a text of fixed form, such as 31/12/2024; NULL for another form."""
    pieces = _pieces(pattern, "Ymd")
    shape = [letter for kind, letter in pieces if not kind]
    if len(pieces) == 5 and len(shape) == 2 and shape[0] == shape[1]:
        fields = [letter for kind, letter in pieces if kind]
        if sorted(fields) == sorted(_WIDTHS):
            return _between_signs(text, fields, shape[0])
    at, where, conditions = 1, dict[str, Expression](), list[Expression]()
    for kind, letter in pieces:
        size = _WIDTHS[letter] if kind else 1
        piece = call("substring", text, whole(at), whole(size))
        if kind:
            where[letter] = piece
        else:
            conditions.append(call("eq", piece, words(letter)))
        at += size
    if set(where) != set(_WIDTHS):
        raise ExpressionError(
            "a date is read from a day, a month and a year.", remedy="Write '%d/%m/%Y'."
        )
    written = where["Y"]
    for letter in "md":
        written = call("concat", call("concat", written, words("-")), where[letter])
    made = call("eq", call("length", text), whole(at - 1))
    for condition in conditions:
        made = call("and", made, condition)
    return _if(made, cast(written, DATE), Literal(None, DATE))


def _between_signs(text: Expression, fields: list[str], sign: str) -> Expression:
    """A date whose parts stand between signs, with or without a leading zero."""
    parts = [call("split_part", text, words(sign), whole(at)) for at in (1, 2, 3)]
    again: Expression = parts[0]
    for each in parts[1:]:
        again = call("concat", call("concat", again, words(sign)), each)
    where = dict(zip(fields, parts, strict=True))
    written = where["Y"]
    for letter in "md":
        short = call("eq", call("length", where[letter]), whole(1))
        two = _if(short, call("concat", words("0"), where[letter]), where[letter])
        written = call("concat", call("concat", written, words("-")), two)
    return _if(call("eq", again, text), cast(written, DATE), Literal(None, DATE))
