"""The pictures of pages in the tutorials; ``python -m scripts.tutorial_pictures`` takes them anew.

Each tutorial is run, and the page that it wrote is opened in Chromium.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from tempfile import TemporaryDirectory

from playwright.sync_api import sync_playwright

from scripts import tutorials

FOLDER = tutorials.DOCS / "tutorials" / "figures"
PAGES = {
    "hospital-report": ("hospital.md", "report.html"),
    "account-report": ("yearly-report.md", "account-2026.html"),
}
WIDTH, HEIGHT = 900, 1000


def main() -> None:
    path = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))))
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=path, args=["--no-sandbox"])
        for name, (tutorial, written) in PAGES.items():
            with TemporaryDirectory() as folder:
                tutorials.run(FOLDER.parent / tutorial, Path(folder))
                page = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT})
                page.goto((Path(folder) / written).as_uri())
                page.screenshot(path=FOLDER / f"{name}.png")
                page.close()
            print((FOLDER / f"{name}.png").relative_to(tutorials.ROOT))
        browser.close()


if __name__ == "__main__":
    main()
