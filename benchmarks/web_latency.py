# SPDX-License-Identifier: MIT
"""Latency of the page in Chromium: time from a click to the engine's first move at level 5, events
of an analysis per second, and the longest main-thread tasks while the graph steps through a game
of 60 moves. Prints medians and maxima.

    python benchmarks/web_latency.py
"""

from __future__ import annotations

import json
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Browser, expect

import tengen
from bench_common import print_machine
from tengen.web.limits import ServerLimits

TESTS = Path(__file__).parents[1] / "tests"
sys.path += [str(TESTS), str(TESTS / "py")]
from browser.page_driver import PageDriver, run_chromium  # noqa: E402
from web_server import RunningServer, run_server  # noqa: E402

_ROUNDS = 7
_STEPS = 60


def _open(
    browser: Browser, server: RunningServer, on_frame: Callable[[str | bytes], None] | None = None
) -> PageDriver:
    """Opens a new page; `on_frame` gets the frames of its WebSocket."""
    page = browser.new_context(locale="en-US").new_page()
    if on_frame:
        page.on("websocket", lambda socket: socket.on("framereceived", on_frame))
    driver = PageDriver(page, server.url)
    driver.open()
    return driver


def first_move(browser: Browser, server: RunningServer) -> list[float]:
    """Seconds from the click on h8 to the engine's stone on the board; each in a new page."""
    times = []
    for _ in range(_ROUNDS):
        driver = _open(browser, server)
        driver.page.locator("input[type=range]").fill("5")
        driver.page.get_by_role("button", name="Start").click()
        driver.sees("Your turn")
        started = time.monotonic()
        driver.click("h8")
        driver.stones(2)
        times.append(time.monotonic() - started)
        driver.page.context.close()
    return times


def updates(browser: Browser, server: RunningServer, seconds: float = 5.0) -> float:
    """Analysis events per second that the page receives."""
    count = 0

    def on_frame(frame: str | bytes) -> None:
        nonlocal count
        count += '"type":"analysis"' in str(frame)

    driver = _open(browser, server, on_frame)
    page = driver.page
    driver.tab("Analyse")
    driver.line("h8", "i9", "h9")
    page.get_by_role("button", name="Analysis").click()
    expect(page.locator("#board .candidate")).not_to_have_count(0)
    count = 0
    page.wait_for_timeout(1000 * seconds)
    page.context.close()
    return count / seconds


def stepping(browser: Browser, server: RunningServer) -> list[float]:
    """Durations (ms) of main-thread tasks while clicking along the graph, longest first."""
    driver = _open(browser, server)
    page = driver.page
    driver.tab("Review")
    page.locator("textarea").fill(" ".join(_game()))
    page.get_by_role("button", name="Load", exact=True).click()
    graph = page.get_by_role("slider")
    box = graph.bounding_box()
    assert box is not None
    page.wait_for_timeout(500)
    browser.start_tracing(
        page=page, categories=["disabled-by-default-devtools.timeline", "toplevel"]
    )
    for step in range(_STEPS + 1):
        x = box["x"] + 2 + (box["width"] - 4) * step / _STEPS
        page.mouse.click(x, box["y"] + 40)
        page.wait_for_timeout(40)
    trace = json.loads(browser.stop_tracing())
    page.context.close()
    return _long_tasks(trace["traceEvents"])


def _long_tasks(events: list[dict[str, object]]) -> list[float]:
    """Durations (ms) of tasks on the main threads of renderers."""
    mains = {
        (event["pid"], event["tid"])
        for event in events
        if event.get("name") == "thread_name"
        and event.get("args", {}).get("name") == "CrRendererMain"  # type: ignore[attr-defined]
    }
    tasks = [
        float(str(event["dur"])) / 1000
        for event in events
        if str(event.get("name", "")).endswith("RunTask")
        and "dur" in event
        and (event["pid"], event["tid"]) in mains
    ]
    return sorted(tasks, reverse=True)


def _game() -> list[str]:
    """Sixty moves of the engine against itself."""
    board = tengen.Board(15, "freestyle")
    with tengen.Engine(memory=8, level=7) as engine:
        while board.ply < _STEPS and not board.is_over():
            engine.configure(seed=board.ply)
            board.push(engine.play(board, tengen.Limit(time=0.2)).move)
    return [move.name for move in board.moves]


def main() -> None:
    with run_chromium() as browser, run_server(limits=ServerLimits(), preset=None) as server:
        moves = first_move(browser, server)
        rate = updates(browser, server)
        tasks = stepping(browser, server)
    print_machine()
    print(
        f"first move at level 5: median {statistics.median(moves):.3f} s,"
        f" max {max(moves):.3f} s of {len(moves)}"
    )
    print(f"analysis: {rate:.1f} events per second")
    longest = ", ".join(f"{task:.1f}" for task in tasks[:5])
    print(f"stepping by the graph: {len(tasks)} tasks, longest {longest} ms")


if __name__ == "__main__":
    main()
