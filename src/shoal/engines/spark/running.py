"""How a question runs in a session: under a name of its own, so that it alone is cancelled, and
with how far it is.

A session in this process has job groups, and its tracker is looked at from time to time; a session
at the other end of Spark Connect has tags, and tells by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from threading import Event, Thread
from typing import Any

from shoal.engines.spark.connection import a_name, is_remote

Progress = Callable[[int, int], None]
"""Called with how much is done, and how much there is to do."""

_EACH = 1 << 26
"""What one task counts for, beside the bytes of files that others count."""

_LOOK = 0.3
"""So many seconds pass between two looks at the tracker."""


@contextmanager
def running(session: Any, progress: Progress | None = None) -> Iterator[None]:
    """Whatever ends what runs meanwhile early, Ctrl-C too, cancels it in the cluster, and nothing
    else.
    """
    if is_remote(session):
        way = _tagged(session, progress)
    else:
        way = _grouped(session.sparkContext, progress)
    with way:
        yield


@contextmanager
def _tagged(session: Any, progress: Progress | None) -> Iterator[None]:
    tag = a_name("question")

    def told(stages: Any, *_: object, **__: object) -> None:
        done = sum(stage.num_completed_tasks for stage in stages or ())
        _tell(progress, done, sum(stage.num_tasks for stage in stages or ()))

    session.addTag(tag)
    session.registerProgressHandler(told)
    try:
        yield
    except BaseException:
        with suppress(Exception):
            session.interruptTag(tag)
        raise
    finally:
        with suppress(Exception):
            session.removeProgressHandler(told)
            session.removeTag(tag)


_OF_GROUP = ("spark.jobGroup.id", "spark.job.description", "spark.job.interruptOnCancel")


@contextmanager
def _grouped(context: Any, progress: Progress | None) -> Iterator[None]:
    group = a_name("question")
    before = {name: context.getLocalProperty(name) for name in _OF_GROUP}
    context.setJobGroup(group, "a question asked of Shoal", interruptOnCancel=True)
    try:
        with _watched(context, group, progress):
            yield
    except BaseException:
        with suppress(Exception):
            context.cancelJobGroup(group)
        raise
    finally:
        with suppress(Exception):
            for name, value in before.items():
                context.setLocalProperty(name, value)


@contextmanager
def _watched(context: Any, group: str, progress: Progress | None) -> Iterator[None]:
    """Meanwhile somebody looks how many tasks of a group are done."""
    if progress is None:
        yield
        return
    ended, tracker = Event(), context.statusTracker()

    def look() -> None:
        while not ended.wait(_LOOK):
            with suppress(Exception):
                _tell(progress, *_tasks(tracker, group))

    watcher = Thread(target=look, daemon=True)
    watcher.start()
    try:
        yield
    finally:
        ended.set()
        watcher.join()


def _tasks(tracker: Any, group: str) -> tuple[int, int]:
    """How many tasks of a group are done, and how many there are, as far as is known."""
    done = total = 0
    for job in tracker.getJobIdsForGroup(group):
        found = tracker.getJobInfo(job)
        for stage in (tracker.getStageInfo(at) for at in (found.stageIds if found else ())):
            if stage is not None:
                done, total = done + stage.numCompletedTasks, total + stage.numTasks
    return done, total


def _tell(progress: Progress | None, done: int, total: int) -> None:
    if progress is not None and total:
        progress(done * _EACH, total * _EACH)
