# SPDX-License-Identifier: MIT
"""Takes the pictures of the page for docs/pictures, with Chromium: light and dark, desktop and
phone. Packed as WebP by the browser itself.

    python scripts/web_pictures.py
"""

from __future__ import annotations

import base64
import os
import shutil
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

from playwright.sync_api import Browser, sync_playwright

ROOT = Path(__file__).parents[1]
sys.path += [str(ROOT / "tests"), str(ROOT / "tests" / "py")]
from browser.page_driver import PageDriver  # noqa: E402
from tengen.web.limits import ServerLimits  # noqa: E402
from web_server import RunningServer, run_server  # noqa: E402

TARGET = ROOT / "docs" / "pictures"
_QUALITY = 0.86
_OPENING = ("h8", "i9", "h9", "h10", "g8")
_GAME = """h8 i9 j7 h9 j9 k10 i10 k8 j8 j10 g9 i7 f8 l12 k9 g8 f7 l10 e7 n10 m10 k11
 m13 h10 g7 h7 f6 f5 d6 c5 e5 d4 c7 d7 f4 b8 g3"""
_PACK = """async ([data, quality]) => {
  const image = new Image();
  image.src = "data:image/png;base64," + data;
  await image.decode();
  const canvas = document.createElement("canvas");
  canvas.width = image.width;
  canvas.height = image.height;
  canvas.getContext("2d").drawImage(image, 0, 0);
  return canvas.toDataURL("image/webp", quality).split(",")[1];
}"""


class Camera:
    """Opens pages and keeps what they look like."""

    def __init__(self, browser: Browser, server: RunningServer) -> None:
        self._browser, self._server = browser, server

    def page(
        self, *, phone: bool = False, dark: bool = False, language: str = "en-US"
    ) -> PageDriver:
        context = self._browser.new_context(
            locale=language,
            color_scheme="dark" if dark else "light",
            viewport={"width": 390, "height": 844} if phone else {"width": 1280, "height": 820},
            device_scale_factor=2 if phone else 1,
        )
        driver = PageDriver(context.new_page(), self._server.url)
        driver.page.goto(self._server.url)
        driver.page.wait_for_selector(".segments")
        return driver

    def take(self, driver: PageDriver, name: str) -> None:
        picture = base64.b64encode(driver.page.screenshot()).decode()
        blank = self._browser.new_page()
        packed = blank.evaluate(_PACK, [picture, _QUALITY])
        (TARGET / f"{name}.webp").write_bytes(base64.b64decode(packed))
        blank.close()
        driver.page.context.close()


def play(driver: PageDriver) -> None:
    """Some moves against level 3 as the engine would play them, and a hint."""
    driver.page.locator("form button.main").click()
    driver.page.wait_for_timeout(500)
    driver.click("h8")
    for number in range(1, 5):
        driver.stones(2 * number)
        driver.page.get_by_role("button", name="Hint").click()
        driver.page.wait_for_selector("#board .hint")
        if number < 4:
            driver.click(driver.page.locator(".hint b").inner_text())
    driver.page.mouse.move(2, 2)


def analyse(driver: PageDriver) -> None:
    driver.page.locator("nav .tab").nth(1).click()
    driver.line(*_OPENING)
    driver.page.locator(".head button").click()
    time.sleep(4)


def review(driver: PageDriver) -> None:
    driver.tab("Review")
    driver.page.locator("textarea").fill(_GAME)
    driver.page.get_by_role("button", name="Load", exact=True).click()
    driver.page.get_by_role("button", name="Review this game").click()
    driver.page.wait_for_selector("text=Save SGF with analysis", timeout=120_000)
    driver.page.wait_for_timeout(6000)  # notices go


def learn(driver: PageDriver) -> None:
    driver.page.locator("nav .tab").nth(3).click()
    driver.page.wait_for_selector(".task")
    driver.page.wait_for_timeout(400)


def main() -> None:
    chromium = os.environ.get("TENGEN_CHROMIUM") or shutil.which("chromium")
    TARGET.mkdir(exist_ok=True)
    with TemporaryDirectory() as folder, sync_playwright() as tools:
        browser = tools.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        with run_server(Path(folder) / "games.sqlite", limits=ServerLimits()) as server:
            camera = Camera(browser, server)
            for name, act, how in (
                ("play", play, {}),
                ("analyse", analyse, {}),
                ("review-dark", review, {"dark": True}),
                ("learn", learn, {}),
                ("phone-play", play, {"phone": True}),
                ("phone-analyse-dark", analyse, {"phone": True, "dark": True}),
                ("learn-zh", learn, {"language": "zh-CN"}),
            ):
                driver = camera.page(**how)
                act(driver)
                camera.take(driver, name)
                print(name, flush=True)
        browser.close()


if __name__ == "__main__":
    main()
