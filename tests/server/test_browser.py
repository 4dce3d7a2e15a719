from __future__ import annotations

import pytest
from tests.server.browser import chromium


@pytest.mark.parametrize(
    ("needed", "outcome"), [("", pytest.skip.Exception), ("1", pytest.fail.Exception)]
)
def test_without_a_browser_tests_are_skipped_or_fail_where_one_is_demanded(
    monkeypatch: pytest.MonkeyPatch, needed: str, outcome: type[BaseException]
) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.delenv("SHOAL_CHROMIUM", raising=False)
    monkeypatch.setenv("SHOAL_NEED_BROWSER", needed)
    with pytest.raises(outcome, match="no Chromium was found"):
        chromium()
