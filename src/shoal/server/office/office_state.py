"""What the office holds while it runs: the vault, the door, its limits and the work under way."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from fastapi import Request

from shoal.server.access_check import Door
from shoal.server.office.request_limits import RequestLimits
from shoal.server.office.work import ReleaseWork
from shoal.vault import Vault
from shoal.vault.sources.data_folder import DataFolder

if TYPE_CHECKING:
    from shoal.server.sign_in.arriving import SignIn


@dataclass(frozen=True)
class OfficeHost:
    """One vault, one door; the limits are those of this process.  ``data`` is the folder whose files
    owners register.
    """

    vault: Vault
    door: Door
    limits: RequestLimits = field(default_factory=RequestLimits)
    work: ReleaseWork = field(default_factory=ReleaseWork)
    sign_in: SignIn | None = None
    data: DataFolder | None = None


def office_of(request: Request) -> OfficeHost:
    """The office that a request came to."""
    found: OfficeHost = request.app.state.office
    return found
