"""Very many private keys go through a small driver: they come in parts, and only those that are
told are held.
"""

from __future__ import annotations

import re
import subprocess
import sys

import pytest
from tests.engines.spark_session import needs_java

pytestmark = needs_java

MOST_MEGABYTES = 320
"""Of Python, which has some 190 with Shoal and Spark alone; Java's heap has `spark_many_keys.HEAP`.
"""


@pytest.mark.parametrize("keys", [10**5, pytest.param(10**7, marks=pytest.mark.audit)])
def test_private_keys_fit_a_small_driver_however_many_there_are(keys: int) -> None:
    command = [sys.executable, "-W", "ignore", "-m", "tests.engines.spark_many_keys", str(keys)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    found = re.search(r"^told \[7\] megabytes (\d+)$", done.stdout, re.MULTILINE)
    assert found, done.stdout + done.stderr[-9000:]
    assert int(found[1]) <= MOST_MEGABYTES
