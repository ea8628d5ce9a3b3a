# SPDX-License-Identifier: MIT
"""Results against fixed opponents: rows, which of two results is kept, and limits in the report."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tengen.arena.control import TimeControl
from tengen.arena.elo import elo_of_pairs
from tengen.arena.player import Player
from tengen.cli.main import main
from tengen.zero.gate import fixed_opponents
from tengen.zero.gate.fixed_opponents import result_row, store_results
from tengen.zero.gate.net_match import NetMatchResult
from tengen.zero.run_report import write_report
from tengen.zero.zero_folder import FIXED_OPPONENTS, ZeroFolder
from zero_runs import config, go

pytestmark = pytest.mark.usefixtures("one_thread")
NODE = TimeControl(nodes=1)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("results") / "run"
    go(config(), path, 3)
    return path


@pytest.fixture
def folder(made: Path) -> ZeroFolder:
    """A run without results."""
    (made / FIXED_OPPONENTS).unlink(missing_ok=True)
    return ZeroFolder.read(made)


def kept(folder: ZeroFolder) -> Any:
    return json.loads((folder.path / FIXED_OPPONENTS).read_text("utf-8"))["rows"]


# --- rows ---


def test_a_row(folder: ZeroFolder) -> None:
    limit = TimeControl(time=0.1, nodes=2000)
    row = result_row(folder.generations()[0], "random", limit, NetMatchResult((0, 0, 1, 1, 0)))
    assert (row["games"], row["points"], row["limit"]) == (4, 2.5, "100 ms per move, 2,000 nodes")
    assert (row["elo"], row["error"]) == (88.7, 292.2)


def test_no_elo_without_an_error(folder: ZeroFolder) -> None:
    """Of half a pair, or of nothing but wins, any number would do."""
    (first, *_) = folder.generations()
    for result in ((1, 1.0, elo_of_pairs((0, 0, 0, 0, 0))), NetMatchResult((0, 0, 0, 0, 3))):
        assert not {"elo", "error"} & set(result_row(first, "random", "1 nodes", result))


def test_the_longer_match_is_kept(folder: ZeroFolder) -> None:
    """An interrupted match does not replace a complete one; a complete one does."""

    def row(games: int, points: float, **changes: Any) -> dict[str, Any]:
        both = {"generation": 1, "against": "random", "limit": "1 nodes", "seconds": 1.0}
        return {**both, "games": games, "points": points, **changes}

    store_results(folder, [row(8, 1.0)])
    store_results(folder, [row(8, 2.0)])
    result = store_results(folder, [row(2, 0.0), row(2, 0.5, limit="2 nodes")])
    assert result == [row(8, 2.0), row(2, 0.5, limit="2 nodes")]
    assert kept(folder) == result
    assert store_results(folder, [row(10, 7.0)])[0] == row(10, 7.0)


# --- the report ---


def test_an_edited_row_is_dropped(folder: ZeroFolder) -> None:
    row = result_row(folder.generations()[0], "random", NODE, NetMatchResult((0, 0, 1, 1, 0)))
    broken = {**row, "games": "many"}
    (folder.path / FIXED_OPPONENTS).write_text(json.dumps({"rows": [broken]}), "utf-8")
    assert store_results(folder, [row]) == kept(folder) == [row]


def test_limits_are_distinguished(folder: ZeroFolder) -> None:
    """A line of the chart and a row of the table for each."""
    rows = [
        {"generation": n, "seconds": 60.0 * n, "against": "classical", "limit": limit, "games": 8}
        | {"points": 4.0, "elo": 10.0 * n, "error": 5.0}
        for limit in ("1 nodes", "100 ms a move")
        for n in (1, 2)
    ]
    bad = {"against": "<b>", "limit": "x", "elo": "much", "error": [], "seconds": "late"}
    (folder.path / FIXED_OPPONENTS).write_text(json.dumps({"rows": [*rows, bad]}), "utf-8")
    write_report(folder)
    page = folder.report.read_text("utf-8")
    start = page.index("Elo against fixed opponents")
    chart = page[start : page.index("</figure>", start)]
    for limit in ("1 nodes", "100 ms a move"):
        assert chart.count(f"classical, {limit}") >= 1
        assert page.count(f"<td>classical, {limit}</td>") == 2
    assert "<td>+20 ± 5</td>" in page


# --- the arena ---


def odd_run(tmp_path: Path) -> Path:
    """Commas and equal signs separate options of a player; paths may contain them."""
    go(config(), tmp_path / "a,depth=1, b", 3)
    return tmp_path / "a,depth=1, b"


def test_a_folder_with_a_comma(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = odd_run(tmp_path)
    folder, made = ZeroFolder.read(path), []
    monkeypatch.setattr(fixed_opponents, "_export_generation", lambda *given: None)
    monkeypatch.setattr(
        fixed_opponents,
        "play_arena_match",
        lambda path, definition, *_, **__: made.append(definition),
    )
    assert (
        fixed_opponents.play_opponent(folder, folder.generations(), "random", NODE, pairs=1) == []
    )
    ((opponent, player),) = [definition.players for definition in made]
    assert (opponent.name, player.name, player.limit) == ("random", "generation-0", None)
    assert player.options["net"] == str(path / "elo" / "0000.onnx")
    plain = Player.parse("search=mcts,name=generation-0,net=x")  # as before, so that matches resume
    assert replace(plain, options={**plain.options, "net": player.options["net"]}) == player


@pytest.mark.slow
def test_a_folder_with_a_comma_in_the_arena(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = odd_run(tmp_path)
    args = ["--against", "random,nodes=1", "--nodes", "2", "--games", "2", "--json"]
    assert main(["zero", "elo", str(path), *args]) == 0
    (row,) = json.loads(capsys.readouterr().out)
    assert (row["games"], row["against"], row["limit"]) == (2, "random,nodes=1", "1 nodes")
    assert (path / "elo" / "0000.onnx").exists()
