"""Which right each page needs: one table.  A page that is not in it is closed to everybody."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from shoal.server.office.route_rights import Needed
from shoal.vault.people.member import Member
from shoal.vault.people.rights import RIGHTS, Right

_ANSWERS = (Right.ASK, Right.READ, Right.LOG)
_QUEUE = (Right.ASK, Right.DECIDE, Right.LOG)
_MANAGE = (Right.MANAGE,)

PAGES: Mapping[tuple[str, str], Needed] = {
    ("GET", "/"): (),
    ("GET", "/sign-in"): None,
    ("POST", "/sign-in"): None,
    ("GET", "/sign-in/organisation"): None,
    ("GET", "/sign-in/back"): None,
    ("POST", "/sign-in/forwarded"): None,
    ("POST", "/sign-out"): (),
    ("POST", "/sign-out-everywhere"): (),
    ("GET", "/ask"): (Right.TRY,),
    ("POST", "/ask"): (Right.TRY,),
    ("POST", "/releases"): (Right.ASK,),
    ("GET", "/releases"): _ANSWERS,
    ("GET", "/releases/{number}"): _ANSWERS,
    ("GET", "/releases/{number}/chart.svg"): (Right.ASK, Right.READ),
    ("GET", "/under-way/{key}"): (Right.ASK,),
    ("POST", "/releases/{number}/publish"): _MANAGE,
    ("POST", "/releases/{number}/withdraw"): _MANAGE,
    ("POST", "/requests"): (Right.ASK,),
    ("GET", "/requests"): _QUEUE,
    ("POST", "/requests/{number}/decide"): (Right.DECIDE,),
    ("POST", "/requests/{number}/comment"): (Right.ASK, Right.DECIDE),
    ("POST", "/requests/{number}/release"): (Right.ASK,),
    ("GET", "/budgets/{name}"): (Right.LOOK,),
    ("GET", "/budgets/{name}/chart.svg"): (Right.LOG,),
    ("POST", "/budgets/{name}"): _MANAGE,
    ("GET", "/datasets"): _MANAGE,
    ("GET", "/datasets/{name}"): _MANAGE,
    ("POST", "/datasets/{name}"): _MANAGE,
    ("POST", "/datasets/{name}/check"): _MANAGE,
    ("GET", "/register"): _MANAGE,
    ("POST", "/register"): _MANAGE,
    ("GET", "/people"): _MANAGE,
    ("POST", "/people"): _MANAGE,
    ("POST", "/people/{person}/remove"): _MANAGE,
    ("GET", "/tokens"): (),
    ("POST", "/tokens"): _MANAGE,
    ("POST", "/tokens/{token}/revoke"): (),
    ("GET", "/log"): (Right.LOG,),
    ("POST", "/verify"): (Right.VERIFY,),
    ("GET", "/public"): None,
    ("GET", "/public/{number}"): None,
    ("GET", "/public/{number}/chart.svg"): None,
}


@dataclass(frozen=True)
class MenuEntry:
    """A link at the top of every page."""

    words: str
    path: str


MENU = (
    MenuEntry("Home", "/"),
    MenuEntry("Ask", "/ask"),
    MenuEntry("Releases", "/releases"),
    MenuEntry("Requests", "/requests"),
    MenuEntry("Log", "/log"),
    MenuEntry("Data", "/datasets"),
    MenuEntry("People", "/people"),
    MenuEntry("Tokens", "/tokens"),
    MenuEntry("Public", "/public"),
)


def menu_for(member: Member | None) -> list[MenuEntry]:
    """The links that lead somewhere for a person, or for nobody in particular."""
    return [each for each in MENU if member_may_open(member, "GET", each.path)]


def member_may_open(member: Member | None, method: str, path: str) -> bool:
    """Whether the table lets a person open a page; it may still refuse what is not theirs."""
    needed = PAGES.get((method, path), (Right.MANAGE,))
    if needed is None:
        return True
    return member is not None and (not needed or any(map(member.may, needed)))


def role_may_open(role: str | None, method: str, path: str) -> bool:
    """The same for a role, or for nobody in particular (None)."""
    needed = PAGES[method, path]
    if needed is None:
        return True
    return role is not None and (not needed or any(right in RIGHTS[role] for right in needed))
