# SPDX-License-Identifier: MIT
"""The engine of the page as WebAssembly under node (`make wasm`), without threads and with them:
signatures of the native search, baking, and requests that end early. `test_page_engine.py` compares
its answers.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from time import monotonic
from typing import Any

import pytest

from tengen.engine.nets import DATA

ROOT = Path(__file__).parents[2]
PROGRAMS = {
    name: ROOT / "build" / folder / f"{program}.js"
    for name, folder, program in (
        ("single", "wasm", "page-engine"),
        ("threads", "wasm-threads", "page-engine-threads"),
    )
}
GOLDEN = json.loads((ROOT / "tests" / "golden" / "bench.json").read_text("utf-8"))
NODE = ["node", "--no-experimental-fetch"]

pytestmark = pytest.mark.skipif(
    not all(program.is_file() for program in PROGRAMS.values()) or shutil.which("node") is None,
    reason="needs node and `make wasm`",
)
programs = pytest.mark.parametrize("program", PROGRAMS)


def bench(
    program: str, rule: str, options: dict[str, str], depth: int, *net: str
) -> dict[str, Any]:
    script = ROOT / "tests" / "page" / "bench.mjs"
    command = [*NODE, *map(str, (script, PROGRAMS[program], DATA)), rule, json.dumps(options)]
    command += [str(depth), *net]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return dict(json.loads(done.stdout), progress=list(map(float, done.stderr.split())))


@programs
@pytest.mark.parametrize("rule", ["freestyle", "renju"])
def test_signature_with_the_classical_evaluation(program: str, rule: str) -> None:
    found = bench(program, rule, {"preset": "classical", "memory": "128"}, 9)
    assert found["signature"] == GOLDEN[f"classical {rule}"]
    assert found["evaluation"] == "classical"


def test_a_search_with_two_threads() -> None:
    options = {"preset": "classical", "memory": "16"}
    single = bench("threads", "freestyle", options, 9)
    found = bench("threads", "freestyle", {**options, "threads": "2"}, 9)
    assert found["nodes"] > single["nodes"]  # those of both


@pytest.mark.integration
@programs
@pytest.mark.parametrize(
    ("key", "options", "depth"),
    [("alphabeta", {"memory": "16"}, 9), ("mcts net", {"memory": "16", "search": "mcts"}, 3)],
)
def test_signature_with_a_net(program: str, key: str, options: dict[str, str], depth: int) -> None:
    found = bench(program, "freestyle", options, depth, "mixnet-m-freestyle")
    assert found["signature"] == GOLDEN[f"{key} freestyle"]
    assert "mixnet-m-freestyle" in found["evaluation"]
    progress = found["progress"]
    assert progress == sorted(progress)
    assert 0 <= progress[0] < progress[-1] <= 1


# --- requests that end early ---


@pytest.fixture(scope="module", params=[1, 3], ids=["single", "threads"])
def process(request: pytest.FixtureRequest) -> Iterator[subprocess.Popen[str]]:
    script = ROOT / "tests" / "page" / "engine_process.mjs"
    threads = int(request.param)
    program = PROGRAMS["threads" if threads > 1 else "single"]
    options = {"memory": "16", "preset": "classical", "threads": str(threads)}
    command = [*NODE, *map(str, (script, program, DATA)), json.dumps(options)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as running:
        yield running
        assert running.stdin is not None
        running.stdin.close()


def ask(process: subprocess.Popen[str], **request: Any) -> tuple[list[dict[str, Any]], float]:
    """The events of a request, and the seconds that it took."""
    assert process.stdin is not None
    assert process.stdout is not None
    start = monotonic()
    process.stdin.write(json.dumps({"id": 1, **request}) + "\n")
    process.stdin.flush()
    events = [json.loads(line) for line in iter(process.stdout.readline, "\n")]
    return events, monotonic() - start


MOVES = ["h8", "i9", "i8", "g8", "h7", "h9", "g9", "f10"]
POSITION = {"rule": "freestyle", "moves": MOVES}
# A quiet start: no solver decides it in a moment.
OPEN = {"rule": "renju", "moves": ["h8", "h9", "j10", "g7"]}


@pytest.mark.parametrize(
    ("request_", "end"),
    [
        ({"type": "analyse", "seconds": 60, "lines": 3, "position": OPEN}, {"state": "done"}),
        ({"type": "move", "seconds": 60, "position": OPEN}, {"type": "move"}),
        ({"type": "review", "effort": 10, "position": POSITION}, {"state": "stopped"}),
        ({"type": "solve", "goal": "vct", "seconds": 30, "position": OPEN}, {"type": "solution"}),
    ],
    ids=["analyse", "move", "review", "solve"],
)
def test_a_request_that_is_stopped(
    process: subprocess.Popen[str], request_: dict[str, Any], end: dict[str, str]
) -> None:
    ask(process, type="new_game")
    events, seconds = ask(process, stop_after=0.5, **request_)
    assert events[-1]["type"] != "error"
    assert end.items() <= events[-1].items()
    assert seconds < 5
    events, _ = ask(process, type="view", position=POSITION)
    assert events[-1]["type"] == "views"


def test_an_analysis_reports_between_depths(process: subprocess.Popen[str]) -> None:
    events, _ = ask(process, type="analyse", seconds=2, position=OPEN)
    nodes = [event["nodes"] for event in events if event["state"] == "running"]
    assert nodes == sorted(nodes)
    assert len(set(nodes)) >= 8


def test_a_level_plays_the_same_after_a_stop(process: subprocess.Popen[str]) -> None:
    ask(process, type="new_game")
    (first,), _ = ask(process, type="move", level=5, position=OPEN)
    ask(process, type="analyse", seconds=60, stop_after=0.2, position=POSITION)
    ask(process, type="new_game")
    (again,), _ = ask(process, type="move", level=5, position=OPEN)
    assert again == first
