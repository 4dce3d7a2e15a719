"""What audits need beyond the core, fetched when the first one needs it."""

from __future__ import annotations

from typing import Any

from shoal.loading import from_extra


def audit_module(name: str) -> Any:
    """A module of scipy or Arrow; an installation without it is told which extra to install.

    >>> audit_module("scipy.special").__name__
    'scipy.special'
    """
    return from_extra(name, needed_by="an audit", extra="audit")
