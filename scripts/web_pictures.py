# SPDX-License-Identifier: MIT
"""Takes the pictures of the page for docs/pictures with Chromium, as WebP: a game in play, and an
analysis with the net.

    python scripts/web_pictures.py
"""

from __future__ import annotations

import base64
import json
import re
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from playwright.sync_api import Browser, Page, expect

import tengen
from tengen.web.limits import ServerLimits

ROOT = Path(__file__).parents[1]
sys.path += [str(ROOT / "tests"), str(ROOT / "tests" / "py")]
from browser.page_driver import PageDriver, run_chromium  # noqa: E402
from web_server import RunningServer, run_server  # noqa: E402

TARGET = ROOT / "docs" / "pictures"
_QUALITY = 0.9
_RULE, _LEVEL = "renju", 7
_PLAY = "j7 h5 f10 h11 i6 i5 g5 h4 j6 h6 h7 j4 g7 i7 j5 g8 j9 j8 i8 h2 h3 k10"
_ANALYSE = "h7g8e10j11j9i8h8h9i10g10j7h11g7i7i12i11g11"
_STEP_TIME, _ANALYSIS_TIME = 1_200, 12_000  # ms
_TO_WEBP = """async ([data, quality]) => {
  const image = new Image();
  image.src = "data:image/png;base64," + data;
  await image.decode();
  const canvas = document.createElement("canvas");
  canvas.width = image.width;
  canvas.height = image.height;
  canvas.getContext("2d").drawImage(image, 0, 0);
  return canvas.toDataURL("image/webp", quality).split(",")[1];
}"""


def store_game(server: RunningServer) -> str:
    """Stores a running game, so that the page shows it at once. Returns the session."""
    settings = {
        "rule": _RULE,
        "size": 15,
        "you": "black",
        "opening": None,
        "level": _LEVEL,
        "seconds": None,
        "clock": None,
    }
    game = {
        "game": "picture",
        "settings": settings,
        "you": "black",
        "stage": "play",
        "person_acts": True,
        "to_place": 0,
        "has_extra_stones": False,
        "moves": _PLAY.split(),
        "result": None,
        "clocks": None,
        "fixed_moves": 0,
        "seed": 0,
    }
    with server.client() as client:
        client.send(type="save_game", id=1, game=game["game"], state=json.dumps(game))
        client.wait("saved")
        return client.session


def play(driver: PageDriver) -> None:
    """The game, with a hint."""
    driver.page.goto(driver.url)
    driver.stones(len(_PLAY.split()))
    driver.page.get_by_role("button", name="Hint").click()
    expect(driver.page.locator("#board .hint")).to_be_visible()


def analyse(driver: PageDriver) -> None:
    """An analysis with five lines, evaluated by the net."""
    page = driver.page
    page.goto(f"{driver.url}#p=standard/15/{_ANALYSE}")
    page.locator("select.lines").select_option("5")
    page.get_by_role("button", name="Analysis").click()
    page.keyboard.press("Home")
    for _ in range(len(re.findall("[a-o]", _ANALYSE))):  # for the graph of win rates
        page.wait_for_timeout(_STEP_TIME)
        page.keyboard.press("ArrowRight")
    page.wait_for_timeout(_ANALYSIS_TIME)
    page.evaluate("document.activeElement.blur()")
    expect(page.locator(".source")).to_contain_text("mixnet")


def save(browser: Browser, page: Page, name: str) -> None:
    page.mouse.move(2, 2)
    page.wait_for_timeout(300)
    if name == "analyse":
        expect(page.locator("#board .candidate")).to_have_count(5)
    picture = base64.b64encode(page.screenshot()).decode()
    blank = browser.new_page()
    webp = blank.evaluate(_TO_WEBP, [picture, _QUALITY])
    (TARGET / f"{name}.webp").write_bytes(base64.b64decode(webp))
    blank.close()


def take(browser: Browser, server: RunningServer) -> None:
    session = store_game(server)
    for name, act in (("play", play), ("analyse", analyse)):
        context = browser.new_context(locale="en-US", viewport={"width": 1200, "height": 760})
        page = context.new_page()
        page.add_init_script(f"localStorage.setItem('tengen-session', '{session}')")
        driver = PageDriver(page, server.url)
        act(driver)
        save(browser, page, name)
        context.close()
        print(name, flush=True)


def main() -> None:
    with tengen.Engine() as engine:  # bakes the nets into the cache
        for rule in (_RULE, "standard"):
            engine.play(tengen.Board(15, rule), tengen.Limit(time=0.1))
    limits = ServerLimits()
    with (
        TemporaryDirectory() as folder,
        run_chromium() as browser,
        run_server(Path(folder) / "games.sqlite", limits=limits, preset="alphabeta") as server,
    ):
        take(browser, server)


if __name__ == "__main__":
    main()
