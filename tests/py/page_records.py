# SPDX-License-Identifier: MIT
"""Helpers of the tests of the page's records: its TypeScript in node, bundled by esbuild, and what
it should read by `tengen.game.records`.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from tengen.game import Colour, Rule
from tengen.game.records import Node, Record

ROOT = Path(__file__).parents[2]
CORPUS = ROOT / "tests" / "records"
FILES = sorted(path.stem for path in CORPUS.glob("*.sgf"))
WHOLE = [name for name in FILES if name != "damaged"]

Ask = Callable[..., Any]


class PageFault(Exception):
    """The BadRecord of the page."""


def start_page(folder: Path) -> Iterator[Ask]:
    """Yields a function that asks the page. Skips the test without node or esbuild."""
    local = ROOT / "web" / "node_modules" / ".bin" / "esbuild"
    esbuild = str(local) if local.exists() else shutil.which("esbuild")
    node = shutil.which("node")
    if esbuild is None or node is None:
        pytest.skip("needs node, and esbuild (`npm ci` in web/)")
    bundle = folder / "records.mjs"
    source = CORPUS / "page_records.ts"
    options = ["--bundle", "--platform=node", "--format=esm", "--log-level=warning"]
    subprocess.run([esbuild, str(source), *options, f"--outfile={bundle}"], check=True)
    with subprocess.Popen(
        [node, str(bundle)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8"
    ) as process:
        stdin, stdout = process.stdin, process.stdout
        assert stdin is not None
        assert stdout is not None

        def ask(op: str, **request: Any) -> Any:
            stdin.write(json.dumps({"op": op, **request}) + "\n")
            stdin.flush()
            answer = json.loads(stdout.readline())
            assert "crash" not in answer, answer["crash"]
            if "fault" in answer:
                raise PageFault(answer["fault"], answer["line"], answer["column"])
            return answer["result"]

        yield ask
        stdin.close()


def corpus(name: str) -> str:
    return (CORPUS / f"{name}.sgf").read_bytes().decode()


def opening_nodes(record: Record) -> list[Node]:
    """The first node, and those without a move that follow it."""
    nodes = [record.root]
    while nodes[-1].move is None and len(nodes[-1].children) == 1:
        if nodes[-1].children[0].move is not None:
            break
        nodes.append(nodes[-1].children[0])
    return nodes


def start_of(record: Record) -> dict[str, Any] | None:
    """The set-up of the page. Without a side to move, the first move of the file decides."""
    stones: dict[str, str] = {}
    turn = None
    for node in opening_nodes(record):
        stones.update({point.name: "black" for point in node.black})
        stones.update({point.name: "white" for point in node.white})
        for point in node.empty:
            stones.pop(point.name, None)
        if node.move is None:
            turn = node.colour or turn
    if turn is None:
        first = next((node.colour for node in record.nodes() if node.move is not None), None)
        count = list(stones.values()).count
        turn = first or (Colour.WHITE if count("black") > count("white") else Colour.BLACK)
    if not stones and turn is Colour.BLACK:
        return None
    sides: dict[str, Any] = {
        side: {name for name, colour in stones.items() if colour == side}
        for side in ("black", "white")
    }
    return sides | {"turn": str(turn)}


def comment_with(node: Node, turn: Colour) -> str:
    """A comment, with those of the nodes without a move that follow as the only line. `turn` is the
    side to move after the node.
    """
    comments = [node.comment]
    while len(node.children) == 1:
        node = node.children[0]
        if node.move is not None or node.is_setup or node.colour not in (None, turn):
            break
        comments.append(node.comment)
    return "\n".join(filter(None, comments))


Line: TypeAlias = tuple[str, str, list[Any]]


def tree_of(record: Record) -> list[Line]:
    """The moves that the page shows: move, comment, continuations."""
    start = start_of(record)
    turn = Colour.parse(start["turn"]) if start else Colour.BLACK
    last = opening_nodes(record)[-1]
    root = record.root
    if root.move is not None:
        return [(str(root.move), comment_with(root, turn.other), lines(root, turn.other))]
    return lines(last, turn)


def lines(parent: Node, turn: Colour) -> list[Line]:
    found: list[Line] = []
    for node in parent.children:
        if node.is_setup or node.colour not in (None, turn):
            continue
        if node.move is None:
            found += lines(node, turn)
        else:
            found.append((str(node.move), comment_with(node, turn.other), lines(node, turn.other)))
    return found


def page_tree(game: dict[str, Any]) -> list[Line]:
    nodes: list[Line] = [(node["move"], node["comment"], []) for node in game["nodes"]]
    top: list[Line] = []
    for node, entry in zip(game["nodes"], nodes, strict=True):
        (nodes[node["parent"]][2] if node["parent"] >= 0 else top).append(entry)
    return top


def page_start(game: dict[str, Any]) -> dict[str, Any] | None:
    setup = game["position"]["setup"]
    return setup and {**setup, "black": set(setup["black"]), "white": set(setup["white"])}


def check_equal(game: dict[str, Any], record: Record) -> None:
    position, names = game["position"], game["names"]
    assert (position["size"], position["rule"]) == (record.size, str(record.rule or Rule.CARO))
    assert page_start(game) == start_of(record)
    assert names["black"] == record.black
    assert names["white"] == record.white
    assert (names["event"], names["date"]) == (record.event, record.date)
    assert names["result"] == record.result_text()
    assert page_tree(game) == tree_of(record)
    root = "" if record.root.move is not None else record.root.comment
    comments = [root, *(node.comment for node in opening_nodes(record)[1:])]
    assert game["rootComment"] == "\n".join(filter(None, comments))
    codes = [note["code"] for note in game["notes"]]
    assert ("rule" in codes) == (record.rule is None)
