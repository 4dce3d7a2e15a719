"""Events from compact text, the form people type: ``gaussian sigma=30 | x 1000 + pure
epsilon=0.1``.

::

    events    = release { "+" release }
    release   = head { "|" modifier }
    head      = kind { name "=" value }  |  "(" events ")"  |  "parallel" "(" events { "," events } ")"  |  "nothing"
    modifier  = "x" count  |  "group" size  |  word { name "=" value }

A modifier applies to all that stands before it in its release: ``| sampled q=0.01 | x 10000`` is
ten thousand releases, each from a sample of its own.  Numbers are exact: 0.1 is 1/10.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

from shoal.errors import EventTextError, InputError
from shoal.events.event import DEEPEST, Event
from shoal.events.nested import Composed, Parallel
from shoal.events.tokens import Token, nearest, pointing, tokens
from shoal.events.vocabulary import (
    FLAGS,
    KIND_WORDS,
    LISTS,
    LONG_NAMES,
    MODIFIER_WORDS,
    NOTHING,
    OTHER_FIELDS,
    PARALLEL,
    WORDS,
    Form,
)
from shoal.exact import rational

_HEADS = (*KIND_WORDS, PARALLEL, NOTHING)
_TRUTHS = {"yes": True, "true": True, "no": False, "false": False}


def read_events(text: str) -> Event:
    """The event that a compact text describes; several releases joined by '+' are one `Composed`.

    Guarantee: every number is taken as the decimal or fraction that was written, exactly.
    Edges: sensitivity is 1 where it is not given.  ``laplace scale=10`` is noise on a fine lattice,
        with 2^40 steps to the sensitivity; ``steps=none`` leaves the lattice open, which is priced
        as the worst.  What cannot be read is an `EventTextError` that points at the place.

    >>> read_events("gaussian sigma=30 | x 1000 + pure epsilon=0.1")
    Composed(private=True, relation=None, events=(Repeated(...), StatedPure(...)))
    """
    if not isinstance(text, str):
        raise EventTextError(
            f"compact text is text; got {type(text).__name__}.",
            remedy="Give text such as 'gaussian sigma=30 | x 1000'.",
        )
    return _Reader(text).whole()


class _Reader:
    """A text, its pieces, and the place reached."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.pieces = tokens(text)
        self.place = 0
        self.depth = 0

    @property
    def next(self) -> Token:
        return self.pieces[self.place]

    def take(self) -> Token:
        taken = self.next
        self.place += taken.kind != "end"
        return taken

    def takes(self, mark: str) -> bool:
        if self.next.kind == "mark" and self.next.text == mark:
            self.place += 1
            return True
        return False

    def refuse(self, token: Token, problem: str, remedy: str) -> EventTextError:
        return pointing(self.text, token, problem, remedy=remedy)

    def expect(self, mark: str, why: str) -> None:
        if not self.takes(mark):
            raise self.refuse(self.next, f"{self.next} where {mark!r} {why}.", f"Write {mark!r}.")

    # the grammar, from the whole to its parts

    def whole(self) -> Event:
        event = self.events()
        if self.next.kind != "end":
            raise self.after_release(self.next)
        return event

    def events(self) -> Event:
        releases, start = [self.release()], self.next
        while self.takes("+"):
            releases.append(self.release())
        if len(releases) == 1:
            return releases[0]
        return self.made(start, lambda: Composed(releases))

    def release(self) -> Event:
        event = self.head()
        while self.takes("|"):
            event = self.modified(event)
        return event

    def head(self) -> Event:
        token = self.take()
        if token.kind == "mark" and token.text == "(":
            [event] = self.inside(token, several=False)
            return event
        if token.kind != "word" or token.text not in _HEADS:
            raise self.no_head(token)
        if token.text == NOTHING:
            return Composed([])
        if token.text == PARALLEL:
            opening = self.next
            self.expect("(", "opens the list of parts")
            parts = [] if self.takes(")") else self.inside(opening, several=True)
            return self.made(token, lambda: Parallel(parts))
        form = KIND_WORDS[token.text]
        return self.build(form, token, self.values(form, token))

    def inside(self, opening: Token, *, several: bool) -> list[Event]:
        """What stands in parentheses, the first of them taken."""
        self.depth += 1
        if self.depth > DEEPEST:
            raise self.refuse(
                opening,
                f"parentheses are nested more than {DEEPEST} deep.",
                "Write repetitions as '| x' and lists with '+'.",
            )
        found = [self.events()]
        while several and self.takes(","):
            found.append(self.events())
        if not self.takes(")"):
            if self.next.kind == "end":
                raise self.refuse(opening, "this parenthesis is never closed.", "Add ')'.")
            raise self.after_release(self.next)
        self.depth -= 1
        return found

    def modified(self, event: Event) -> Event:
        token = self.take()
        if token.kind != "word" or token.text not in MODIFIER_WORDS:
            raise self.no_modifier(token)
        form = MODIFIER_WORDS[token.text]
        values: dict[str, tuple[Token, Any]] = {}
        if form.bare is not None:
            number = self.take()
            if number.kind != "number":
                raise self.refuse(
                    number,
                    f"{number} where a whole number follows '{form.word}'.",
                    f"Write, for example, '| {form.word} 3'.",
                )
            values[form.bare] = number, number.text
        return self.build(form, token, {**values, **self.values(form, token)}, event=event)

    # names and values

    def values(self, form: Form, head: Token) -> dict[str, tuple[Token, Any]]:
        """Each field that is given, with the piece that names it."""
        given: dict[str, tuple[Token, Any]] = {}
        while self.next.kind == "word":
            name = self.take()
            field = form.names.get(name.text)
            if field is None:
                raise self.no_name(form, name)
            if field in given:
                raise self.refuse(
                    name, f"{name} says again what was already given.", "Give it once."
                )
            if not self.takes("="):
                raise self.refuse(name, f"{name} is given no value.", f"Write {name.text}=... .")
            value = self.value(name.text)
            given[field] = name, value**2 if value and name.text in form.squared else value
        self.complete(form, head, given)
        return given

    def value(self, name: str) -> Any:
        if name in LISTS:
            return self.numbers(name)
        token = self.take()
        if name in FLAGS and token.text in _TRUTHS:
            return _TRUTHS[token.text]
        if name in FLAGS:
            raise self.refuse(token, f"{token} is not a value of {name}.", "Write yes or no.")
        if name in WORDS and token.kind == "word":
            return token.text
        if token.text == "none":
            return None
        if token.kind != "number":
            what = "word" if name in WORDS else "number"
            example = "change" if name in WORDS else "0.1, 1/3 or 1e-6"
            raise self.refuse(
                token, f"{token} where the {what} after '{name}=' stands.", f"Write {example}."
            )
        return self.number(token, name)

    def numbers(self, name: str) -> list[Fraction]:
        """A list of numbers in parentheses."""
        if not self.takes("("):
            raise self.refuse(
                self.next,
                f"{self.next} where the list after '{name}=' begins.",
                f"Write {name}=(1, 2).",
            )
        found: list[Fraction] = []
        while not found or self.takes(","):
            token = self.take()
            if token.kind != "number":
                raise self.refuse(
                    token, f"{token} where a number of the list stands.", f"Write {name}=(1, 2)."
                )
            found.append(self.number(token, name))
        if not self.takes(")"):
            raise self.refuse(
                self.next, f"{self.next} in the list after '{name}='.", f"Write {name}=(1, 2)."
            )
        return found

    def number(self, token: Token, name: str) -> Fraction:
        try:
            return rational(token.text, name)
        except InputError as refusal:
            raise self.refuse(token, refusal.problem, refusal.remedy) from None

    def complete(self, form: Form, head: Token, given: Mapping[str, object]) -> None:
        rest = {form.bare: None} if form.bare else {}
        lacking = form.missing({**given, **rest})
        if lacking and self.next.kind == "mark" and self.next.text == "(":
            raise self.refuse(
                self.next,
                f"{head} is given its names in parentheses.",
                f"Write '{form.word} {' '.join(f'{name}=...' for name in lacking)}', without parentheses or commas.",
            )
        if lacking:
            raise self.refuse(
                head,
                f"{head} lacks {', '.join(lacking)}.",
                f"Write '{form.word} {' '.join(f'{name}=...' for name in lacking)}'; {_allowed(form)}",
            )

    # from values to events

    def build(
        self,
        form: Form,
        head: Token,
        given: Mapping[str, tuple[Token, Any]],
        **inside: Event,
    ) -> Event:
        values = {name: value for name, (_, value) in given.items()}
        if form.word == "laplace" and "steps" not in values and values.get("sensitivity") == 0:
            values["steps"] = 0
        try:
            return form.kind(**{**form.defaults, **values, **inside})
        except InputError as refusal:
            field = refusal.problem.split(maxsplit=1)[0]
            at = given[field][0] if field in given else head
            problem, remedy = (form.spoken(words) for words in (refusal.problem, refusal.remedy))
            raise self.refuse(at, problem, remedy) from None

    def made(self, at: Token, make: Callable[[], Event]) -> Event:
        try:
            return make()
        except InputError as refusal:
            raise self.refuse(at, refusal.problem, refusal.remedy) from None

    # what may be wrong with a word

    def no_head(self, token: Token) -> EventTextError:
        if token.text in MODIFIER_WORDS:
            return self.refuse(
                token,
                f"{token} changes a release and cannot begin one.",
                f"Put it behind a release and a bar, as in 'gaussian sigma=1 | {_usage(token.text)}'.",
            )
        problem = f"{token} is not a kind of release."
        if token.kind != "word":
            problem = f"{token} where a release begins."
        return self.refuse(token, problem, _choices(token, _HEADS, "Kinds"))

    def no_modifier(self, token: Token) -> EventTextError:
        if token.text in _HEADS:
            return self.refuse(
                token,
                f"{token} is a kind of release, not something done to one.",
                "Join releases with '+'.",
            )
        return self.refuse(
            token,
            f"{token} is not something done to a release.",
            _choices(token, MODIFIER_WORDS, "After a bar stand"),
        )

    def no_name(self, form: Form, token: Token) -> EventTextError:
        if token.text in MODIFIER_WORDS:
            return self.refuse(
                token, f"a bar is missing before {token}.", f"Write '| {_usage(token.text)}'."
            )
        if token.text in _HEADS:
            return self.refuse(token, f"{token} begins another release.", "Join releases with '+'.")
        if (form.word, token.text) in OTHER_FIELDS:
            return self.refuse(
                token, f"'{form.word}' has no {token}.", OTHER_FIELDS[form.word, token.text]
            )
        renamed = {of: name for name, of in form.short.items()}
        guess = renamed.get(token.text) or nearest(token.text, form.names)
        hint = f"Did you mean '{guess}'? " if guess else ""
        return self.refuse(
            token, f"'{form.word}' has no {token}.", f"{hint}{_capital(_allowed(form))}"
        )

    def after_release(self, token: Token) -> EventTextError:
        remedy = "Join releases with '+', and put what is done to one behind '|'."
        if token.kind == "mark" and token.text == ")":
            remedy = "Open a parenthesis first, or leave this one out."
        if token.kind == "mark" and token.text == ",":
            remedy = "Join releases with '+'; commas stand between the parts of 'parallel (...)'."
        return self.refuse(token, f"{token} does not belong here.", remedy)


def _choices(token: Token, known: Mapping[str, Form] | tuple[str, ...], opening: str) -> str:
    plain = token.text.lower().replace("-", "_")
    guess = LONG_NAMES.get(plain) if LONG_NAMES.get(plain) in known else None
    guess = guess or (nearest(plain, known) if token.kind == "word" else None)
    hint = f"Did you mean '{guess}'? " if guess else ""
    return f"{hint}{opening}: {', '.join(sorted(known))}."


def _allowed(form: Form) -> str:
    return f"its names are {', '.join(form.names)}."


def _usage(word: str) -> str:
    form = MODIFIER_WORDS[word]
    if form.bare is not None:
        return f"{word} 10"
    return " ".join([word, *(f"{name}=..." for name in form.missing({}))])


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
