"""Signing in through the organisation with a real browser, from another site and back; and with the
command.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import Browser, expect
from tests.server.accessible import look
from tests.server.browser import fresh
from tests.server.office.desk import desk_with_everybody
from tests.server.office.running import office_in_thread
from tests.server.sign_in import provider
from tests.server.sign_in.provider import Provider
from tests.server.sign_in.test_organisation import ANALYSTS, PEOPLE, written

import shoal
from shoal.server.sign_in.arriving import SignIn
from shoal.server.sign_in.sign_in_settings import read_settings

pytestmark = pytest.mark.slow
expect.set_options(timeout=120_000)


@contextmanager
def served(folder: Path, here: Provider) -> Iterator[str]:
    """The address of an office whose people come from a provider."""
    desk = desk_with_everybody(folder)

    def ways(origin: str) -> SignIn:
        here.client.back = f"{origin}/office/sign-in/back"
        text = ANALYSTS.format(issuer=here.issuer)
        return SignIn(desk.vault, read_settings(written(folder, text), desk.vault))

    with desk.vault, office_in_thread(desk.vault, sign_in=ways) as origin:
        yield origin


def test_a_browser_goes_to_another_site_and_comes_back_signed_in(
    browser: Browser, tmp_path: Path
) -> None:
    with (
        provider.running(PEOPLE, host="localhost") as here,  # another site than 127.0.0.1
        served(tmp_path, here) as origin,
        fresh(browser) as context,
    ):
        page = context.new_page()
        page.goto(f"{origin}/office/sign-in")
        assert look(page, "sign-in-organisation", tmp_path) == []
        page.get_by_role("link", name="Sign in with your organisation").click()
        page.get_by_label("Who are you?").fill("7")
        page.get_by_role("button", name="Go on").click()
        expect(page.get_by_role("heading", name="Welcome")).to_be_visible()
        expect(page.get_by_text("mia.example.org").first).to_be_visible()
        kept = {each["name"]: each for each in context.cookies()}
        session = next(each for name, each in kept.items() if "session" in name)
        assert session["httpOnly"]
        assert session["sameSite"] == "Strict"
        assert not any("away" in name for name in kept)


def test_a_command_signs_in_by_a_code(tmp_path: Path) -> None:
    with provider.running(PEOPLE) as here, served(tmp_path, here) as origin:

        def confirm(words: str) -> None:
            found = re.search(r"Open (\S+)\?.* code (\S+)\.", words)
            assert found
            httpx.post(found[1], data={"code": found[2], "who": "7"})

        path = shoal.sign_in(origin, out=tmp_path / "kept" / "token", say=confirm)
        assert path.stat().st_mode & 0o777 == 0o600
        office = shoal.connect(origin, token=path)
        assert str(office.budget("visits").allowances[0].budget) == "epsilon 0.5"
