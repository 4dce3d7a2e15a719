"""Where data meet noise: the one place at which an auditor can look.

Every release passes its input through `meet`, with a claim about how far neighbours move it.
Nothing comes of it unless a witness was put in place through `shoal.noise.seam`.  Events that are
made before a witness, or before any other source that is not secret, say ``private = False`` and
can never be charged; this holds for every release that carries its own event, as answers, runs and
results of functions do.  A bare mechanism gives a number and no event: its event says whether noise
is secret where the event is asked for, so ask for it where the number was drawn.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from shoal.noise import put_in_place, secret
from shoal.sensitivity.claims import Claim

__all__ = ["NoiseWitness", "meet", "secret"]

Released = TypeVar("Released")


@dataclass(frozen=True)
class NoiseWitness:
    """An input on its way into a noise.

    ``by`` is who releases and ``law`` what is drawn: both public, so both the same whatever the
    data.
    """

    by: Any
    law: tuple[Any, ...]
    given: Any
    claim: Claim


def meet(draw: Callable[[], Released], told: Callable[[], NoiseWitness]) -> Released:
    """What ``draw`` releases; a witness is told of it, and may put another output in its place.

    Where meetings lie within each other the outermost is the one that counts: its claim is for all
    of them together.
    """
    seen = getattr(put_in_place(), "meet", None)
    if seen is None:
        return draw()
    released: Released = seen(told(), draw)
    return released
