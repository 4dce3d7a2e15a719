"""Arrow, fetched when the first frame comes in or goes out."""

from __future__ import annotations

from typing import Any

from shoal.loading import from_extra


def arrow(needed_by: str) -> Any:
    """The module of Arrow; an installation without it is told which extra to install.

    >>> arrow("an Arrow table").__name__
    'pyarrow'
    """
    return from_extra("pyarrow", needed_by=needed_by, extra="frames")
