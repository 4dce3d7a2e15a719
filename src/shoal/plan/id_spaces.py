"""Which tables use the same ids for the same people: what was declared, and what follows from it.

A person is protected with all of their rows, so whoever reads several private tables must know
which ids mean one person.  Rows cannot tell.  A curator declares it, table by table, and a question
whose tables leave it open is refused.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Protocol

from shoal.errors import RelationError


@dataclass(frozen=True)
class IdSpace:
    """What is declared of the ids in a table.

    Two tables with a name of ``shared`` in common use the same ids for the same people.
    ``accounts`` are what pays for the table: two tables without a common account are protected one
    by one, and the budgets of someone who is in both add up.
    """

    shared: frozenset[str]
    accounts: frozenset[str]

    def is_shared_with(self, other: IdSpace) -> bool:
        return not self.shared.isdisjoint(other.shared)

    def is_apart_from(self, other: IdSpace) -> bool:
        return self.accounts.isdisjoint(other.accounts)


ONE_SPACE = IdSpace(frozenset({""}), frozenset({""}))
"""That of tables that were given together, as those of the same persons, with one budget."""


class _HeldTable(Protocol):
    @property
    def name(self) -> str: ...

    @property
    def ids(self) -> IdSpace: ...


def spaces_of(tables: Iterable[_HeldTable]) -> dict[str, str]:
    """For each table by name, the first table of those it shares its ids with; refused where
    declarations leave it open.

    Guarantee: two tables have one space exactly if it was declared that they share ids, and two
        spaces only if no account pays for both.
    """
    found: dict[str, list[_HeldTable]] = {}
    for each in sorted(tables, key=lambda one: one.name):
        at = {
            first: [each.ids.is_shared_with(one.ids) for one in members]
            for first, members in found.items()
        }
        joins = [first for first, shared in at.items() if any(shared)]
        if len(joins) > 1 or any(any(s) and not all(s) for s in at.values()):
            raise RelationError(
                f"{each.name!r} shares its ids with tables that share none with each other.",
                remedy="Ask of fewer of these tables at a time.",
            )
        for first, members in found.items():
            for one in members if first not in joins else ():
                _check_apart(one, each)
        found.setdefault(joins[0] if joins else each.name, []).append(each)
    return {each.name: first for first, members in found.items() for each in members}


def check_one_space(tables: Iterable[_HeldTable]) -> None:
    """Refuse to take equal ids of these tables for one person unless that was declared of all of
    them.
    """
    spaces = spaces_of(tables)
    firsts = sorted(set(spaces.values()))
    if len(firsts) > 1:
        first, other = firsts[:2]
        raise RelationError(
            f"{first!r} and {other!r} have budgets of their own: nobody declared that an id means the same person in both.",
            remedy=f"If it does, add the data of {other!r} under another name with shares={first!r} (--shares {first}), and join "
            "that. If it does not, ask of each by itself, or stack them with UNION ALL.",
        )


def _check_apart(left: _HeldTable, right: _HeldTable) -> None:
    if not left.ids.is_apart_from(right.ids):
        raise RelationError(
            f"{left.name!r} and {right.name!r} pay from one account, and nobody declared that an id means the same person in both.",
            remedy=f"If it does, add the data of {right.name!r} under another name with shares={left.name!r} "
            f"(--shares {left.name}), and ask of that. If it does not, ask of each by itself.",
        )
