"""The web framework, fetched when the server starts."""

from __future__ import annotations

from importlib import import_module

from shoal.errors import ExtraError

NEEDED = ("fastapi", "uvicorn", "jinja2")


def check_extra() -> None:
    """An installation without the web framework is told which extra to install."""
    missing = [name for name in NEEDED if not _there(name)]
    if missing:
        raise ExtraError(
            f"a server needs the packages {', '.join(NEEDED)}; missing: {', '.join(missing)}.",
            remedy='Install the extra "server": pip install "shoal[server]".',
        )


def _there(name: str) -> bool:
    try:
        import_module(name)
    except ImportError:
        return False
    return True
