"""The habits of dataframes: ``people.mean("age", epsilon=1)`` asks what a SELECT asks.

Each verb builds the plan of a question in SQL and nothing else.  With a price it releases the
answer; without one it gives the question, which can be previewed, explained and released.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import combinations
from typing import TYPE_CHECKING, Any, TypedDict, Unpack

from shoal.errors import RangeError, SchemaError
from shoal.exact import Number, rational
from shoal.plan import (
    INTEGER,
    REAL,
    TEXT,
    Column,
    Order,
    Query,
    Ref,
    Rows,
    Statistic,
    name_of,
)
from shoal.query.answer import CONFIDENCE, Answer
from shoal.query.ask import Ask
from shoal.query.bin_edges import bin_key
from shoal.query.budget_plan import planned_for
from shoal.query.rearranged_answer import BinEndCell, FixedCell, Layout, ReleasedCell, share_text
from shoal.sql import expression, outputs

if TYPE_CHECKING:
    from shoal.query.question_builder import Building

QUARTILES = (Fraction(1, 4), Fraction(1, 2), Fraction(3, 4))


class Spending(TypedDict, total=False):
    """What may be said of a price: what is spent (``epsilon`` or ``rho``), or how far off every
    number may be (``within``).

    ``within`` is met with the given ``confidence``; means and variances also need ``rows``, the
    number of rows of the smallest group that matters.  ``intervals`` is the confidence of the error
    bars: quantiles have them here unless it is False, for a part of what is spent.  The rest is as
    in `Ask` and `Ask.release`.
    """

    epsilon: Number
    rho: Number
    within: Number
    confidence: Number
    rows: int
    delta: Number
    noise: str
    key: str
    weights: Mapping[str, Any]
    intervals: Number | bool


class FrameVerbs(ABC):
    """Statistics of a table under the names that dataframes give them.

    A column is named, or is an expression of SQL over columns.  With ``epsilon`` (or ``rho``) or
    ``within`` a verb charges the budget and gives the `Answer`; with neither it gives the question,
    an `Ask`, and nothing is read or spent: ``people.mean("age").preview(epsilon=1)`` tells how far
    off the answer would be.
    """

    @abstractmethod
    def _built(self) -> Building:
        """The rows, and the keys they are grouped by."""

    def count(self, **spend: Unpack[Spending]) -> Ask | Answer:
        """The number of rows of each group: ``COUNT(*) AS n``."""
        return self._asked("count()", {"n": "COUNT(*)"}, spend)

    def sum(self, *columns: str, **spend: Unpack[Spending]) -> Ask | Answer:
        """The sum of each column: ``SUM(x)``."""
        return self._each("sum", "SUM({})", columns, spend)

    def mean(self, *columns: str, **spend: Unpack[Spending]) -> Ask | Answer:
        """The mean of each column: ``AVG(x)``."""
        return self._each("mean", "AVG({})", columns, spend)

    def std(self, *columns: str, **spend: Unpack[Spending]) -> Ask | Answer:
        """The standard deviation of each column, as of a sample: ``STDDEV(x)``."""
        return self._each("std", "STDDEV({})", columns, spend)

    def median(self, *columns: str, **spend: Unpack[Spending]) -> Ask | Answer:
        """The median of each column: ``MEDIAN(x)``."""
        return self._each("median", "MEDIAN({})", columns, spend)

    def quantile(
        self,
        column: str,
        q: Number | list[Number] | tuple[Number, ...] = "0.5",
        **spend: Unpack[Spending],
    ) -> Ask | Answer:
        """A quantile of a column, or one column for each of several levels: ``QUANTILE_CONT(x, q)``."""
        text = self._text(column)
        if isinstance(q, list | tuple):
            levels = [rational(each, "q") for each in q]
            shown = {f"{column} {share_text(each)}": _quantile(text, each) for each in levels}
        else:
            shown = {column: _quantile(text, rational(q, "q"))}
        given = f"[{', '.join(map(str, q))}]" if isinstance(q, list | tuple) else str(q)
        return self._asked(f"quantile({column!r}, {given})", shown, spend)

    def value_counts(self, column: str, **spend: Unpack[Spending]) -> Ask | Answer:
        """How many rows have each value, the most frequent first: ``GROUP BY x ORDER BY n DESC``.

        The values must be known from choices or a public table, or they are selected privately.
        """
        built = self._built().group_by(**{column: self._text(column)})
        made = outputs(built.rows, by=dict(built.keys), show={"n": "COUNT(*)"})
        n = Ref(made.aggregates[0].column)
        made = replace(made, after=replace(made.after, order=(Order(n, descending=True),)))
        return self._priced(made, f"value_counts({column!r})", spend)

    def hist(self, column: str, bins: int = 10, **spend: Unpack[Spending]) -> Ask | Answer:
        """How many rows lie in each of so many bins of one width, over the declared range of a
        column: ``GROUP BY WIDTH_BUCKET(x, lo, hi, bins)``.

        A bin holds its lower end; that of the highest values holds the upper end of the range, too.
        """
        built = self._built()
        text = bin_key(expression(self._text(column), built.rows), self._text(column), bins)
        keyed = built.group_by(**{column: text})
        made = outputs(keyed.rows, by=dict(keyed.keys), show={"n": "COUNT(*)"})
        line = (BinEndCell(column, 0), BinEndCell(column, 1), ReleasedCell("n"))
        heads = ((f"{column}_from", REAL), (f"{column}_to", REAL), ("n", INTEGER))
        layout = Layout(tuple(name for name, _ in built.keys), heads, (line,))
        return self._priced(made, f"hist({column!r}, bins={bins})", spend, layout)

    def describe(self, *columns: str, **spend: Unpack[Spending]) -> Ask | Answer:
        """Count, mean, standard deviation and quartiles of every column with a declared range, or
        of these, as one release; a line for each column.
        """
        named = columns or self._ranged("describe")
        shown: dict[str, str] = {}
        lines = []
        for column in named:
            text = self._text(column)
            own = {
                "count": f"COUNT({text})",
                "mean": f"AVG({text})",
                "std": f"STDDEV({text})",
                **{share_text(each): _quantile(text, each) for each in QUARTILES},
            }
            shown |= {f"{column} {what}": sql for what, sql in own.items()}
            lines.append((FixedCell(column), *(ReleasedCell(f"{column} {what}") for what in own)))
        kinds = [INTEGER, *[REAL] * (2 + len(QUARTILES))]
        names = ("count", "mean", "std", *map(share_text, QUARTILES))
        heads = (("column", TEXT), *zip(names, kinds, strict=True))
        return self._asked(f"describe{_listed(columns)}", shown, spend, heads, lines)

    def corr(self, *columns: str, **spend: Unpack[Spending]) -> Ask | Answer:
        """The correlation of every two columns with a declared range, or of these, as one release:
        ``CORR(x, y)`` over the rows in which both are known.

        It is cheapest where no column can be missing (``required``): then all pairs share their
        counts, sums and squares.
        """
        named = columns or self._ranged("corr")
        if len(named) < 2:
            raise RangeError(
                f"a correlation needs two columns; got {len(named)}.",
                remedy="Name two, as corr('age', 'income'), and state a Range for each.",
            )
        texts = {column: self._text(column) for column in named}
        pairs = {frozenset(pair): f"{pair[0]} {pair[1]}" for pair in combinations(texts, 2)}
        shown = {
            name: f"CORR({', '.join(texts[each] for each in texts if each in pair)})"
            for pair, name in pairs.items()
        }
        lines = [
            (
                FixedCell(one),
                *(
                    FixedCell(1.0) if one == other else ReleasedCell(pairs[frozenset((one, other))])
                    for other in texts
                ),
            )
            for one in texts
        ]
        heads = (("column", TEXT), *((column, REAL) for column in texts))
        return self._asked(f"corr{_listed(columns)}", shown, spend, heads, lines)

    # from a verb to a question

    def _each(self, verb: str, sql: str, columns: tuple[str, ...], spend: Spending) -> Ask | Answer:
        if not columns:
            known = ", ".join(repr(c.name) for c in self._built().rows.columns if _is_ranged(c))
            raise RangeError(
                f"{verb}() needs the name of a column.",
                remedy=f"Columns with a declared range: {known or 'none; state a Range for one'}.",
            )
        shown = {column: sql.format(self._text(column)) for column in columns}
        return self._asked(f"{verb}{_listed(columns)}", shown, spend)

    def _asked(
        self,
        call: str,
        shown: Mapping[str, str],
        spend: Spending,
        heads: Sequence[tuple[str, Any]] = (),
        lines: Sequence[tuple[Any, ...]] = (),
    ) -> Ask | Answer:
        built = self._built()
        made = outputs(built.rows, by=dict(built.keys), show=shown)
        layout = None
        if lines:
            layout = Layout(tuple(name for name, _ in built.keys), tuple(heads), tuple(lines))
        return self._priced(made, call, spend, layout)

    def _priced(
        self, made: Query, call: str, spend: Spending, layout: Layout | None = None
    ) -> Ask | Answer:
        """The question, or its answer where a price was named."""
        _check_words(call, spend)
        built = self._built()
        text, weights = f"{built.steps}.{call}", spend.get("weights")
        ask = Ask(built.held, made, text, weights, _intervals(made, spend), layout=layout)
        if "within" in spend:
            words = {word: spend[word] for word in _OF_WITHIN if word in spend}  # type: ignore[literal-required]
            planned = planned_for(ask.within(spend["within"], **words))
            return planned.release(key=spend.get("key"))
        if "epsilon" in spend or "rho" in spend:
            words = {word: spend[word] for word in _OF_RELEASE if word in spend}  # type: ignore[literal-required]
            return ask.release(**words)
        return ask

    def _text(self, column: str) -> str:
        """A column by its name, whatever that is, or an expression as it is written."""
        return name_of(column) if column in _names(self._built().rows) else column

    def _ranged(self, verb: str) -> tuple[str, ...]:
        """The columns of numbers whose range is declared, without keys and ids."""
        built = self._built()
        keys = {text for _, text in built.keys} | {name for name, _ in built.keys}
        found = tuple(c.name for c in built.rows.columns if _is_ranged(c) and c.name not in keys)
        if not found:
            raise SchemaError(
                f"{verb}() needs columns of numbers with a declared range, and there is none.",
                remedy="State one: stating({'age': shoal.Range(0, 120)}).",
            )
        return found


_OF_WITHIN = ("confidence", "rows", "delta", "noise")
_OF_RELEASE = ("epsilon", "rho", "delta", "noise", "key")


def _intervals(made: Query, spend: Spending) -> Number | None:
    """The confidence of error bars; by default quantiles have them, too."""
    placed = any(each.statistic is Statistic.QUANTILE for each in made.aggregates)
    given = spend.get("intervals", CONFIDENCE if placed else None)
    if isinstance(given, bool):
        return CONFIDENCE if given else None
    return given


def _check_words(call: str, spend: Spending) -> None:
    unknown = [word for word in spend if word not in Spending.__annotations__]
    if unknown:
        raise RangeError(
            f"{call.partition('(')[0]} knows no option {unknown[0][:40]!r}.",
            remedy=f"Options: {', '.join(Spending.__annotations__)}.",
        )
    prices = [word for word in ("epsilon", "rho", "within") if word in spend]
    if len(prices) > 1:
        raise RangeError(
            f"{' and '.join(prices)} were both given, and each says what is spent.",
            remedy=f"Give one of them, for example {prices[0]}={spend[prices[0]]}.",
        )
    if "within" not in spend and ("rows" in spend or "confidence" in spend):
        raise RangeError(
            "rows and confidence belong to within, the error that is wanted.",
            remedy="Give within=... beside them; release() takes the confidence as intervals.",
        )


def _names(rows: Rows) -> set[str]:
    return {column.name for column in rows.columns}


def _is_ranged(column: Column) -> bool:
    listed = column.choices is not None or column.person is not None
    return column.type.numeric and column.span is not None and not listed


def _quantile(text: str, level: Fraction) -> str:
    return f"QUANTILE_CONT({text}, {float(level)!r})"


def _listed(columns: tuple[str, ...]) -> str:
    return f"({', '.join(map(repr, columns))})"
