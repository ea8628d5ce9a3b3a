# SPDX-License-Identifier: MIT
"""A stop during a task in this process, inline or in a thread: it ends soon, and the finished games
count.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import zero_fakes
from tengen.zero.loop import run_zero
from zero_fakes import RandomGames
from zero_runs import check_folder, config, make_factories, stop_after

pytestmark = [
    pytest.mark.usefixtures("one_thread"),
    pytest.mark.parametrize("thread", [False, True]),
]


def test_finished_games_count(
    thread: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    played: list[int] = []
    game = RandomGames._game

    def counted(self: RandomGames, number: int) -> Any:
        assert len(played) < 2000, "it plays on"
        played.append(number)
        return game(self, number)

    monkeypatch.setattr(zero_fakes.RandomGames, "_game", counted)
    path = tmp_path / "run"
    made = config(play={"rows": 10**6, "thread": thread})
    run_zero(made, path, device="cpu", stop=lambda: len(played) > 2, factories=make_factories())
    counts = check_folder(path)
    assert counts["tasks"] == 1
    assert counts["games"] == len(played) > 2


def test_a_task_without_a_game_is_cancelled(thread: bool, tmp_path: Path) -> None:
    """And is no fault of the player: nothing was rejected."""
    path = tmp_path / "run"
    made = config(play={"rows": 60, "thread": thread}, selfplay={"seconds": 20.0})
    use = make_factories("zero_fakes:make_slow")
    result = run_zero(made, path, device="cpu", stop=stop_after(4), factories=use)
    assert result is not None
    assert result.counts["tasks"] == 0
    assert check_folder(path) == {}
    assert "rejected" not in (path / "journal.jsonl").read_text("utf-8")
