"""The server in this process, until it is told to stop."""

from __future__ import annotations

import signal
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager

import uvicorn

from shoal.errors import SchemaError
from shoal.server.access_check import Door
from shoal.server.app import application
from shoal.server.connection_limits import IDLE_SECONDS, Guarded
from shoal.server.office.office_state import OfficeHost
from shoal.vault import Vault

_STOPS = (signal.SIGINT, signal.SIGTERM)


def listening(host: str, port: int) -> socket.socket:
    """A socket that listens; port 0 lets the system choose one."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    made = socket.socket(family, socket.SOCK_STREAM)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        made.bind((host, port))
    except (OSError, OverflowError):
        made.close()
        raise SchemaError(
            f"nothing can listen on port {port} of {host!r} here; another program may.",
            remedy="Choose another one with --port, or --port 0 for any that is free.",
        ) from None
    made.listen(128)
    return made


class Server(uvicorn.Server):
    """A server that ends when it is told to, and then hands back to its caller instead of raising
    the signal again.

    Guarantee: a request that waits for the answer of somebody else, who may be dead, does not keep
        it from ending.
    """

    def __init__(self, config: uvicorn.Config, vault: Vault) -> None:
        super().__init__(config)
        self._vault = vault

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Let go of those who wait, and then of the connections."""
        self._vault.stop_waiting()
        await super().shutdown(sockets)

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Stop at the first signal, and at once at a second; nothing is caught outside of the main
        thread.
        """
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before = {each: signal.signal(each, self.handle_exit) for each in _STOPS}
        try:
            yield
        finally:
            for each, handler in before.items():
                signal.signal(each, handler)


def server_of(
    vault: Vault, door: Door, office: OfficeHost | None = None, tls: tuple[str, str] | None = None
) -> Server:
    """A server that logs no request to polls: no address, no time, no agent of anyone is written
    down.  ``tls`` are the files of a certificate and of its private key.
    """
    certificate, key = (None, None) if tls is None else tls
    config = uvicorn.Config(
        application(vault, door, office),
        ssl_certfile=certificate,
        ssl_keyfile=key,
        http=Guarded,
        timeout_keep_alive=IDLE_SECONDS,
        access_log=False,
        log_level="warning",
        server_header=False,
        date_header=False,
        proxy_headers=False,
        ws="none",
        lifespan="off",
        timeout_graceful_shutdown=5,
    )
    return Server(config, vault)
