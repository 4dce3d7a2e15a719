"""The one seam through which tests replace the secret source.

What is drawn inside is not private, whatever the source says of itself: events made there say
``private = False`` and can never be charged.  A number that a bare mechanism releases here carries
no event; its event must be asked for here, too, for outside the mechanism knows nothing of it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager

from shoal.noise.source import Keystream, Source, _override


@contextmanager
def use(source: Source) -> Iterator[Source]:
    """Draw from ``source`` inside the block, in this thread or task only."""
    if source.private:
        message = "a source brought in through the test seam must say private = False"
        raise ValueError(message)
    token = _override.set(source)
    try:
        yield source
    finally:
        _override.reset(token)


@contextmanager
def seeded(seed: int | str) -> Iterator[Source]:
    """Repeatable draws inside the block: for tests and benchmarks, never for real data.

    >>> from shoal.noise import discrete_laplace
    >>> from fractions import Fraction
    >>> with seeded(7):
    ...     first = discrete_laplace(Fraction(10)).many(5)
    >>> with seeded(7):
    ...     again = discrete_laplace(Fraction(10)).many(5)
    >>> bool((first == again).all())
    True
    """
    key = hashlib.sha256(f"shoal seeded source {seed}".encode()).digest()
    with use(Keystream(key, private=False)) as source:
        yield source
