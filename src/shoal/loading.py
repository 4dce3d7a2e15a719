"""Large libraries are loaded when they are first needed, and faster while no garbage is looked for."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def loading() -> Iterator[None]:
    """Meanwhile nothing is collected: all that an import makes stays, and to look through it takes a third of the time.

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
