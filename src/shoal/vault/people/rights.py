"""Which role may do what: one table, with the least rights that each role needs."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

from shoal.errors import VaultError


class Right(StrEnum):
    """One thing that somebody may do in a vault, with one dataset or with all."""

    LOOK = "look"
    """See what is public about a dataset: its columns, who is protected, its budget."""
    TRY = "try"
    """Preview, explain and plan questions, and get made-up rows; all of it is free."""
    ASK = "ask"
    """Release answers from an allowance, request more, and see one's own releases."""
    READ = "read"
    """See the released answers of others."""
    LOG = "log"
    """See who released what and for how much, with certificates, without the answers."""
    VERIFY = "verify"
    """Check the journal."""
    DECIDE = "decide"
    """Approve or deny the requests of analysts."""
    MANAGE = "manage"
    """Register data; set budgets, people, allowances and tokens; publish releases."""
    POLLS = "polls"
    """Design polls and see their results."""


OWNER, STEWARD, ANALYST = "owner", "steward", "analyst"
AUDITOR, RESEARCHER, PUBLIC = "auditor", "researcher", "public"

_OVER = (Right.LOOK, Right.TRY, Right.READ, Right.LOG)

RIGHTS: Mapping[str, frozenset[Right]] = {
    OWNER: frozenset({*_OVER, Right.VERIFY, Right.MANAGE}),
    STEWARD: frozenset({*_OVER, Right.DECIDE}),
    ANALYST: frozenset({Right.LOOK, Right.TRY, Right.ASK}),
    AUDITOR: frozenset({Right.LOOK, Right.LOG, Right.VERIFY}),
    RESEARCHER: frozenset({Right.POLLS}),
    PUBLIC: frozenset(),
}
"""Every role and its rights.  *public* is whoever has no token: published releases and nothing
else.
"""

CHANGES = frozenset({Right.ASK, Right.DECIDE, Right.MANAGE, Right.POLLS})
"""Rights that spend or change something; a read-only token has none of them."""

GIVEN = tuple(role for role in RIGHTS if role != PUBLIC)
"""The roles that people are given."""


def read_role(role: str) -> str:
    """A role that can be given to somebody."""
    if role not in GIVEN:
        raise VaultError(
            f"there is no role {str(role)[:40]!r}.", remedy=f"The roles are: {', '.join(GIVEN)}."
        )
    return role
