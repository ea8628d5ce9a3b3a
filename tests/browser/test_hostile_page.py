# SPDX-License-Identifier: MIT
"""Attempts of a hostile page in the same browser, on another port of the same machine."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from browser.page_driver import PageDriver, server_only
from web_server import RunningServer

# Each returns "refused", or the data it could read.
ATTEMPTS = {
    "socket": """(url) => new Promise((done) => {
      const socket = new WebSocket(url.replace("http", "ws") + "ws");
      socket.onopen = () => socket.send('{"type": "hello"}');
      socket.onmessage = (event) => done(event.data);
      socket.onclose = () => done("refused");
    })""",
    "fetch": """(url) => fetch(url + "health").then((answer) => answer.text(), () => "refused")""",
    "post": """(url) => fetch(url + "ws", { method: "POST", body: "{}" }).then(
      (answer) => answer.text(), () => "refused")""",
    "blind fetch": """(url) => fetch(url, { mode: "no-cors" }).then(
      (answer) => answer.type, () => "refused")""",
    "script": """(url) => new Promise((done) => {
      const script = document.createElement("script");
      script.onload = () => done("ran");
      script.onerror = () => done("refused");
      script.src = url + "app.js";
      document.head.append(script);
    })""",
    "picture": """(url) => new Promise((done) => {
      const picture = new Image();
      picture.onload = () => done("shown");
      picture.onerror = () => done("refused");
      picture.src = url + "icon.svg";
    })""",
}


class _Hostile(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/html")
        self.end_headers()
        self.wfile.write(b"<!doctype html><title>win a prize</title>")

    def log_message(self, *args: object) -> None:
        pass


class _Server(HTTPServer):
    def handle_error(self, *args: object) -> None:
        pass  # the browser left before the answer


@pytest.fixture(scope="module")
def hostile() -> Iterator[str]:
    with _Server(("127.0.0.1", 0), _Hostile) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://localhost:{server.server_port}/"
        server.shutdown()
        thread.join()


@pytest.fixture
def page(context: BrowserContext, hostile: str) -> Page:
    made = context.new_page()
    made.goto(hostile)
    return made


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_a_foreign_page_reads_nothing(page: Page, server: RunningServer, host: str) -> None:
    url = server.url.replace("127.0.0.1", host)
    found = {name: page.evaluate(attempt, url) for name, attempt in ATTEMPTS.items()}
    assert found == dict.fromkeys(ATTEMPTS, "refused")


def test_a_foreign_page_cannot_frame_the_page(page: Page, server: RunningServer) -> None:
    page.evaluate(
        """(url) => new Promise((done) => {
          const frame = document.createElement("iframe");
          frame.onload = done;
          frame.src = url;
          document.body.append(frame);
        })""",
        server.url,
    )
    assert page.frames[-1].locator("nav").count() == 0


def test_a_foreign_page_cannot_access_a_window_it_opens(page: Page, server: RunningServer) -> None:
    with page.context.expect_page() as waiting:
        page.evaluate("(url) => { window.board = window.open(url); }", server.url)
    opened = waiting.value
    expect(opened.locator("nav .tab")).to_have_count(4)
    assert page.evaluate("window.board.closed")  # no access to the window
    assert opened.evaluate("window.opener") is None


@server_only
def test_a_game_continues_during_foreign_requests(
    page: Page, server: RunningServer, driver: PageDriver
) -> None:
    page.evaluate(
        """(url) => setInterval(() => {
          for (let n = 0; n < 20; n += 1) {
            new WebSocket(url.replace("http", "ws") + "ws");
            fetch(url, { mode: "no-cors" }).catch(() => {});
          }
        }, 100)""",
        server.url,
    )
    driver.page.get_by_role("button", name="Start").click()
    driver.click("h8")
    driver.stones(2)
    driver.page.reload()
    driver.stones(2)
    page.close()
