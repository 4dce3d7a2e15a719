"""What a running server holds: the vault, the door, and the polls that were asked for."""

from __future__ import annotations

from dataclasses import dataclass, field

from fastapi import Request

from shoal.errors import UnknownPollError
from shoal.polls import Poll, PublishedPoll
from shoal.server.access_check import Door
from shoal.server.failures import Refused
from shoal.vault import Vault

MOST_DRAFTS = 32
"""So many drafts can be looked at; older ones are forgotten."""


@dataclass
class Host:
    """One vault and one door.  Definitions never change, so each poll is read from the vault
    once.
    """

    vault: Vault
    door: Door
    _found: dict[str, PublishedPoll] = field(default_factory=dict)
    _drafts: dict[str, Poll] = field(default_factory=dict)

    def poll(self, name: str) -> PublishedPoll:
        """A poll by name; one that is not there is a 404."""
        if name not in self._found:
            try:
                self._found[name] = self.vault.poll(name)
            except UnknownPollError as error:
                raise Refused(404, error.code, error.problem, error.remedy) from None
        return self._found[name]

    def keep_draft(self, poll: Poll) -> str:
        """Keep a draft in memory, to be looked at; the mark that it is found by."""
        self._drafts.pop(poll.mark, None)
        self._drafts[poll.mark] = poll
        for oldest in list(self._drafts)[:-MOST_DRAFTS]:
            del self._drafts[oldest]
        return poll.mark

    def draft(self, mark: str) -> Poll | None:
        """A draft that was looked at lately."""
        return self._drafts.get(mark)


def host_of(request: Request) -> Host:
    """The host that a request came to."""
    found: Host = request.app.state.host
    return found
