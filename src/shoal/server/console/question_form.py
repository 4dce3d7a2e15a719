"""The fields of a question on the page *Ask*, and what they mean to the vault."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from shoal.measures import Measure, ZeroConcentrated
from shoal.query import Ask
from shoal.server.console.forms import SentForm
from shoal.vault.people.access import Access

USUAL = "0.1"
"""The epsilon that the page begins with."""
MOST_SQL = 20_000


@dataclass(frozen=True)
class QuestionForm:
    """A question as it was typed: texts, not yet read."""

    sql: str = ""
    amount: str = USUAL
    delta: str = ""
    show_clipped: bool = False

    @classmethod
    def of(cls, sent: SentForm) -> QuestionForm:
        """The question in a form."""
        return cls(
            sent.text("sql", most=MOST_SQL),
            sent.text("amount", most=64) or USUAL,
            sent.text("delta", most=64),
            sent.text("show_clipped", most=8) == "yes",
        )

    def terms(self, whole: Measure) -> dict[str, Any]:
        """What the release is asked with, in the terms of the budget that pays."""
        word = "rho" if isinstance(whole, ZeroConcentrated) else "epsilon"
        more = {"delta": self.delta} if self.delta else {}
        return {word: self.amount, "show_clipped": self.show_clipped, **more}

    def asked(self, access: Access) -> tuple[Ask, dict[str, Any]]:
        """The question and its terms, for a preview."""
        found = access.sql(self.sql)
        return found, self.terms(found.budget.whole)

    def at(self, amount: str) -> QuestionForm:
        """The same question for another amount."""
        return replace(self, amount=amount)
