# SPDX-License-Identifier: MIT
"""Fixtures: Chromium and a real server. Without Chromium these tests are skipped."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, expect

from browser.page_driver import CHROMIUM, PageDriver, run_chromium
from tengen.web.limits import ServerLimits
from web_server import RunningServer, run_server

expect.set_options(timeout=20_000)  # ms, for busy machines


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.browser)
            if CHROMIUM is None:
                item.add_marker(pytest.mark.skip(reason="Chromium is not installed"))


# Module scope: Playwright's event loop counts as running, and other tests need their own.
@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with run_chromium() as made:
        yield made


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    data = tmp_path_factory.mktemp("data") / "games.sqlite"
    with run_server(data, limits=ServerLimits(engines=2, memory=8)) as running:
        yield running


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    made = browser.new_context(locale="en-US", viewport={"width": 1280, "height": 860})
    made.set_default_timeout(30_000)
    made.grant_permissions(["clipboard-read", "clipboard-write"])
    yield made
    made.close()


@pytest.fixture
def driver(context: BrowserContext, server: RunningServer) -> Iterator[PageDriver]:
    """A page that must log no error and send no request to another host."""
    made = PageDriver(context.new_page(), server.url)
    made.open()
    yield made
    assert made.errors == []
    assert made.foreign_requests == []
