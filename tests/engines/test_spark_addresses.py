"""Addresses of Spark: what may be shown of them, which session they mean, and errors that say what
is wrong.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.engines.spark_session import needs_java, session

from shoal.engines.spark import Spark, SparkTable
from shoal.engines.spark.connection import is_address, opened, shown
from shoal.errors import SourceError


@pytest.mark.parametrize(
    "address",
    [
        "spark://a:7077,b:7077",
        "k8s://https://10.0.0.1:6443",
        "k8s://https://host/k8s/clusters/c-1",
        "sc://[::1]:15002",
        "local[*]",
        "local[4, 2]",
        "local-cluster[2,1,1024]",
        "yarn",
    ],
)
def test_an_address_without_secrets_is_shown_whole(address: str) -> None:
    assert is_address(address)
    assert shown(address) == address


@pytest.mark.parametrize(
    "address",
    [
        "sc://ann:p/w@host",
        "sc://host:15002;token=pw",
        "sc://host?token=pw",
        "spark://ann:pw@host:7077",
        "k8s://https://ann:pw@host:6443",
        "k8s://https://host:6443?token=pw",
        "mesos://zk://ann:pw@host:2181/mesos",
        "sc://",
    ],
)
def test_an_address_that_cannot_be_read_is_refused_and_not_quoted(address: str) -> None:
    assert is_address(address)
    with pytest.raises(SourceError, match="cannot be read") as refusal:
        shown(address)
    assert "pw" not in str(refusal.value)
    with pytest.raises(SourceError, match="cannot be read"):
        opened(address)


@needs_java
def test_a_session_at_another_address_is_refused_and_the_one_that_runs_is_left_as_it_is() -> None:
    held = session()
    named = held.conf.get("spark.app.name")
    held.conf.set("spark.app.name", "somebody's own")
    try:
        assert opened("local[2]") is held
        assert opened() is held
        assert held.conf.get("spark.app.name") == "somebody's own"
        with pytest.raises(SourceError, match=r"at local\[2\]; spark://nowhere:7077 was asked for"):
            opened("spark://nowhere:7077")
    finally:
        held.conf.set("spark.app.name", named)


@needs_java
@pytest.mark.parametrize(
    ("table", "words"),
    [
        ("default.nothing_there", "knows no such table"),
        ("no.such.table", "knows no such"),
        ("/no/such.parquet", "nothing at the path"),
        ("delta:/lake/visits", "lacks what reads this format.*\n?.*delta-spark"),
    ],
)
def test_an_error_says_what_is_missing(table: str, words: str) -> None:
    with pytest.raises(SourceError, match=words):
        Spark({"t": SparkTable(session(), table)})


@needs_java
def test_a_file_that_is_not_whole_is_told_without_a_word_of_it(tmp_path: Path) -> None:
    bad: Any = tmp_path / "bad.parquet"
    bad.write_text("Zyzzogeton, and not Parquet at all")
    with pytest.raises(SourceError, match="not whole, or not of its format") as refusal:
        Spark({"t": SparkTable(session(), str(bad))})
    assert "Zyzzo" not in str(refusal.value)


def test_a_table_of_spark_is_shown_without_its_address() -> None:
    assert "secret" not in repr(SparkTable("sc://ann:secret@host:15002", "db.visits"))
