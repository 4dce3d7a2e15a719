"""What one person may do in a vault, act by act: the only door for those who come through a server.

Every act checks the rights of the person first, for the datasets that it concerns.  A dataset that
somebody may not look at is, to them, not there.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from shoal.engines.held_rows import HeldRows
from shoal.errors import RangeError, RightsError, VaultError
from shoal.ledger import Verification
from shoal.measures import Measure
from shoal.plan import tables_of
from shoal.query import Answer, Ask
from shoal.vault.accounts.budgets import Standing
from shoal.vault.dataset import Dataset
from shoal.vault.made_up_rows import dummy_rows
from shoal.vault.people.access_token import AccessToken
from shoal.vault.people.approval_request import ApprovalRequest
from shoal.vault.people.member import Member
from shoal.vault.people.requests import Requests
from shoal.vault.people.rights import Right
from shoal.vault.releases import Release
from shoal.vault.words_to_type import words_for

if TYPE_CHECKING:
    from shoal.vault.people.requests import Requests
    from shoal.vault.vault import Vault

_OWN_KEYS = "approval "
"""Keys that begin so are those of approved requests."""


@dataclass(frozen=True)
class Access:
    """A person at a vault.  ``vault`` is the whole one; what the person gets of it is decided here."""

    vault: Vault
    member: Member
    token: AccessToken | None = None

    def needs(self, right: Right, dataset: str | None = None) -> None:
        """Refuse who does not have a right, for a dataset or at all."""
        if not self.member.may(right, dataset):
            raise no_right(self.member, right, dataset)

    def needs_everywhere(self, right: Right) -> None:
        """Refuse who does not have a right for the whole vault."""
        if not self.member.may_everywhere(right):
            raise no_right(self.member, right, None)

    # datasets

    @cached_property
    def names(self) -> frozenset[str]:
        """The datasets that the person may look at: theirs, and the public ones."""
        if not self.member.may(Right.LOOK):
            return frozenset()
        return self._with_public(Right.LOOK)

    def _with_public(self, right: Right, member: Member | None = None) -> frozenset[str]:
        found, who = self.vault.datasets.values(), member or self.member
        return frozenset(each.name for each in found if each.public or who.may(right, each.name))

    def datasets(self) -> dict[str, Dataset]:
        """What is public about every dataset that the person may look at."""
        self.needs(Right.LOOK)
        told = self.vault.showing(self.names).datasets
        return {name: each.as_told for name, each in told.items()}

    def dataset(self, name: str) -> Dataset:
        """What is public about one."""
        self.needs(Right.LOOK)
        return self.vault.showing(self.names).dataset(name).as_told

    def words(self) -> dict[str, list[str]]:
        """Words that the person may type into a question: of what they may look at, all public."""
        return words_for(self.datasets().values())

    def dummy(self, name: str, n: int, seed: int | None) -> HeldRows:
        """Made-up rows with its columns, as plain values."""
        self.needs(Right.TRY)
        return dummy_rows(self.dataset(name), n, seed=seed)

    def public_rows(self, name: str) -> HeldRows:
        """The rows of a public dataset, which protects nobody."""
        self.needs(Right.LOOK)
        return self.vault.showing(self.names).public_rows(name)

    def budget(self, name: str) -> Standing:
        """What is left: an analyst sees the account and their own allowance, others all of it."""
        self.needs(Right.LOOK)
        view = self.vault.showing(self.names)
        sees_all = self.member.may(Right.LOG, name)
        return (view if sees_all else view.as_(self.member.name)).budget(name)

    # asking

    @cached_property
    def _asking(self) -> Vault:
        """The vault as an analyst's questions see it."""
        return self.vault.showing(self._with_public(Right.ASK)).as_(self.member.name)

    def sql(
        self,
        text: str,
        *,
        weights: Mapping[str, Any] | None = None,
        intervals: Any = None,
    ) -> Ask:
        """A question to preview, explain or plan; an analyst's is paid from the allowance.

        Who tries questions without being an analyst sees what the whole budget could pay.  Nothing
        of it is released: `release` is another act.
        """
        self.needs(Right.TRY)
        # A read-only token spends nothing, and a preview does not: it sees what its analyst asks of.
        whole = replace(self.member, read_only=False)
        asks = whole.may(Right.ASK)
        shown = self._with_public(Right.ASK if asks else Right.TRY, whole)
        view = self.vault.showing(shown)
        view = view.as_(self.member.name) if asks else view
        return view.sql(text, weights=weights, intervals=intervals)

    def left(self, asked: Ask) -> dict[str, Measure]:
        """What is left for each private table of a question: of the person's allowance, or, where
        they have none, of the budget.
        """
        found = dict[str, Measure]()
        for name in sorted(tables_of(asked.question.relation)):
            standing = self.budget(name)
            own = [each for each in standing.allowances if each.name == self._allowance(name)]
            if own or standing.accounts:
                found[name] = own[0].left if own else standing.left
        return found

    def _allowance(self, dataset: str) -> str:
        return f"{dataset}@{self.member.name}"

    def try_out(self, text: str, n: int, **terms: Any) -> Answer:
        """What a question gives on made-up rows, from public facts alone; free."""
        self.needs(Right.TRY)
        view = self.vault.showing(self._with_public(Right.TRY))
        return view.rehearse(n).sql(text).release(**terms)

    def release(
        self,
        text: str,
        *,
        key: str,
        weights: Mapping[str, Any] | None = None,
        intervals: Any = None,
        note: Callable[[Ask], None] = lambda _: None,
        **terms: Any,
    ) -> Answer:
        """The private answer, paid from the person's allowances; ``note`` is told the question
        before it is charged.
        """
        self.needs(Right.ASK)
        if key.startswith(_OWN_KEYS):
            raise RangeError(
                f"keys that begin with {_OWN_KEYS!r} are those of approved requests.",
                remedy="Choose another key.",
            )
        asked = self._asking.sql(text, weights=weights, intervals=intervals)
        note(asked)
        return asked.release(key=key, **terms)

    # history

    def releases(self, limit: int | None = 50) -> list[Release]:
        """The last releases: all that the person may see the log of, or their own."""
        if self.member.may_everywhere(Right.LOG):
            return self.vault.log(limit)
        log = self.vault
        if not self.member.may(Right.LOG):
            self.needs(Right.ASK)
            log = log.as_(self.member.name)
        found = [each for each in log.log(None) if self._sees(each)]
        return found if limit is None else found[-limit:]

    def release_at(self, number: int, *, answer: bool) -> Release:
        """One release, with its answer or only what the log says of it; one that the person may
        not see is, to them, not there.
        """
        self.needs_any(Right.ASK, Right.LOG, Right.READ)
        try:
            found = self.vault.show(number)
        except VaultError:
            raise _not_there("release", number) from None
        if not (self._sees(found) or self._was_given(found)):
            raise _not_there("release", number)
        if answer and not self.may_read(found):
            raise no_right(self.member, Right.READ, None)
        return found

    def may_read(self, release: Release) -> bool:
        """Whether the person may see the answer of a release, and not only what the log says."""
        own = self._own(release) or self._covers(Right.READ, release.datasets)
        return own or self._was_given(release)

    def release_by_key(self, key: str) -> Release | None:
        """The person's own release under a key; None if there is none."""
        self.needs(Right.ASK)
        found = self.vault.as_(self.member.name).with_key(key)
        covered = found is not None and self._covers(Right.ASK, found.datasets)
        return found if covered else None

    def _sees(self, release: Release) -> bool:
        return self._own(release) or self._covers(Right.LOG, release.datasets)

    def _own(self, release: Release) -> bool:
        """Whether the person released it, and still asks of its datasets: a token for some of them
        shows nothing of the others.
        """
        mine = release.asked_by == self.member.name
        return mine and self._covers(Right.ASK, release.datasets)

    def _was_given(self, release: Release) -> bool:
        """Whether the person asked the same question after somebody else, and has its answer."""
        asks = self._covers(Right.ASK, release.datasets)
        return asks and self.vault.was_given(release, self.member.name)

    def _covers(self, right: Right, datasets: Collection[str]) -> bool:
        if self.member.may_everywhere(right):
            return True
        public = {name for name, each in self.vault.datasets.items() if each.public}
        return self.member.may(right) and all(
            name in public or self.member.may(right, name) for name in datasets
        )

    def needs_any(self, *rights: Right) -> None:
        """Refuse who has none of some rights."""
        if not any(map(self.member.may, rights)):
            raise no_right(self.member, rights[0], None)

    def verify(self) -> Verification:
        """Read the whole journal again, and say what is wrong."""
        self.needs(Right.VERIFY)
        return self.vault.verify()

    # requests

    def requests(self) -> list[ApprovalRequest]:
        """The requests that the person decides about or made."""
        self.needs_any(Right.DECIDE, Right.ASK, Right.LOG)
        return [each for each in self.vault.requests if self._sees_request(each)]

    def request(self, number: int) -> ApprovalRequest:
        """One request; one that the person may not see is, to them, not there."""
        self.needs_any(Right.DECIDE, Right.ASK, Right.LOG)
        try:
            found = self.vault.requests[number]
        except VaultError:
            raise _not_there("request", number) from None
        if not self._sees_request(found):
            raise _not_there("request", number)
        return found

    def ask_for(self, question: str, *, purpose: str, **terms: Any) -> ApprovalRequest:
        """Request a release beyond the person's allowance."""
        self.needs(Right.ASK)
        return self._asking.requests.ask(question, purpose=purpose, **terms)

    def release_request(self, number: int) -> Answer:
        """The answer to the person's own request that was approved."""
        self.needs(Right.ASK)
        self.request(number)
        return self._asking.requests.release(number)

    def approve(self, number: int, word: str) -> ApprovalRequest:
        """Approve a request."""
        return self._deciding(number).approve(number, word)

    def deny(self, number: int, word: str) -> ApprovalRequest:
        """Deny a request."""
        return self._deciding(number).deny(number, word)

    def comment(self, number: int, word: str) -> ApprovalRequest:
        """Say something about a request."""
        self.needs_any(Right.DECIDE, Right.ASK)
        self.request(number)
        return self.vault.requests_for(self.member.name).comment(number, word)

    def _deciding(self, number: int) -> Requests:
        self.needs(Right.DECIDE)
        found = self.request(number)
        if not self._covers(Right.DECIDE, found.datasets):
            raise no_right(self.member, Right.DECIDE, None)
        return self.vault.requests_for(self.member.name)

    def _sees_request(self, request: ApprovalRequest) -> bool:
        own = request.by == self.member.name and self._covers(Right.ASK, request.datasets)
        return own or any(
            self._covers(right, request.datasets) for right in (Right.DECIDE, Right.LOG)
        )


def _not_there(what: str, number: int) -> VaultError:
    """One text, whether there is none or one that is not for the person."""
    return VaultError(f"there is no {what} {number}.", remedy=f"See your {what}s.")


def no_right(member: Member, right: Right, dataset: str | None) -> RightsError:
    """What is said to somebody without a right; it names what they asked for, and nothing else."""
    of = "" if dataset is None else f" {dataset!r}"
    return RightsError(
        f"{member.name!r} has no role that may {right}{of}.",
        remedy="Ask the owner of the vault for the role that it needs; shoal people lists them.",
    )
