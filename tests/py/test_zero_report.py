# SPDX-License-Identifier: MIT
"""Output of a run: report, ladder of generations, their matches in the arena, status."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
import torch

from tengen.arena.control import TimeControl
from tengen.nets.weights import NetWeights
from tengen.zero.config import ZeroConfig
from tengen.zero.errors import BadZero
from tengen.zero.gate.ladder import play_ladder, spread_out
from tengen.zero.gate.net_match import Match, NetMatchResult
from tengen.zero.run_report import write_report
from tengen.zero.zero_folder import FIXED_OPPONENTS, LADDER, Generation, ZeroFolder
from zero_runs import AT_ONCE, config, go

pytestmark = pytest.mark.usefixtures("one_thread")
CPU = torch.device("cpu")


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("report") / "run"
    gate = {"minutes": AT_ONCE, "games": 2, "score": 0.0, "playouts": 1}
    go(config(gate=gate), path, 14)
    return path


def stronger(made: ZeroConfig, device: torch.device) -> Match:
    """The later one of two wins three pairs in four."""

    def play(
        first: Sequence[NetWeights],
        second: Sequence[NetWeights],
        games: int,
        seed: int,
        stop: Callable[[], bool],
    ) -> NetMatchResult:
        better = first[0].metadata["step"] > second[0].metadata["step"]
        pairs = games // 2
        few = pairs // 4
        return NetMatchResult(
            (few, 0, 0, 0, pairs - few) if better else (pairs - few, 0, 0, 0, few)
        )

    return play


# --- the ladder ---


def test_a_ladder(run: Path) -> None:
    folder = ZeroFolder.read(run)
    rows = play_ladder(folder, CPU, players=4, games=40, match=stronger)
    elos = [row["elo"] for row in rows]
    assert len(rows) == 4
    assert elos[0] == 0
    assert elos == sorted(elos)
    assert all(row["error"] > 0 for row in rows[1:])
    assert json.loads((run / LADDER).read_text("utf-8"))["rows"] == rows


def test_a_ladder_that_is_stopped(run: Path) -> None:
    """The unfinished match does not count; the others do."""
    requests: list[str] = []

    def stop_in_the_third(made: ZeroConfig, device: torch.device) -> Match:
        play = stronger(made, device)
        return lambda *given: None if len(requests) == 2 else play(*given)

    def stopped_ladder() -> list[dict[str, Any]]:
        requests.clear()
        return play_ladder(
            *(ZeroFolder.read(run), CPU),
            players=4,
            games=4,
            stop=lambda: len(requests) > 2,
            report=requests.append,
            match=stop_in_the_third,
        )

    (run / LADDER).unlink(missing_ok=True)
    rows = stopped_ladder()
    assert len(requests) == 2
    assert [row["games"] for row in rows] == [4, 8, 4], "who has not played has no row"
    assert json.loads((run / LADDER).read_text("utf-8"))["rows"] == rows  # better than none
    whole = play_ladder(ZeroFolder.read(run), CPU, players=4, games=4, match=stronger)
    assert stopped_ladder() == rows
    assert "keeps the earlier ladder" in requests[2]
    assert json.loads((run / LADDER).read_text("utf-8"))["rows"] == whole
    nothing = play_ladder(ZeroFolder.read(run), CPU, stop=lambda: True, match=stronger)
    assert nothing == []
    assert json.loads((run / LADDER).read_text("utf-8"))["rows"] == whole


def test_nothing_to_compare(tmp_path: Path) -> None:
    go(config(), tmp_path / "run", 1)
    with pytest.raises(BadZero, match="nothing to compare"):
        play_ladder(ZeroFolder.read(tmp_path / "run"), CPU)


def test_spread_out() -> None:
    every = [Generation(n, Path(str(n))) for n in range(10)]
    assert spread_out(every, 20) == every
    assert [one.number for one in spread_out(every, 4)] == [0, 3, 6, 9]
    assert [one.number for one in spread_out(every, 2)] == [0, 9]


# --- the report ---


def test_the_report_needs_no_other_file(run: Path) -> None:
    folder = ZeroFolder.read(run)
    play_ladder(folder, CPU, players=3, games=8, match=stronger)
    rows = [
        {"generation": 1, "seconds": 1.0, "against": "<b>x", "games": 4, "points": 2.5, "elo": 40.0}
    ]
    (run / FIXED_OPPONENTS).write_text(json.dumps({"rows": rows}), "utf-8")
    write_report(folder)
    page = folder.report.read_text("utf-8")
    assert not re.search(r"https?://|//[a-z]+\.|src=|href=|@import|url\(", page)
    assert page.count("<svg") >= 10
    for message in (
        "Elo relative to the first generation",
        "games so far",
        "cross-entropy",
        "at the gate",
    ):
        assert message in page
    assert "<b>x" not in page
    assert "nan" not in page.lower().replace("nanmean", "")
    (run / FIXED_OPPONENTS).unlink()


def test_a_report_of_nothing(tmp_path: Path) -> None:
    go(config(), tmp_path / "run", 0)
    page = (tmp_path / "run" / "report.html").read_text("utf-8")
    assert "0 games" in page


def test_damaged_files_are_left_out(run: Path) -> None:
    folder = ZeroFolder.read(run)
    for text in ("", "[]", '{"rows": 3}', '{"rows": [3, {"elo": "x"}]}'):
        (run / LADDER).write_text(text, "utf-8")
        write_report(folder)
    with folder.event_log.open("a", encoding="utf-8") as file:
        file.write('rubbish\n[]\n{"event": "play"}\n{"seconds": 1}\n')
    write_report(folder)
    assert folder.status()["generation"] == folder.generations()[-1].number


def test_an_event_log_with_steps_back(tmp_path: Path) -> None:
    """Steps after the checkpoint of a resumed session are repeated; they count once."""
    folder = ZeroFolder.create(tmp_path / "run", config(), {})
    rows: list[dict[str, Any]] = [
        {"event": "session", "seconds": 0, "step": 0},
        {"event": "learn", "seconds": 1, "step": 5},
        {"event": "play", "seconds": 2, "task": "a"},
        {"event": "learn", "seconds": 3, "step": 9},
        {"event": "session", "seconds": 4, "step": 5},
    ]
    folder.event_log.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    assert [row.get("step") for row in folder.events()] == [0, 5, None, 5]


# --- status ---


def test_status(run: Path) -> None:
    result = ZeroFolder.read(run).status()
    assert result["rule"] == "freestyle"
    assert result["counts"]["games"] > 0
    assert result["accepted"] == result["gates"] == result["generation"]
    assert result["redistributable"] is True


# --- the arena ---


@pytest.mark.slow
@pytest.mark.parametrize("colours", [False, True])
def test_in_the_arena(colours: bool, tmp_path: Path) -> None:
    from tengen.zero.gate.fixed_opponents import play_opponent

    path = tmp_path / "run"
    go(config(size=9, colours=colours, gate={"minutes": AT_ONCE}), path, 10)
    folder = ZeroFolder.read(path)
    chosen = spread_out(folder.generations(), 2)
    rows = play_opponent(folder, chosen, "random", TimeControl(nodes=8), pairs=1)
    assert [row["generation"] for row in rows] == [one.number for one in chosen]
    assert all(row["games"] == 2 for row in rows)
    again = play_opponent(folder, chosen, "random", TimeControl(nodes=8), pairs=1)
    assert again == rows
    write_report(folder)
    assert "random" in folder.report.read_text("utf-8")
