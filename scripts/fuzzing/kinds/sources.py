"""Files, folders, frames and tables of databases in which one person's row is written in another
way than all others.
"""

from __future__ import annotations

import datetime as dt
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from random import Random
from typing import Any

from scripts.fuzzing.case import Case, Ending, Finding, Seen, ending, endings_apart
from scripts.fuzzing.judging import apart, played, recorded
from scripts.fuzzing.opening import opened
from shoal.plan import Choices, Person, Range, Row
from shoal.sensitivity import Relation

MARK = "HIV-17"
"""Stands in private cells alone: no message may quote it."""
UNIT = Person("p", groups=1, rows_per_group=1)
KEYLESS = Person("p", groups=1, rows_per_group=1, nulls="one")
"""Everybody without a key is one person, which needs that no key is lost on the way."""
FACTS: Mapping[str, Range | Choices] = {"x": Range(0, 1)}
QUESTIONS = (
    "SELECT COUNT(*) AS n, SUM(x) AS s, COUNT(DISTINCT p) AS d FROM data",
    "SELECT k, COUNT(*) AS n FROM data GROUP BY k",
    "SELECT WIDTH_BUCKET(i, 0, 100, 100) AS b, COUNT(*) AS n FROM data GROUP BY b",
    "SELECT COUNT(*) AS n, COUNT(DISTINCT i) AS d FROM data WHERE t > TIMESTAMP '2020-01-01 00:00:00'",
)
PEOPLE = 12
DAY = dt.datetime(2024, 5, 17, 12)  # noqa: DTZ001 - moments in the data have no zone


@dataclass(frozen=True)
class Source(Case):
    """A kind of source and an oddity: the first side has everyone but the odd person, the second
    has them too.

    ``first`` puts the odd person before all others.
    """

    form: str
    oddity: str
    first: bool
    face: str = "sorting"

    def check(self) -> Seen:
        with tempfile.TemporaryDirectory(prefix="shoal-fuzz-") as folder:
            sides = [
                ending(lambda way=way: self._open(Path(folder), with_odd=way))  # type: ignore[misc]
                for way in (False, True)
            ]
            found = _told(sides)
            if found or not all(side.answered for side in sides):
                return Seen(tuple(found), sides[0].outcome)
            return self._asked(sides)

    def _asked(self, sides: Sequence[Ending]) -> Seen:
        one, two = (side.result for side in sides)
        found = _schemas_apart(one, two)
        answered = "refused"
        for sql in QUESTIONS:
            before = recorded(lambda sql=sql: one.sql(sql).rehearse(epsilon=20, **_delta(sql)))  # type: ignore[misc]
            after = played(before, lambda sql=sql: two.sql(sql).rehearse(epsilon=20, **_delta(sql)))  # type: ignore[misc]
            answered = "answered" if before.ending.answered else answered
            found += [
                Finding(f.rule, f"{f.said} ({sql})")
                for f in apart(before, after, Relation.ADD_REMOVE)
            ]
        return Seen(tuple(found[:3]), answered)

    def _open(self, folder: Path, *, with_odd: bool) -> Any:
        place = folder / ("with" if with_odd else "without")
        place.mkdir(exist_ok=True)
        source = FORMS[self.form][self.oddity](place, with_odd, self.first)
        unit = (
            Row() if "without a header" in self.form else KEYLESS if "lost" in self.oddity else UNIT
        )
        return opened(
            source,
            protects=unit,
            facts={} if isinstance(unit, Row) else FACTS,
            kinds=KINDS,
            face=self.face,
        )

    def written(self) -> str:
        return (
            "from scripts.fuzzing.kinds.sources import Source\n"
            f"# {self.form} with one more person, whose row has {self.oddity}\n"
            f"print(*Source({self.form!r}, {self.oddity!r}, {self.first}, {self.face!r}).check().findings, sep='\\n')\n"
        )


KINDS = {"p": "integer", "k": "text", "x": "real", "t": "timestamp", "i": "integer"}
MANY = 100
"""So many rows of one person, each in a group of its own, show where persons are one who should not
be.
"""


def _delta(sql: str) -> dict[str, str]:
    return {"delta": "0.0004"} if "GROUP BY k" in sql else {}


def _told(sides: Sequence[Ending]) -> list[Finding]:
    """Opening is the curator's act and may be refused for what the rows hold, in words that quote
    none of them.
    """
    found = []
    for side in sides:
        if side.outcome.startswith("failed"):
            found += endings_apart(side, side, at="when opened")
        if MARK in side.text:
            found.append(Finding("quoted", f"the refusal quotes a cell: {side.text[:160]}"))
    return found


def _schemas_apart(one: Any, two: Any) -> list[Finding]:
    """Names and types of columns, and what is left out, must be declared, not found."""
    mine, theirs = ([str(column) for column in each.tables["data"].columns] for each in (one, two))
    found = []
    if mine != theirs:
        found.append(Finding("columns", f"{mine} on one side, {theirs} on the other"))
    if any(MARK in each for each in (*mine, *theirs)):
        found.append(Finding("quoted", "a column is called as a cell is"))
    return found


# rows


def _rows(**odd: Any) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """Everyone's rows, and the odd person's."""
    plain = [{"p": at, "k": "a", "x": 0.5, "t": DAY, "i": 0} for at in range(PEOPLE)]
    return plain, {"p": 99, "k": "b", "x": 0.5, "t": DAY, "i": 3, **odd}


def _put(plain: list[Any], odd: Any, with_odd: bool, first: bool, times: int = 1) -> list[Any]:
    if not with_odd:
        return plain
    theirs = [odd] if times == 1 else [{**odd, "i": at} for at in range(times)]
    return theirs + plain if first else plain + theirs


Writer = Callable[[Path, bool, bool], Any]


# CSV


def _headless(place: Path, with_odd: bool, first: bool) -> Any:
    """Names and words alone, and no first line that says what they are."""
    people = [(f"person {at}", MARK if at % 2 else "flu") for at in range(PEOPLE)]
    rows = _put(people, ("odd", MARK), with_odd, first)
    path = place / "data.csv"
    path.write_text("".join(f"{who},{what}\n" for who, what in rows))
    return path


def _declared_headless(place: Path, with_odd: bool, first: bool) -> Any:
    import shoal

    path = _headless(place, with_odd, first)
    return shoal.CsvFile(path, {"who": "text", "k": "text"}, header=False)


def _csv(times: int = 1, someone: str | None = None, **odd: Any) -> Writer:
    """So many rows of the odd person; ``someone`` is how the key of another person is written."""

    def write(place: Path, with_odd: bool, first: bool) -> Any:
        plain, other = _rows(**odd)
        if someone is not None:
            plain[0] = {**plain[0], "p": someone}
        lines = [
            ",".join(str(cell) for cell in row.values())
            for row in _put(plain, other, with_odd, first, times)
        ]
        path = place / "data.csv"
        path.write_text(
            "\n".join(["p,k,x,t,i", *lines]) + "\n", encoding="utf-8", errors="surrogateescape"
        )
        return str(path)

    return write


# Parquet


def _parquet(folder: bool = False, fields: Mapping[str, Any] | None = None, **odd: Any) -> Writer:
    """One file, or a folder in which the odd person has a file of their own, with other types of
    some columns.
    """

    def write(place: Path, with_odd: bool, first: bool) -> Any:
        import pyarrow as pa
        import pyarrow.parquet as pq

        plain, other = _rows(**odd)
        schema = pa.schema(
            {
                "p": pa.string() if folder else pa.int64(),
                "k": pa.string(),
                "x": pa.float64(),
                "t": pa.timestamp("us"),
                "i": pa.int64(),
            }
        )
        if folder:
            plain = [{**row, "p": str(row["p"] / 5)} for row in plain]
        theirs = pa.schema(
            [
                (f.name, (fields or {}).get(f.name, f.type))
                for f in schema
                if (fields or {}).get(f.name, 0) is not None
            ]
        )
        pq.write_table(pa.Table.from_pylist(plain, schema=schema), place / "m.parquet")
        if with_odd:
            mine = pa.Table.from_pylist(
                [{**{n: other[n] for n in theirs.names}, "i": at} for at in range(MANY)],
                schema=theirs,
            )
            pq.write_table(mine, place / ("a.parquet" if first else "z.parquet"))
        return str(place / "*.parquet")

    return write


def _bytes_of_arrow(place: Path, with_odd: bool, first: bool) -> Any:
    """A row of text that is no UTF-8."""
    del place
    import pyarrow as pa

    plain, other = _rows(k=b"\xff\xfe")
    rows = _put([{**row, "k": row["k"].encode()} for row in plain], other, with_odd, first)
    schema = pa.schema(
        {
            "p": pa.int64(),
            "k": pa.binary(),
            "x": pa.float64(),
            "t": pa.timestamp("us"),
            "i": pa.int64(),
        }
    )
    table = pa.Table.from_pylist(rows, schema=schema)
    loose = pa.Array.from_buffers(pa.string(), len(rows), table["k"].combine_chunks().buffers())
    return table.set_column(1, "k", loose)


def _text_bytes(place: Path, with_odd: bool, first: bool) -> Any:
    """The same in a file."""
    import pyarrow.parquet as pq

    pq.write_table(_bytes_of_arrow(place, with_odd, first), place / "data.parquet")
    return str(place / "data.parquet")


def _hive(place: Path, with_odd: bool, first: bool) -> Any:
    """A folder called ``p=5`` on the way to the file."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    plain, other = _rows()
    inner = place / "p=5"
    inner.mkdir(exist_ok=True)
    rows = _put(plain, other, with_odd, first, MANY)
    schema = pa.schema(
        {
            "p": pa.int64(),
            "k": pa.string(),
            "x": pa.float64(),
            "t": pa.timestamp("us"),
            "i": pa.int64(),
        }
    )
    pq.write_table(pa.Table.from_pylist(rows, schema=schema), inner / "data.parquet")
    return str(inner / "*.parquet")


# frames


def _frame(
    column: str, value: Any, dtype: str = "object", *, others: Any = None, times: int = 1
) -> Writer:
    def write(place: Path, with_odd: bool, first: bool) -> Any:
        del place
        import pandas as pd

        plain, other = _rows(**{column: value})
        if others is not None:
            plain = [{**row, column: others(at)} for at, row in enumerate(plain)]
        rows = _put(plain, other, with_odd, first, times)
        return pd.DataFrame(
            {
                name: pd.Series(
                    [row[name] for row in rows], dtype=dtype if name == column else None
                )
                for name in rows[0]
            }
        )

    return write


def _nanoseconds_apart(place: Path, with_odd: bool, first: bool) -> Any:
    """Persons who differ in less than a microsecond."""
    del place
    import pandas as pd

    plain, other = _rows()
    rows = _put(plain, other, with_odd, first, MANY)
    frame = pd.DataFrame(rows)
    frame["p"] = pd.Series([pd.Timestamp(row["p"], unit="ns") for row in rows], dtype="object")
    return frame


def _int96(place: Path, with_odd: bool, first: bool) -> Any:
    """Persons who differ in nanoseconds, in the old type of Parquet that holds them."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    plain, other = _rows()
    rows = _put(plain, other, with_odd, first, MANY)
    table = pa.Table.from_pylist(rows)
    people = pa.array([row["p"] for row in rows], pa.int64()).cast(pa.timestamp("ns"))
    table = table.set_column(0, "p", people)
    pq.write_table(table, place / "data.parquet", use_deprecated_int96_timestamps=True)
    return str(place / "data.parquet")


def _named(names: Sequence[str]) -> Writer:
    """An Arrow table with these names of columns: the second of two equal ones holds persons."""

    def write(place: Path, with_odd: bool, first: bool) -> Any:
        del place
        import pyarrow as pa

        plain, other = _rows()
        rows = _put(plain, other, with_odd, first, MANY)
        columns = [pa.array([row[name] for row in rows]) for name in "kxti"]
        people = pa.array([row["p"] for row in rows])
        return pa.Table.from_arrays(
            [pa.array([1] * len(rows)), people, *columns], names=[*names, *"kxti"]
        )

    return write


# tables of databases


def _collated(
    collation: str, column: str, values: Sequence[str], *, default: bool = False
) -> Writer:
    """Text whose spellings the database takes for one."""

    def write(place: Path, with_odd: bool, first: bool) -> Any:
        import duckdb
        import pyarrow as pa

        from shoal.engines.duckdb import DuckTable

        del place
        plain, other = _rows(p="ANNA", **({"k": _variant(values[0])} if column == "k" else {}))
        plain = [
            {**row, "p": str(row["p"]), column: values[at % len(values)]}
            for at, row in enumerate(plain)
        ]
        rows = _put(plain, other, with_odd, first, MANY if column == "p" else 1)
        database = duckdb.connect(":memory:")
        if default:
            database.execute(f"SET default_collation = '{collation}'")
        clause = "" if default else f" COLLATE {collation}"
        database.execute(
            f"CREATE TABLE data (p VARCHAR{clause}, k VARCHAR{clause}, x DOUBLE, t TIMESTAMP, i BIGINT)"
        )
        database.register("listed", pa.Table.from_pylist(rows))
        database.execute("INSERT INTO data SELECT * FROM listed")
        return DuckTable(database, "data")

    return write


def _variant(word: str) -> str:
    """Another spelling that some collation takes for the same."""
    import unicodedata

    changed = unicodedata.normalize("NFC", word)
    return changed if changed != word else word.upper()


def _nanoseconds() -> Any:
    import pyarrow as pa

    return pa.timestamp("ns")


def _int64() -> Any:
    import pyarrow as pa

    return pa.int64()


def _text() -> Any:
    import pyarrow as pa

    return pa.string()


def _folder(fields: Callable[[], Mapping[str, Any]], **odd: Any) -> Writer:
    def write(place: Path, with_odd: bool, first: bool) -> Any:
        return _parquet(folder=True, fields=fields(), **odd)(place, with_odd, first)

    return write


SPELLINGS = ("anna", "Anna", "anna ", "BOB", "anna", "é", "É", "e\u0301", "e")
FORMS: Mapping[str, Mapping[str, Writer]] = {
    "a CSV file": {
        "a real in a column of integers": _csv(i="9.5"),
        "text in a column of integers": _csv(i=MARK),
        "text in the column of persons": _csv(p=MARK),
        "text in a column of reals": _csv(x=MARK),
        "nothing in a column of integers": _csv(i=""),
        "a date in a column of timestamps": _csv(t="2024-05-17"),
        "text in a column of timestamps": _csv(t=MARK),
        "a quote that does not end": _csv(k='"open'),
        "a cell too many": _csv(k="a,b"),
        "a leading zero": _csv(p="007"),
        "a huge integer": _csv(p="99999999999999999999"),
        "a person between two others": _csv(MANY, p="7.4"),
        "a person with an exponent": _csv(MANY, p="7e0"),
        "a key that is lost, as another is": _csv(MANY, someone="x1", p="x2"),
        "bytes that are no text": _csv(k="\udcff"),
    },
    "a CSV file without a header": {
        "a name of its own": _headless,
        "a place among others": _declared_headless,
    },
    "a folder of Parquet": {
        "integers where others have reals": _folder(lambda: {"x": _int64()}, x=1, p="7"),
        "whole persons where others have text": _folder(lambda: {"p": _int64()}, p=7),
        "whole numbers where others have text": _folder(lambda: {"k": _int64()}, k=7, p="7"),
        "text where others have reals": _folder(lambda: {"x": _text()}, x=MARK, p="7"),
        "nanoseconds": _folder(lambda: {"t": _nanoseconds()}, p="7"),
        "a column less": _folder(lambda: {"k": None}, p="7"),
    },
    "a Parquet file": {
        "bytes that are no text": _text_bytes,
        "a path that names a column": _hive,
        "persons in INT96": _int96,
    },
    "a frame of objects": {
        "a date among datetimes": _frame("t", dt.date(1999, 1, 1)),
        "a Decimal among reals": _frame("x", Decimal("0.5")),
        "a Decimal among integers": _frame("i", Decimal("9.5")),
        "a Decimal of more digits": _frame("i", Decimal("9.125"), others=lambda _: Decimal("1.5")),
        "a Decimal among persons": _frame("p", Decimal(99)),
        "persons a nanosecond apart": _nanoseconds_apart,
        "a huge integer": _frame("p", 2**63),
        "a larger integer": _frame("p", 2**80),
        "a key that is lost, as another is": _frame(
            "p", 2**80, others=lambda at: at or 2**63, times=MANY
        ),
        "text among integers": _frame("p", MARK),
        "a real among integers": _frame("i", 9.5),
        "bytes among texts": _frame("k", b"a"),
        "a lone surrogate": _frame("k", "\ud800"),
        "None among integers": _frame("p", None),
        "truth among integers": _frame("i", True),
        "an aware moment": _frame("t", dt.datetime(2024, 5, 17, tzinfo=dt.UTC)),
        "nothing but None": _frame("k", "a", others=lambda _: None),
    },
    "a CSV file without types": {
        "a real in a column of integers": lambda *given: Path(_csv(i="9.5")(*given)),
    },
    "an Arrow table": {
        "bytes that are no text": _bytes_of_arrow,
        "two columns of one name": _named(("p", "p")),
        "names that differ in case": _named(("P", "p")),
        "a name that renaming gives": _named(("p_1", "p")),
    },
    "a table of DuckDB": {
        "NOCASE keys": _collated("NOCASE", "k", SPELLINGS),
        "NOCASE persons": _collated("NOCASE", "p", SPELLINGS),
        "NOACCENT keys": _collated("NOACCENT", "k", ("é", "e", "e\u0301", "E")),
        "NFC keys": _collated("NFC", "k", ("e\u0301", "é", "a")),
        "a default collation": _collated("NOCASE", "k", SPELLINGS, default=True),
        "persons of a default collation": _collated("NOCASE", "p", SPELLINGS, default=True),
    },
}
EVERY = tuple(
    Source(form, oddity, first, face)
    for form, oddities in FORMS.items()
    for oddity in oddities
    for first in (True, False)
    for face in (("sorting", "sql") if form == "a table of DuckDB" else ("sorting",))
)


def make(number: int) -> Case:
    """Every source and oddity in an order of its own, over and over."""
    order = list(range(len(EVERY)))
    Random(f"sources {number // len(EVERY)}").shuffle(order)
    return EVERY[order[number % len(EVERY)]]
