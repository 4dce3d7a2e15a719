"""People, tokens, requests and published releases, read from the journal; what was read once is
not read again.

Every look compares the end of the journal with the one seen last.  So what another process
recorded, a revocation for instance, counts from the next look on.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from threading import Lock
from typing import Any

from shoal.ledger import Entry, Ledger
from shoal.vault.people.access_token import AccessToken
from shoal.vault.people.approval_request import ApprovalRequest, Remark
from shoal.vault.people.member import GivenRole, Member
from shoal.vault.sources.fingerprint import secret_of

PERSON, TOKEN, REQUEST, GALLERY = "person", "token", "request", "gallery"
KINDS = (PERSON, TOKEN, REQUEST, GALLERY)
"""The kinds of facts that say these things; an ``act`` in each says which."""


GROUPS = "groups of the organisation"
"""Who gave a role that somebody has by their groups; no person can be called so."""


@dataclass(frozen=True)
class OfficeState:
    """How things stand after the facts so far."""

    people: Mapping[str, Member] = field(default_factory=dict)
    tokens: dict[str, AccessToken] = field(default_factory=dict)
    requests: tuple[ApprovalRequest, ...] = ()
    gallery: Mapping[int, str] = field(default_factory=dict)
    """Titles of published releases by number."""
    signed_out: Mapping[str, str] = field(default_factory=dict)
    """When somebody ended all their browser sessions, or lost their last role."""
    identities: Mapping[tuple[str, str], str] = field(default_factory=dict)
    """People by who vouches for them, and under which number there."""
    from_groups: Mapping[str, frozenset[GivenRole]] = field(default_factory=dict)
    """The roles that somebody has by the groups of their organisation."""
    barred: frozenset[str] = frozenset()
    """Names that an owner removed: no group lets them in again."""

    def after(self, entries: Iterable[Entry]) -> OfficeState:
        """How things stand after some more facts; one that a later version wrote changes nothing.

        Tokens are many, one for each sign-in through an organisation, so they are copied once for
        all the facts and then changed in place.
        """
        state = replace(self, tokens=dict(self.tokens))
        for entry in entries:
            fact: Mapping[str, Any] = entry.fact
            act = _ACTS.get((entry.kind, fact["act"]))
            state = state if act is None else act(state, fact, entry)
        return state


class OfficeFacts:
    """The state of the office over a ledger; threads may share it."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._seen, self._state, self._lock = 0, OfficeState(), Lock()

    @cached_property
    def secret(self) -> bytes:
        """The key of the vault, under which tokens are kept and sessions are signed."""
        return secret_of(self._ledger)

    @property
    def state(self) -> OfficeState:
        """How things stand now, also by what other processes recorded."""
        head = self._ledger.head.number
        with self._lock:
            if head > self._seen:
                news = list(self._ledger.facts(*KINDS, since=self._seen))
                if news:
                    self._state = self._state.after(news)
                self._seen = max(head, *(each.number for each in news), self._seen)
            return self._state


def _add_role(state: OfficeState, fact: Mapping[str, Any], _: Entry) -> OfficeState:
    name, role = fact["person"], GivenRole(fact["role"], fact["dataset"])
    known = state.people.get(name)
    roles = {*(() if known is None else known.roles), role}
    people = {**state.people, name: Member(name, _sorted(roles))}
    if fact["by"] != GROUPS:
        # What an owner gives is the owner's: no group takes it away again.
        given = {**state.from_groups, name: state.from_groups.get(name, frozenset()) - {role}}
        # Nor does whoever had the name before become the one whom the owner adds now.
        linked = state.identities if known else _without(state.identities, name)
        return replace(
            state,
            people=people,
            from_groups=given,
            barred=state.barred - {name},
            identities=linked,
        )
    given = {**state.from_groups, name: state.from_groups.get(name, frozenset()) | {role}}
    return replace(state, people=people, from_groups=given)


def _remove_role(state: OfficeState, fact: Mapping[str, Any], entry: Entry) -> OfficeState:
    name = fact["person"]
    known = state.people.get(name)
    if known is None:
        return state
    left = [
        each
        for each in known.roles
        if fact["role"] not in (None, each.role) or fact["dataset"] not in (None, each.dataset)
    ]
    people = {each: member for each, member in state.people.items() if each != name}
    given = {**state.from_groups, name: state.from_groups.get(name, frozenset()) & set(left)}
    if left:
        people[name] = Member(name, _sorted(left))
        return replace(state, people=people, from_groups=given)
    tokens = {
        key: replace(each, revoked=True) if each.person == name else each
        for key, each in state.tokens.items()
    }
    # Whoever is added again under this name may be somebody else: no session lives on.
    signed_out = {**state.signed_out, name: entry.time}
    barred = state.barred if fact["by"] == GROUPS else state.barred | {name}
    return replace(
        state,
        people=people,
        tokens=tokens,
        signed_out=signed_out,
        from_groups=given,
        barred=barred,
    )


def _sorted(roles: Any) -> tuple[GivenRole, ...]:
    return tuple(sorted(roles, key=str))


def _sign_out(state: OfficeState, fact: Mapping[str, Any], entry: Entry) -> OfficeState:
    return replace(state, signed_out={**state.signed_out, fact["person"]: entry.time})


def _without(identities: Mapping[tuple[str, str], str], name: str) -> Mapping[tuple[str, str], str]:
    return {key: person for key, person in identities.items() if person != name}


def _link(state: OfficeState, fact: Mapping[str, Any], _: Entry) -> OfficeState:
    key = fact["issuer"], fact["subject"]
    taken = fact["person"] in {*state.people, *state.identities.values()}
    if fact["by"] == GROUPS and taken:  # of two who came at once, the first has the name
        return state
    return replace(state, identities={**state.identities, key: fact["person"]})


def _make_token(state: OfficeState, fact: Mapping[str, Any], entry: Entry) -> OfficeState:
    made = AccessToken(
        fact["token"],
        fact["person"],
        entry.time,
        fact["expires"],
        fact["digest"],
        tuple(fact["datasets"]),
        fact["read_only"],
        fact["once"],
    )
    state.tokens[made.name] = made
    return state


def _revoke_token(state: OfficeState, fact: Mapping[str, Any], _: Entry) -> OfficeState:
    return _with_token(state, fact["token"], revoked=True)


def _redeem_token(state: OfficeState, fact: Mapping[str, Any], entry: Entry) -> OfficeState:
    return _with_token(state, fact["token"], redeemed=entry.time)


def _use_token(state: OfficeState, fact: Mapping[str, Any], _: Entry) -> OfficeState:
    return _with_token(state, fact["token"], used=fact["day"])


def _with_token(state: OfficeState, name: str, **changed: Any) -> OfficeState:
    known = state.tokens.get(name)
    if known is not None:
        state.tokens[name] = replace(known, **changed)
    return state


def _request(state: OfficeState, fact: Mapping[str, Any], entry: Entry) -> OfficeState:
    number = len(state.requests) + 1
    made = ApprovalRequest.from_fact(number, fact, entry.time, entry.number)
    return replace(state, requests=(*state.requests, made))


def _remark(state: OfficeState, fact: Mapping[str, Any], entry: Entry) -> OfficeState:
    at = fact["request"] - 1
    if not 0 <= at < len(state.requests):
        return state
    remark = Remark(fact["act"], fact["by"], fact["word"], entry.time)
    changed = state.requests[at].with_remark(remark)
    return replace(state, requests=(*state.requests[:at], changed, *state.requests[at + 1 :]))


def _publish(state: OfficeState, fact: Mapping[str, Any], _: Entry) -> OfficeState:
    return replace(state, gallery={**state.gallery, fact["release"]: fact["title"]})


def _withdraw(state: OfficeState, fact: Mapping[str, Any], _: Entry) -> OfficeState:
    left = {key: title for key, title in state.gallery.items() if key != fact["release"]}
    return replace(state, gallery=left)


_ACTS = {
    (PERSON, "add"): _add_role,
    (PERSON, "remove"): _remove_role,
    (PERSON, "sign out"): _sign_out,
    (PERSON, "link"): _link,
    (TOKEN, "make"): _make_token,
    (TOKEN, "revoke"): _revoke_token,
    (TOKEN, "redeem"): _redeem_token,
    (TOKEN, "use"): _use_token,
    (REQUEST, "ask"): _request,
    (REQUEST, "approve"): _remark,
    (REQUEST, "deny"): _remark,
    (REQUEST, "comment"): _remark,
    (GALLERY, "add"): _publish,
    (GALLERY, "remove"): _withdraw,
}
