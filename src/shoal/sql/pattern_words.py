"""Regular expressions as SQL writes them, read as one function of a text and a pattern."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any

from shoal.plan import TEXT, Expression, Literal, call
from shoal.plan.patterns import pattern_of, table_of
from shoal.plan.patterns.transition_table import MOST_STEPS
from shoal.sql.question_text import Text

_FLAGS = {"c": "", "i": "i", "s": "s"}
_MOST = 200
"""A question has at most so many different patterns."""


class PatternNodes(ABC):
    """Methods named after sqlglot's nodes; `Translator` has them beside its own."""

    text: Text

    @abstractmethod
    def of(self, node: Any) -> Expression:
        """The expression that a node means."""

    @abstractmethod
    def constant_text(self, node: Any, what: str) -> str:
        """A text that stands in the question itself."""

    def pattern(
        self,
        node: Any,
        flags: Any = None,
        *,
        more: str = "",
        without: str = "",
        whole: bool = False,
    ) -> str:
        """The pattern that stands in a question, with its options in front of it, but for those
        that say nothing about what matches.
        """
        typed = self.constant_text(node, "the pattern of a regular expression")
        letters = self.constant_text(flags, "the options of a pattern") if flags else ""
        letters = "".join(each for each in letters if each not in without)
        for letter in letters:
            if letter not in _FLAGS:
                raise self.text.refused(
                    flags, f"there is no option {letter!r} here.", "Use 'i', 's' or none."
                )
        pattern_of(typed)  # an error names the place in what was typed
        options = "".join(sorted({*(_FLAGS[letter] for letter in letters), *more} - {""}))
        inner, known = _without_options(typed)
        options = "".join(sorted({*options, *known}))
        made = f"^(?:{inner})$" if whole else inner
        return f"(?{options}){made}" if options else made

    def matching(self, node: Any, pattern: str) -> Expression:
        """Whether a text matches.  Planning makes a table of each pattern, so all of a question
        together are limited as one is.
        """
        found = call("regexp_matches", self.of(node.this), Literal(pattern, TEXT))
        number, steps = self.text.with_pattern(pattern, table_of(pattern).steps)
        if number > _MOST or steps > MOST_STEPS:
            raise self.text.refused(
                node,
                "the patterns of this question are too many, or too large together.",
                "Use LIKE or IN where they say the same, or ask several questions.",
            )
        return found

    def of_regexplike(self, node: Any) -> Expression:
        """REGEXP_MATCHES, REGEXP_LIKE, RLIKE and ~: a part of the text matches."""
        return self.matching(node, self.pattern(node.expression, node.args.get("flag")))

    def of_regexpilike(self, node: Any) -> Expression:
        """~*: the same, whatever the case of ASCII letters."""
        return self.matching(node, self.pattern(node.expression, node.args.get("flag"), more="i"))

    def of_regexpfullmatch(self, node: Any) -> Expression:
        """REGEXP_FULL_MATCH: the whole text matches."""
        found = self.pattern(node.expression, node.args.get("options"), whole=True)
        return self.matching(node, found)

    def of_similarto(self, node: Any) -> Expression:
        """SIMILAR TO: the whole text matches, as in DuckDB; the standard's % and _ are refused."""
        typed = self.constant_text(node.expression, "the pattern of SIMILAR TO")
        if "%" in typed or "_" in typed:
            raise self.text.refused(
                node,
                "databases disagree on % and _ in SIMILAR TO.",
                "Use LIKE, or REGEXP_FULL_MATCH(x, 'a.*') with . and .* in their place.",
            )
        return self.matching(node, self.pattern(node.expression, whole=True))

    def of_regexpextract(self, node: Any) -> Expression:
        """REGEXP_EXTRACT(x, '[0-9]+'): the first run of a set of characters."""
        group = node.args.get("group")
        if group is not None and group.name != "0":
            raise self.text.refused(
                group,
                "a group of a pattern is not taken out of a text.",
                "Leave the number and the group out: REGEXP_EXTRACT(x, '[0-9]+').",
            )
        pattern = self.pattern(node.expression, node.args.get("parameters"))
        return call("regexp_extract", self.of(node.this), Literal(pattern, TEXT))

    def of_regexpreplace(self, node: Any) -> Expression:
        """REGEXP_REPLACE(x, '[^a-z]', '', 'g'): every run of a set of characters."""
        flags = node.args.get("modifiers")
        letters = self.constant_text(flags, "the options of REGEXP_REPLACE") if flags else ""
        if "g" not in letters:
            raise self.text.refused(
                node,
                "REGEXP_REPLACE without the option 'g' replaces the first part that is found, or in other "
                "databases all of them.",
                "Write REGEXP_REPLACE(x, '[^a-z]', '', 'g').",
            )
        pattern = self.pattern(node.expression, flags, without="g")
        new = node.args.get("replacement")
        made = Literal("", TEXT) if new is None else self.of(new)
        return call("regexp_replace", self.of(node.this), Literal(pattern, TEXT), made)


def _without_options(pattern: str) -> tuple[str, str]:
    """A pattern that can be read, and the options in front of it.

    >>> _without_options("(?i)a")
    ('a', 'i')
    """
    head, closed, rest = pattern.partition(")")
    options = head.removeprefix("(?")
    if closed and head.startswith("(?") and options and set(options) <= {"i", "s"}:
        return rest, options
    return pattern, ""
