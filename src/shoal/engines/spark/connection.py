"""A session of Spark: one that runs already, or one that is opened at an address."""

from __future__ import annotations

import logging
import os
import re
import warnings
from collections.abc import Callable
from contextlib import suppress
from itertools import count
from typing import Any

from shoal.errors import ExtraError, ShoalError, SourceError
from shoal.loading import loading

_numbers = count(1)
_HOST = r"(?:[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(?::\d+)?"
_ADDRESS = re.compile(r"(sc|spark|k8s|mesos)://.*|local(-cluster)?(\[.*\])?|yarn", re.DOTALL)
_SHOWN = (
    re.compile(rf"(?P<shown>sc://)(?:[^@/;]*@)?(?P<host>{_HOST})(?:/(?:;.*)?)?", re.DOTALL),
    re.compile(rf"(?P<shown>spark://)(?P<host>{_HOST}(?:,{_HOST})*)"),
    re.compile(rf"(?P<shown>k8s://(?:https?://)?)(?P<host>{_HOST}(?:/[A-Za-z0-9._/-]*)?)"),
    re.compile(r"(?P<shown>local(?:-cluster)?)(?P<host>(?:\[[0-9*, ]+\])?)"),
    re.compile(r"(?P<shown>yarn)(?P<host>)"),
)
"""What each kind of address looks like; what is not named here is never shown."""


def is_address(text: str) -> bool:
    """Whether a text says where a session of Spark is: a Connect URL, or a master.

    >>> [is_address(each) for each in ("sc://host:15002", "spark://host:7077", "local[2]", "visits.parquet")]
    [True, True, True, False]
    """
    return _ADDRESS.fullmatch(text) is not None


def shown(address: str) -> str:
    """An address without what could be secret in it: users, passwords, tokens and other settings.

    One that is not spelled as such an address is refused, and not quoted.

    >>> shown("sc://ann:pw@host:15002/;token=abc;use_ssl=true"), shown("k8s://https://10.0.0.1:6443")
    ('sc://host:15002', 'k8s://https://10.0.0.1:6443')
    """
    for pattern in _SHOWN:
        if found := pattern.fullmatch(address):
            return f"{found['shown']}{found['host']}"
    raise SourceError(
        "an address of Spark cannot be read.",
        remedy="Write sc://host:15002 (settings follow after /;), spark://host:7077, k8s://https://host:6443, yarn or local[4].",
    )


_whole: dict[str, str] = {}
"""Addresses that were given to this process, by how they are shown."""


def remembered(address: str) -> str:
    """An address as it may be shown and kept; this process remembers the rest of it."""
    _whole[shown(address)] = address
    return shown(address)


def _found(address: str) -> str:
    """An address with what was left out where it was kept: as it was given here, or as SPARK_REMOTE
    says it.
    """
    remote, known = os.environ.get("SPARK_REMOTE", ""), address
    with suppress(SourceError):  # what is there may be meant for others
        known = remote if shown(remote) == address else address
    return _whole.get(address, known)


def a_name(what: str) -> str:
    """A name for something of ours in a session, used once in this process; no other begins with
    it.
    """
    return f"shoal_{what}_{os.getpid()}_{next(_numbers)}_"


def opened(address: str | None = None) -> Any:
    """The session at an address; without one the session that is active, or else one in this
    process.

    A session that runs already is taken as it is, if it is at that address, and no other beside it.
    """
    sessions = _sessions()
    running = sessions.getActiveSession()
    if address is None:
        return running or told(lambda: _quiet(sessions.builder).getOrCreate(), _UNREACHED)
    whole = _found(address)
    place = shown(whole)
    if place.startswith("sc://"):
        return _remote(sessions, whole)
    if running is None:
        running = told(lambda: _quiet(sessions.builder.master(whole)).getOrCreate(), _UNREACHED)
    here = _place_of(running)
    if here != place:
        raise SourceError(
            f"a session of Spark runs in this process already, at {here}; {place} was asked for.",
            remedy="Stop that session first, or leave the address out and give the session itself.",
        )
    return running


_remotes: dict[str, Any] = {}
"""Sessions at the other end of Spark Connect that were opened here, by their whole address."""


def _remote(sessions: Any, whole: str) -> Any:
    """The session that was opened at an address before, unless it has ended; one of its own
    otherwise.
    """
    known = _remotes.get(whole)
    if known is None or known.is_stopped:
        known = told(lambda: sessions.builder.remote(whole).create(), _UNREACHED)
        _remotes[whole] = known
    return known


def _place_of(session: Any) -> str:
    """Where a session that runs is, as it may be shown."""
    context = getattr(session, "_sc", None)  # a remote one has none
    try:
        return "the other end of Spark Connect" if context is None else shown(context.master)
    except SourceError:
        return "another place"


_UNREACHED = (
    "Spark could not be reached",
    "Check the address, that a cluster listens there, and that Java 17 or later is installed.",
)
_UNREAD = (
    "the engine could not read the rows",
    "Check that the source is whole, and the log of the cluster.",
)
_LOST = SourceError(
    "an executor was lost, and with it a part of the contributions that were kept.",
    remedy="Ask again: they are computed anew, as a whole.",
)


def _sessions() -> Any:
    """Sessions of Spark; an installation without it is told which extra to install."""
    try:
        with loading(), warnings.catch_warnings():
            warnings.simplefilter("ignore", FutureWarning)
            from pyspark.sql import SparkSession  # noqa: PLC0415 - heavy, and an extra
    except ImportError:
        raise ExtraError(
            "PySpark is not installed.",
            remedy='Install the extra "spark": pip install "shoal[spark]".',
        ) from None
    # what Spark says of an error can quote values, and this logger would print it
    logging.getLogger("SQLQueryContextLogger").disabled = True
    return SparkSession


def is_remote(session: Any) -> bool:
    """Whether a session is at the other end of Spark Connect."""
    return type(session).__module__.startswith("pyspark.sql.connect")


def is_lost(error: SourceError) -> bool:
    """Whether what failed is that a part of something kept is gone with its executor."""
    return error.problem == _LOST.problem


def _quiet(builder: Any) -> Any:
    """A session in this process shows no bar of its own and serves no pages unless somebody asked
    for them.
    """
    return builder.appName("shoal").config(
        map={"spark.ui.showConsoleProgress": "false", "spark.ui.enabled": "false"}
    )


_KINDS = {
    "TABLE_OR_VIEW_NOT_FOUND": (
        "Spark knows no such table",
        "Check its name: catalogue.database.table.",
    ),
    "SCHEMA_NOT_FOUND": (
        "Spark knows no such database",
        "Check its name: catalogue.database.table.",
    ),
    "REQUIRES_SINGLE_PART_NAMESPACE": (
        "Spark knows no such catalogue",
        "Check the name of the table.",
    ),
    "CATALOG_NOT_FOUND": ("Spark knows no such catalogue", "Check the settings of the cluster."),
    "PATH_NOT_FOUND": (
        "there is nothing at the path that Spark was given",
        "Check the path, as the cluster sees it.",
    ),
    "UNABLE_TO_INFER_SCHEMA": (
        "there are no files that hold columns at the path",
        "Check the path and the format.",
    ),
    "DATA_SOURCE_NOT_FOUND": (
        "Spark lacks what reads this format",
        "Start the session with its package; Delta needs delta-spark (spark.jars.packages).",
    ),
    "FAILED_READ_FILE": (
        "a file is not whole, or not of its format",
        "Write it again, or check the format.",
    ),
    "INSUFFICIENT_PERMISSIONS": ("Spark may not read this", "Ask for the right to read it."),
}
"""What Spark's own names of errors mean; they are of no row."""


def _condition(error: Exception) -> str:
    """Spark's name of an error, or nothing: it comes first in what the error says, in brackets, and
    nothing else is looked at.
    """
    with suppress(Exception):
        return str(error.getCondition())  # type: ignore[attr-defined]
    with suppress(Exception):
        said = str(error.java_exception.toString())  # type: ignore[attr-defined]
        return (re.match(r"[A-Za-z0-9_.$]+: \[([A-Z0-9_.]+)\]", said) or ["", ""])[1]
    return ""


def told(act: Callable[[], Any], words: tuple[str, str] = _UNREAD) -> Any:
    """Do something with Spark; its errors may quote data, so only their kind is told."""
    try:
        return act()
    except (ShoalError, ImportError):
        raise
    except Exception as error:  # noqa: BLE001 - there are hundreds, of two languages
        kind = _condition(error).partition(".")[0]
        said, remedy = _KINDS.get(kind, words)
        kind = kind if kind in _KINDS else type(error).__name__
        lost = "CHECKPOINT_RDD_BLOCK_ID_NOT_FOUND" in str(error)
    if lost:
        raise SourceError(_LOST.problem, remedy=_LOST.remedy)
    raise SourceError(f"{said} ({kind}).", remedy=remedy)
