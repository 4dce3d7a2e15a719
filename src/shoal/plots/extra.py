"""The drawing library, fetched when the first picture is drawn."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from shoal.errors import ExtraError


def drawing() -> Any:
    """The module that draws; an installation without it is told which extra to install."""
    try:
        import_module("vl_convert")
        return import_module("altair")
    except ImportError:
        raise ExtraError(
            "pictures need the packages altair and vl-convert-python, and one of them is missing.",
            remedy='Install the extra "plots": pip install "shoal[plots]".',
        ) from None
