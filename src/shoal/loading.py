"""Large libraries are loaded when they are first needed, some of them from extras; and faster while
no garbage is looked for.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

from shoal.errors import ExtraError


@contextmanager
def loading() -> Iterator[None]:
    """Meanwhile nothing is collected: all that an import makes stays, and to look through it takes
    a third of the time.

    >>> with loading():
    ...     import decimal
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def from_extra(module: str, *, needed_by: str, extra: str) -> Any:
    """A module of a package that an extra installs; an installation without it is told which one to
    install.

    >>> from_extra("missing.part", needed_by="a door", extra="doors")
    Traceback (most recent call last):
    ...
    shoal.errors.ExtraError: [extra-1] a door needs the package missing, which is not installed.
    Install the extra "doors": pip install "shoal[doors]".
    """
    try:
        with loading():
            return import_module(module)
    except ImportError:
        raise ExtraError(
            f"{needed_by} needs the package {module.partition('.')[0]}, which is not installed.",
            remedy=f'Install the extra "{extra}": pip install "shoal[{extra}]".',
        ) from None
