# SPDX-License-Identifier: MIT
"""The static edition (`make static`) on a plain file server: the first visit, visits without a
network, updates.
"""

from __future__ import annotations

import base64
import hashlib
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Route, WebSocket, expect

from browser.page_driver import PageDriver
from browser.static_server import SITE, StaticServer, needs_static, serve

NET = "mixnet-m"
BAKING = 120_000  # ms, of two nets on a busy machine
FIRST_VISIT = 3_000_000  # bytes

pytestmark = needs_static


@pytest.fixture
def site(tmp_path: Path) -> Iterator[StaticServer]:
    """A copy of the edition, so that tests can change it."""
    shutil.copytree(SITE, tmp_path / "site")
    with serve(tmp_path / "site") as running:
        yield running


@pytest.fixture
def visit(context: BrowserContext, site: StaticServer) -> Iterator[PageDriver]:
    """A first visit that must log no error and load nothing from elsewhere."""
    made = PageDriver(context.new_page(), site.address)
    yield made
    assert made.errors == []
    assert made.foreign_requests == []


def _play(driver: PageDriver) -> None:
    driver.page.locator(".segments label:has(input[name=you][value=black])").click()
    driver.page.get_by_role("button", name="Start").click()
    driver.sees("Your turn")
    driver.click("h8")
    driver.stones(2)


def _analyse(driver: PageDriver) -> None:
    """Analyses until the net, which may be baked meanwhile, has a line."""
    driver.page.get_by_role("button", name="Analysis").click()
    expect(driver.page.locator("#board .candidate")).not_to_have_count(0)
    expect(driver.page.locator("body")).to_contain_text(NET, timeout=BAKING)


def test_the_first_visit(visit: PageDriver, site: StaticServer) -> None:
    visit.open()
    _play(visit)
    visit.wait_until_kept()
    visit.tab("Analyse")
    visit.line("h8", "i9", "g10")
    _analyse(visit)
    assert site.sent <= FIRST_VISIT
    assert not [path for path in site.requests if "nets/" in path and "renju" not in path]
    visit.page.get_by_role("button", name="Stop").click()
    expect(visit.page.locator("#board .candidate")).to_have_count(0)


def test_without_a_network(visit: PageDriver, site: StaticServer, context: BrowserContext) -> None:
    visit.open()
    visit.tab("Analyse")
    visit.line("h8", "i9", "g10")
    _analyse(visit)
    visit.wait_until_kept()
    site.requests.clear()
    context.set_offline(True)
    visit.page.reload()
    visit.stones(3)
    assert visit.page.evaluate("crossOriginIsolated")
    _analyse(visit)
    visit.tab("Learn")
    expect(visit.page.locator("#board")).to_be_visible()
    assert set(site.requests) <= {"/sw.js"}  # the browser looks for an update


def test_threads_without_a_network(
    visit: PageDriver, site: StaticServer, context: BrowserContext
) -> None:
    """The second visit fetches the program with threads, the third has it."""
    program = "/engine/page-engine-threads.wasm.gzip"
    cores = "Object.defineProperty(navigator, 'hardwareConcurrency', { value: 4 })"
    context.add_init_script(cores)
    visit.open()
    visit.tab("Analyse")
    visit.line("h8", "i9", "g10")
    _analyse(visit)
    visit.wait_until_kept()
    assert program not in site.requests
    visit.page.reload()
    visit.stones(3)
    _analyse(visit)
    assert program in site.requests
    site.requests.clear()
    context.set_offline(True)
    visit.page.reload()
    visit.stones(3)
    _analyse(visit)
    assert set(site.requests) <= {"/sw.js"}


def test_a_manifest_that_comes_late(context: BrowserContext, site: StaticServer) -> None:
    """Its failure is not taken for a server that plays."""
    answers = [503, 500]

    def answer(route: Route) -> None:
        route.fulfill(status=answers.pop()) if answers else route.continue_()

    context.route("**/engine/manifest.json", answer)
    driver = PageDriver(context.new_page(), site.address)
    sockets: list[str] = []

    def opened(socket: WebSocket) -> None:
        sockets.append(socket.url)

    driver.page.on("websocket", opened)
    driver.open()
    driver.tab("Learn")
    expect(driver.page.locator("#board .stone")).not_to_have_count(0)
    assert answers == []
    assert sockets == []


def test_a_click_before_the_engine_is_loaded(browser: Browser, site: StaticServer) -> None:
    """It waits: the first attempt to load the engine fails, a later one does not."""
    # A service worker would answer instead of the route.
    context = browser.new_context(locale="en-US", service_workers="block")
    context.route("**/page-engine.wasm*", lambda route: route.abort())
    driver = PageDriver(context.new_page(), site.address)
    driver.page.goto(site.address)
    expect(driver.page.locator(".lost")).to_be_visible()
    driver.tab("Learn")
    expect(driver.page.locator("#board .stone")).to_have_count(0)
    context.unroute("**/page-engine.wasm*")
    expect(driver.page.locator("#board .stone")).not_to_have_count(0)
    expect(driver.page.locator(".lost, .notice.error")).to_have_count(0)
    context.close()


# --- updates ---


def _update(site: Path) -> None:
    """Puts a new version into the folder."""
    page, worker = site / "index.html", site / "sw.js"
    page.write_text(page.read_text("utf-8").replace("<title>Tengen", "<title>New Tengen"))
    digest = base64.b64encode(hashlib.sha256(page.read_bytes()).digest()).decode()
    text = worker.read_text("utf-8").replace('const VERSION = "', 'const VERSION = "new-')
    entry = f'["index.html", "{digest}"]'
    worker.write_text(re.sub(r'\["index.html", "[^"]*"\]', lambda _: entry, text))


def _wait_for_update(driver: PageDriver) -> None:
    """Visits the page again and waits until the new version is there."""
    driver.page.reload()
    waits = "navigator.serviceWorker.getRegistration().then((found) => found.waiting !== null)"
    while not driver.page.evaluate(waits):
        driver.page.wait_for_timeout(200)
    assert driver.page.title() == "Tengen"  # still whole, of the old version


def _update_at_next_visit(driver: PageDriver) -> None:
    # Scripts of a test count as actions of the user, after which the page does not change.
    driver.page.reload(wait_until="commit")
    driver.page.wait_for_event("framenavigated", timeout=60_000)
    expect(driver.page).to_have_title("New Tengen")


def test_an_update(visit: PageDriver, tmp_path: Path) -> None:
    visit.open()
    visit.wait_until_kept()
    _update(tmp_path / "site")
    _wait_for_update(visit)
    _update_at_next_visit(visit)


def test_an_update_waits_for_other_windows(
    visit: PageDriver, site: StaticServer, context: BrowserContext, tmp_path: Path
) -> None:
    visit.open()
    visit.wait_until_kept()
    other = PageDriver(context.new_page(), site.address)
    other.open()
    _update(tmp_path / "site")
    _wait_for_update(visit)
    visit.page.evaluate(
        """async () => {
          const { waiting } = await navigator.serviceWorker.getRegistration();
          waiting.postMessage("activate");
        }"""
    )
    visit.page.wait_for_timeout(1000)  # for what must not happen
    other.page.reload()
    expect(other.page).to_have_title("Tengen")
    other.page.close()
    _update_at_next_visit(visit)


def test_two_copies_on_one_host(context: BrowserContext, tmp_path: Path) -> None:
    """Each keeps its own files."""
    for name in ("", "within"):
        shutil.copytree(SITE, tmp_path / "copy" / name, dirs_exist_ok=True)
    _update(tmp_path / "copy" / "within")
    with serve(tmp_path / "copy") as running:
        for name in ("within/", ""):
            driver = PageDriver(context.new_page(), running.address + name)
            driver.open()
            driver.wait_until_kept()
        kept = driver.page.evaluate(
            """async () => {
              const files = [];
              for (const name of await caches.keys()) {
                if (!name.startsWith("tengen-page-")) continue;
                files.push(...(await (await caches.open(name)).keys()).map(({ url }) => url));
              }
              return files.filter((url) => url.endsWith("/index.html"));
            }"""
        )
        pages = {f"{running.address}{name}index.html" for name in ("", "within/")}
    assert set(kept) == pages
