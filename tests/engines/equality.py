"""Values that are equal and look different, or look alike and differ, and the questions that must
not confuse them.
"""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from typing import Any

import pyarrow as pa

from shoal.engines.engine import Engine
from shoal.engines.reference import Reference
from shoal.plan import (
    INTEGER,
    PERSONS,
    REAL,
    TEXT,
    TIMESTAMP,
    Bounded,
    Choices,
    Expression,
    Filter,
    Literal,
    Person,
    PersonJoin,
    Project,
    PublicJoin,
    Ref,
    Rows,
    Scan,
    Table,
    UnionAll,
    call,
    cast,
    column,
    count_of,
    decimal,
    distinct_of,
    votes_of,
)
from shoal.sensitivity import Norm

TEXTS = [
    "a",
    "A",
    "á",
    "Á",
    "a\u0301",
    "A\u0301",
    "a ",
    "A ",
    "ａ",
    "ss",
    "ß",
    "i",
    "İ",
    "I",
    "b",
    "",
]
REALS = [-0.4, 0.0, -0.0, 0.4, 5e-324, -5e-324, -1.0, float("nan"), None]
WRITTEN = ["0", "-0", "-0.0", "0e5", "-0e-9", "1"]
MONEY = [Decimal("0.00"), Decimal("-0.00"), Decimal("1.50"), None]
MOMENTS = [dt.datetime(2026, 1, 1), dt.datetime(2026, 1, 1, 0, 0, 0, 1)]

SCHEMA = pa.schema(
    {"u": pa.string(), "k": pa.string(), "c": pa.string(), "y": pa.float64(), "w": pa.string()}
    | {"m": pa.decimal128(9, 2), "t": pa.timestamp("us")}
)
TYPES = (
    "u VARCHAR{0}, k VARCHAR{0}, c VARCHAR{0}, y DOUBLE, w VARCHAR{0}, m DECIMAL(9,2), t TIMESTAMP"
)
COLUMNS = (
    column("u", TEXT),
    column("k", TEXT),
    column("c", TEXT, Choices(["a", "A", "á", "x"])),
    column("y", REAL),
    column("w", TEXT),
    column("m", decimal(2)),
    column("t", TIMESTAMP),
)
UNIT = Person("u", groups=2, rows_per_group=2)
TWO = tuple(column(c.name, TEXT, Choices(["a", "Á"])) if c.name == "c" else c for c in COLUMNS)
SCAN, FEW = Scan(Table("t", COLUMNS, protects=UNIT)), Scan(Table("t", TWO, protects=UNIT))
OTHER = Scan(Table("other", (column("u2", TEXT), column("k2", TEXT)), protects=Person("u2")))
PUBLIC = Scan(Table("public", (column("k3", TEXT), column("y3", REAL), column("n3", INTEGER))))

EVERY = [
    {
        "u": TEXTS[at % 7],
        "k": TEXTS[at % len(TEXTS)],
        "c": TEXTS[(3 * at) % 5],
        "y": REALS[at % len(REALS)],
        "w": WRITTEN[at % len(WRITTEN)],
        "m": MONEY[at % len(MONEY)],
        "t": MOMENTS[at % 2],
    }
    for at in range(96)
]
OTHERS = [{"u2": u, "k2": k} for u in TEXTS[:6] for k in TEXTS[:4]]
PUBLICS = [{"k3": k, "y3": y, "n3": n} for n, (k, y) in enumerate(zip(TEXTS, REALS, strict=False))]


def refs(rows: Rows) -> dict[str, Ref]:
    return {c.name: Ref(c) for c in rows.columns}


def keys(rows: Rows) -> dict[str, Expression]:
    """Keys of every type, as they are read and as functions make them."""
    at = refs(rows)
    k, y = at["k"], at["y"]
    zero, small = Literal(0.0, REAL), call("lt", y, Literal(0.0, REAL))
    told = call("case", small, Literal("a", TEXT), Literal("A", TEXT))
    return {
        **{name: at[name] for name in ("k", "c", "y", "w", "m", "t")},
        "round": call("round", y, Literal(0, INTEGER)),
        "times 0": call("multiply", y, zero),
        "negated": call("negate", y),
        "over -1": call("divide", y, Literal(-1.0, REAL)),
        "rest": call("mod", y, Literal(1.0, REAL)),
        "ceil": call("ceil", y),
        "floor": call("floor", y),
        "less itself": call("subtract", y, y),
        "in bins": call("bin", y, Literal(1.0, REAL)),
        "least": call("least", y, zero),
        "zero if none": call("coalesce", call("negate", y), zero),
        "written": cast(at["w"], REAL),
        "money": cast(at["m"], REAL),
        "lower": call("lower", k),
        "joined": call("concat", k, Literal("", TEXT)),
        "joined of constants": call("concat", told, Literal("", TEXT)),
        "first letter": call("left", k, Literal(1, INTEGER)),
        "without blanks": call("trim", k),
        "told": told,
        "constant": Literal("a", TEXT),
        "a text or the other": call("coalesce", call("nullif", k, Literal("a", TEXT)), told),
        "the lesser text": call("least", k, Literal("a", TEXT)),
        "a truth as text": cast(call("lt", k, Literal("a", TEXT)), TEXT),
    }


def conditions(rows: Rows) -> dict[str, Expression]:
    """Conditions that compare texts and reals in every way."""
    k, y = refs(rows)["k"], refs(rows)["y"]
    a, b = Literal("a", TEXT), Literal("b", TEXT)
    return {
        "is a": call("eq", k, a),
        "is not a": call("ne", k, a),
        "is the same as a": call("same", k, a),
        "before b": call("lt", k, b),
        "from a to b": call("between", k, a, b),
        "listed": call("in", k, a, Literal("á", TEXT), Literal("ß", TEXT), Literal("I", TEXT), b),
        "like": call("like", k, Literal("a%", TEXT)),
        "begins": call("starts_with", k, a),
        "ends": call("ends_with", k, Literal("A", TEXT)),
        "holds": call("contains", k, Literal("A", TEXT)),
        "zero": call("in", y, Literal(-0.0, REAL), Literal(7.0, REAL)),
    }


def relations() -> dict[str, Rows]:
    """The rows themselves, some of them, and what unions and joins make of them."""
    at, found = refs(SCAN), dict[str, Rows](rows=SCAN, few=FEW)
    found |= {name: Filter(SCAN, each) for name, each in conditions(SCAN).items()}
    sides = (Project(SCAN, tuple((n, _told(n, r, t)) for n, r in at.items())) for t in "aA")
    found["union"] = UnionAll(*sides)
    text, real = ((at["k"], refs(PUBLIC)["k3"]),), ((at["y"], refs(PUBLIC)["y3"]),)
    found["public by text"] = PublicJoin(SCAN, PUBLIC, text, "inner", 3)
    found["public by real"] = PublicJoin(SCAN, PUBLIC, real, "left", 3)
    found["person"] = PersonJoin(SCAN, OTHER, ((at["k"], refs(OTHER)["k2"]),), "left", 2)
    found["person alone"] = PersonJoin(SCAN, OTHER, (), "inner", 3)
    return found


def _told(name: str, ref: Ref, text: str) -> Expression:
    return Literal(text, TEXT) if name == "k" else ref


def plans() -> dict[str, Bounded]:
    """Every key over the rows themselves, and two keys over every other relation."""
    found = {}
    for name, rows in relations().items():
        for key, made in keys(rows).items():
            if name == "rows" or key in ("k", "y") or (name, key) == ("few", "c"):
                at = refs(rows)
                terms = (
                    count_of(),
                    PERSONS,
                    votes_of(4),
                    distinct_of(at["k"]),
                    distinct_of(at["y"]),
                )
                norm = Norm.L2 if key == "k" else Norm.L1
                found[f"{name}, {key}"] = Bounded(rows, (made,), terms, norm)
    return found


def shown(engine: Engine, plan: Bounded) -> list[str]:
    """The names of keys as they would be told, the sign of a zero too, and the integers of each."""
    return sorted(map(repr, engine.totals(plan).items()))


def reference(rows: list[dict[str, Any]]) -> Reference:
    return Reference({"t": rows, "other": OTHERS, "public": PUBLICS})
