"""Which right each route needs: one table.  A route that is not in it is closed to everybody."""

from __future__ import annotations

from collections.abc import Mapping

from shoal.vault.people.rights import RIGHTS, Right

Needed = tuple[Right, ...] | None
"""Any one of some rights; no right, but a token (empty); or not even a token (None)."""

_OWN_OR_LOG = (Right.ASK, Right.LOG, Right.READ)
_ANSWER = (Right.ASK, Right.READ)
_QUEUE = (Right.ASK, Right.DECIDE, Right.LOG)

ROUTES: Mapping[tuple[str, str], Needed] = {
    ("POST", "/session"): None,
    ("POST", "/sign-in/device"): None,
    ("POST", "/sign-in/device/token"): None,
    ("DELETE", "/session"): (),
    ("DELETE", "/sessions"): (),
    ("GET", "/me"): (),
    ("GET", "/datasets"): (Right.LOOK,),
    ("POST", "/datasets"): (Right.MANAGE,),
    ("POST", "/datasets/proposal"): (Right.MANAGE,),
    ("POST", "/datasets/review"): (Right.MANAGE,),
    ("GET", "/files"): (Right.MANAGE,),
    ("GET", "/datasets/{name}"): (Right.LOOK,),
    ("GET", "/datasets/{name}/declaration"): (Right.MANAGE,),
    ("POST", "/datasets/{name}/review"): (Right.MANAGE,),
    ("POST", "/datasets/{name}/versions"): (Right.MANAGE,),
    ("POST", "/datasets/{name}/check"): (Right.MANAGE,),
    ("GET", "/datasets/{name}/dummy"): (Right.TRY,),
    ("GET", "/datasets/{name}/rows"): (Right.LOOK,),
    ("GET", "/budgets/{name}"): (Right.LOOK,),
    ("PUT", "/budgets/{name}"): (Right.MANAGE,),
    ("POST", "/preview"): (Right.TRY,),
    ("POST", "/explain"): (Right.TRY,),
    ("POST", "/plan"): (Right.TRY,),
    ("POST", "/releases"): (Right.ASK,),
    ("GET", "/releases"): _OWN_OR_LOG,
    ("GET", "/releases/by-key/{key}"): (Right.ASK,),
    ("GET", "/releases/{number}"): _ANSWER,
    ("GET", "/releases/{number}/certificate"): _OWN_OR_LOG,
    ("GET", "/releases/{number}/report.html"): _ANSWER,
    ("GET", "/releases/{number}/data.{form}"): _ANSWER,
    ("POST", "/requests"): (Right.ASK,),
    ("GET", "/requests"): _QUEUE,
    ("GET", "/requests/{number}"): _QUEUE,
    ("POST", "/requests/{number}/approve"): (Right.DECIDE,),
    ("POST", "/requests/{number}/deny"): (Right.DECIDE,),
    ("POST", "/requests/{number}/comment"): (Right.ASK, Right.DECIDE),
    ("POST", "/requests/{number}/release"): (Right.ASK,),
    ("GET", "/log"): (Right.LOG,),
    ("POST", "/verify"): (Right.VERIFY,),
    ("GET", "/people"): (Right.MANAGE,),
    ("POST", "/people"): (Right.MANAGE,),
    ("DELETE", "/people/{person}"): (Right.MANAGE,),
    ("GET", "/tokens"): (),
    ("POST", "/tokens"): (Right.MANAGE,),
    ("DELETE", "/tokens/{token}"): (),
    ("PUT", "/grants/{person}/{name}"): (Right.MANAGE,),
    ("POST", "/public/releases"): (Right.MANAGE,),
    ("DELETE", "/public/releases/{number}"): (Right.MANAGE,),
    ("GET", "/public/releases"): None,
    ("GET", "/public/releases/{number}"): None,
    ("GET", "/public/releases/{number}/certificate"): None,
    ("GET", "/public/releases/{number}/data.{form}"): None,
}


def is_open(role: str | None, method: str, path: str) -> bool:
    """Whether a route is open to a role, or to nobody in particular (None); it may still refuse
    what is not theirs.
    """
    needed = ROUTES[method, path]
    if needed is None:
        return True
    return role is not None and (not needed or any(right in RIGHTS[role] for right in needed))
