"""The hash of a table's content, against the same hash made row by row in Python; and the stamps of
its files.
"""

from __future__ import annotations

import hashlib
import os
import struct
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.engines.spark_session import needs_java, session

from shoal.engines.spark import Spark, SparkTable
from shoal.engines.spark.content import content_of, stamps_of

pytestmark = needs_java

ROWS = [
    (1, "Graz", 0.1),
    (2, None, 2e-3),
    (2, "a:3", 1e23),
    (3, "", 5e-324),
    (4, "é\U0001f41f", None),
]
KEY = b"\x01\xff"
_ONES = (1 << 64) - 1
_P = (
    0x9E3779B185EBCA87,
    0xC2B2AE3D27D4EB4F,
    0x165667B19E3779F9,
    0x85EBCA77C2B2AE63,
    0x27D4EB2F165667C5,
)


def turned(word: int, by: int) -> int:
    return ((word << by) | (word >> (64 - by))) & _ONES


def mixed(real: float) -> int:
    """XXH64 of the bits of a real, with Spark's seed."""
    (bits,) = struct.unpack(">Q", struct.pack(">d", real))
    word = (42 + _P[4] + 8) ^ (turned(bits * _P[1] & _ONES, 31) * _P[0] & _ONES)
    word = (turned(word, 27) * _P[0] + _P[3]) & _ONES
    word = (word ^ (word >> 33)) * _P[1] & _ONES
    word = (word ^ (word >> 29)) * _P[2] & _ONES
    word ^= word >> 32
    return word - (1 << 64) if word >> 63 else word


def expected(key: bytes) -> list[str]:
    sums = [0] * 17
    for age, city, spend in ROWS:
        values = (age, city, None if spend is None else mixed(spend))
        said = "".join("n" if v is None else f"{len(str(v))}:{v}" for v in values)
        digits = "".join(
            hashlib.sha512(f"{key.hex()} {at} {said}".encode()).hexdigest() for at in range(2)
        )
        for at in range(17):
            sums[at] += int(digits[15 * at : 15 * at + 15], 16)
    return [str(len(ROWS)), *map(str, sums)]


def test_content_is_the_sums_of_keyed_hashes_of_values_and_of_the_bits_of_reals() -> None:
    frame = session().createDataFrame(ROWS, "age BIGINT, city STRING, spend DOUBLE")
    said = content_of(Spark({"t": frame}), "t", KEY).split("\n")
    assert said[0] == "version 2"
    assert said[4:] == expected(KEY)
    swapped = Spark({"t": frame.select("spend", "city", "age")})
    assert content_of(swapped, "t", KEY).split("\n") == said
    assert content_of(swapped, "t", b"").split("\n")[5:] != said[5:]


@pytest.mark.parametrize("folder", ["day=1", "modificationTime=2020-01-01", "length=a", "path=x"])
def test_stamps_of_a_path_change_with_its_files_whatever_its_folders_are_called(
    folder: str, tmp_path: Path
) -> None:
    place = tmp_path / "visits.parquet" / folder
    place.mkdir(parents=True)
    file, table = place / "a.parquet", SparkTable(session(), str(tmp_path / "visits.parquet"))

    def written(number: int, second: int) -> tuple[int, ...] | None:
        pq.write_table(pa.table({"x": [number] * 3}), file)
        os.utime(file, (second, second))
        return stamps_of(session(), table)

    first = written(1, 1_000)
    assert first is not None
    assert first[:3] == (1, file.stat().st_size, 1_000_000_000)
    assert written(1, 1_000) == first
    assert written(2, 2_000) != first
    (place / "b.parquet").write_bytes(file.read_bytes())
    later = stamps_of(session(), table)
    assert later is not None
    assert later[0] == 2
