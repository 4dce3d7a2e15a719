"""A session of Spark: one that runs already, or one that is opened at an address."""

from __future__ import annotations

import logging
import os
import re
import warnings
from collections.abc import Callable
from itertools import count
from typing import Any

from shoal.errors import ExtraError, ShoalError, SourceError
from shoal.loading import loading

_numbers = count(1)
_ADDRESS = re.compile(r"(sc|spark|k8s|mesos)://.+|local(\[.+\])?|yarn")


def is_address(text: str) -> bool:
    """Whether a text says where a session of Spark is: a Connect URL, or a master.

    >>> [is_address(each) for each in ("sc://host:15002", "spark://host:7077", "local[2]", "visits.parquet")]
    [True, True, True, False]
    """
    return _ADDRESS.fullmatch(text) is not None


def shown(address: str) -> str:
    """An address without what could be secret in it: users, passwords, tokens and other settings.

    >>> shown("sc://ann:pw@host:15002/;token=abc;use_ssl=true")
    'sc://host:15002'
    """
    scheme, found, rest = address.partition("://")
    return f"{scheme}://{rest.partition('/')[0].rpartition('@')[2]}" if found else address


_whole: dict[str, str] = {}
"""Addresses that were given to this process, by how they are shown."""


def remembered(address: str) -> str:
    """An address as it may be shown and kept; this process remembers the rest of it."""
    _whole[shown(address)] = address
    return shown(address)


def _found(address: str) -> str:
    """An address with what was left out where it was kept: as it was given here, or as SPARK_REMOTE says it."""
    remote = os.environ.get("SPARK_REMOTE", "")
    known = remote if remote and shown(remote) == address else address
    return _whole.get(address, known)


def a_name(what: str) -> str:
    """A name for something of ours in a session, used once in this process."""
    return f"shoal_{what}_{os.getpid()}_{next(_numbers)}"


def opened(address: str | None = None) -> Any:
    """The session at an address; without one the session that is active, or else one in this process."""
    sessions = _sessions()
    if address is None:
        found = sessions.getActiveSession()
        return found or told(lambda: _quiet(sessions.builder).getOrCreate(), _UNREACHED)
    whole = _found(address)
    if whole.startswith("sc://"):
        return told(lambda: sessions.builder.remote(whole).getOrCreate(), _UNREACHED)
    return told(lambda: _quiet(sessions.builder.master(whole)).getOrCreate(), _UNREACHED)


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
    """A session in this process shows no bar of its own and serves no pages unless somebody asked for them."""
    return builder.appName("shoal").config(
        map={"spark.ui.showConsoleProgress": "false", "spark.ui.enabled": "false"}
    )


def told(act: Callable[[], Any], words: tuple[str, str] = _UNREAD) -> Any:
    """Do something with Spark; its errors may quote data, so only their kind is told."""
    try:
        return act()
    except (ShoalError, ImportError):
        raise
    except Exception as error:  # noqa: BLE001 - there are hundreds, of two languages
        kind, lost = type(error).__name__, "CHECKPOINT_RDD_BLOCK_ID_NOT_FOUND" in str(error)
    if lost:
        raise SourceError(_LOST.problem, remedy=_LOST.remedy)
    raise SourceError(f"{words[0]} ({kind}).", remedy=words[1])
