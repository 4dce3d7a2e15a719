"""Opening an account: what is written down, and what an account of that name may already be."""

from __future__ import annotations

from dataclasses import dataclass

from shoal.errors import AccountError
from shoal.ledger.book import Book, budget_to, read_name, read_relation
from shoal.ledger.entry import ACCOUNT, BUDGET, canonical
from shoal.ledger.transaction import Transaction
from shoal.measures import Measure


@dataclass(frozen=True)
class Opening:
    """An account that is to be opened, as its entry will say it."""

    name: str
    budget: Measure
    relation: str
    text: str

    @classmethod
    def of(cls, name: str, budget: Measure, relation: str, by: str | None = None) -> Opening:
        """Check what is asked for, outside of any transaction; ``by`` is who opens it, if that is
        told.
        """
        book = Book(read_name(name), budget, read_relation(relation))
        said = {
            "account": name,
            "budget": budget_to(budget),
            "relation": book.relation,
            "state": book.filter.state(),
        }
        told = said if by is None else {**said, "by": by}
        return cls(name, budget, book.relation, canonical(told))

    def ready(self, transaction: Transaction, *, or_change: bool = False) -> Book | None:
        """The account of that name, if there is one and it will do; ``or_change`` gives the budget
        to one that was never charged.
        """
        found = transaction.find(self.name)
        if found is None or (found.budget, found.relation) == (self.budget, self.relation):
            return found
        if or_change and found.relation == self.relation and not found.events:
            return found.with_budget(self.budget)
        raise AccountError(
            f"the account {self.name!r} is open already, with {found.budget} for {found.relation!r}.",
            remedy="Change its budget with change_budget.",
        )

    def open(self, transaction: Transaction, found: Book | None) -> Book:
        """Write down what is new of it; ``found`` is what `ready` returned."""
        if found is None:
            transaction.add(ACCOUNT, self.text)
            book = Book(self.name, self.budget, self.relation)
            transaction.keep(book, is_new=True)
            return book
        if transaction.books[self.name] is not found:
            transaction.add(
                BUDGET, canonical({"account": self.name, "budget": budget_to(self.budget)})
            )
            transaction.keep(found)
        return found
