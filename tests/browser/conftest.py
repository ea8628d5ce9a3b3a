# SPDX-License-Identifier: MIT
"""Fixtures: Chromium, and both editions of the page: with a real server, and the static one on a
plain file server. Without Chromium these tests are skipped.

A test that uses `driver` or `edition` runs in both editions; `server_only` and `static_only`
(page_driver.py) restrict it to one. Those of the static edition need `make static` and are marked
`slow`.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, expect

from browser.page_driver import CHROMIUM, PageDriver, run_chromium
from browser.static_server import SITE, StaticServer, needs_static, serve
from tengen.web.limits import ServerLimits
from web_server import RunningServer, run_server

expect.set_options(timeout=20_000)  # ms, for busy machines


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if isinstance(item, pytest.Function) and _is_static(item):
            for mark in (pytest.mark.slow, needs_static):
                item.add_marker(mark)
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.browser)
            if CHROMIUM is None:
                item.add_marker(pytest.mark.skip(reason="Chromium is not installed"))


def _is_static(item: pytest.Function) -> bool:
    callspec = getattr(item, "callspec", None)
    return callspec is not None and callspec.params.get("edition") == "static"


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


@pytest.fixture(scope="session")
def static_site() -> Iterator[StaticServer]:
    with serve(SITE) as running:
        yield running


@pytest.fixture(params=["server", "static"])
def edition(request: pytest.FixtureRequest) -> str:
    name: str = request.param
    return name


@pytest.fixture
def address(request: pytest.FixtureRequest, edition: str) -> str:
    """Where the edition is served."""
    if edition == "static":
        site: StaticServer = request.getfixturevalue("static_site")
        return site.address
    server: RunningServer = request.getfixturevalue("server")
    return server.url


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    made = browser.new_context(locale="en-US", viewport={"width": 1280, "height": 860})
    made.set_default_timeout(30_000)
    made.grant_permissions(["clipboard-read", "clipboard-write"])
    yield made
    made.close()


@pytest.fixture
def driver(context: BrowserContext, address: str) -> Iterator[PageDriver]:
    """A page that must log no error and send no request to another host."""
    made = PageDriver(context.new_page(), address)
    made.open()
    yield made
    assert made.errors == []
    assert made.foreign_requests == []
