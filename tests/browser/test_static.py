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
from playwright.sync_api import BrowserContext, expect

from browser.page_driver import PageDriver
from browser.static_server import SITE, StaticServer, serve

NET = "mixnet-m"
BAKING = 120_000  # ms, of two nets on a busy machine
FIRST_VISIT = 3_000_000  # bytes

pytestmark = pytest.mark.skipif(not SITE.is_dir(), reason="needs `make static`")


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


def _wait_for_service_worker(driver: PageDriver) -> None:
    driver.page.wait_for_function("navigator.serviceWorker.controller !== null")


def test_the_first_visit(visit: PageDriver, site: StaticServer) -> None:
    visit.open()
    _play(visit)
    _wait_for_service_worker(visit)
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
    _wait_for_service_worker(visit)
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
    _wait_for_service_worker(visit)
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


def test_an_update(visit: PageDriver, site: StaticServer, tmp_path: Path) -> None:
    visit.open()
    _wait_for_service_worker(visit)
    page, worker = tmp_path / "site" / "index.html", tmp_path / "site" / "sw.js"
    page.write_text(page.read_text("utf-8").replace("<title>Tengen", "<title>New Tengen"))
    text = worker.read_text("utf-8").replace('const VERSION = "', 'const VERSION = "new-')
    entry = f'["index.html", "{_digest(page)}"]'
    worker.write_text(re.sub(r'\["index.html", "[^"]*"\]', lambda _: entry, text))
    visit.page.reload()
    waits = "navigator.serviceWorker.getRegistration().then((found) => found.waiting !== null)"
    while not visit.page.evaluate(waits):
        visit.page.wait_for_timeout(200)
    assert visit.page.title() == "Tengen"  # still whole, of the old version
    # Scripts of a test count as actions of the user, after which the page does not change.
    visit.page.reload(wait_until="commit")
    visit.page.wait_for_event("framenavigated", timeout=60_000)
    expect(visit.page).to_have_title("New Tengen")


def _digest(path: Path) -> str:
    return base64.b64encode(hashlib.sha256(path.read_bytes()).digest()).decode()
