"""OVER (...): windows over released rows, as steps of what follows a release."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from shoal.plan import BOOLEAN, INTEGER, Expression, Literal, Order, Ref, call, cast
from shoal.plan.released_steps import PLACES, SHIFTS, Frame, Summary, Window
from shoal.sql.question_text import Text

Translate = Callable[[Any], Expression]

SUMMARIES = {
    "Sum": Summary.SUM,
    "Avg": Summary.MEAN,
    "Min": Summary.LEAST,
    "Max": Summary.GREATEST,
    "Median": Summary.MEDIAN,
    "Stddev": Summary.DEVIATION,
    "StddevSamp": Summary.DEVIATION,
}
"""Aggregates of released rows, by sqlglot's name."""

_OF_A_WINDOW = {
    "FirstValue": Summary.FIRST,
    "First": Summary.FIRST,
    "LastValue": Summary.LAST,
    "Last": Summary.LAST,
    "NthValue": Summary.NTH,
    "Lag": Summary.BEFORE,
    "Lead": Summary.AFTER,
    "Rank": Summary.RANK,
    "DenseRank": Summary.DENSE_RANK,
    "RowNumber": Summary.ROW_NUMBER,
    "PercentRank": Summary.PERCENT_RANK,
    "CumeDist": Summary.CUME_DIST,
    "Ntile": Summary.TILE,
}
_MOST = 1_000_000
"""So far a frame, LAG and LEAD may reach."""


def unique(name: str, taken: set[str]) -> str:
    """A name that is not taken yet."""
    while name in taken:
        name += "'"
    taken.add(name)
    return name


@dataclass
class Windows:
    """The windows of a SELECT, each a step; ``declared`` are those of its WINDOW clause."""

    text: Text
    taken: set[str]
    declared: Sequence[Any] = ()
    steps: list[Window] = field(default_factory=list)

    def of(self, node: Any, translate: Translate) -> Expression:
        """The column that a window is."""
        self.text.only(node, "this", "partition_by", "order", "spec", "over", "alias", "first")
        whole = self._declared(node)
        parts = tuple(translate(each) for each in whole.args.get("partition_by") or [])
        order = ordered(whole.args.get("order"), translate, self.text)
        made = self._summary(node.this, translate)
        made = replace(made, parts=parts, order=order, frame=self._frame(whole))
        if made.summary in (*PLACES, *SHIFTS) and not order:
            raise self.text.refused(
                node, "this window needs an order.", "Write OVER (ORDER BY n DESC)."
            )
        for known in self.steps:
            if replace(known, name="") == made:
                return Ref(known.column)
        named = replace(made, name=unique(node.sql(dialect="duckdb").lower()[:200], self.taken))
        self.steps.append(named)
        return Ref(named.column)

    def _declared(self, node: Any) -> Any:
        name = node.args.get("alias")
        if name is None:
            return node
        for each in self.declared:
            if each.this.name.lower() == name.name.lower():
                return each
        raise self.text.unknown(
            node, f"there is no window {name.name[:40]!r}.", "Declare it: WINDOW w AS (ORDER BY n)."
        )

    def _summary(self, node: Any, translate: Translate) -> Window:
        condition = None
        if type(node).__name__ == "Filter":
            condition, node = translate(node.expression.this), node.this
        kind = type(node).__name__
        if kind == "Count":
            return _counted(node, condition, translate, self.text)
        if kind in SUMMARIES:
            self.text.only(node, "this")
            argument = where(_number(translate(node.this)), condition)
            return Window("", SUMMARIES[kind], argument)
        if kind not in _OF_A_WINDOW or condition is not None:
            written = node.sql(dialect="duckdb").split("(")[0]
            raise self.text.refused(
                node,
                f"{written[:40]} is not computed over released rows.",
                "Use SUM, AVG, MIN, MAX, COUNT, LAG, LEAD, FIRST_VALUE, LAST_VALUE, RANK, "
                "DENSE_RANK, ROW_NUMBER, NTILE, PERCENT_RANK or CUME_DIST.",
            )
        return self._of_a_window(_OF_A_WINDOW[kind], node, translate)

    def _of_a_window(self, summary: Summary, node: Any, translate: Translate) -> Window:
        self.text.only(node, "this", "offset", "default")
        if summary is Summary.TILE:
            return Window("", summary, number=self._whole(node.this, 1))
        if summary in PLACES:
            return Window("", summary)
        far = node.args.get("offset")
        number = 1 if far is None else self._whole(far, 0 if summary in SHIFTS else 1)
        argument, other = translate(node.this), node.args.get("default")
        otherwise = None if other is None else cast(translate(other), argument.type)
        return Window("", summary, argument, number=number, otherwise=otherwise)

    def _whole(self, node: Any, least: int) -> int:
        name = node.name if type(node).__name__ == "Literal" else ""
        fits = name.isascii() and name.isdigit() and len(name) < 8
        if not fits or not least <= int(name) <= _MOST:
            raise self.text.refused(
                node, "a whole constant is needed here.", "Write LAG(n, 1) or NTILE(4)."
            )
        return int(name)

    def _frame(self, node: Any) -> Frame:
        spec = node.args.get("spec")
        if spec is None:
            return Frame()
        self.text.only(spec, "kind", "start", "start_side", "end", "end_side")
        kind = str(spec.args.get("kind") or "RANGE").upper()
        start = self._end(spec, "start", -1)
        end = self._end(spec, "end", 1) if spec.args.get("end") is not None else 0
        distances = [each for each in (start, end) if each]
        if kind not in ("ROWS", "RANGE") or (kind == "RANGE" and distances):
            raise self.text.refused(
                node,
                f"frames of {kind} with distances are not computed.",
                "Write ROWS BETWEEN 2 PRECEDING AND CURRENT ROW.",
            )
        return Frame(start, end, peers=kind == "RANGE")

    def _end(self, spec: Any, name: str, unbounded: int) -> int | None:
        """A distance from the row, negative before it; None where there is no end."""
        value, side = spec.args.get(name), str(spec.args.get(f"{name}_side") or "").upper()
        if value == "CURRENT ROW":
            return 0
        sign = {"PRECEDING": -1, "FOLLOWING": 1}.get(side, unbounded)
        if value == "UNBOUNDED":
            if sign != unbounded:
                raise self.text.refused(
                    spec.parent or spec,
                    "a frame begins before it ends.",
                    "Write ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW.",
                )
            return None
        return sign * self._whole(value, 0)


def _counted(node: Any, condition: Expression | None, translate: Translate, text: Text) -> Window:
    text.only(node, "this")
    inner = node.this
    if inner is None or type(inner).__name__ == "Star":
        if condition is None:
            return Window("", Summary.COUNT_ROWS)
        return Window("", Summary.COUNT, where(Literal(1, INTEGER), condition))
    if type(inner).__name__ == "Distinct":
        listed = inner.expressions
        if len(listed) != 1:
            raise text.refused(node, "one value is counted here.", "Write COUNT(DISTINCT x).")
        return Window("", Summary.COUNT_DISTINCT, where(translate(listed[0]), condition))
    return Window("", Summary.COUNT, where(translate(inner), condition))


def summary_of(node: Any, translate: Translate, text: Text) -> tuple[Summary, Expression | None]:
    """An aggregate of released rows: what it computes, and of what."""
    made = Windows(text, set())._summary(node, translate)  # noqa: SLF001 - the same words
    return made.summary, made.argument


def where(argument: Expression, condition: Expression | None) -> Expression:
    """An argument that is NULL, and so not aggregated, where a condition does not hold."""
    if condition is None:
        return argument
    return call("case", condition, argument, Literal(None, argument.type))


def _number(argument: Expression) -> Expression:
    return cast(argument, INTEGER) if argument.type == BOOLEAN else argument


def ordered(clause: Any, translate: Translate, text: Text) -> tuple[Order, ...]:
    """ORDER BY inside of a window."""
    if clause is None:
        return ()
    text.only(clause, "expressions")
    found = []
    for part in clause.expressions:
        text.only(part, "this", "desc", "nulls_first")
        down, first = bool(part.args.get("desc")), bool(part.args.get("nulls_first"))
        found.append(Order(translate(part.this), down, first))
    return tuple(found)
