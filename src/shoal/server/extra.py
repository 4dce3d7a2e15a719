"""The web framework, fetched when the server starts."""

from __future__ import annotations

from importlib import import_module

from shoal.errors import ExtraError

NEEDED = ("fastapi", "uvicorn", "jinja2")
SIGN_IN = ("authlib", "requests")


def check_extra() -> None:
    """An installation without the web framework is told which extra to install."""
    missing = [name for name in NEEDED if not _there(name)]
    if missing:
        raise ExtraError(
            f"a server needs the packages {', '.join(NEEDED)}; missing: {', '.join(missing)}.",
            remedy='Install the extra "server": pip install "shoal[server]".',
        )


def check_sign_in() -> None:
    """An installation without the packages of the organisation's sign-in is told the extra."""
    missing = [name for name in SIGN_IN if not _there(name)]
    if missing:
        raise ExtraError(
            f"signing in through an organisation needs the packages {', '.join(SIGN_IN)}; missing: {', '.join(missing)}.",
            remedy='Install the extra "sign-in": pip install "shoal[server,sign-in]".',
        )


def _there(name: str) -> bool:
    try:
        import_module(name)
    except ImportError:
        return False
    return True
