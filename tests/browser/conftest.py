# SPDX-License-Identifier: MIT
"""A real browser before a real server. Without Chromium these tests are left out."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, expect, sync_playwright

from browser.page_driver import PageDriver
from tengen.web.limits import ServerLimits
from web_server import RunningServer, run_server

expect.set_options(timeout=20_000)  # ms: a busy machine is no fault of the page
CHROMIUM = os.environ.get("TENGEN_CHROMIUM") or shutil.which("chromium")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.browser)
            if CHROMIUM is None:
                item.add_marker(pytest.mark.skip(reason="there is no Chromium"))


# Playwright's loop counts as running until it is left, and no other test of the process could run
# one of its own: so it does not outlive the module.
@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as tools:
        assert CHROMIUM is not None
        # Root in a container has no sandbox of its own.
        made = tools.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield made
        made.close()


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
    """A page that must not log an error, nor speak to anybody else."""
    made = PageDriver(context.new_page(), server.url)
    made.open()
    yield made
    assert made.errors == []
    assert made.foreign_requests == []
