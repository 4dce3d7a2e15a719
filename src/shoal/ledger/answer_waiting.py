"""Waiting for the answer to the same question, which someone else is about to give."""

from __future__ import annotations

from collections.abc import Callable
from threading import Event as Signal
from time import monotonic

from shoal.ledger.charge import Pending
from shoal.ledger.entry import RESUMED, Entry
from shoal.ledger.lock_notice import SECONDS, tell_answer

_PAUSES = (0.005, 0.25)
"""Between two looks at a charge that someone else answers: the first pause and the longest, in
seconds.
"""


def wait_for(
    pending: Pending,
    limit: float,
    leaving: Signal,
    outcome: Callable[[int], Entry | None],
    is_gone: Callable[[int, int], bool],
) -> None:
    """Return when a charge is settled, or may be taken up; after the moment ``limit``, and when its
    program is told to end, `InFlightError`.
    """
    began, pause, told = monotonic(), _PAUSES[0], False
    end = began + pending.left.total_seconds()
    while monotonic() < end:
        found = outcome(pending.charge)
        if found is not None and found.kind != RESUMED:
            return
        if is_gone(pending.charge, pending.attempt):
            return
        if monotonic() > limit or leaving.is_set():
            raise pending.refusal()
        if not told and monotonic() - began > SECONDS:
            tell_answer(pending.charge)
            told = True
        leaving.wait(pause)
        pause = min(2 * pause, _PAUSES[1])
