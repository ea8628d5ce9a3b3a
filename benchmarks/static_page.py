# SPDX-License-Identifier: MIT
"""The static edition in Chromium: time from the first visit to the engine's first move at level 5,
bytes sent until its nets play, seconds of baking, the longest tasks of the page during an analysis,
and the bench of the engine beside that of the native program. Needs `make static`.

    python benchmarks/static_page.py
"""

from __future__ import annotations

import json
import os
import re
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page, expect

from bench_common import print_machine
from tengen.engine.nets import DATA

ROOT = Path(__file__).parents[1]
sys.path += [str(ROOT / "tests"), str(ROOT / "tests" / "py")]
from browser.page_driver import PageDriver, run_chromium  # noqa: E402
from browser.static_server import SITE, serve  # noqa: E402

_ROUNDS = 5
_NET = "mixnet-m-freestyle"
_BENCHES = {  # options of the engine, and the depth; long enough for the compilers of the browser
    "classical": ({"preset": "classical", "memory": "16"}, 13),
    _NET: ({"memory": "16"}, 11),
}
# In a worker of its own: all files of the engine, the bench, and what baking took.
_WORKER = """
async ({ base, net, options, depth }) => {
  const code = `onmessage = async ({ data: { base, net, options, depth } }) => {
    const manifest = await (await fetch(base + "manifest.json")).json();
    const read = async (name) => {
      const { gzip } = manifest.files[name];
      const response = await fetch(base + name + (gzip ? ".gzip" : ""));
      if (!gzip) return response.arrayBuffer();
      const plain = response.body.pipeThrough(new DecompressionStream("gzip"));
      return new Response(plain).arrayBuffer();
    };
    importScripts(URL.createObjectURL(new Blob([await read("page-engine.js")])));
    const program = await WebAssembly.compile(await read("page-engine.wasm"));
    const parts = [];
    const module = await makePageEngine({
      onCodebook(name, bytes) {
        parts.push(new Blob([bytes]));
        const blobs = [{ name, data: new Blob(parts) }];
        if (parts.length === 3) module.FS.mount(module.WORKERFS, { blobs }, "/cache");
      },
      preRun: [({ ENV }) => { ENV.TENGEN_CACHE = "/cache"; }],
      instantiateWasm(imports, receive) {
        WebAssembly.instantiate(program, imports).then(receive);
        return {};
      },
    });
    for (const folder of ["/data", "/data/nets", "/cache"]) module.FS.mkdir(folder);
    for (const name of Object.keys(manifest.files)) {
      const isNet = name.startsWith("nets/" + net + ".");
      if (!isNet && !name.endsWith(".tables")) continue;
      module.FS.writeFile("/data/" + name, new Uint8Array(await read(name)));
    }
    const nets = manifest.nets.filter((use) => use.black === net);
    module.FS.writeFile("/data/nets/registry.json", JSON.stringify({ format: 1, nets }));
    const call = (name, ...texts) => module.ccall(name, "string", texts.map(
      (value) => typeof value === "number" ? "number" : "string"), texts);
    const start = performance.now();
    if (net) call("page_bake", "/data/nets", net + ".net");
    const baking = net ? (performance.now() - start) / 1000 : null;
    const found = JSON.parse(call("page_bench", "/data", "freestyle", options, depth));
    postMessage({ ...found, baking });
  };`;
  const worker = new Worker(URL.createObjectURL(new Blob([code])));
  return new Promise((resolve, reject) => {
    worker.onmessage = ({ data }) => { worker.terminate(); resolve(data); };
    worker.onerror = (event) => reject(new Error(event.message));
    worker.postMessage({ base, net, options, depth });
  });
}
"""
_LONG_TASKS = """
window.longTasks = [];
new PerformanceObserver((list) => {
  for (const task of list.getEntries()) longTasks.push(task.duration);
}).observe({ type: "longtask", buffered: true });
"""


def _visit(browser: Browser) -> Page:
    page = browser.new_context(locale="en-US", viewport={"width": 1280, "height": 860}).new_page()
    page.add_init_script(_LONG_TASKS)
    return page


def first_visits(browser: Browser) -> None:
    times, sent = [], []
    for _ in range(_ROUNDS):
        with serve(SITE) as server:
            page = _visit(browser)
            driver = PageDriver(page, server.address)
            start = time.perf_counter()
            driver.open()
            page.locator("input[type=range]").fill("5")
            page.get_by_role("button", name="Start").click()
            driver.sees("Your turn")
            driver.click("h8")
            driver.stones(2)
            times.append(time.perf_counter() - start)
            sent.append(server.sent)
            page.context.close()
    print(
        f"first visit to the first move, level 5: median {statistics.median(times):.2f} s"
        f" (min {min(times):.2f}, max {max(times):.2f}, {_ROUNDS} visits),"
        f" {statistics.median(sent) / 1e6:.2f} MB sent until then",
        flush=True,
    )


def nets_and_tasks(browser: Browser) -> None:
    """Two visits of one browser: the first bakes the nets."""
    with serve(SITE) as server:
        context = browser.new_context(locale="en-US", viewport={"width": 1280, "height": 860})
        for name in ("first", "second"):
            server.sent = 0
            page = context.new_page()
            page.add_init_script(_LONG_TASKS)
            driver = PageDriver(page, server.address)
            driver.open()
            driver.tab("Analyse")
            if name == "first":
                driver.line("h8", "i9", "g10")
            else:
                driver.stones(3)
            start = time.perf_counter()
            page.get_by_role("button", name="Analysis").click()
            expect(page.locator("body")).to_contain_text("mixnet-m", timeout=120_000)
            seconds = time.perf_counter() - start
            page.evaluate("longTasks.length = 0")
            page.wait_for_timeout(5000)
            tasks = page.evaluate("longTasks")
            print(
                f"{name} visit, renju: {seconds:.1f} s until both nets analyse,"
                f" {server.sent / 1e6:.2f} MB sent,"
                f" tasks over 50 ms in 5 s of analysis: {tasks or 'none'}",
                flush=True,
            )
            page.close()
        context.close()


def native(options: dict[str, str], depth: int, simd: str) -> tuple[str, float]:
    """Signature and nodes per second of the native program with some instructions."""
    program = next((ROOT / "build" / "release").glob("pbrain-tengen*"))
    arguments = [word for key, value in options.items() for word in (f"--{key}", value)]
    command = [str(program), "bench", "--rule", "freestyle", "--depth", str(depth), *arguments]
    done = subprocess.run(
        [*command, "--data", str(DATA)],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, **({"TENGEN_SIMD": simd} if simd else {})},
    )
    found = re.search(r"signature \S+ (\w+)\nnodes/s (\d+)", done.stdout)
    assert found is not None
    return found[1], float(found[2])


def in_browser(browser: Browser, net: str, options: dict[str, str], depth: int) -> dict[str, Any]:
    with serve(SITE) as server:
        page = _visit(browser)
        page.goto(server.address + "engine/manifest.json")
        given = {"base": server.address + "engine/", "net": net, "depth": depth}
        found = page.evaluate(_WORKER, {**given, "options": json.dumps(options)})
        page.context.close()
    return dict(found)


def benches(browser: Browser) -> None:
    """In turns, because other programs may run at the same time."""
    for name, (options, depth) in _BENCHES.items():
        speeds: dict[str, list[float]] = {"WebAssembly": [], "scalar": [], "": []}
        baking = []
        for _ in range(_ROUNDS):
            found = in_browser(browser, "" if name == "classical" else name, options, depth)
            speeds["WebAssembly"].append(found["nodes"] / found["seconds"])
            if found["baking"]:
                baking.append(found["baking"])
            for simd in ("scalar", ""):
                signature, nodes = native(options, depth, simd)
                assert signature == found["signature"], "the signatures differ"
                speeds[simd].append(nodes)
        print(f"{name}, nodes/s, medians of {_ROUNDS}:")
        wasm = statistics.median(speeds["WebAssembly"])
        for kind, found_speeds in speeds.items():
            speed, top = statistics.median(found_speeds), max(found_speeds)
            share = f", WebAssembly has {100 * wasm / speed:.0f}%" if kind != "WebAssembly" else ""
            print(f"  {kind or 'vector'}: {speed:,.0f} (max {top:,.0f}){share}")
        if baking:
            print(
                f"  baking: {statistics.median(baking):.1f} s (min {min(baking):.1f})", flush=True
            )


def main() -> None:
    if not SITE.is_dir():
        raise SystemExit("needs `make static`")
    print_machine()
    with run_chromium() as browser:
        print(f"Chromium {browser.version}")
        benches(browser)
        first_visits(browser)
        nets_and_tasks(browser)


if __name__ == "__main__":
    main()
