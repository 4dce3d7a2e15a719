"""The pages of a poll as pictures for the documentation: a rehearsed study, hosted and looked at
with a real browser.
"""

from __future__ import annotations

import shutil
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from playwright.sync_api import Browser, Page, sync_playwright

import shoal
from shoal.local import crosswise
from shoal.polls import Arm, Poll, PollQuestion, by_device, by_own, directly, once_number
from shoal.server.access_check import Door
from shoal.server.address import Address
from shoal.server.server_process import listening, server_of
from shoal.vault import Vault

FOLDER = Path(__file__).parent.parent / "docs" / "figures"
PEOPLE = 3000
BIRTH = "Was your mother born in January, February or March? Say only whether both answers are the same."
FARE = PollQuestion("fare", "Have you ever travelled without a ticket?")
AGE = PollQuestion("age", "How old are you?", answers=("under 30", "30 to 59", "60 or more"))
ALONE = Poll("ticket", FARE.text, odds=3, intro="We ask commuters in Aldam, once a year.")
STUDY = Poll(
    "commuting",
    title="Commuting in Aldam",
    questions=[FARE, AGE],
    arms=[
        Arm("device", {"fare": by_device(odds=3), "age": directly()}, share=3),
        Arm(
            "own",
            {"fare": by_own(crosswise("1/4"), instructions=BIRTH), "age": directly()},
            share=2,
        ),
        Arm("direct", directly(), share=1),
    ],
)


@contextmanager
def _hosted(vault: Vault) -> Iterator[Door]:
    with listening("127.0.0.1", 0) as place:
        door = Door(Address.of("127.0.0.1", place.getsockname()[1]))
        server = server_of(vault, door)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [place]})
        thread.start()
        while not server.started:
            time.sleep(0.01)
        yield door
        server.should_exit = True
        thread.join()


def _rehearse(vault: Vault) -> None:
    """A third has travelled without a ticket; asked directly, half of them say so."""
    live = vault.publish(STUDY)
    for number in range(PEOPLE):
        client = STUDY.client()
        shy = client.arm.name == "direct" and number % 2
        truth = {
            "fare": "yes" if number % 3 == 0 and not shy else "no",
            "age": AGE.answers[number // 3 % 3],
        }
        live.add(client.rehearse(truth), once=once_number(), mark=live.poll.mark)


@contextmanager
def _page(browser: Browser, width: int, height: int) -> Iterator[Page]:
    with browser.new_context(
        viewport={"width": width, "height": height}, reduced_motion="reduce"
    ) as context:
        yield context.new_page()


def draw(browser: Browser, door: Door) -> None:
    """The three pictures of docs/polls.md and docs/serving.md."""
    with _page(browser, 390, 1240) as page:
        page.goto(f"{door.address.origin}/p/ticket")
        for answer in ("yes", "no", "yes"):
            page.get_by_label(answer, exact=True).check()
        page.screenshot(path=FOLDER / "poll-respondent.png")
    with _page(browser, 1000, 980) as page:
        page.goto(door.link)
        page.goto(f"{door.address.origin}/polls/commuting")
        page.locator("#questions svg").first.wait_for()
        page.screenshot(path=FOLDER / "poll-results.png")
        page.set_viewport_size({"width": 1000, "height": 900})
        page.goto(f"{door.address.origin}/polls/new")
        page.get_by_label("Title").fill("Commuting in Aldam")
        page.get_by_label("Asked directly").check()
        page.get_by_text("direct: 1 of 2 respondents").wait_for()
        page.evaluate("scrollTo(0, 0)")
        page.screenshot(path=FOLDER / "poll-wizard.png")


def main() -> None:
    """Host a rehearsed study, and draw it."""
    path = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))))
    with TemporaryDirectory() as folder, shoal.open(Path(folder) / "office.shoal") as vault:
        vault.publish(ALONE)
        _rehearse(vault)
        with _hosted(vault) as door, sync_playwright() as driver:
            browser = driver.chromium.launch(executable_path=path, args=["--no-sandbox"])
            draw(browser, door)
            browser.close()


if __name__ == "__main__":
    main()
