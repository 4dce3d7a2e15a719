"""Questions at random: expressions of every function, keys, aggregates and rows to ask of, as
SQL.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from random import Random

from scripts.fuzzing.values import TEXTS

LETTERS = {
    "i": "integer",
    "r": "real",
    "s": "text",
    "b": "boolean",
    "d": "date",
    "t": "timestamp",
    "m": "decimal",
}
KINDS = {kind: letter for letter, kind in LETTERS.items()}

# A hole {i} takes an expression of that type: i, r, m numbers, s text, b truth, d, t moments; {n}
# any number, {x} one type for all its places, {c} a constant of {x}.
TEMPLATES: Mapping[str, tuple[str, ...]] = {
    "i": (
        "({i} + {i})",
        "({i} - {i})",
        "({i} * {i})",
        "(-{i})",
        "ABS({i})",
        "({i} // {i})",
        "({i} % {i})",
        "SIGN({n})",
        "FLOOR({m})",
        "ROUND({i})",
        "LENGTH({s})",
        "DATE_PART('year', {d})",
        "EXTRACT(hour FROM {t})",
        "({d} - {d})",
        "WIDTH_BUCKET({n}, 0, 10, 3)",
        "BIN({i}, 10, 3)",
        "CAST({r} AS BIGINT)",
        "CAST({s} AS BIGINT)",
        "CAST({b} AS BIGINT)",
        "CASE WHEN {b} THEN {i} ELSE {i} END",
        "COALESCE({i}, {i})",
        "NULLIF({i}, {i})",
        "LEAST({i}, {i})",
        "GREATEST({i}, {i})",
    ),
    "r": (
        "({r} + {n})",
        "({r} - {n})",
        "({r} * {n})",
        "({n} / {n})",
        "({r} % {n})",
        "(-{r})",
        "ABS({r})",
        "FLOOR({r})",
        "CEIL({r})",
        "ROUND({r})",
        "ROUND({r}, 1)",
        "SQRT({r})",
        "BIN({r}, 0.5)",
        "CAST({n} AS DOUBLE)",
        "CAST({s} AS DOUBLE)",
        "CASE WHEN {b} THEN {r} ELSE {r} END",
        "COALESCE({r}, {r})",
        "NULLIF({r}, {r})",
        "GREATEST({r}, {r})",
        "({r} * 0)",
    ),
    "m": (
        "CAST({n} AS DECIMAL(18, 2))",
        "CAST(({m} + {m}) AS DECIMAL(18, 2))",
        "ABS({m})",
        "COALESCE({m}, {m})",
    ),
    "s": (
        "LOWER({s})",
        "UPPER({s})",
        "TRIM({s})",
        "({s} || {s})",
        "SUBSTRING({s}, 1, 2)",
        "LEFT({s}, 1)",
        "RIGHT({s}, 2)",
        "REPLACE({s}, 'a', 'aa')",
        "REPLACE({s}, 'ab', '')",
        "REGEXP_EXTRACT({s}, '[a-z]+')",
        "REGEXP_REPLACE({s}, '[^a-z]+', '-', 'g')",
        "CAST({i} AS VARCHAR)",
        "CAST({d} AS VARCHAR)",
        "CASE WHEN {b} THEN {s} ELSE {s} END",
        "COALESCE({s}, {s})",
        "NULLIF({s}, {s})",
        "CAST({b} AS VARCHAR)",
    ),
    "b": (
        "({x} = {x})",
        "({x} <> {x})",
        "({x} < {x})",
        "({x} >= {x})",
        "({n} <= {n})",
        "({x} IS NULL)",
        "({x} IS NOT DISTINCT FROM {x})",
        "({x} BETWEEN {x} AND {x})",
        "({x} IN ({c}, {c}))",
        "({b} AND {b})",
        "({b} OR {b})",
        "(NOT {b})",
        "({s} LIKE 'a%')",
        "({s} LIKE '%b%a%')",
        "({s} LIKE '%!_%' ESCAPE '!')",
        "REGEXP_MATCHES({s}, '^(a|b)+')",
        "({s} ~* '[^a-z]b|(x+x+)+y')",
        "REGEXP_FULL_MATCH({s}, '.{0,3}')",
        "({s} SIMILAR TO 'a.*|[0-9]+')",
        "STARTS_WITH({s}, {s})",
        "CONTAINS({s}, {s})",
        "({x} NOT IN ({c}, {c}))",
    ),
    "d": (
        "DATE_TRUNC('month', {d})",
        "({d} + 7)",
        "CAST({t} AS DATE)",
        "CAST({s} AS DATE)",
        "COALESCE({d}, {d})",
    ),
    "t": (
        "DATE_TRUNC('hour', {t})",
        "CAST({d} AS TIMESTAMP)",
        "COALESCE({t}, {t})",
        "LEAST({t}, {t})",
    ),
}
CONSTANTS: Mapping[str, tuple[str, ...]] = {
    "i": ("0", "1", "-1", "7", "9223372036854775807"),
    "r": ("0.5e0", "1e0", "0e0", "1e300", "(-0.1e0)", "(-0e0)"),
    "m": ("0.01", "1.50", "0.00", "150", "15.0"),
    "s": tuple("'" + text.replace("'", "''") + "'" for text in TEXTS),
    "b": ("TRUE", "FALSE"),
    "d": ("DATE '2020-06-15'", "DATE '0001-01-01'"),
    "t": ("TIMESTAMP '2020-06-15 23:59:59'",),
}
AGGREGATES = (
    "COUNT(*)",
    "COUNT(*)",
    "COUNT({x})",
    "COUNT(DISTINCT {x})",
    "SUM({a})",
    "SUM({a})",
    "AVG({a})",
    "VARIANCE({a})",
    "STDDEV({a})",
    "COUNT_IF({b})",
    "SUM({a}) / COUNT(*)",
    "COUNT(*)",
    "SUM({a})",
)
PLACES = ("MEDIAN({a})", "MIN({a})", "MAX({a})", "QUANTILE({a}, 0.9)")
CLAMPED = (
    "GREATEST(-5, LEAST(5, {n}))",
    "LEAST(100, GREATEST(0, {n}))",
    "CASE WHEN {b} THEN 1 ELSE 0 END",
    "CASE WHEN {n} BETWEEN 0 AND 9 THEN {n} ELSE 0 END",
)
PERSON_TOTALS = (
    "LEAST(COUNT(*), 3)",
    "LEAST(COUNT({x}), 2)",
    "LEAST(COUNT(DISTINCT {x}), 4)",
    "LEAST(5, GREATEST(-5, SUM({a})))",
    "AVG({a})",
    "MAX({x})",
    "BOOL_OR({b})",
)
"""What the rows of one person come to."""
TOLD = (
    "ROW_NUMBER()",
    "LAG({x})",
    "LEAD({x}, 2)",
    "FIRST_VALUE({x})",
    "LAST_VALUE({x})",
    "COUNT({x})",
    "SUM({i})",
    "MAX({x})",
)
"""What a row is told of the rows of its person."""
PLAIN_KEYS = ("({b})", "WIDTH_BUCKET({n}, 0, 10, 3)", "CASE WHEN {b} THEN 'yes' ELSE 'no' END")
ZEROS = (
    "ROUND({r})",
    "CEIL({r})",
    "({r} * 0)",
    "(-{r})",
    "({r} / 1e300)",
    "FLOOR({r})",
    "(0 * {r})",
    "({r} % 1)",
    "ROUND({r}, 1)",
    "GREATEST({r}, {r})",
    "COALESCE({r}, -0e0)",
    "CASE WHEN {b} THEN {r} ELSE -0e0 END",
)
"""Keys that are 0 for many numbers, of either sign."""
LOOSE = (
    "CASE WHEN {b} THEN 'a' ELSE 'A' END",
    "COALESCE({s}, 'A')",
    "({s} = 'a')",
    "({s} IN ('A', 'é'))",
    "NULLIF({s}, 'A')",
    "LENGTH({s})",
    f"({{s}} = '{'p' * 4096}')",
    "({s} LIKE '%A%a%')",
)
"""Keys that differ where a loose comparison finds none, or where a text that is too long was not
cut.
"""
STACKED = "(SELECT *, {} AS v FROM data UNION ALL SELECT *, {} AS v FROM data) AS data"
"""The rows twice, with another constant each time."""
ALIKE = (("'a'", "'A'"), ("'é'", "'e\u0301'"), ("0e0", "-0e0"), ("'a'", "'a '"))
"""Constants that are equal, or that a loose comparison takes for equal."""
_HOLE = re.compile(r"(?<!\{)\{([a-z])\}")


class Grammar:
    """Expressions over the columns of a table, by their types."""

    def __init__(
        self,
        rng: Random,
        kinds: Mapping[str, str],
        ranged: tuple[str, ...] = (),
        person: tuple[str, ...] = (),
    ) -> None:
        self._rng = rng
        self._person = person
        self._names = list(kinds)
        self._columns: dict[str, list[str]] = {letter: [] for letter in LETTERS}
        for name, kind in kinds.items():
            self._columns[KINDS[kind]].append(name)
        self._ranged = [name for name in ranged if kinds[name] in ("integer", "real", "decimal")]

    def expression(self, letter: str, depth: int = 2) -> str:
        """An expression of a type: a column or a constant at the end of it."""
        rng = self._rng
        if letter == "n":
            letter = rng.choice("irm")
        if depth <= 0 or rng.random() < 0.3:
            return self._leaf(letter)
        return self.filled(rng.choice(TEMPLATES[letter]), depth - 1)

    def filled(self, template: str, depth: int) -> str:
        """A template with every hole filled."""
        either = self._rng.choice("irsbdtms")

        def hole(match: re.Match[str]) -> str:
            letter = match.group(1)
            if letter == "c":
                return self._rng.choice(CONSTANTS[either])
            if letter == "a":
                return self._bounded(depth)
            return self.expression(either if letter == "x" else letter, depth)

        return _HOLE.sub(hole, template).replace("{{", "{").replace("}}", "}")

    def question(self, *, depth: int = 2) -> str:
        """A whole SELECT over ``data``."""
        rng = self._rng
        rows, own = self._rows(depth)
        keys = [own, *(self._key(depth) for _ in range(rng.choice((0, 1, 1, 1, 2))))][not own :]
        aggregates = [
            self.filled(rng.choice(AGGREGATES), depth) for _ in range(rng.choice((1, 1, 2, 3)))
        ]
        if rng.random() < 0.06:  # they take long
            aggregates[0] = self.filled(rng.choice(PLACES), depth)
        elif rng.random() < 0.03:  # it stands alone
            aggregates = [f"MODE({self._key(depth)})"]
        shown = [f"{key} AS k{at}" for at, key in enumerate(keys)]
        shown += [f"{each} AS a{at}" for at, each in enumerate(aggregates)]
        where = f" WHERE {self.expression('b', depth)}" if rng.random() < 0.4 else ""
        by = f" GROUP BY {', '.join(f'k{at}' for at in range(len(keys)))}" if keys else ""
        return f"SELECT {', '.join(shown)} FROM {rows}{where}{by}"

    def _rows(self, depth: int) -> tuple[str, str]:
        """Rows to ask of, and the name of a column that they have beside those of the table."""
        rng = self._rng
        chance = rng.random()
        if chance < 0.65:
            return "data", ""
        if chance < 0.75:
            return f"(SELECT * FROM data WHERE {self.expression('b', depth)}) AS data", ""
        if chance < 0.8:
            return "(SELECT * FROM data UNION ALL SELECT * FROM data) AS data", ""
        if self._person and chance < 0.97:
            return self._per_person(depth), "v"
        constants = CONSTANTS[rng.choice("irmsbdt")]
        return STACKED.format(rng.choice(constants), rng.choice(constants)), "v"

    def _per_person(self, depth: int) -> str:
        """What the rows of each person come to, with the columns of the table and one more."""
        rng, own = self._rng, list(self._person)
        others = [name for name in self._names if name not in own]
        apart = rng.sample(others, min(len(others), rng.choice((0, 0, 1))))
        shown = [f"{rng.choice(('MIN', 'MAX'))}({n}) AS {n}" for n in others if n not in apart]
        other = rng.random()
        if other < 0.6:
            return self._matched(depth) if other < 0.3 else self._told(depth)
        total = self.filled(rng.choice(PERSON_TOTALS), depth - 1)
        listed = ", ".join([*own, *apart, *shown, f"{total} AS v"])
        having = f" HAVING {total} > 1" if rng.random() < 0.3 else ""
        return f"(SELECT {listed} FROM data GROUP BY {', '.join([*own, *apart])}{having}) AS data"

    def _told(self, depth: int) -> str:
        """The rows, each with what it is told of the other rows of its person."""
        rng = self._rng
        by = [
            *self._person,
            *(self.expression("b", depth - 1) for _ in range(rng.choice((0, 0, 1)))),
        ]
        order = [
            f"{self.expression(rng.choice('irsdtmb'), depth - 1)}{rng.choice(('', ' DESC', ' NULLS FIRST'))}"
            for _ in range(rng.choice((0, 1, 2)))
        ]
        over = f"PARTITION BY {', '.join(by)}" + (f" ORDER BY {', '.join(order)}" if order else "")
        told = self.filled(rng.choice(TOLD), depth - 1)
        return f"(SELECT *, {told} OVER ({over}) AS v FROM data) AS data"

    def _matched(self, depth: int) -> str:
        """The rows whose person has other rows, or has none, with a column that says so or how
        many.
        """
        rng = self._rng
        same = " AND ".join(f"e.{name} = data.{name}" for name in self._person)
        if rng.random() < 0.4:
            name = rng.choice(self._names)
            same += f" AND e.{name} = data.{name}"
        inner = (
            f"FROM (SELECT * FROM data WHERE {self.expression('b', depth - 1)}) AS e WHERE {same}"
        )
        found = f"EXISTS (SELECT 1 {inner})"
        shown = rng.choice((found, f"(SELECT LEAST(COUNT(*), 2) {inner})"))
        where = rng.choice(("", f" WHERE {found}", f" WHERE NOT {found}"))
        return f"(SELECT *, {shown} AS v FROM data{where}) AS data"

    def _key(self, depth: int) -> str:
        """A key: of a column, of a few known values, or of anything, to be selected privately."""
        rng = self._rng
        chance = rng.random()
        if chance < 0.35:
            return rng.choice([name for names in self._columns.values() for name in names])
        if chance < 0.5:
            return self.filled(rng.choice(ZEROS), 0)
        if chance < 0.65:
            return self.filled(rng.choice(PLAIN_KEYS), depth - 1)
        return self.expression(rng.choice("irrrssdtmb"), max(1, depth - 1))

    def _bounded(self, depth: int) -> str:
        """A number whose range is known."""
        if self._ranged and self._rng.random() < 0.5:
            return self._rng.choice(self._ranged)
        return self.filled(self._rng.choice(CLAMPED), depth - 1)

    def _leaf(self, letter: str) -> str:
        names = self._columns[letter]
        if names and self._rng.random() < 0.8:
            return self._rng.choice(names)
        return self._rng.choice(CONSTANTS[letter])
