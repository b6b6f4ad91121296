"""Reference screenshots of the report: ``python -m tests.report.screenshots`` takes them again; look at them when they change."""

import shutil
from pathlib import Path

from playwright.sync_api import sync_playwright

from aspectrum.report.page import page
from tests.report.sample import sample

FOLDER = Path(__file__).parent / "screenshots"
VIEWS = {"wide-light": (1280, "light"), "narrow-dark": (390, "dark")}


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium") or shutil.which("google-chrome"), args=["--no-sandbox"]
        )
        for name, (width, scheme) in VIEWS.items():
            view = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme, device_scale_factor=0.5)  # type: ignore[arg-type]
            view.set_content(page(sample()))
            view.screenshot(path=FOLDER / f"{name}.jpg", full_page=True, type="jpeg", quality=60)
        browser.close()


if __name__ == "__main__":
    main()
