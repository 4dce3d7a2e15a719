"""The queue of requests: analysts ask for releases beyond their allowance, stewards decide."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from shoal.errors import KeyReusedError, RightsError, SchemaError, VaultError
from shoal.interpret import risk_of
from shoal.ledger import Ledger
from shoal.plan import tables_of
from shoal.query import Answer, Ask
from shoal.query.keys import selects
from shoal.vault.people.approval_request import (
    APPROVE,
    COMMENT,
    DENY,
    OF_QUESTION,
    TERMS,
    ApprovalRequest,
)
from shoal.vault.people.office_facts import REQUEST, OfficeFacts

if TYPE_CHECKING:
    from shoal.vault.vault import Vault

LONGEST_WORD = 4000
"""So many characters may a purpose or a word have."""

_HIDDEN = ("Cc", "Cf", "Cs", "Zl", "Zp")
"""Characters of Unicode that show nothing: controls, formats, halves of others, separators."""
_SEEN = "\n\r\t\u200c\u200d"
"""Those among them that scripts and texts need; none of them moves another character."""

MOST_OPEN, MOST_COMMENTS = 20, 100
"""So many open requests may a person have, and so many comments a request."""


@dataclass(frozen=True)
class Requests:
    """The requests of a vault, oldest first; made by ``vault.requests``.

    Guarantee: a request is approved or denied once, by somebody else than who asked.  What is
        released under an approval is the question and the terms that were approved, of the versions
        of the data that were, charged to the dataset once.
    """

    vault: Vault
    ledger: Ledger
    facts: OfficeFacts
    by: str

    def __iter__(self) -> Iterator[ApprovalRequest]:
        return iter(self.facts.state.requests)

    def __len__(self) -> int:
        return len(self.facts.state.requests)

    def __getitem__(self, number: int) -> ApprovalRequest:
        found = self.facts.state.requests
        if not 1 <= number <= len(found):
            raise VaultError(
                f"there is no request {number}.", remedy="See which there are: shoal requests."
            )
        return found[number - 1]

    def ask(self, question: str, *, purpose: str, **terms: Any) -> ApprovalRequest:
        """Ask for a release beyond an allowance: it is previewed, and nothing is spent."""
        unknown = set(terms) - set(TERMS)
        if unknown:
            raise SchemaError(
                f"a request has no term {min(unknown)[:40]!r}.",
                remedy=f"The terms are: {', '.join(TERMS)}.",
            )
        if sum(each.by == self.by and each.state == "open" for each in self) >= MOST_OPEN:
            raise VaultError(
                f"{self.by!r} has {MOST_OPEN} open requests, and that is the most.",
                remedy="Wait until a steward has decided some of them.",
            )
        kept = {
            name: _plain(value) for name, value in terms.items() if value not in (None, False, {})
        }
        _refuse_hidden(question, "the question")
        asked = self.vault.sql(question, **_of_question(kept))
        found = asked.preview(**_of_release(kept))
        versions = {
            name: self.vault.dataset(name).version for name in tables_of(asked.question.relation)
        }
        made = ApprovalRequest(
            0,
            "",
            self.by,
            question,
            _word(purpose, "purpose"),
            kept,
            found.price,
            tuple(map(str, found.columns)),
            versions,
            _risk(asked, kept),
        )
        entry = self.ledger.record(REQUEST, made.to_fact())
        return next(each for each in self if each.entry == entry.number)

    def approve(self, number: int, word: str = "") -> ApprovalRequest:
        """Approve a request: its asker may release it, once, from the budget of the dataset."""
        return self._decide(number, APPROVE, word)

    def deny(self, number: int, word: str = "") -> ApprovalRequest:
        """Deny a request."""
        return self._decide(number, DENY, word)

    def comment(self, number: int, word: str) -> ApprovalRequest:
        """Say something about a request; nothing is decided by it."""
        if sum(each.act == COMMENT for each in self[number].remarks) >= MOST_COMMENTS:
            raise VaultError(
                f"request {number} has {MOST_COMMENTS} comments, and that is the most.",
                remedy="Decide about it, or make another request.",
            )
        self._say(number, COMMENT, _word(word, "comment"), key=None)
        return self[number]

    def _decide(self, number: int, act: str, word: str) -> ApprovalRequest:
        known = self[number]
        if known.by == self.by:
            raise RightsError(
                f"request {number} is your own; somebody else must decide it.",
                remedy="Ask another steward.",
            )
        if known.state != "open":
            raise _decided(known)
        try:
            self._say(number, act, _word(word, "word", empty=True), key=f"decide {number}")
        except KeyReusedError:
            raise _decided(self[number]) from None
        return self[number]

    def _say(self, number: int, act: str, word: str, *, key: str | None) -> None:
        said = {"act": act, "request": self[number].number, "by": self.by, "word": word}
        self.ledger.record(REQUEST, said, key=key)

    def release(self, number: int) -> Answer:
        """The answer to one's own request that was approved; asked again, the same answer."""
        known = self[number]
        if known.by != self.by:
            raise RightsError(
                f"request {number} is not one of {self.by!r}.",
                remedy="See your own: shoal requests.",
            )
        if known.state != "approved":
            raise VaultError(
                f"request {number} is {known.state}.",
                remedy="Wait until a steward approves it."
                if known.state == "open"
                else "Ask for something else.",
            )
        for name, version in known.datasets.items():
            if self.vault.dataset(name).version != version:
                raise VaultError(
                    f"{name!r} has another version than when request {number} was made.",
                    remedy="Make the request again.",
                )
        paid = self.vault.as_(self.by, approval=number)
        asked = paid.sql(known.question, **_of_question(known.terms))
        return asked.release(**_of_release(known.terms), key=approval_key(number))


def approval_key(number: int) -> str:
    """The key under which an approved request is charged, so that it is charged once."""
    return f"approval {number}"


def _plain(value: object) -> Any:
    """A term as the journal has it: numbers as text, exactly as they were given."""
    if isinstance(value, Mapping):
        return {str(name): str(each) for name, each in value.items()}
    return value if isinstance(value, bool) else str(value)


def _risk(asked: Ask, terms: Mapping[str, Any]) -> str:
    """What the release can tell of one person by itself, at most."""
    price = {name: terms.get(name) for name in ("epsilon", "delta", "rho")}
    cost = asked.budget.request(**price, selects=selects(asked.spelled))
    return risk_of(cost.promise)


def _of_question(terms: Mapping[str, Any]) -> dict[str, Any]:
    return {name: terms.get(name) for name in OF_QUESTION}


def _of_release(terms: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in terms.items() if name not in OF_QUESTION}


def _refuse_hidden(text: object, what: str) -> None:
    """Refuse what a steward could not see, or would see in another order than it is read."""
    if any(unicodedata.category(each) in _HIDDEN and each not in _SEEN for each in str(text)):
        raise SchemaError(
            f"{what} holds a character that cannot be seen, or turns the order of others.",
            remedy="Leave it out: whoever decides must read what is asked.",
        )


def _word(text: object, what: str, *, empty: bool = False) -> str:
    if not isinstance(text, str) or len(text) > LONGEST_WORD or not (empty or text.strip()):
        raise SchemaError(
            f"{what} must be text of at most {LONGEST_WORD:,} characters, and not blank.",
            remedy=f"Give {what}='Yearly report, table 3'.",
        )
    _refuse_hidden(text, what)
    return text


def _decided(known: ApprovalRequest) -> VaultError:
    return VaultError(
        f"request {known.number} is {known.state} already.", remedy="A decision is made once."
    )
