"""Spark cuts texts and matches patterns as the reference does."""

from __future__ import annotations

from tests.engines.spark_session import needs_java, session

from shoal.engines.reference import Reference
from shoal.engines.spark import Spark
from shoal.plan import INTEGER, TEXT, Literal, Project, Ref, Row, Scan, Table, call, column
from shoal.plan.sizes import LONGEST_READ

pytestmark = needs_java

LONG = "x" * LONGEST_READ
TEXTS = [
    None, "", "a", LONG, f"{LONG}1", "\u00e9" * (LONGEST_READ + 2), "a!b%c", "aXbYc", "abc\nabd", "a" * 3000,
]  # fmt: skip
PATTERNS = ["%a%b%", "a_%b_%c", "%a%a%_b", "a!%%", "%!%%c", "a%b_%c%", "%\n%b%", "%a" * 9 + "_b%"]


def test_texts_are_cut_and_patterns_are_found_as_the_reference_does() -> None:
    """The last pattern would not end on the last text if Java returned to every earlier place."""
    rows = [{"n": at, "s": text} for at, text in enumerate(TEXTS)]
    scan = Scan(Table("t", (column("n", INTEGER), column("s", TEXT)), protects=Row()))
    n, s = (Ref(each) for each in scan.columns)
    likes = [
        call("like", s, Literal(pattern, TEXT), Literal(escape, TEXT))
        for pattern in PATTERNS
        for escape in ("", "!")
    ]
    made = [n, s, call("length", s), call("sign", call("subtract", n, Literal(3, INTEGER))), *likes]
    project = Project(scan, tuple((f"x{at}", each) for at, each in enumerate(made)))
    frame = session().createDataFrame([(r["n"], r["s"]) for r in rows], "n long, s string")
    found = sorted(Spark({"t": frame}).rows(project), key=lambda row: int(str(row[0])))
    assert found == Reference({"t": rows}).rows(project)
