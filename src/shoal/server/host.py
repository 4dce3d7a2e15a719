"""What a running server holds: the vault, the door, and the polls that were asked for."""

from __future__ import annotations

from dataclasses import dataclass, field

from fastapi import Request

from shoal.errors import UnknownPollError
from shoal.polls import PublishedPoll
from shoal.server.door import Door
from shoal.server.failures import Refused
from shoal.vault import Vault


@dataclass
class Host:
    """One vault and one door.  Definitions never change, so each poll is read from the vault
    once.
    """

    vault: Vault
    door: Door
    _found: dict[str, PublishedPoll] = field(default_factory=dict)

    def poll(self, name: str) -> PublishedPoll:
        """A poll by name; one that is not there is a 404."""
        if name not in self._found:
            try:
                self._found[name] = self.vault.poll(name)
            except UnknownPollError as error:
                raise Refused(404, error.code, error.problem, error.remedy) from None
        return self._found[name]


def host_of(request: Request) -> Host:
    """The host that a request came to."""
    found: Host = request.app.state.host
    return found
