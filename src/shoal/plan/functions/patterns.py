"""Regular expressions: whether one is in a text, the first run that it finds, and runs replaced."""

from __future__ import annotations

from shoal.errors import ExpressionError
from shoal.plan.expression import Call, Expression, Literal
from shoal.plan.functions.function import Fitted, constant, function, takes
from shoal.plan.patterns import automaton_of, pattern_of, run_of, table_of
from shoal.plan.patterns.syntax import size_of
from shoal.plan.types import BOOLEAN, TEXT, Kind, Type, Value


def pattern_in(call: Call) -> str:
    """The constant pattern of a call."""
    argument = call.arguments[1]
    assert isinstance(argument, Literal)
    return str(argument.value)


def _searched(call: Call) -> int:
    """Every character is compared with every state at most; what is written counts too."""
    size = 1 + size_of(pattern_of(pattern_in(call)))
    return 1 + call.arguments[0].length * size + call.length


def _fit_matches(arguments: tuple[Expression, ...], _: Type | None) -> Fitted:
    fitted, kind = takes(Kind.TEXT, Kind.TEXT, result=BOOLEAN)(arguments, None)
    table_of(str(constant(fitted[1], "the pattern of a regular expression")))
    return fitted, kind


@function("regexp_matches", _fit_matches, work=_searched)
def _matches(_: Call, text: str, pattern: str) -> Value:
    """Whether a part of a text matches a pattern.

    Guarantee: a function of the text and the pattern, the same in every engine; the work grows
    with their product at most.
    Needs: a constant pattern of the language in plan/patterns/patterns.md.
    Edges: NULL for NULL; any other pattern is refused before a row is read.
    Reference: plan/patterns/patterns.md.
    """
    return automaton_of(pattern).finds(text)


def _fit_extract(arguments: tuple[Expression, ...], _: Type | None) -> Fitted:
    fitted, kind = takes(Kind.TEXT, Kind.TEXT, result=TEXT)(arguments, None)
    run_of(str(constant(fitted[1], "the pattern of REGEXP_EXTRACT")))
    return fitted, kind


@function(
    "regexp_extract",
    _fit_extract,
    length=lambda call: min(
        call.arguments[0].length, run_of(pattern_in(call)).most or call.arguments[0].length
    ),
    work=_searched,
)
def _extract(_: Call, text: str, pattern: str) -> Value:
    """The first run of a set of characters, or an empty text.

    Guarantee: as for `regexp_matches`; the result is a part of the text.
    Needs: a pattern of one set of characters and its repetitions, perhaps after ^.
    Edges: NULL for NULL, an empty text where there is no run.
    Reference: plan/patterns/patterns.md, Runs.
    """
    start, end = next(run_of(pattern).found_in(text), (0, 0))
    return text[start:end]


def _fit_replace(arguments: tuple[Expression, ...], _: Type | None) -> Fitted:
    fitted, kind = takes(Kind.TEXT, Kind.TEXT, Kind.TEXT, result=TEXT)(arguments, None)
    run_of(str(constant(fitted[1], "the pattern of REGEXP_REPLACE")))
    if "\\" in str(constant(fitted[2], "the replacement")):
        raise ExpressionError(
            "a replacement of REGEXP_REPLACE is plain text, without a backslash.",
            remedy="Write the new text itself: REGEXP_REPLACE(x, '[^a-z]', '-', 'g').",
        )
    return fitted, kind


def _replaced(call: Call) -> int:
    """Each run has at least the stated number of characters, and becomes the new text."""
    whole, new = call.arguments[0].length, call.arguments[2].length
    least = run_of(pattern_in(call)).least
    return max(whole, whole // least * new + whole % least)


@function(
    "regexp_replace",
    _fit_replace,
    length=_replaced,
    work=_searched,
    written="REGEXP_REPLACE({*}, 'g')",
)
def _replace(_: Call, text: str, pattern: str, new: str) -> Value:
    """A text in which every run of a set of characters is another text.

    Guarantee: as for `regexp_matches`; the length is bounded by the runs that fit.
    Needs: a pattern of one set of characters and its repetitions, perhaps after ^.
    Edges: NULL for NULL.
    Reference: plan/patterns/patterns.md, Runs.
    """
    made, after = list[str](), 0
    for start, end in run_of(pattern).found_in(text):
        made += [text[after:start], new]
        after = end
    return "".join([*made, text[after:]])
