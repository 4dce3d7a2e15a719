"""Tables full of hostile values, and expressions of every function over them."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from math import gcd
from typing import Any

import pyarrow as pa
from hypothesis import strategies as st

from shoal.errors import ExpressionError
from shoal.plan import (
    BOOLEAN,
    DATE,
    INTEGER,
    REAL,
    TEXT,
    TIMESTAMP,
    Choices,
    Column,
    Expression,
    Kind,
    Literal,
    Range,
    Ref,
    Row,
    Scan,
    Table,
    Type,
    call,
    cast,
    column,
    decimal,
    read,
)

MONEY, FINE = decimal(2), decimal(4)
INTEGERS = [0, 1, -1, 2, 3, 7, 10, 100, 2**31, 2**53 + 1, 2**62, 2**63 - 1, -(2**63), -(2**63) + 1]
REALS = [
    0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1.5, 2.5, 0.1, 1 / 3, 0.49999999999999994, 2.0**52 + 0.5, 2.0**53,
    9.223372036854775e18, 2.0**63, 1e300, -1e300, 1.7976931348623157e308, 5e-324, -5e-324, 2.2e-308, 123.456,
]  # fmt: skip
NOT_REALS = [float("nan"), float("inf"), float("-inf")]
TEXTS = [
    "", " ", "  a b  ", "a", "A", "abc", "aBc", "é", "É", "ß", "straße", "İ", "日本", "a%b_c", "\\", "'",
    '"', "🤦🏼‍♂️", "e\u0301", "\n", "a\nb", "\u00a0x", "NULL", "{0}", "--", "ab" * 20,
]  # fmt: skip
NUMBERLIKE = [
    "12", "-12", "+5", " 12", "12 ", "1.5", "1.005", "-0.125", ".5", "5.", "1e3", "1E400", "-1e400", "1e-400",
    "nan", "inf", "0x1F", "1_000", "1,5", "9223372036854775807", "9223372036854775808", "-9223372036854775808",
    "99999999999999999999", "123456789012345678.99", "0.99995", "true", "TRUE", "False", "t", "١٢",
    "2020-02-29", "2021-02-29", "0000-01-01", "0001-01-01", "9999-12-31", "2020-1-1", "10000-01-01",
    "2020-02-29 23:59:59", "2020-02-29T00:00:00.5", "2020-02-29 24:00:00", "2020-02-29 12:60:00", "1969-12-31 23:59:59.999999",
]  # fmt: skip
DAYS = [
    dt.date(1, 1, 1), dt.date(9999, 12, 31), dt.date(1970, 1, 1), dt.date(1969, 12, 31), dt.date(2000, 2, 29),
    dt.date(2024, 2, 29), dt.date(1900, 3, 1), dt.date(2021, 1, 3), dt.date(2020, 12, 31), dt.date(2026, 7, 1),
]  # fmt: skip
MOMENTS = [dt.datetime.combine(day, dt.time()) for day in DAYS] + [
    dt.datetime.max,
    dt.datetime(1969, 12, 31, 23, 59, 59, 999999),
    dt.datetime(2024, 2, 29, 13, 30, 1, 1),
]
MONEYS = [Decimal(n) for n in ("0.00", "0.01", "-0.01", "0.50", "1.49", "1.50", "-1.50", "2.50", "12345.67",
                               "9999999999999999.99", "-9999999999999999.99")]  # fmt: skip

ARROW = pa.schema(
    {
        "i": pa.int64(), "j": pa.int32(), "r": pa.float64(), "q": pa.float32(), "m": pa.decimal128(18, 2),
        "s": pa.string(), "w": pa.string(), "b": pa.bool_(), "d": pa.date32(), "t": pa.timestamp("us"),
        "g": pa.int64(), "h": pa.float64(), "c": pa.string(), "z": pa.date32(),
    }
)  # fmt: skip
COLUMNS = (
    column("i", INTEGER),
    column("j", INTEGER),
    column("r", REAL),
    column("q", REAL),
    column("m", MONEY),
    Column("s", TEXT, longest=200),
    Column("w", TEXT, longest=200),
    column("b", BOOLEAN),
    column("d", DATE),
    column("t", TIMESTAMP),
    column("g", INTEGER, Range(-5, 120)),
    column("h", REAL, Range("-0.1", 500), nullable=False),
    column("c", TEXT, Choices(["a", "b", "ß", "it's"])),
    column("z", DATE, Range("2020-01-01", "2020-12-31")),
)
SCAN = Scan(Table("rows", COLUMNS, protects=Row()))
TYPES = [INTEGER, REAL, MONEY, FINE, TEXT, BOOLEAN, DATE, TIMESTAMP]

_small = st.sampled_from([0, 1, -1, 2, 3, 7, -2147483648])
CELLS: dict[str, st.SearchStrategy[Any]] = {
    "i": st.sampled_from(INTEGERS) | st.integers(-(2**63), 2**63 - 1),
    "j": _small,
    "r": st.sampled_from([*REALS, *NOT_REALS]) | st.floats(),
    "q": st.floats(width=32),
    "m": st.sampled_from(MONEYS),
    "s": st.sampled_from(TEXTS)
    | st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=6),
    "w": st.sampled_from(NUMBERLIKE)
    | st.integers(-(2**64), 2**64).map(str)
    | st.floats().map(repr),
    "b": st.booleans(),
    "d": st.sampled_from(DAYS) | st.dates(),
    "t": st.sampled_from(MOMENTS) | st.datetimes(),
    "g": st.integers(-10, 130),
    "h": st.sampled_from(REALS + NOT_REALS),
    "c": st.sampled_from(["a", "b", "ß", "it's", "other", ""]),
    "z": st.dates(dt.date(2019, 12, 1), dt.date(2021, 1, 31)),
}


@st.composite
def tables(draw: st.DrawFn, *, most: int = 12) -> pa.Table:
    rows = draw(
        st.lists(st.fixed_dictionaries({n: st.none() | c for n, c in CELLS.items()}), max_size=most)
    )
    return pa.Table.from_pylist(rows, schema=ARROW)


def constants(kind: Type) -> st.SearchStrategy[Expression]:
    values: dict[Kind, st.SearchStrategy[Any]] = {
        Kind.INTEGER: st.sampled_from(INTEGERS),
        Kind.DECIMAL: st.sampled_from([0, 1, -5, 50, 12345, 10**17]),
        Kind.REAL: st.sampled_from([abs(x) if x == 0 else x for x in REALS]),
        Kind.TEXT: st.sampled_from([*TEXTS, *NUMBERLIKE]),
        Kind.BOOLEAN: st.booleans(),
        Kind.DATE: st.sampled_from(DAYS),
        Kind.TIMESTAMP: st.sampled_from(MOMENTS),
    }
    return (st.none() | values[kind.kind]).map(lambda value: Literal(value, kind))


def leaves(kind: Type) -> st.SearchStrategy[Expression]:
    refs = [Ref(c) for c in SCAN.columns if c.type == kind]
    if not refs:
        return constants(kind) | st.sampled_from([cast(Ref(SCAN.columns[1]), kind)])
    return (
        st.sampled_from(refs) | constants(kind)
        if len(refs) < 2
        else st.one_of(st.sampled_from(refs), st.sampled_from(refs), constants(kind))
    )


NUMERIC, ALL = [INTEGER, REAL, MONEY, FINE], TYPES


@st.composite
def expressions(draw: st.DrawFn, kind: Type, depth: int = 3) -> Expression:
    """An expression of a type; of every function there is."""
    if depth == 0 or draw(st.integers(0, 5)) == 0:
        return draw(leaves(kind))

    def of(*types: Type) -> list[Expression]:
        return [draw(expressions(each, depth - 1)) for each in types]

    def some(types: list[Type]) -> Type:
        return draw(st.sampled_from(types))

    def made(name: str, *types: Type) -> Expression:
        return call(name, *of(*types))

    shape = draw(st.sampled_from(["own", "own", "own", "choice", "cast"]))
    if shape == "choice":
        return _chosen(
            draw(st.sampled_from(["case", "coalesce", "nullif", "least", "greatest"])), kind, made
        )
    if shape == "cast":
        return _casted(kind, some, of)
    match kind.kind:
        case Kind.BOOLEAN:
            return _truth(draw, some, of, made)
        case Kind.TEXT:
            return _text(draw, of, made)
        case Kind.DATE | Kind.TIMESTAMP:
            return _moment(draw, kind, of)
        case Kind.INTEGER:
            return _integer(draw, some, of, made)
        case Kind.REAL:
            return _real(draw, some, of, made)
        case Kind.DECIMAL:
            return _decimal(draw, kind, of, made)


def _chosen(name: str, kind: Type, made: Any) -> Expression:
    if name == "case":
        found: Expression = made("case", BOOLEAN, kind, BOOLEAN, kind, kind)
    else:
        found = made(name, kind, kind)
    return cast(found, kind)


CASTS: dict[Kind, list[Type]] = {
    Kind.INTEGER: [MONEY, FINE, REAL, TEXT, BOOLEAN],
    Kind.DECIMAL: [INTEGER, FINE, MONEY, REAL, TEXT],
    Kind.REAL: [INTEGER, MONEY, FINE, TEXT],
    Kind.TEXT: [INTEGER, BOOLEAN, DATE],
    Kind.BOOLEAN: [INTEGER, TEXT],
    Kind.DATE: [TIMESTAMP, TEXT],
    Kind.TIMESTAMP: [DATE, TEXT],
}


def _casted(kind: Type, some: Any, of: Any) -> Expression:
    return cast(of(some(CASTS[kind.kind]))[0], kind)


def _truth(draw: st.DrawFn, some: Any, of: Any, made: Any) -> Expression:
    name = draw(st.sampled_from(
        ["eq", "ne", "lt", "le", "gt", "ge", "same", "between", "in", "and", "or", "not", "is_null", "like", "find", "regexp_matches"]
    ))  # fmt: skip
    kind = some(ALL)
    match name:
        case "between":
            return call(name, *of(kind, kind, kind))
        case "in":
            return call(name, *of(kind), *draw(st.lists(constants(kind), min_size=1, max_size=4)))
        case "and" | "or":
            return made(name, BOOLEAN, BOOLEAN)  # type: ignore[no-any-return]
        case "not":
            return made(name, BOOLEAN)  # type: ignore[no-any-return]
        case "is_null":
            return made(name, kind)  # type: ignore[no-any-return]
        case "like":
            return _like(draw, of)
        case "regexp_matches":
            return call(name, *of(TEXT), Literal(draw(st.sampled_from(PATTERNS)), TEXT))
        case "find":
            word = draw(st.sampled_from(["starts_with", "ends_with", "contains"]))
            return made(word, TEXT, TEXT)  # type: ignore[no-any-return]
    if kind.numeric:
        return made(name, kind, some(NUMERIC))  # type: ignore[no-any-return]
    return made(name, kind, kind)  # type: ignore[no-any-return]


PATTERNS = [
    "^a",
    "b$",
    "(?i)A+b?",
    "[^a-z]",
    r"\bé|\d{2}",
    "^(a|B|c)*$",
    "",
    "(?s)a.*b",
    "日.",
    r"\s",
]
RUNS = ["[0-9]+", "[^a-z]", "^[ab]+", "[a-c]{2,3}", "é"]


def _like(draw: st.DrawFn, of: Any) -> Expression:
    pattern = draw(
        st.sampled_from(
            ["%", "_", "a%", "%a", "%b%", "a_c", "", "__", "!%", "a!_%", "%é%", "\\%", "%_%"]
        )
    )
    escape = draw(st.sampled_from(["", "!"]))
    return call("like", *of(TEXT), Literal(pattern, TEXT), Literal(escape, TEXT))


def _text(draw: st.DrawFn, of: Any, made: Any) -> Expression:
    name = draw(st.sampled_from(
        ["lower", "upper", "trim", "ltrim", "rtrim", "concat", "substring", "left", "right", "replace",
         "regexp_extract", "regexp_replace"]
    ))  # fmt: skip
    count = st.sampled_from([1, 2, 3, 5, 100])
    match name:
        case "concat":
            return made(name, TEXT, TEXT)  # type: ignore[no-any-return]
        case "substring":
            return call(
                name, *of(TEXT), Literal(draw(count), INTEGER), Literal(draw(count) - 1, INTEGER)
            )
        case "left" | "right":
            return call(name, *of(TEXT), Literal(draw(count) - 1, INTEGER))
        case "regexp_extract":
            return call(name, *of(TEXT), Literal(draw(st.sampled_from(RUNS)), TEXT))
        case "regexp_replace":
            new = Literal(draw(st.sampled_from(["", "x", "$1"])), TEXT)
            return call(name, *of(TEXT), Literal(draw(st.sampled_from(RUNS)), TEXT), new)
        case "replace":
            old = draw(st.sampled_from(["a", "ab", " ", "é", "🏼"]))
            return call(
                name,
                *of(TEXT),
                Literal(old, TEXT),
                Literal(draw(st.sampled_from(["", "x", "aa"])), TEXT),
            )
    return made(name, TEXT)  # type: ignore[no-any-return]


UNITS = ["year", "quarter", "month", "week", "day"]


def _moment(draw: st.DrawFn, kind: Type, of: Any) -> Expression:
    if draw(st.booleans()):
        if kind == TIMESTAMP and draw(st.booleans()):
            return call(
                "add_seconds", *of(kind), Literal(draw(st.integers(-99_999, 99_999)), INTEGER)
            )
        return call("add_days", *of(kind, INTEGER))
    units = UNITS if kind == DATE else [*UNITS, "hour", "minute"]
    return call("date_trunc", Literal(draw(st.sampled_from(units)), TEXT), *of(kind))


def _integer(draw: st.DrawFn, some: Any, of: Any, made: Any) -> Expression:
    name = draw(st.sampled_from(
        ["add", "subtract", "multiply", "negate", "abs", "int_divide", "mod", "sign", "floor", "ceil", "round",
         "length", "date_part", "days_between", "width_bucket", "bin"]
    ))  # fmt: skip
    match name:
        case "negate" | "abs":
            return made(name, INTEGER)  # type: ignore[no-any-return]
        case "sign":
            return made(name, some(NUMERIC))  # type: ignore[no-any-return]
        case "floor" | "ceil" | "round":
            return made(name, some([INTEGER, MONEY, FINE]))  # type: ignore[no-any-return]
        case "length":
            return made(name, TEXT)  # type: ignore[no-any-return]
        case "date_part":
            part = draw(st.sampled_from([*UNITS, "dow", "hour", "minute"]))
            return call(name, Literal(part, TEXT), *of(some([DATE, TIMESTAMP])))
        case "days_between":
            return made(name, some([DATE, TIMESTAMP]), some([DATE, TIMESTAMP]))  # type: ignore[no-any-return]
        case "width_bucket":
            lo, hi = draw(st.sampled_from([(0, 10), (-100, 100), (0, 1), (-(2**49), 2**49)]))
            ends = Literal(lo, INTEGER), Literal(hi, INTEGER)
            return call(
                name, *of(some(NUMERIC)), *ends, Literal(draw(st.sampled_from([1, 3, 10])), INTEGER)
            )
        case "bin":
            width, origin = draw(st.sampled_from([(1, 0), (10, 3), (7, -100)]))
            return call(name, *of(INTEGER), Literal(width, INTEGER), Literal(origin, INTEGER))
    return made(name, INTEGER, INTEGER)  # type: ignore[no-any-return]


def _real(draw: st.DrawFn, some: Any, of: Any, made: Any) -> Expression:
    name = draw(st.sampled_from(
        ["add", "subtract", "multiply", "divide", "mod", "negate", "abs", "floor", "ceil", "round", "sqrt", "bin"]
    ))  # fmt: skip
    match name:
        case "negate" | "abs" | "floor" | "ceil" | "sqrt":
            return made(name, REAL)  # type: ignore[no-any-return]
        case "round":
            return call(name, *of(REAL), Literal(draw(st.sampled_from([0, 1, 2, 15])), INTEGER))
        case "bin":
            width, origin = draw(st.sampled_from([(1.0, 0.0), (0.1, 0.05), (7.5, -1e6)]))
            return call(name, *of(REAL), Literal(width, REAL), Literal(origin, REAL))
        case "divide":
            return made(name, some(NUMERIC), some(NUMERIC))  # type: ignore[no-any-return]
    return made(name, REAL, some(NUMERIC))  # type: ignore[no-any-return]


def _decimal(draw: st.DrawFn, kind: Type, of: Any, made: Any) -> Expression:
    name = draw(
        st.sampled_from(["add", "subtract", "multiply", "mod", "negate", "abs", "round", "bin"])
    )
    match name:
        case "negate" | "abs":
            found = made(name, kind)
        case "round":
            found = call(name, *of(kind), Literal(1, INTEGER))
        case "multiply":
            found = made(name, INTEGER, kind)
        case "bin":
            found = call(name, *of(kind), Literal(draw(st.sampled_from([25, 1000])), kind))
        case _:
            found = made(name, kind, kind)
    return cast(found, kind)


def dense() -> pa.Table:
    """A table in which every comparison of `comparisons` is true of some row and false of
    another.
    """
    day = dt.date(2019, 12, 1)
    rows = [
        {"g": n - 10, "j": (n % 9) - 2, "h": REALS[n % len(REALS)], "r": REALS[n % len(REALS)],
         "c": ["a", "b", "ß", "it's", "other", None][n % 6], "z": day + dt.timedelta(days=3 * n)}
        for n in range(145)
    ]  # fmt: skip
    return pa.Table.from_pylist([*rows, {}], schema=ARROW)


@st.composite
def comparisons(draw: st.DrawFn) -> Expression:
    """A column compared with constants, on either side."""
    ref = Ref(draw(st.sampled_from([c for c in SCAN.columns if c.name in "gjhczr"])))
    values = CELLS[ref.column.name].map(lambda value: Literal(read(value, ref.type), ref.type))
    name = draw(st.sampled_from(["lt", "le", "gt", "ge", "eq", "ne", "in", "between", "known"]))
    match name:
        case "in":
            return call("in", ref, *draw(st.lists(values, min_size=1, max_size=4)))
        case "between":
            return call("between", ref, draw(values), draw(values))
        case "known":
            return call("not", call("is_null", ref))
    sides = [ref, draw(values)]
    return call(name, *(sides if draw(st.booleans()) else reversed(sides)))


# every pair of hostile values, for functions one at a time

POOLS: dict[str, tuple[Type, list[Any], Any]] = {
    "i": (INTEGER, INTEGERS, pa.int64()),
    "r": (REAL, [*REALS, *NOT_REALS], pa.float64()),
    "m": (MONEY, MONEYS, pa.decimal128(18, 2)),
    "s": (TEXT, [*TEXTS, *NUMBERLIKE], pa.string()),
    "b": (BOOLEAN, [True, False], pa.bool_()),
    "d": (DATE, DAYS, pa.date32()),
    "t": (TIMESTAMP, MOMENTS, pa.timestamp("us")),
}
PAIRS = 800


def pairs() -> pa.Table:
    """For each type two columns that hold pairs of hostile values, NULL among them."""
    held: dict[str, Any] = {}
    for name, (_, pool, arrow) in POOLS.items():
        values = [*pool, None]
        every = [(x, y) for x in values for y in values]
        step = next(
            n
            for n in range(int(len(every) * 0.618) or 1, len(every) + 1)
            if gcd(n, len(every)) == 1
        )
        chosen = [every[at * step % len(every)] for at in range(PAIRS)]
        held[f"{name}1"] = pa.array([x for x, _ in chosen], arrow)
        held[f"{name}2"] = pa.array([y for _, y in chosen], arrow)
    return pa.table(held)


PAIR_SCAN = Scan(
    Table(
        "rows", tuple(column(f"{n}{k}", POOLS[n][0]) for n in POOLS for k in (1, 2)), protects=Row()
    )
)


def applications() -> dict[str, list[Expression]]:
    """For each function, its application to columns of every type it takes."""
    refs = {c.name: Ref(c) for c in PAIR_SCAN.columns}
    one, two = [refs[f"{n}1"] for n in POOLS], [refs[f"{n}2"] for n in POOLS]

    def lit(value: Any, kind: Type) -> Literal:
        return Literal(value, kind)

    numbers = [refs["i1"], refs["r1"], refs["m1"]]
    text, moments = refs["s1"], [refs["d1"], refs["t1"]]
    found: dict[str, list[Expression]] = {}
    for name in (
        "eq",
        "ne",
        "lt",
        "le",
        "gt",
        "ge",
        "same",
        "coalesce",
        "nullif",
        "least",
        "greatest",
    ):
        found[name] = [call(name, a, b) for a, b in zip(one, two, strict=True)]
        found[name] += [call(name, refs["i1"], refs["m2"]), call(name, refs["m1"], refs["r2"])]
    for name in ("add", "subtract", "multiply", "divide", "mod"):
        found[name] = [call(name, a, refs[b]) for a in numbers for b in ("i2", "r2", "m2")]
    found["int_divide"] = [call("int_divide", refs["i1"], refs["i2"])]
    for name in ("negate", "abs", "sign", "floor", "ceil", "sqrt", "round"):
        found[name] = [call(name, number) for number in numbers]
    found["round"] += [call("round", n, lit(d, INTEGER)) for n in numbers for d in (1, 2, 15)]
    found["bin"] = [
        call("bin", n, lit(w, INTEGER), lit(3, INTEGER)) for n in numbers for w in (1, 7)
    ]
    found["bin"] += [call("bin", n, lit(0.1, REAL)) for n in numbers]
    found["width_bucket"] = [
        call("width_bucket", n, lit(-1, INTEGER), lit(hi, INTEGER), lit(c, INTEGER))
        for n in numbers
        for hi in (2, 10**6)
        for c in (1, 3, 1000)
    ]
    for name in ("trim_of", "ltrim_of", "rtrim_of"):
        found[name] = [call(name, text, lit(letters, TEXT)) for letters in ("a", " é", "🏼b")]
    found["position"] = [call("position", text, lit(part, TEXT)) for part in ("a", "é", "bc", "🏼")]
    found["regexp_matches"] = [call("regexp_matches", text, lit(each, TEXT)) for each in PATTERNS]
    found["regexp_extract"] = [call("regexp_extract", text, lit(each, TEXT)) for each in RUNS]
    found["regexp_replace"] = [
        call("regexp_replace", text, lit(each, TEXT), lit(new, TEXT))
        for each in RUNS
        for new in ("", "$1{0}'")
    ]
    found["split_part"] = [
        call("split_part", text, lit(sign, TEXT), lit(at, INTEGER))
        for sign in ("a", " ", "é", "🏼")
        for at in (1, 2, 9)
    ]
    found["between"] = [call("between", a, b, a) for a, b in zip(one, two, strict=True)]
    found["in"] = [call("in", a, lit(None, a.type), *_few(a)) for a in one]
    found["and"] = [call("and", refs["b1"], refs["b2"])]
    found["or"] = [call("or", refs["b1"], refs["b2"])]
    found["not"] = [call("not", refs["b1"])]
    found["is_null"] = [call("is_null", a) for a in one]
    found["case"] = [
        call("case", refs["b1"], a, refs["b2"], b, lit(None, TEXT))
        for a, b in zip(one, two, strict=True)
    ]
    patterns = ["%", "_", "__%", "%a%", "a!%%", "", "%_", "\\", "\u00e9", "%\n%", "_____"]
    found["like"] = [
        call("like", text, lit(p, TEXT), lit(e, TEXT)) for p in patterns for e in ("", "!")
    ]
    for name in ("lower", "upper", "trim", "ltrim", "rtrim", "length"):
        found[name] = [call(name, text)]
    for name in ("concat", "starts_with", "ends_with", "contains"):
        found[name] = [call(name, text, refs["s2"])]
    found["substring"] = [
        call("substring", text, lit(a, INTEGER), lit(n, INTEGER))
        for a in (1, 2, 9)
        for n in (0, 1, 3)
    ] + [call("substring", text, lit(2, INTEGER))]
    for name in ("left", "right"):
        found[name] = [call(name, text, lit(n, INTEGER)) for n in (0, 1, 2, 100)]
    found["replace"] = [
        call("replace", text, lit(o, TEXT), lit(n, TEXT))
        for o in ("a", "ab", "\u0301")
        for n in ("", "aa")
    ]
    parts = [*UNITS, "dow", "hour", "minute", "second"]
    found["date_part"] = [call("date_part", lit(p, TEXT), m) for p in parts for m in moments]
    found["date_trunc"] = [
        call("date_trunc", lit(p, TEXT), m)
        for p in [*UNITS, "hour", "minute", "second"]
        for m in moments
    ]
    found["days_between"] = [
        call("days_between", a, refs[b]) for a in moments for b in ("d2", "t2")
    ]
    found["add_days"] = [
        call("add_days", m, e)
        for m in moments
        for e in (refs["i1"], lit(-1, INTEGER), lit(400, INTEGER))
    ]
    found["add_seconds"] = [
        call("add_seconds", m, lit(count, INTEGER))
        for m in moments
        for count in (-1, 5400, 99_999_999_999)
    ]
    targets = [INTEGER, REAL, MONEY, FINE, decimal(18), TEXT, BOOLEAN, DATE, TIMESTAMP]
    found["cast"] = [cast(a, to) for a in one for to in targets if _castable(a, to)]
    return found


def _few(ref: Ref) -> list[Literal]:
    kind, pool, _ = POOLS[ref.column.name[0]]
    values = [read(value, kind) for value in pool[:5]]
    return [Literal(value, kind) for value in values]


def _castable(expression: Expression, to: Type) -> bool:
    try:
        return cast(expression, to) is not expression
    except ExpressionError:
        return False
