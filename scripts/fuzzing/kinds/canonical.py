"""Questions that differ a little: two plans that are not one must not have one canonical text, or a
stored answer is wrong.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from random import Random
from typing import Any

from scripts.fuzzing.case import Case, Finding, Seen, ending
from scripts.fuzzing.grammar import CONSTANTS, STACKED, TEMPLATES, Grammar
from scripts.fuzzing.values import POOLS
from scripts.fuzzing.world import FACTS, TYPES
from shoal.engines.reference import Reference
from shoal.plan import (
    Query,
    Row,
    Statistic,
    Table,
    column,
    evaluate,
    explain,
    normal_question,
    text_of,
)
from shoal.query.canonical import canonical_plan
from shoal.sql import question

KINDS = {
    "who": "integer",
    "i": "integer",
    "r": "real",
    "m": "decimal",
    "s": "text",
    "w": "text",
    "b": "boolean",
    "d": "date",
    "t": "timestamp",
}
TABLES = tuple(
    Table(
        "data",
        tuple(
            column(name, TYPES[kind], FACTS[kind][int(name in changed)] if name in "irmw" else None)
            for name, kind in KINDS.items()
        ),
        protects=Row(),
    )
    for changed in ("", "irm", "w")
)
"""One table, declared in three ways: another range, or other choices, are another question."""
SWAPS: tuple[tuple[str, tuple[str, ...]], ...] = (
    (r" ESCAPE '!'", ("", " ESCAPE '#'", " ESCAPE 'a'", " ESCAPE '%'")),
    (r"'!_%", ("'#_%", "'_%")),
    (r"\b1\.50\b", ("1.5e0", "1.5", "1.500")),
    (r"\b0\.01\b", ("0.01e0", "0.010")),
    (r"\b0\.5e0\b", ("0.5", "0.50")),
    (r"\b0e0\b", ("0", "0.0")),
    (r"\b1e0\b", ("1", "1.0")),
    (r"\b7\b", ("7.0", "7e0", "'7'", "CAST(7 AS DOUBLE)")),
    (r"\b0\.01\b", ("1", "0.1")),
    (r"\bNULL\b", ("CAST(NULL AS BIGINT)", "CAST(NULL AS VARCHAR)", "CAST(NULL AS DATE)")),
    (r"'a'", ("'A'", "'a '", "'{0}'", "'{*}'", "'''a'", "'a'', ''b'")),
    (r"'\{\*\}'", ("'{1*}'", "'a'", "'{'")),
    (r"DATE '2020-06-15'", ("TIMESTAMP '2020-06-15 00:00:00'", "'2020-06-15'")),
    (r"\bs\b", ("w", '"s"')),
    (r"AS DECIMAL\(18, 2\)", ("AS DECIMAL(18, 4)", "AS DOUBLE")),
    (r"\bAND\b", ("OR",)),
    (r"LEFT\(", ("RIGHT(",)),
    (r"\(18, 2\)", ("(17, 2)",)),
    (r"= ", ("IS NOT DISTINCT FROM ",)),
)
SHORT = (
    "({s} IN ('a', {s}, '{{*}}'))",
    "({n} < 1.50)",
    "({n} = 0.01)",
    "({n} + 0.5e0 > {n})",
    "(CASE WHEN {b} THEN 1.50 ELSE 0 END = {n})",
    "(0.1 + 0.2 = 0.3)",
    "(CASE WHEN {b} THEN 0.1 ELSE 0.2 END + 0.2 = 0.3)",
    "(GREATEST(0.1, 0.3) = 0.1 + 0.2)",
    "({n} IN (1.50, 7))",
    "(COALESCE({n}, 0.01) * 7 > 1)",
    "({s} IN ('a', '{{0}}', '{{1*}}'))",
)
"""Conditions full of words that have twins."""


@dataclass(frozen=True)
class Twins(Case):
    """Variants of a question; each pair with one canonical text, or one text for people, must be
    one plan.
    """

    texts: tuple[str, ...]

    def check(self) -> Seen:
        plans: dict[tuple[str, str], tuple[Any, str]] = {}
        outcome = "refused"
        for text, table in product(self.texts, TABLES):
            found = ending(lambda text=text, table=table: _plan(text, table))  # type: ignore[misc]
            if found.outcome.startswith("failed"):
                return Seen(
                    (Finding("bare error", f"{found.outcome} {found.text[:80]}: {text}"),),
                    found.outcome,
                )
            if not found.answered:
                continue
            outcome = "answered"
            names, plan = found.result
            for rule, name in names.items() if table is TABLES[0] else list(names.items())[:1]:
                before = plans.setdefault((rule, name), (plan, text))
                if before[0] != plan:
                    return Seen((Finding(rule, f"one text for two plans: {before[1]} and {text}"),))
            if table is TABLES[0]:
                spelled, meant = _meaning(question(text, {"data": table}))
                before = plans.setdefault(("one spelling", spelled), (meant, text))
                if before[0] != meant:
                    told = f"one spelling for two questions: {before[1]} and {text}"
                    return Seen((Finding("one spelling", told),))
        return Seen((), outcome)

    def smaller(self) -> Iterator[Case]:
        for at in range(len(self.texts)):
            if len(self.texts) > 1:
                yield Twins(self.texts[:at] + self.texts[at + 1 :])

    def written(self) -> str:
        return (
            "from shoal.query.canonical import canonical_plan\nfrom shoal.sql import question\n"
            "from scripts.fuzzing.kinds.canonical import TABLES\n"
            f"for text in {self.texts!r}:\n"
            "    found = question(text, {'data': TABLES[0]})\n"
            "    print(canonical_plan(found), found.relation, found.keys, found.aggregates, sep='\\n')\n"
        )


def _plan(text: str, table: Table) -> tuple[dict[str, str], Any]:
    """A plan and what it is called: in the vault, and, of one table, in what people read."""
    asked = question(text, {"data": table})
    plan = (
        asked.relation,
        tuple(key.expression for key in asked.keys),
        tuple((a.statistic, a.argument, a.level) for a in asked.aggregates),
    )
    shown = [
        *(key.expression for key in asked.keys),
        *(a.argument for a in asked.aggregates if a.argument is not None),
    ]
    read = [
        explain(asked.relation),
        *map(text_of, shown),
        *(str(a.statistic) + str(a.level) for a in asked.aggregates),
    ]
    return {"canonical form": repr(canonical_plan(asked)), "printed form": "; ".join(read)}, plan


def _meaning(asked: Query) -> tuple[str, Any]:
    """The canonical text of a question in its one spelling, and what its rows, as they are asked,
    bring to which groups.
    """
    rows = Reference({"data": ROWS}).rows(asked.relation)
    names = [each.name for each in asked.relation.columns]
    brought = sorted(_brought(asked, dict(zip(names, row, strict=True))) for row in rows)
    return repr(canonical_plan(normal_question(asked))), brought


def _brought(asked: Query, row: dict[str, Any]) -> str:
    keys = sorted(repr(evaluate(key.expression, row)) for key in asked.keys)
    numbers = []
    for each in asked.aggregates:
        values = [evaluate(argument, row) for argument in each.arguments]
        if each.statistic in (Statistic.COUNT, Statistic.COUNT_ROWS):
            numbers.append(repr(("count", None not in values)))
        else:
            numbers.append(repr((str(each.statistic), each.level, values)))
    return repr((keys, sorted(numbers)))


def _rows() -> list[dict[str, Any]]:
    """Rows in which conditions are true, false and NULL, some of each."""
    rng = Random("rows of spellings")
    return [
        {
            "who": at % 3,
            **{n: rng.choice((*POOLS[kind], None)) for n, kind in KINDS.items() if n != "who"},
        }
        for at in range(12)
    ]


ROWS = _rows()


def make(number: int) -> Case:
    """A question and some others in which one word was changed."""
    rng = Random(f"canonical {number}")
    grammar = Grammar(rng, KINDS, ("i", "r", "m"))
    chance = rng.random()
    if chance < 0.1:
        constants = CONSTANTS[rng.choice("irmmsdt")]
        rows = STACKED.format(rng.choice(constants), rng.choice(constants))
        text = f"SELECT v AS k, COUNT(*) AS n FROM {rows} GROUP BY k"
    elif chance < 0.8:
        form = rng.choice(SHORT) if rng.random() < 0.5 else rng.choice(TEMPLATES["b"])
        text = f"SELECT COUNT(*) AS n FROM data WHERE {grammar.filled(form, 1)}"
    else:
        text = grammar.question()
    return Twins(tuple(dict.fromkeys([text, *_swapped(rng, text)])))


_DECIMAL = re.compile(r"\b\d+\.\d+\b(?!e)")


def _swapped(rng: Random, text: str) -> Iterator[str]:
    if _DECIMAL.search(text):  # the same numbers as reals, and the same digits as integers
        yield _DECIMAL.sub(lambda match: f"{match.group()}e0", text)
        yield _DECIMAL.sub(lambda match: str(int(match.group().replace(".", ""))), text)
    for _ in range(6):
        pattern, others = rng.choice([swap for swap in SWAPS if re.search(swap[0], text)] or SWAPS)
        places = list(re.finditer(pattern, text))
        if not places:
            return
        at = rng.choice(places)
        yield text[: at.start()] + rng.choice(others) + text[at.end() :]
