"""Kinds of event in which many questions were asked one after another."""

# ruff: noqa: RUF009 - a parameter is a descriptor, not a shared default value

from __future__ import annotations

from dataclasses import dataclass

from shoal.events.event import Event
from shoal.events.parameter import Count, Exact, Flag, count, exact, flag
from shoal.exact import non_negative, positive


@dataclass(frozen=True)
class SparseVector(Event, kind="sparse_vector"):
    """The sparse vector technique, in the form that is private.

    Meaning: any number of questions, chosen adaptively, each moving by at most ``sensitivity`` D
        between neighbours, are compared with a threshold until c = ``positives`` of them came out
        above.  The threshold gets Laplace noise of scale D / ``epsilon_threshold`` once for the
        whole run; each question gets fresh Laplace noise of scale 2 c D / ``epsilon_queries`` (c D
        / epsilon_queries when ``monotone``), and only "above" (noisy answer at or above noisy
        threshold) or "below" is said.  With ``epsilon_answers`` > 0 each of the c questions above
        is also answered, with fresh Laplace noise of scale c D / epsilon_answers.
    Fields: monotone says that between any two neighbours all questions move the same way.
        epsilon_answers is 0 when no number was released.
    Edges: the whole run is one event however many questions it had; a run that stopped early is
        described by the same event.
    Reference: Lyu, Su and Li 2017, Algorithm 7.
    """

    epsilon_threshold: Exact = exact(positive)
    epsilon_queries: Exact = exact(positive)
    epsilon_answers: Exact = exact(non_negative)
    sensitivity: Exact = exact(positive)
    positives: Count = count(at_least=1)
    monotone: Flag = flag()
