"""Paths and names that Spark reads, in one spelling each, and keyed hashes of them, so that two can
be compared.
"""

from __future__ import annotations

import hashlib
import hmac
import os
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import unquote

from shoal.errors import SourceError

_WITH_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+):(//([^/]*))?(/.*)?", re.DOTALL)
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:")
_ALIKE = {"s3a": "s3", "s3n": "s3", "abfss": "abfs", "wasbs": "wasb"}
_WITHOUT_AUTHORITY = {"hdfs", "viewfs"}
_CONTAINERS = {"abfs", "wasb"}
_PORT = re.compile(r"[^:@]*(:\d*)?|\[[0-9A-Fa-f:.]+\](:\d*)?")
_PARTITION = re.compile(r"[^=/]+=[^/]*")
_PART = re.compile(r"`((?:[^`]|``)+)`|([^`.]+)")

Parts = tuple[str, ...]
"""A path: where it is, then folder by folder."""


@dataclass(frozen=True)
class PathMarks:
    """Keyed hashes of what is read, files and folders, and of the folders above."""

    reads: frozenset[str]
    above: frozenset[str]

    @classmethod
    def of(cls, places: Iterable[Parts], secret: bytes) -> PathMarks:
        """The marks of some files or folders."""
        held = set(places)
        above = {place[:end] for place in held for end in range(1, len(place))}
        return cls(*(frozenset(_keyed(each, secret) for each in some) for some in (held, above)))

    def joined(self, other: PathMarks) -> PathMarks:
        """Both."""
        return PathMarks(self.reads | other.reads, self.above | other.above)

    def meet(self, other: PathMarks) -> bool:
        """Whether one reads what the other reads, or a folder around it."""
        return bool(
            self.reads & other.reads or self.reads & other.above or self.above & other.reads
        )


def _keyed(place: Parts, secret: bytes) -> str:
    said = "\0".join(("place", *place))
    return hmac.new(secret, said.encode(errors="surrogateescape"), hashlib.sha256).hexdigest()[:32]


def parts_of(path: str) -> Parts:
    """A path in one spelling, cut into its folders; what holds a password or does not parse is
    refused, and not quoted.

    The service that a cluster's own file system is asked at does not count: ``hdfs:///x`` and
    ``hdfs://name/x`` may be one.

    >>> parts_of("s3a://Lake/visits/"), parts_of("hdfs://name:8020/x"), parts_of("file:///data//x")
    (('s3://lake', 'visits'), ('hdfs:', 'x'), ('', 'data', 'x'))
    """
    found = _WITH_SCHEME.fullmatch(path)
    if found is None:
        if _SCHEME.match(path):
            raise _not_a_path()
        return _local(path)
    scheme = _ALIKE.get(found[1].lower(), found[1].lower())
    authority, below = (found[3] or "").lower(), found[4] or ""
    _check_secrets(scheme, authority, below)
    if scheme == "file":
        return _local(below)
    if not authority and not below:
        raise _not_a_path()
    where = (
        f"{scheme}:" if scheme in _WITHOUT_AUTHORITY or not authority else f"{scheme}://{authority}"
    )
    return where, *(part for part in below.split("/") if part)


def parts_of_file(address: str) -> Parts:
    """A file as Spark lists it, where signs are written as in an address."""
    return parts_of(unquote(address))


def root_of(file: Parts) -> Parts:
    """The folder of a table that a file belongs to: above the folders that are named by values."""
    kept = list(file[:-1])
    while len(kept) > 1 and _PARTITION.fullmatch(kept[-1]):
        kept.pop()
    return tuple(kept)


def name_parts(table: str) -> Parts:
    """The parts of a table's name: catalogue, database and table, as far as they are written.

    >>> name_parts("spark_catalog.`Default`.visits")
    ('spark_catalog', 'default', 'visits')
    """
    parts, at = [], 0
    while found := _PART.match(table, at):
        parts.append((found[1] or found[2]).replace("``", "`").strip().lower())
        at = found.end() + 1
        if found.end() == len(table):
            return tuple(parts)
        if table[found.end()] != ".":
            break
    raise SourceError(
        "the name of a table of Spark cannot be read.",
        remedy="Write database.table; put ` around a part that holds a dot.",
    )


def check_no_pattern(path: str) -> None:
    """Refuse a pattern: what it reads changes with what lies there, and its files cannot be told
    apart from others.
    """
    if re.search(r"[*?\[\]{}]", path):
        raise SourceError(
            "a path of Spark that holds one of * ? [ ] { } stands for many.",
            remedy="Give the folder, or a table of the catalogue.",
        )


def _local(path: str) -> Parts:
    real = os.path.realpath(Path(path).expanduser())
    return "", *(part for part in real.split("/") if part)


def _check_secrets(scheme: str, authority: str, below: str) -> None:
    user, found, host = authority.rpartition("@")
    if scheme in _CONTAINERS and found and ":" not in user:
        user, found = "", ""
    if found or _PORT.fullmatch(host) is None or (":" in host and "@" in below):
        raise SourceError(
            "a path that Spark reads seems to hold a user or a password.",
            remedy="Leave them out; let the cluster have them from its settings.",
        )
    if not below.startswith("/") and not authority:
        raise _not_a_path()


def _not_a_path() -> SourceError:
    return SourceError(
        "this is not a path that Spark reads.",
        remedy="Give scheme://place/folder, a path that starts with /, or database.table.",
    )
