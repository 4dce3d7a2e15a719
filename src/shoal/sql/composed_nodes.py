"""Nodes of dates and texts that are read as compositions of other functions."""

from __future__ import annotations

import datetime as dt
from abc import ABC, abstractmethod
from typing import Any

from shoal.plan import DATE, INTEGER, TEXT, Expression, Literal, call, cast
from shoal.sql import date_words
from shoal.sql.question_text import Text

_MONTHS = {"MONTH": 1, "QUARTER": 3, "YEAR": 12, "DECADE": 120, "CENTURY": 1200}
_DAYS = {"DAY": 1, "WEEK": 7}
_SECONDS = {"SECOND": 1, "MINUTE": 60, "HOUR": 3600}
_DIGITS = 12
"""A number in an interval has fewer digits."""


class MoreNodes(ABC):
    """Methods named after sqlglot's nodes; `Translator` has them beside its own."""

    text: Text

    @abstractmethod
    def of(self, node: Any) -> Expression:
        """The expression that a node means."""

    def constant_text(self, node: Any, what: str) -> str:
        """A text that stands in the question itself."""
        made = self.of(node) if node is not None else None
        if not isinstance(made, Literal) or not isinstance(made.value, str):
            raise self.text.refused(node, f"{what} must be a constant text.", "Write it in quotes.")
        return made.value

    # dates

    def shifted(self, moment: Expression, interval: Any, sign: int) -> Expression:
        """A date and an interval of whole seconds, days, months or their multiples."""
        unit = str(interval.args.get("unit") or "").upper().removesuffix("S")
        node = interval.this
        while type(node).__name__ == "Paren":
            node = node.this
        count = node.name if node is not None else ""
        if type(node).__name__ == "Neg":
            sign, count = -sign, node.this.name
        digits = count.removeprefix("-")
        known = digits.isascii() and digits.isdigit() and len(digits) < _DIGITS
        if not known or unit not in (*_SECONDS, *_DAYS, *_MONTHS):
            raise self.text.refused(
                interval,
                "an interval is a whole number of seconds, minutes, hours, days, weeks, months, quarters or years.",
                "Write INTERVAL 7 DAY or INTERVAL 3 MONTH.",
            )
        size = sign * int(count)
        if unit in _SECONDS:
            return call("add_seconds", moment, Literal(size * _SECONDS[unit], INTEGER))
        if unit in _DAYS:
            return call("add_days", moment, Literal(size * _DAYS[unit], INTEGER))
        return date_words.add_months(moment, Literal(size * _MONTHS[unit], INTEGER))

    def of_dateadd(self, node: Any) -> Expression:
        interval = node.args.get("expression")
        if type(interval).__name__ != "Interval":
            raise self.text.refused(
                node, "an interval is needed here.", "Write d + INTERVAL 1 MONTH."
            )
        return self.shifted(self.of(node.this), interval, 1)

    def of_dayname(self, node: Any) -> Expression:
        return date_words.day_name(self.of(node.this))

    def of_monthname(self, node: Any) -> Expression:
        return date_words.month_name(self.of(node.this))

    def of_timetostr(self, node: Any) -> Expression:
        pattern = self.constant_text(node.args.get("format"), "the pattern of STRFTIME")
        return date_words.formatted(self.of(node.this), pattern)

    def of_strtotime(self, node: Any) -> Expression:
        pattern = self.constant_text(node.args.get("format"), "the pattern of STRPTIME")
        return date_words.parsed(self.of(node.this), pattern)

    def of_timetounix(self, node: Any) -> Expression:
        return date_words.epoch(self.of(node.this))

    def of_lastday(self, node: Any) -> Expression:
        return date_words.last_day(self.of(node.this))

    def of_datefromparts(self, node: Any) -> Expression:
        parts = [self.of(node.args[name]) for name in ("year", "month", "day")]
        numbers = [p.value for p in parts if isinstance(p, Literal) and isinstance(p.value, int)]
        try:
            year, month, day = numbers
            return Literal(dt.date(year, month, day), DATE)
        except ValueError:
            raise self.text.refused(
                node, "MAKE_DATE takes three constants of a true date.", "Write DATE '2024-07-01'."
            ) from None

    def full_units(self, node: Any, unit: Any, earlier: Any, later: Any) -> Expression:
        """DATE_SUB(unit, earlier, later): full years, months or days."""
        name = self.constant_text(unit, "the unit").lower().removesuffix("s")
        if name not in ("year", "month", "day"):
            raise self.text.refused(
                node, "full years, months or days are counted.", "Write DATE_SUB('year', a, b)."
            )
        return date_words.full_units(name, self.of(earlier), self.of(later))

    def part_of(self, name: str, node: Any) -> Expression:
        """EXTRACT(part FROM date), also of AGE(a, b)."""
        name = {"dayofweek": "dow", "weekday": "dow", "weekofyear": "week"}.get(name, name)
        name = {"dayofyear": "doy", "dayofmonth": "day", "months": "month"}.get(name, name)
        if type(node).__name__ == "Anonymous" and node.name.lower() == "age":
            if name != "year" or len(node.expressions) != 2:
                raise self.text.refused(
                    node,
                    "of AGE(a, b) the full years are read.",
                    "Write EXTRACT(year FROM AGE(a, b)), or DATE_SUB('month', b, a).",
                )
            later, earlier = node.expressions
            return date_words.full_units("year", self.of(earlier), self.of(later))
        return date_words.any_part(name, self.of(node))

    # text

    def of_trim(self, node: Any) -> Expression:
        where = str(node.args.get("position") or "").upper()
        name = {"LEADING": "ltrim", "TRAILING": "rtrim"}.get(where, "trim")
        letters = node.args.get("expression")
        if letters is None:
            return call(name, self.of(node.this))
        return call(f"{name}_of", self.of(node.this), self.of(letters))

    def of_splitpart(self, node: Any) -> Expression:
        names = ("this", "delimiter", "part_index")
        return call("split_part", *(self.of(node.args[name]) for name in names))

    def of_strposition(self, node: Any) -> Expression:
        return call("position", self.of(node.this), self.of(node.args["substr"]))

    def of_concatws(self, node: Any) -> Expression:
        """The texts that are not NULL, with a separator between them."""
        first, *others = node.expressions
        between = self.constant_text(first, "the separator of CONCAT_WS")
        empty = Literal("", TEXT)
        made: Expression = empty
        for other in others:
            text = cast(self.of(other), TEXT)
            piece = call("concat", Literal(between, TEXT), text)
            made = call("concat", made, call("coalesce", piece, empty))
        return call("substring", made, Literal(len(between) + 1, INTEGER)) if others else empty

    def of_pad(self, node: Any) -> Expression:
        """LPAD and RPAD with one letter."""
        letter = self.constant_text(node.args.get("fill_pattern"), "what a text is filled with")
        text, size = cast(self.of(node.this), TEXT), self.of(node.expression)
        width = size.value if isinstance(size, Literal) else None
        if len(letter) != 1 or type(width) is not int or not 0 <= width <= 1000:
            raise self.text.refused(
                node,
                "LPAD and RPAD take a constant width and one letter.",
                "Write LPAD(x, 5, '0').",
            )
        fill = Literal(letter * width, TEXT)
        if node.args.get("is_left"):
            filled = call("right", call("concat", fill, text), size)
        else:
            filled = call("left", call("concat", text, fill), size)
        long = call("ge", call("length", text), size)
        return call("case", long, call("left", text, size), filled)
