"""How many examples a law is tried on: some in `make test`, many more in `make audit`."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TypeVar

import pytest
from hypothesis import settings

ARE_MANY = os.environ.get("SHOAL_EXAMPLES") == "many"
"""`make audit` says so, and runs every test with the marker ``law``."""

Test = TypeVar("Test", bound=Callable[..., None])


def examples(some: int, *, many: int) -> Callable[[Test], Test]:
    """A decorator above ``@given``, in place of ``@settings(max_examples=...)``."""

    def decorated(test: Test) -> Test:
        marked: Test = pytest.mark.law(settings(max_examples=many if ARE_MANY else some)(test))
        return marked

    return decorated
