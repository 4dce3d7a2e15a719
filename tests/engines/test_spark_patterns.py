"""Spark finds patterns and runs as the reference does, and no text keeps it busy."""

from __future__ import annotations

from random import Random

from tests.engines.spark_session import needs_java, session
from tests.plan.patterns.random_patterns import random_pattern, random_text

from shoal.engines.reference import Reference
from shoal.engines.spark import Spark
from shoal.plan import INTEGER, TEXT, Expression, Literal, Project, Ref, Row, Scan, Table, column
from shoal.plan import call as called

pytestmark = needs_java

BUSY = ["(x+x+)+y", "(x|x)*y", "^(.*)*y$", "(x?){30}x{30}y"]
"""Patterns with which Java itself would not end, or would overflow its stack."""

RUNS = ["[0-9]+", "[a-c]{2,3}", "[^a]", "^[ab]+", "é{1,}", "[^a-z]+", "x{2,}"]


def test_patterns_and_runs_are_found_as_the_reference_does() -> None:
    chance = Random(11)
    options = ["", "(?i)", "(?s)"]
    patterns = [chance.choice(options) + random_pattern(chance, 4) for _ in range(60)]
    texts = [*(random_text(chance) for _ in range(60)), "x" * 4096, "ab" * 2048, None]
    rows = [{"n": at, "s": text} for at, text in enumerate(texts)]
    scan = Scan(Table("t", (column("n", INTEGER), column("s", TEXT)), protects=Row()))
    n, s = (Ref(each) for each in scan.columns)
    made: list[Expression] = [n]
    made += [called("regexp_matches", s, Literal(each, TEXT)) for each in [*patterns, *BUSY]]
    made += [called("regexp_extract", s, Literal(each, TEXT)) for each in RUNS]
    made += [
        called("regexp_replace", s, Literal(each, TEXT), Literal(new, TEXT))
        for each in RUNS
        for new in ("", "$1{0}'")
    ]
    project = Project(scan, tuple((f"x{at}", each) for at, each in enumerate(made)))
    frame = session().createDataFrame([(r["n"], r["s"]) for r in rows], "n long, s string")
    found = sorted(Spark({"t": frame}).rows(project), key=lambda row: int(str(row[0])))
    assert found == Reference({"t": rows}).rows(project)
