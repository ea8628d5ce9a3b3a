# SPDX-License-Identifier: MIT
"""The back end with the workers, without the page: a separate harness beside the engine. Needs
the static edition (`make static`) and the packages of web/.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, Route

from browser.static_server import SITE, StaticServer, needs_static, serve

ROOT = Path(__file__).parents[2]
WEB = ROOT / "web"
NET = "mixnet-m-freestyle"
THREAD = "page-engine-threads.worker.js"
THREADS = "/engine/page-engine-threads.wasm.gzip"
FOUR_CORES = "Object.defineProperty(navigator, 'hardwareConcurrency', { value: 4 })"
OPEN = {"rule": "freestyle", "size": 15, "setup": None, "moves": ["h8", "i9", "g10"]}
GAME = {**OPEN, "moves": ["h8", "i9", "i8", "g8", "h7", "h9", "g9", "f10", "j8"]}

pytestmark = needs_static


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[StaticServer]:
    if not (WEB / "node_modules").is_dir():
        pytest.skip("needs the packages of web/ (`make page`)")
    folder = tmp_path_factory.mktemp("harness")
    config = ROOT / "tests" / "page" / "harness.config.mjs"
    command = ["npx", "--no-install", "vite", "build", "--config", str(config)]
    subprocess.run(
        [*command, "--outDir", str(folder)], cwd=WEB, check=True, capture_output=True, text=True
    )
    shutil.copytree(SITE / "engine", folder / "engine")
    manifest = json.loads((folder / "engine" / "manifest.json").read_text("utf-8"))
    (folder / "engine" / "manifest.json").write_text(json.dumps({**manifest, "offline": False}))
    with serve(folder) as running:
        yield running


class Harness:
    """The back end of a page."""

    def __init__(self, page: Page, address: str) -> None:
        self.page = page
        self.errors: list[str] = []
        page.on("console", lambda m: self.errors.append(m.text) if m.type == "error" else None)
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.goto(address)
        self.wait("states.some((state) => state.connection === 'ready')")
        self.last_id = 0

    def wait(self, condition: str, timeout: int = 60_000) -> None:
        self.page.wait_for_function(condition, timeout=timeout)

    def send(self, **request: Any) -> int:
        self.last_id += 1
        request = {"id": self.last_id, **request}
        self.page.evaluate("(request) => backEnd.send(request)", request)
        return int(request["id"])

    def stop(self, number: int) -> None:
        self.page.evaluate("(id) => backEnd.stop(id)", number)

    def events(self, number: int) -> list[dict[str, Any]]:
        script = "(id) => events.map(({ event }) => event).filter((event) => event.id === id)"
        return list(self.page.evaluate(script, number))

    def end(self, number: int) -> dict[str, Any]:
        """Waits for the last event of a request."""
        self.wait(
            f"events.some(({{ event }}) => event.id === {number} && event.type !== 'queued'"
            " && event.state !== 'running')"
        )
        return self.events(number)[-1]

    def ask(self, **request: Any) -> dict[str, Any]:
        return self.end(self.send(**request))

    def seconds(self, number: int, what: str) -> float:
        """Seconds from now until there is an event of the request for which `what` holds."""
        start = float(self.page.evaluate("performance.now()"))
        found = f"(({{ event }}) => event.id === {number} && {what})"
        self.wait(f"events.some({found})")
        return (float(self.page.evaluate(f"events.find({found}).time")) - start) / 1000

    def load_nets(self) -> None:
        self.ask(type="move", level=1, position=OPEN)
        self.wait("states.length && states.at(-1).loading === null && states.length > 2")


@pytest.fixture(params=["files", "isolated", "threads"])
def harness(
    request: pytest.FixtureRequest, browser: Browser, server: StaticServer
) -> Iterator[Harness]:
    """Without shared memory, with it, and with threads."""
    server.isolates = request.param != "files"
    server.requests.clear()
    context: BrowserContext = browser.new_context()
    if request.param == "threads":
        context.add_init_script(FOUR_CORES)
    made = Harness(context.new_page(), server.address)
    assert made.page.evaluate("crossOriginIsolated") == server.isolates
    yield made
    assert made.errors == []
    assert request.param == "threads" or THREADS not in server.requests
    context.close()


def test_views(harness: Harness) -> None:
    event = harness.ask(type="view", position=GAME, whole_line=True)
    assert [view["ply"] for view in event["views"]] == list(range(10))
    event = harness.ask(type="view", position={**GAME, "moves": ["h8", "h8"]})
    assert event["type"] == "error"
    event = harness.ask(type="view", position={**GAME, "moves": ["h8"] * 20_000})
    assert (event["type"], event["code"]) == ("error", "invalid")


def test_the_net_plays_once_it_is_loaded(harness: Harness) -> None:
    number = harness.send(type="analyse", seconds=60, position=OPEN)
    harness.wait("events.some(({ event }) => event.evaluation?.includes('is still loading'))")
    harness.wait(f"events.some(({{ event }}) => event.evaluation?.includes('net {NET}'))")
    loading = harness.page.evaluate("states.map(({ loading }) => loading)")
    assert loading[-1] is None
    shares = [share for share in loading if share is not None]
    assert shares == sorted(shares)
    assert len(shares) > 3
    harness.stop(number)
    event = harness.end(number)
    assert event["state"] == "done"
    assert [e["state"] for e in harness.events(number)].count("done") == 1
    assert NET in event["evaluation"]


def test_stops(harness: Harness) -> None:
    harness.load_nets()
    requests: list[dict[str, Any]] = [
        {"type": "analyse", "seconds": 60, "position": OPEN},
        {"type": "review", "effort": 10, "position": GAME},
        {"type": "move", "seconds": 60, "position": OPEN},
    ]
    for request in requests:
        number = harness.send(**request)
        harness.page.wait_for_timeout(1000)
        harness.stop(number)
        seconds = harness.seconds(number, "event.state !== 'running' && event.type !== 'queued'")
        assert seconds < 1
        assert harness.events(number)[-1]["type"] != "error"


def test_views_do_not_wait(harness: Harness) -> None:
    harness.load_nets()
    analysis = harness.send(type="analyse", seconds=30, position=OPEN)
    harness.wait(f"events.some(({{ event }}) => event.id === {analysis} && event.depth > 5)")
    view = harness.send(type="view", position=GAME)
    assert harness.seconds(view, "true") < 0.5
    move = harness.send(type="move", level=3, position=OPEN)
    assert harness.seconds(move, "event.type === 'move'") < 5
    waiting = harness.send(type="review", effort=0.01, position=GAME)
    harness.wait(f"events.some(({{ event }}) => event.id === {waiting} && event.type === 'queued')")
    harness.stop(analysis)
    assert harness.end(waiting)["state"] == "done"


def test_long_tasks(harness: Harness) -> None:
    harness.load_nets()
    harness.page.evaluate("longTasks.length = 0")
    harness.ask(type="analyse", seconds=5, lines=5, position=OPEN)
    harness.ask(type="review", effort=0.1, position=GAME)
    assert harness.page.evaluate("longTasks") == []


def test_proofs(harness: Harness) -> None:
    position = {**OPEN, "moves": ["h8", "a1", "i8", "a3", "j8", "a5"]}
    number = harness.send(type="solve", goal="vcf", position=position)
    event = harness.end(number)
    assert event["state"] == "win"
    harness.page.evaluate(
        "(request) => backEnd.send(request)",
        {"type": "proof_step", "id": number, "moves": event["line"][:1]},
    )
    harness.wait("events.some(({ event }) => event.type === 'proof_node')")


def test_a_worker_that_crashes(harness: Harness) -> None:
    harness.page.evaluate(
        """() => {
          const make = backEnd.makeWorker.bind(backEnd);
          backEnd.makeWorker = () => (window.lastWorker = make());
        }"""
    )
    number = harness.send(type="analyse", seconds=60, position=OPEN)
    harness.wait(f"events.some(({{ event }}) => event.id === {number})")
    harness.page.evaluate(
        """() => backEnd.study.worker.onmessage(
          { data: { kind: "failed", text: "out of memory", isFinal: false } })"""
    )
    event = harness.end(number)
    assert (event["type"], event["code"]) == ("error", "engine")
    event = harness.ask(type="analyse", seconds=0.5, position=OPEN)
    assert event["state"] == "done"
    assert event["evaluation"] == "classical"


@pytest.mark.parametrize("problem", ["", "open", "start"])
def test_threads(browser: Browser, server: StaticServer, problem: str) -> None:
    """An analysis with threads; without them, where they cannot be opened or do not start."""
    server.isolates = True
    server.requests.clear()
    context = browser.new_context()
    context.add_init_script(FOUR_CORES)
    harness = Harness(context.new_page(), server.address)
    assert THREADS not in server.requests
    if problem:
        broken = gzip.compress(b"throw new Error('broken');")
        context.route(f"**/{THREAD}.gzip*", lambda route: route.fulfill(body=broken))
    if problem == "start":  # otherwise the checksum is wrong
        sha256 = base64.b64encode(hashlib.sha256(broken).digest()).decode()
        harness.page.evaluate(f"backEnd.manifest.files['{THREAD}'].sha256 = '{sha256}'")
    event = harness.ask(type="analyse", seconds=1, position=OPEN)
    assert event["state"] == "done"
    assert event["depth"] > 5
    assert THREADS in server.requests
    assert harness.page.evaluate("backEnd.study.threads") == (1 if problem else 2)
    context.close()


def test_a_worker_that_cannot_be_opened(harness: Harness) -> None:
    """It may lack a file: the next one has as much memory, and the net."""
    harness.load_nets()
    harness.page.evaluate(
        """() => {
          const make = backEnd.makeWorker;
          const fails = "postMessage({ kind: 'failed', text: 'no network', isFinal: false })";
          backEnd.makeWorker = () => {
            backEnd.makeWorker = make;
            return new Worker(URL.createObjectURL(new Blob([fails])));
          };
        }"""
    )
    event = harness.ask(type="analyse", seconds=0.5, position=OPEN)
    if harness.page.evaluate("backEnd.threads") == 1:  # otherwise one without threads is opened
        assert (event["type"], event["code"]) == ("error", "engine")
        event = harness.ask(type="analyse", seconds=0.5, position=OPEN)
    assert NET in event["evaluation"]


def test_a_small_device(browser: Browser, server: StaticServer) -> None:
    """One worker plays and analyses: a move ends a review, which keeps what it has."""
    server.isolates = False
    context = browser.new_context()
    context.add_init_script("Object.defineProperty(navigator, 'deviceMemory', { value: 2 })")
    harness = Harness(context.new_page(), server.address)
    assert harness.page.evaluate("backEnd.study === backEnd.play")
    harness.load_nets()
    number = harness.send(type="review", effort=10, position=GAME)
    harness.wait(f"events.some(({{ event }}) => event.id === {number} && event.done > 0)")
    assert harness.ask(type="move", level=1, position=OPEN)["type"] == "move"
    event = harness.events(number)[-1]
    assert event["state"] == "stopped"
    assert event["done"] > 0
    assert harness.errors == []
    context.close()


def test_the_next_visit_does_not_bake(browser: Browser, server: StaticServer) -> None:
    server.isolates = False
    context = browser.new_context()
    Harness(context.new_page(), server.address).load_nets()
    server.requests.clear()
    harness = Harness(context.new_page(), server.address)
    start = float(harness.page.evaluate("performance.now()"))
    harness.load_nets()
    assert float(harness.page.evaluate("performance.now()")) - start < 2000
    assert not [path for path in server.requests if path.endswith((".wasm", ".net", ".tables"))]
    context.close()


def test_another_program_bakes_again(browser: Browser, server: StaticServer) -> None:
    server.isolates = False
    context = browser.new_context()
    Harness(context.new_page(), server.address).load_nets()
    kept = """async () => {
      const addresses = (await (await caches.open("tengen-engine")).keys()).map(({ url }) => url);
      return addresses.filter((url) => url.includes("codebooks/"));
    }"""
    first = Harness(context.new_page(), server.address).page.evaluate(kept)
    folder = SITE / "engine"
    program = gzip.decompress((folder / "page-engine.wasm.gzip").read_bytes())
    data = gzip.compress(program + b"\x00\x02\x01x")  # with an empty custom section
    manifest = json.loads((folder / "manifest.json").read_text("utf-8")) | {"offline": False}
    digest = base64.b64encode(hashlib.sha256(data).digest()).decode()
    manifest["files"]["page-engine.wasm"]["sha256"] = digest

    def answer(route: Route) -> None:
        is_program = "page-engine.wasm" in route.request.url
        route.fulfill(body=data if is_program else json.dumps(manifest))

    context.route("**/page-engine.wasm*", answer)
    context.route("**/manifest.json", answer)
    harness = Harness(context.new_page(), server.address)
    harness.load_nets()
    second = harness.page.evaluate(kept)
    assert len(first) == len(second) == 1
    assert first != second
    context.close()
