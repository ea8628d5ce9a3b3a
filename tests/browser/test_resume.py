# SPDX-License-Identifier: MIT
"""What outlives a reload, a killed server, and a database with a fault: games, clocks, reviews."""

from __future__ import annotations

import json
import socket
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from browser.page_driver import PageDriver
from web_server import SMALL, TIMEOUT, run_server

MOVES = "h8 d4 h9 e4 h10 f4 h11 h12 o15 h7"
MAIN = 300  # s of the clock 5+3
SLACK = 15  # s, on busy machines


def _start_with_clocks(driver: PageDriver) -> None:
    driver.page.get_by_text("More options").click()
    driver.page.locator(".segments label:has(input[name=clock][value='5+3'])").click()
    driver.page.get_by_role("button", name="Start").click()


def _clocks(page: Page) -> list[int]:
    """Seconds of Tengen and of the person."""
    clocks = page.locator(".player .clock")
    expect(clocks).to_have_count(2)
    times = [text.split(":") for text in clocks.all_inner_texts()]
    return [60 * int(minutes) + int(seconds) for minutes, seconds in times]


def test_a_game_with_clocks_continues_after_a_reload(
    driver: PageDriver, edition: str, context: BrowserContext
) -> None:
    page = driver.page
    _start_with_clocks(driver)
    driver.click("h8")
    driver.stones(2)
    if edition == "static":
        driver.wait_until_kept()
        context.set_offline(True)
    page.wait_for_timeout(1100)  # the person's clock runs
    before = _clocks(page)
    page.reload()
    driver.stones(2)
    driver.sees("Your turn")
    after = _clocks(page)
    for old, new in zip(before, after, strict=True):
        assert old - SLACK <= new <= old + 1  # what is shown is rounded up
    driver.click("a1")
    driver.stones(4)


# --- the server ends ---


@contextmanager
def _server(port: int, folder: Path) -> Iterator[subprocess.Popen[bytes]]:
    """`tengen play` in a separate process, which the end of the block kills."""
    command = [sys.executable, "-m", "tengen", "play", "--no-browser", "--preset", "classical"]
    where = ["--port", str(port), "--data", str(folder)]
    process = subprocess.Popen([*command, *where], stdout=subprocess.DEVNULL)
    try:
        end = time.monotonic() + TIMEOUT
        while True:
            try:
                socket.create_connection(("127.0.0.1", port), timeout=1).close()
                break
            except OSError:
                assert process.poll() is None
                assert time.monotonic() < end
                time.sleep(0.05)
        yield process
    finally:
        process.kill()
        process.wait()


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port: int = listening.getsockname()[1]
        return port


def test_a_killed_server_loses_no_move(context: BrowserContext, tmp_path: Path) -> None:
    """The server is killed while the engine thinks, and again on the person's turn."""
    port, page = _free_port(), context.new_page()
    lost = page.get_by_role("alert")
    driver = PageDriver(page, f"http://127.0.0.1:{port}/")
    with _server(port, tmp_path):
        driver.open("#seconds=3")
        _start_with_clocks(driver)
        driver.click("h8")
        driver.stones(1)
        driver.sees("Tengen is thinking")
    expect(lost).to_contain_text("Connection lost")
    driver.stones(1)
    before = _clocks(page)[0]
    page.wait_for_timeout(1500)
    assert _clocks(page)[0] >= before - 1  # the time without a server counts for nobody
    with _server(port, tmp_path):
        driver.stones(2)  # Tengen's answer
        expect(lost).to_have_count(0)
        assert MAIN - SLACK <= _clocks(page)[0] <= MAIN + 3
    expect(lost).to_contain_text("Connection lost")
    before = _clocks(page)[1]
    page.wait_for_timeout(3000)
    assert _clocks(page)[1] >= before - 1  # the person's clock stands, too
    driver.click("a1")
    driver.sees("No connection to Tengen")
    driver.stones(2)
    with _server(port, tmp_path):
        expect(lost).to_have_count(0)
        page.reload()
        driver.stones(2)
        driver.click("a1")
        driver.stones(4)


def test_a_review_continues_after_a_restart_of_the_server(
    context: BrowserContext, tmp_path: Path
) -> None:
    data, page = tmp_path / "games.sqlite", context.new_page()
    with run_server(data) as server:
        driver = PageDriver(page, server.url)
        driver.open()
        driver.paste(MOVES)
        page.get_by_role("button", name="Review this game").click()
        expect(page.locator("progress")).to_be_visible()
    expect(page.get_by_role("alert")).to_contain_text("Connection lost")
    with run_server(data, port=server.port):
        driver.reviewed()


# --- the database has a fault ---


def _stored(data: Path) -> list[str]:
    """The moves of the game in the database."""
    with closing(sqlite3.connect(data)) as database:
        rows = database.execute("SELECT state FROM games").fetchall()
    (state,) = [json.loads(row[0]) for row in rows]
    moves: list[str] = state["moves"]
    return moves


def test_a_locked_database_loses_no_move(context: BrowserContext, tmp_path: Path) -> None:
    data, page = tmp_path / "games.sqlite", context.new_page()
    notice = page.locator(".notice.error")
    with run_server(data, limits=replace(SMALL, retry_time=0.5)) as server:
        driver = PageDriver(page, server.url)
        driver.open()
        driver.start()
        driver.click("h8")
        driver.stones(2)
        with closing(sqlite3.connect(data, isolation_level=None)) as other:
            other.execute("BEGIN EXCLUSIVE")
            driver.click("a1")
            driver.stones(4)
            expect(notice).to_contain_text("The server does not store games")
            page.reload()
            driver.stones(4)
            expect(notice).to_contain_text("The server does not store games")
        driver.click("a3")
        driver.stones(6)
        assert driver.errors == []
    stored = _stored(data)
    assert len(stored) == 6
    assert stored[::2] == ["h8", "a1", "a3"]


def test_a_damaged_database_of_the_browser(driver: PageDriver, edition: str) -> None:
    """Its transactions fail after the page has opened."""
    page = driver.page
    page.evaluate(
        """() => {
          IDBDatabase.prototype.transaction = () => { throw new Error("the disk is full"); };
        }"""
    )
    driver.start()
    driver.click("h8")
    driver.stones(2)
    if edition == "static":
        driver.sees("This browser does not store games (the disk is full)")
    else:
        page.reload()
        driver.stones(2)  # from the server


@pytest.mark.parametrize("name", ["reload", "later"])
def test_a_study_outlives_a_reload(driver: PageDriver, name: str) -> None:
    """Also one in the moment after a move."""
    driver.tab("Analyse")
    driver.line("h8", "i9", "h9")
    driver.page.keyboard.press("ArrowLeft")
    driver.stones(2)
    driver.line("g9")
    if name == "later":
        driver.page.wait_for_timeout(1000)  # saved after a pause
    driver.page.reload()
    driver.stones(3)
    expect(driver.page.locator(".move.current")).to_contain_text("g9")
    expect(driver.page.locator(".moves .move[data-id]")).to_have_count(4)
