"""One profile for every property test: the same examples each time, and no clock; and one process for all tests of Spark."""

from __future__ import annotations

from pathlib import PurePath
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile(
    "house",
    derandomize=True,
    deadline=None,
    print_blob=False,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("house")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Tests go wherever there is room, but those of Spark to one process: each would start a Java of its own."""
    from xdist.scheduler import LoadScopeScheduling  # noqa: PLC0415 - not there without the plugin

    class SparkTogether(LoadScopeScheduling):  # type: ignore[misc]
        def _split_scope(self, nodeid: str) -> str:
            is_spark = PurePath(nodeid.partition("::")[0]).name.startswith("test_spark")
            return "spark" if is_spark else nodeid

    return SparkTogether(config, log)
