"""One spelling of an expression: what is written in another order, or the other way round, becomes
the same.

`a AND b` is `b AND a`, `3 < x` is `x > 3`, BETWEEN is two comparisons, a list after IN is sorted,
and NOT stands at the comparisons.  Every rule holds for all values, NULL among them, so an
expression and its one spelling have the same value in every row.  Proof: normal_questions.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from shoal.plan.expression import Call, Expression, Literal, Ref, call
from shoal.plan.facts import Column
from shoal.plan.types import BOOLEAN, Value

_TURNED = {
    "lt": "gt",
    "le": "ge",
    "gt": "lt",
    "ge": "le",
    "eq": "eq",
    "ne": "ne",
    "same": "same",
    "add": "add",
    "multiply": "multiply",
}
"""Functions of two arguments, each with the one that is the same with the arguments exchanged."""

_OPPOSITE = {"lt": "ge", "ge": "lt", "le": "gt", "gt": "le", "eq": "ne", "ne": "eq"}
_UNORDERED = ("least", "greatest")
_OTHER = {"and": "or", "or": "and"}


class NormalSpelling:
    """Spells expressions over some columns; their order, and not their names, decides what comes
    first.

    Guarantee: an expression and its spelling have the same type, and the same value in every row.
    """

    def __init__(self, columns: Sequence[Column]) -> None:
        self._at = {column.name: at for at, column in enumerate(columns)}
        self._known: dict[int, tuple[Expression, Expression]] = {}
        self._places: dict[int, tuple[Expression, str]] = {}

    def of(self, expression: Expression) -> Expression:
        """The one spelling of an expression."""
        if not isinstance(expression, Call):
            return expression
        found = self._known.get(id(expression))
        if found is None:
            made = call(expression.name, *map(self.of, expression.arguments), type=expression.type)
            spelled = self._call(made) if isinstance(made, Call) else made
            # a rule that would change the type is not used
            kept = spelled if spelled.type == expression.type else made
            found = self._known[id(expression)] = expression, kept
        return found[1]

    def place(self, expression: Expression) -> str:
        """Where an expression stands among others: columns, then calls, then constants.

        Different expressions over the columns have different places.
        """
        found = self._places.get(id(expression))
        if found is None:
            found = self._places[id(expression)] = expression, self._place(expression)
        return found[1]

    def all_of(self, parts: Iterable[Expression]) -> Expression:
        """The condition that all these conditions hold, each in its one spelling already."""
        return self._joined("and", parts)

    def _place(self, expression: Expression) -> str:
        match expression:
            case Ref(column):
                return f"0:{self._at[column.name]:06}"
            case Call(name, arguments, kind):
                return f"1:{name}:{kind}({','.join(map(self.place, arguments))})"
            case Literal(value, kind):
                return f"2:{kind}:{_sortable(value)}"

    def _call(self, made: Call) -> Expression:
        match made:
            case Call("between", (value, lo, hi)):
                both = self._compared("ge", value, lo), self._compared("le", value, hi)
                return self._joined("and", both)
            case Call("and" | "or" as word, arguments):
                return self._joined(word, arguments)
            case Call("not", (part,)):
                return self._not(part)
            case Call("in", (value, *choices)):
                return self._in(value, choices)
            case Call(word, (left, right)) if word in _TURNED:
                return self._compared(word, left, right)
            case Call(word, arguments) if word in _UNORDERED:
                return call(word, *sorted(arguments, key=self.place), type=made.type)
        return made

    def _compared(self, word: str, left: Expression, right: Expression) -> Expression:
        if self.place(right) < self.place(left):
            word, left, right = _TURNED[word], right, left
        if word in ("eq", "ne") and left.type == BOOLEAN and isinstance(right, Literal):
            if right.value is (word == "eq"):  # x = TRUE is x, and so is x <> FALSE
                return left
            if right.value is (word == "ne"):
                return self._not(left)
        return call(word, left, right)

    def _not(self, part: Expression) -> Expression:
        match part:
            case Call("not", (inner,)):
                return inner
            case Call(word, (left, right)) if word in _OPPOSITE:
                return self._compared(_OPPOSITE[word], left, right)
            case Call("and" | "or" as word):
                return self._joined(_OTHER[word], map(self._not, _parts(word, part)))
        return call("not", part)

    def _in(self, value: Expression, choices: Iterable[Expression]) -> Expression:
        listed = sorted(set(choices), key=self.place)
        if len(listed) == 1:
            return self._compared("eq", value, listed[0])
        return call("in", value, *listed)

    def _joined(self, word: str, parts: Iterable[Expression]) -> Expression:
        """Conditions joined by AND or OR: each once, in order, with equalities of one value in one
        list.
        """
        flat = [each for part in parts for each in _parts(word, part)]
        if Literal(word == "or", BOOLEAN) in flat:
            return Literal(word == "or", BOOLEAN)
        kept = [each for each in flat if each != Literal(word == "and", BOOLEAN)]
        found = {self.place(each): each for each in self._listed(word, kept)}
        return self._tree(word, [found[place] for place in sorted(found)])

    def _tree(self, word: str, parts: list[Expression]) -> Expression:
        """Balanced, so that many conditions are not nested deeply."""
        if len(parts) < 2:
            return parts[0] if parts else Literal(word == "and", BOOLEAN)
        half = (len(parts) + 1) // 2
        return call(word, self._tree(word, parts[:half]), self._tree(word, parts[half:]))

    def _listed(self, word: str, parts: list[Expression]) -> Iterator[Expression]:
        """`x = 1 OR x = 2` as `x IN (1, 2)`, `x <> 1 AND x <> 2` as its opposite."""
        lists: dict[Expression, list[Expression]] = {}
        for part in parts:
            found = _equalities("ne" if word == "and" else "eq", part)
            if found is None:
                yield part
            else:
                lists.setdefault(found[0], []).extend(found[1])
        for value, choices in lists.items():
            made = self._in(value, choices)
            yield self._not(made) if word == "and" else made


def _parts(word: str, condition: Expression) -> Iterator[Expression]:
    if isinstance(condition, Call) and condition.name == word:
        for part in condition.arguments:
            yield from _parts(word, part)
    else:
        yield condition


def _equalities(word: str, part: Expression) -> tuple[Expression, list[Expression]] | None:
    """The value that a condition compares with constants, and these."""
    match part:
        case Call(name, (value, Literal() as constant)) if name == word:
            return value, [constant]
        case Call("in", (value, *choices)) if word == "eq":
            return value, choices
        case Call("not", (Call("in", (value, *choices)),)) if word == "ne":
            return value, choices
    return None


def _sortable(value: Value) -> str:
    """A constant as a text that no other of its type has; numbers in their order, mostly."""
    if isinstance(value, bool) or value is None:
        return f"{value is None:d}{value}"
    if isinstance(value, float):
        return f"0{value.hex()}"
    if isinstance(value, int):
        return f"0{value >= 0:d}{abs(value) if value >= 0 else 10**40 - abs(value):040}"
    return f"0{value!r}"
